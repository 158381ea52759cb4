#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>

#include "chance.hpp"
#include "sim/fleet_clocks.hpp"
#include "tidewatt/sim/result.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// A run that is done, and what its GPUs could have done alone.
struct FleetBase {
  const sim::Scenario& scenario;
  const sim::Result& result;
  const sim::FleetClocks& clocks;  ///< that RunOptions::clocks of the run pointed to
};

/// How other fleets are drawn.
struct FleetSampling {
  std::size_t n_thread = 1;  ///< results do not depend on it
  /// Which fleets: equal numbers give equal ones, so that all seeds of a scenario have the same expectation.
  std::uint64_t seed = 1;
  std::function<bool()> stop{};  ///< asked before each run; true ends them early
};

/// The i-th other fleet's seed: positive, and none that people type. @param of as FleetSampling::seed  @param i a count from 0
std::uint64_t other_fleet_seed(std::uint64_t of, std::size_t i);

/// The part of chance that is the draw of a fleet: its chips, their packages, its racks' air and its slow hosts. Of the keys
/// throughput_swing_percent, clock_slowest_MHz, tokens_per_s_mean, iteration_s and die_max_degC.
///
/// A job moves at its slowest GPU, so a few nodes decide these keys. Of each of up to 320 fleets the nodes are found whose GPUs may be the
/// slowest or the hottest, by a linear response fitted to the run. Few runs play them side by side ("screens"). The slowest
/// clock f of a fleet in each hour then gives its tokens per second by the relation of the complete runs,
///
///     ln(tokens per s) = a + b ln f
///
/// and with them the estimate E. Complete runs of fleets (the run's own and up to three others, "controls") correct it, as far as their miss
/// m, a median with the standard error s, exceeds its error:
///
///     K = E + m − s² / m for |m| > s, else E,   m = median(K_control − E_control)
///
/// The standard error of the median has two parts: 1.253 σ_K / √n of the n fleets, and s = 1.253 σ_(K − E) / √c of the c complete runs. How
/// many runs there are depends on the number of GPUs and the length of the run, not on the machine.
/// @returns the part "fleet"; without draws, and with a note, where chips are identical, no job iterates or the runs would be too dear
/// @throws nothing of runs that fail: they count as failed draws
ChancePart fleet_expectation(const FleetBase& base, const FleetSampling& sampling = {});

}  // namespace TIDEWATT_NAMESPACE::study
