#include "declared_key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/embedded.hpp"
#include "base/text.hpp"
#include "row_kind.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/node.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

constexpr std::string_view file = "evidence.toml", none = "none: ";

std::string_view embedded_file(std::string_view name) {
  const auto files = embedded::validation_files();
  return std::find_if(files.begin(), files.end(), [&](const auto& f) { return f.path == name; })->text;
}

DeclaredKey declared(const std::string& area, const std::string& prefix, const Node& line) {
  DeclaredKey out{prefix, area, "", "", "", 0.0, ""};
  const std::string text = line.is_text() ? std::get<std::string>(line.value) : "";
  if (text.starts_with(none)) {
    out.why_none = text.substr(none.size());
    return out;
  }
  const auto words = split(text, ' ');
  const auto slash = words.front().find('/');  // a term's name may hold more of them
  if (words.size() != 3 || slash == std::string::npos || !parse_number(words[2], out.factor) || out.factor < 0.0)
    throw InputError(Finding{line.place, prefix, R"(expected "KIND/NAME KEY FACTOR" or "none: REASON")"});
  out.kind = words[0].substr(0, slash);
  out.name = words[0].substr(slash + 1);
  out.key = words[1];
  return out;
}

}  // namespace

std::vector<DeclaredKey> read_declared_keys(std::string_view toml) {
  std::vector<DeclaredKey> out;
  const Node root = parse_toml(toml, std::string(file));
  for (const auto& [area, lines] : std::get<Node::Table>(root.value))
    for (const auto& [prefix, line] : std::get<Node::Table>(lines.value)) out.push_back(declared(area, prefix, line));
  return out;
}

const std::vector<DeclaredKey>& declared_keys() {
  static const std::vector<DeclaredKey> keys = read_declared_keys(embedded_file(file));
  return keys;
}

std::string device_of(const DeclaredKey& declared) {
  constexpr std::array kinds = {"gpu", "compute", "server"};
  if (std::find(kinds.begin(), kinds.end(), declared.kind) == kinds.end()) return "";
  return declared.name.substr(0, declared.name.find('_'));
}

std::string mend_of(std::string_view row) {
  static const Node root = parse_toml(embedded_file("mends.toml"), "mends.toml");
  std::string_view longest;
  std::string out;
  for (const auto& [prefix, text] : std::get<Node::Table>(root.value))
    if (is_below(prefix, row) && prefix.size() > longest.size())
      longest = prefix, out = std::get<std::string>(text.value);
  return out;
}

const DeclaredKey* declared_key(const std::vector<DeclaredKey>& keys, std::string_view row) {
  const DeclaredKey* longest = nullptr;
  for (const auto& k : keys)
    if (is_below(k.prefix, row) && (longest == nullptr || k.prefix.size() > longest->prefix.size())) longest = &k;
  return longest;
}

}  // namespace TIDEWATT_NAMESPACE::validate
