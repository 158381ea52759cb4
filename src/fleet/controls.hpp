#pragma once
#include <algorithm>
#include <cstddef>
#include <span>

#include "tidewatt/dvfs/operating_point.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

/// Limits of the GPUs of one hall, and the source of each.
struct Controls {
  double cap_W = 0.0;                                ///< power cap of each GPU, at most the board limit
  double lock_Hz = 0.0;                              ///< highest clock of each GPU
  double target_K = 0.0;                             ///< die temperature that the governor keeps by the clock
  dvfs::Limiter lock_by = dvfs::Limiter::clock;      ///< whose lock it is: the user's or the power brake's
  dvfs::Limiter target_by = dvfs::Limiter::thermal;  ///< whose target it is: the die's or the memory's
  bool operator==(const Controls&) const = default;
  template <class A>
  void archive(A& a) {
    a(cap_W, lock_Hz, target_K, lock_by, target_by);
  }
};

/// Of a job over halls with limits of their own: GPUs of the tightest set its pace, and what holds power up is one for all.
/// @param of_hall [hall]  @param halls of the job, at least one
inline Controls tightest(std::span<const Controls> of_hall, std::span<const std::size_t> halls) {
  Controls out = of_hall[halls.front()];
  for (const std::size_t h : halls) {
    out.cap_W = std::min(out.cap_W, of_hall[h].cap_W);
    if (of_hall[h].lock_Hz < out.lock_Hz) out.lock_Hz = of_hall[h].lock_Hz, out.lock_by = of_hall[h].lock_by;
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::fleet
