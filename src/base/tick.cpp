#include "tidewatt/base/tick.hpp"

#include <fmt/format.h>

#include <cmath>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE {

Tick to_tick(double s) {
  if (!(std::abs(s) <= 9.2e9))
    throw InputError(fmt::format("{} s is outside the range of simulated time (±9.2e9 s)", s));
  return static_cast<Tick>(std::llround(s * 1e9));
}

}  // namespace TIDEWATT_NAMESPACE
