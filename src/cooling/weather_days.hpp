#pragma once
#include <span>

#include "epw.hpp"

namespace TIDEWATT_NAMESPACE::cooling {

/// Dry bulb of a whole day.
struct DayFigures {
  int month = 0;
  double mean_K = 0.0, max_K = 0.0, range_K = 0.0;
};
/// The day of that kind. @param days at least one, in order  @param warmest month of a typical day, 1 to 12; if there is none of it,
/// all days count  @return its position
std::size_t pick_day(std::span<const DayFigures> days, DayKind kind, int warmest);

}  // namespace TIDEWATT_NAMESPACE::cooling
