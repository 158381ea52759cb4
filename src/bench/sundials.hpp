#pragma once
// What the wrappers of SUNDIALS share. Private to bench.
#include <fmt/format.h>
#include <nvector/nvector_serial.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::bench::sundials {

/// Vectors are not shared among processes.
#ifdef SUN_COMM_NULL
inline const auto no_communicator = SUN_COMM_NULL;
#else  // before SUNDIALS 7
inline constexpr void* no_communicator = nullptr;
#endif

/// @throws SolverError for a null pointer
template <class T>
T* made(T* pointer, const char* what) {
  if (!pointer) throw SolverError(fmt::format("SUNDIALS could not make its {}", what));
  return pointer;
}

/// @throws SolverError for a negative status
inline void done(int status, const char* what) {
  if (status < 0) throw SolverError(fmt::format("SUNDIALS {} failed with code {}", what, status));
}

/// The values of a vector, (n) in any unit; the vector stays their owner. @param v (n) in any unit
inline std::span<double> values(N_Vector v) {
  return {N_VGetArrayPointer(v), static_cast<std::size_t>(NV_LENGTH_S(v))};
}

/// Whether no value is infinite or not a number. @param v (n) in any unit
inline bool all_finite(std::span<const double> v) {
  return std::all_of(v.begin(), v.end(), [](double x) { return std::isfinite(x); });
}

/// The three largest of (size, component), as "name (size unit), …".
inline std::string three_worst(std::vector<std::pair<double, std::size_t>> ranked,
                               const std::vector<std::string>& names, const char* unit) {
  std::sort(ranked.begin(), ranked.end(), std::greater<>());
  std::string text;
  for (std::size_t k = 0; k < std::min<std::size_t>(3, ranked.size()); ++k)
    text += fmt::format("{}{} ({:.3g}{})", k ? ", " : "", names[ranked[k].second], ranked[k].first, unit);
  return text;
}

}  // namespace TIDEWATT_NAMESPACE::bench::sundials
