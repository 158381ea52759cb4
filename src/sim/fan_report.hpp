#pragma once
// Private to sim: servers whose fans cycle between two steps of their controller.
#include <cstdint>
#include <optional>
#include <span>

#include "fleet/fan_cycle.hpp"
#include "tidewatt/sim/result.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// The servers of a run's picture whose fans cycled then; amplitude and period are medians over at most 64 of them.
struct FanReport {
  std::int64_t n_cycling = 0;
  double amplitude_K = 0.0, period_s = 0.0;
};
/// @param arrays of the fleet's picture  @return nothing where no server's fans run in steps, or there is no picture
std::optional<FanReport> fan_report(const fleet::Fleet& fleet, std::span<const NamedArray> arrays);

/// One server of the picture under its controller, sample by sample. @param node in the fleet's order
std::optional<fleet::FanCycle> node_fan_cycle(const fleet::Fleet& fleet, std::span<const NamedArray> arrays,
                                              std::size_t node);

}  // namespace TIDEWATT_NAMESPACE::sim
