#include "toml_value.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace TIDEWATT_NAMESPACE::study {

bool is_plain(const Node& node) {
  return std::holds_alternative<bool>(node.value) || std::holds_alternative<std::int64_t>(node.value) ||
         std::holds_alternative<double>(node.value) || node.is_text();
}

std::string text_of(const std::string& toml) {
  if (!toml.starts_with('"') && !toml.starts_with('\'')) return toml;
  try {
    const Node table = parse_toml("v = " + toml, "");
    const Node* v = table.find("v");
    return v->is_text() ? std::get<std::string>(v->value) : toml;
  } catch (const InputError&) {  // a bare word that begins with a quote
    return toml;
  }
}

std::string toml_value(double x) {
  std::array<char, 40> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x);
  std::string text(buffer.data(), end.ptr);
  // TOML distinguishes a float from a whole number by its dot or exponent; nan and inf have neither and need none.
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string toml_value(std::int64_t i) { return fmt::format("{}", i); }

std::string toml_value(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + "\"";
}

std::string toml_value(const Node& node) {
  if (const auto* b = std::get_if<bool>(&node.value)) return *b ? "true" : "false";
  if (const auto* i = std::get_if<std::int64_t>(&node.value)) return toml_value(*i);
  if (const auto* d = std::get_if<double>(&node.value)) return toml_value(*d);
  if (const auto* s = std::get_if<std::string>(&node.value)) return toml_value(std::string_view(*s));
  return node.text();
}

}  // namespace TIDEWATT_NAMESPACE::study
