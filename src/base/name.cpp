#include "name.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace TIDEWATT_NAMESPACE {

bool is_name(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !text.empty() && text.size() <= name_limit && std::all_of(text.begin(), text.end(), allowed);
}

void check_name(const Node& node, const std::string& key, std::vector<Finding>& findings) {
  if (!node.is_text() || is_name(std::get<std::string>(node.value))) return;
  findings.push_back({node.place, key,
                      fmt::format("{} is not a name: use 1 to {} letters, digits, _ and -", node.text(), name_limit)});
}

}  // namespace TIDEWATT_NAMESPACE
