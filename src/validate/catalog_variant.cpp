#include "catalog_variant.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <fstream>

#include "base/text.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

/// Whether a line sets this key of its table.
bool sets(std::string_view line, std::string_view key) {
  line = trim(line);
  const bool quoted = line.starts_with('"');
  if (quoted) line.remove_prefix(1);
  if (!line.starts_with(key)) return false;
  line.remove_prefix(key.size());
  if (quoted && !line.starts_with('"')) return false;
  if (quoted) line.remove_prefix(1);
  return trim(line).starts_with('=');
}

/// Place behind the equals sign of a key; npos where the table or the key is missing.
std::size_t value_at(const std::string& toml, const std::string& table, const std::string& key) {
  std::string in;
  for (std::size_t begin = 0; begin < toml.size();) {
    const std::size_t end = std::min(toml.find('\n', begin), toml.size());
    const std::string_view line = std::string_view(toml).substr(begin, end - begin);
    if (line.starts_with('[')) in = line.substr(1, line.find(']') - 1);
    if (in == table && sets(line, key)) return toml.find('=', begin) + 1;
    begin = end + 1;
  }
  return std::string::npos;
}

bool part_of_number(char c) { return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e'; }

/// A whole number stays one, so that counts remain counts.
std::string written(double x, bool whole) {
  return whole && x == std::round(x) ? fmt::format("{:.0f}", x) : fmt::format("{:#.17g}", x);
}

}  // namespace

std::string with_value(const std::string& toml, const std::string& key, const std::function<double(double)>& change) {
  const auto dot = key.rfind('.');
  const std::string table = dot == std::string::npos ? "" : key.substr(0, dot);
  const std::size_t begin = value_at(toml, table, dot == std::string::npos ? key : key.substr(dot + 1));
  if (begin == std::string::npos) throw InputError(Finding{{}, key, "the catalog file has no such key"});
  const std::size_t first = toml.find_first_not_of(' ', begin);
  const std::size_t end = std::min(toml.find(toml[first] == '[' ? ']' : '\n', begin), toml.size());
  std::string out = toml.substr(0, begin);
  bool found = false;
  for (std::size_t i = begin; i < end;) {
    std::size_t last = i;
    while (last < end && part_of_number(toml[last])) ++last;
    double x = 0.0;
    if (toml[i] == '#') {
      last = std::min(toml.find('\n', i), end);
      out += toml.substr(i, last - i);
    } else if (last > i && parse_number(toml.substr(i, last - i), x)) {
      out += written(change(x), toml.find_first_of(".e", i) >= last);
      found = true;
    } else {
      last = std::max(last, i + 1);
      out += toml.substr(i, last - i);
    }
    i = last;
  }
  if (!found) throw InputError(Finding{{}, key, "not a number"});
  return out + toml.substr(end);
}

VariantFolder::VariantFolder() {
  static std::atomic<int> n = 0;
  folder_ = std::filesystem::temp_directory_path() / fmt::format("tidewatt-variant-{}-{}", getpid(), n++);
  std::filesystem::create_directories(folder_);
}

VariantFolder::~VariantFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void VariantFolder::add(const std::string& kind, const std::string& name, const std::string& toml) const {
  std::filesystem::create_directories(folder_ / kind);
  std::ofstream file(folder_ / kind / (name + ".toml"));
  file << toml;
  if (!file.flush()) throw OutputError("cannot write " + folder_.string());
}

}  // namespace TIDEWATT_NAMESPACE::validate
