#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE {

/// One array of a result, with its unit and the names of its dimensions.
/// Time is the first dimension. A dimension `time` of a group has its own array of that name,
/// in seconds since the start of the run, with CF units.
struct TIDEWATT_API NamedArray {
  std::string path;               ///< "/day/clock_mean_Hz"
  std::vector<std::string> dims;  ///< names of the dimensions, e.g. {"time"}; scales live in the same group
  std::vector<std::uint64_t> shape;
  std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<std::string>> values;
  std::string unit;       ///< CF unit text, "1" for ratios
  std::string long_name;  ///< one plain phrase
  template <class A>
  void archive(A& a) {
    std::size_t which = values.index();
    a(path, dims, shape, which, unit, long_name);
    if constexpr (A::reads) {
      if (which == 0) values = std::vector<double>{};
      if (which == 1) values = std::vector<std::int64_t>{};
      if (which == 2) values = std::vector<std::string>{};
    }
    std::visit([&](auto& v) { a(v); }, values);
  }
};

}  // namespace TIDEWATT_NAMESPACE
