#include "tidewatt/base/fields.hpp"

#include <fmt/format.h>

#include "units.hpp"

namespace TIDEWATT_NAMESPACE::detail {
namespace {

std::string edge_text(std::string_view key, double si) {
  const auto unit = unit_of_key(key);
  return fmt::format("{}", unit ? (si - unit->offset) / unit->scale : si);
}

FieldInfo info(std::string_view key, std::string value, Range range, std::string_view doc, Need need) {
  const auto unit = unit_of_key(key);
  return {std::string(key), unit ? std::string(unit->suffix) : std::string(),
          std::move(value), range,
          std::string(doc), need == Need::required};
}

}  // namespace

void FieldLister::number(std::string_view key, double& si, Range range, std::string_view doc, Need need) {
  out.push_back(info(key, edge_text(key, si), range, doc, need));
}
void FieldLister::integer(std::string_view key, std::int64_t& value, Range range, std::string_view doc, Need need) {
  out.push_back(info(key, fmt::format("{}", value), range, doc, need));
}
void FieldLister::flag(std::string_view key, bool& value, std::string_view doc, Need need) {
  out.push_back(info(key, value ? "true" : "false", {}, doc, need));
}
void FieldLister::text(std::string_view key, std::string& value, std::string_view doc, Need need) {
  out.push_back(info(key, value, {}, doc, need));
}
void FieldLister::choice(std::string_view key, std::string& value, std::span<const std::string_view> options,
                         std::string_view doc, Need need) {
  out.push_back(info(key, value, {}, fmt::format("{} ({})", doc, fmt::join(options, " | ")), need));
}
void FieldLister::numbers(std::string_view key, std::vector<double>& si, Range range, std::string_view doc, Need need) {
  std::string value = "[";
  for (const double x : si) value += (value.size() > 1 ? ", " : "") + edge_text(key, x);
  out.push_back(info(key, value + "]", range, doc, need));
}
void FieldLister::texts(std::string_view key, std::vector<std::string>& values, std::string_view doc, Need need) {
  out.push_back(info(key, fmt::format("[{}]", fmt::join(values, ", ")), {}, doc, need));
}

}  // namespace TIDEWATT_NAMESPACE::detail
