#include "fit_entry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

std::string quoted(const std::string& s) {
  std::string out = "\"";
  for (const char c : s) out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c == '\n' ? ' ' : c);
  return out + '"';
}

std::string range_line(const std::string& key, const FittedValue& v) {
  return fmt::format("{} = [{:.6g}, {:.6g}]\n", key, std::min(v.low, v.value), std::max(v.high, v.value));
}

std::string value_text(const FittedValue& v) {
  return v.list.empty() ? fmt::format("{:.6g}", v.value) : fmt::format("[{:.6g}]", fmt::join(v.list, ", "));
}

/// The key of a `key = value` line, without quotes; empty for any other line.
std::string key_of(const std::string& line) {
  const auto equals = line.find('=');
  if (equals == std::string::npos || line.empty() || line[0] == '#' || line[0] == '[') return {};
  std::string key = line.substr(0, equals);
  key.erase(std::remove_if(key.begin(), key.end(), [](char c) { return c == ' ' || c == '"'; }), key.end());
  return key;
}

}  // namespace

std::string entry_from(const std::string& base_text, const std::string& name, const std::vector<FittedValue>& values) {
  std::istringstream in(base_text);
  std::string out, line, table;
  std::vector<bool> used(values.size(), false);
  bool at_head = true;
  const auto find = [&](const std::string& key) {
    return std::find_if(values.begin(), values.end(), [&](const auto& v) { return v.key == key; });
  };
  while (std::getline(in, line)) {
    if (at_head && (line.empty() || line[0] == '#')) continue;
    at_head = false;
    if (!line.empty() && line[0] == '[') table = line.substr(1, line.find(']') - 1);
    const std::string key = key_of(line);
    const bool meta = table == "sources" || table == "assumed";
    const auto v = find(meta || table.empty() ? key : table + "." + key);
    if (key == "name" && table.empty()) {
      out += fmt::format("name = {}\n", quoted(name));
    } else if (key.empty() || v == values.end()) {
      out += line + "\n";
      if (table == "assumed" && line == "[assumed]")
        for (const auto& f : values)
          if (f.list.empty()) out += range_line(quoted(f.key), f);
    } else if (table == "sources") {
      out += fmt::format("{} = {}\n", quoted(key), quoted("[D] " + v->source));
    } else if (table != "assumed") {  // removes the old range; the new one is at the table's top
      out += fmt::format("{} = {}\n", key, value_text(*v));
      used[static_cast<std::size_t>(v - values.begin())] = true;
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!used[i]) throw InputError(fmt::format("the base entry has no value {}", values[i].key));
  return out;
}

std::string entry_of(const std::string& kind, const std::string& name, const std::vector<FittedValue>& values) {
  std::string out = fmt::format("schema = 1\nkind = {}\nname = {}\n", quoted(kind), quoted(name));
  for (const auto& v : values) out += fmt::format("{} = {}\n", v.key, value_text(v));
  out += "\n[sources]\n";
  for (const auto& v : values) out += fmt::format("{} = {}\n", v.key, quoted("[D] " + v.source));
  out += "\n[assumed]\n";
  for (const auto& v : values)
    if (v.list.empty()) out += range_line(v.key, v);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
