#include "tidewatt/sim/look_up.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

[[noreturn]] void unknown(const char* what, std::string_view name, const std::vector<std::string>& known) {
  const std::string close = nearest(std::string(name), known);
  throw InputError(fmt::format("the result has no {} '{}'{}", what, name,
                               close.empty() ? "" : fmt::format(" (did you mean '{}'?)", close)));
}

}  // namespace

double figure(const Result& result, std::string_view key) {
  std::vector<std::string> known;
  for (const auto& [name, value] : result.summary) {
    if (const auto* pairs = std::get_if<std::vector<std::pair<std::string, double>>>(&value)) {
      for (const auto& [word, x] : *pairs) {
        known.push_back(name + "." + word);
        if (known.back() == key) return x;
      }
    } else if (!std::holds_alternative<std::string>(value) &&
               !std::holds_alternative<std::vector<std::int64_t>>(value)) {
      known.push_back(name);
      if (name != key) continue;
      if (const auto* d = std::get_if<double>(&value)) return *d;
      if (const auto* i = std::get_if<std::int64_t>(&value)) return static_cast<double>(*i);
      return std::numeric_limits<double>::quiet_NaN();
    }
  }
  unknown("figure", key, known);
}

std::span<const std::int64_t> whole_numbers(const Result& result, std::string_view key) {
  std::vector<std::string> known;
  for (const auto& [name, value] : result.summary) {
    const auto* list = std::get_if<std::vector<std::int64_t>>(&value);
    if (!list) continue;
    known.push_back(name);
    if (name == key) return *list;
  }
  unknown("list of whole numbers", key, known);
}

std::span<const double> values(const Result& result, std::string_view path) {
  std::vector<std::string> known;
  for (const auto& array : result.arrays) {
    const auto* numbers = std::get_if<std::vector<double>>(&array.values);
    if (!numbers) continue;
    known.push_back(array.path);
    if (array.path == path) return *numbers;
  }
  unknown("array of numbers", path, known);
}

}  // namespace TIDEWATT_NAMESPACE::sim
