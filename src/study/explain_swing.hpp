#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tidewatt/sim/run.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// A figure over n fleets, in the figure's unit: its mean x̄ = Σ x_k / n, and the standard error of this mean,
///
///     se = √(Σ (x_k − x̄)² / (n − 1) / n)
///
/// Means, not medians: the mean of paired differences is the difference of the means, so that a line's figures agree with one another.
struct FleetMean {
  double mean = 0.0;
  double se = std::numeric_limits<double>::quiet_NaN();  ///< NaN: of one fleet
};

/// One link of the chain weather → tokens switched off, everything else and each fleet's seed the same. `adds_…`: mean over fleets of the
/// paired differences, each of two runs of one fleet.
struct SwingCause {
  std::string name, how;         ///< what it is; how it was switched off
  FleetMean without_percent;     ///< swing of hourly throughput that is left
  FleetMean adds_points;         ///< swing − without_percent: below 0 the link damps the swing
  FleetMean without_MW;          ///< mean power at the connection that is left
  FleetMean adds_MW;             ///< mean power − without_MW
  FleetMean adds_ramp_MW_per_s;  ///< to the size of the steepest fall of power in 0.1 s
};

/// A change that an operator can make; its figures are means over fleets of paired changes.
struct SwingLever {
  std::string name, how;
  FleetMean tokens_percent;            ///< change of mean throughput
  FleetMean energy_per_token_percent;  ///< change of energy at the connection per token
  FleetMean swing_percent;             ///< that is left
};

/// One GPU in the step with the warmest inlet.
struct NamedGpu {
  std::int64_t row = 0, rack = 0, node = 0, slot = 0;
  double die_K = 0.0, own_Hz = 0.0;  ///< own: its clock if it did not wait for slower ranks
  double inlet_K = 0.0, leakage_ratio = 0.0, resistance_ratio = 0.0;
};

struct SwingReport {
  // Of this run's own fleet.
  double swing_percent = 0.0;
  std::vector<std::int64_t> min_hours;  ///< hours of the day with the lowest throughput
  double tokens_per_s = 0.0;
  double mean_MW = 0.0, fall_MW_per_s = 0.0;  ///< mean power at the connection, size of its steepest fall
  std::vector<NamedGpu> hottest, slowest;     ///< five each, the worst first
  // Over all fleets.
  std::int64_t n_fleet = 1;                                       ///< with this run's own
  FleetMean swing_over_fleets, MW_over_fleets, fall_over_fleets;  ///< in %, MW, MW/s: as the three above
  std::vector<SwingCause> causes;                                 ///< by adds_points, the largest first
  std::vector<SwingLever> levers;
  std::vector<std::string> notes;  ///< questions that this scenario cannot answer
};

/// How a swing is explained. Neither changes with the machine.
struct ExplainOptions {
  static constexpr std::int64_t most_fleets = 64;
  std::size_t n_thread = 0;  ///< 0: all cores. Results do not depend on it.
  std::int64_t n_fleet =
      10;  ///< a count of fleets to average over, 1 to most_fleets; 1: this run's own, without standard errors
};

/// Why throughput moves over a run, what each part of the models is worth in watts, and what would help: the run is repeated
/// without leakage's rise with temperature, its gated share, thermal and fast limiter, own clocks by kind of work, unequal chips and
/// their tail, waiting for the slowest, moving fans, their steps, moving coolant, the host's gap, the spread of a stop, the wet pads'
/// approach, and without the plant's own control; then with
/// cooler and warmer coolant, a lower cap, and cold plates. The parts do not add up to the whole: links act on one another.
///
/// A swing depends on the drawn fleet, and so does what a link adds to it. So all of it is done with several fleets: the run's own and
/// those of other_fleet_seed(1, 0), (1, 1), …, as the intervals' complete runs have. A fleet's run and its variants have the same seed,
/// so that what fleets have in common leaves the standard errors:
///
///     adds = mean over k of (K_k − K_k without the link)
///
/// A variant in which no draw acts (drawn_alike) is run once for all fleets. A scenario of that kind has one fleet.
/// @param base result of the same scenario
/// @param options number of fleets, threads
/// @param progress called before every run with its name
/// @throws InputError if the run has no hours to compare (fewer than two with 15 iterating minutes), or n_fleet is out of its range
SwingReport explain_swing(const sim::Scenario& scenario, const sim::Result& base, const ExplainOptions& options = {},
                          const std::function<void(const std::string&)>& progress = {});

/// What every cause is worth in power, for people: the largest first.
std::string power_text(const SwingReport& report);
/// The same as one JSON object on one line.
std::string power_json(const SwingReport& report);

/// For people, one line per cause, lever and GPU.
std::string swing_text(const SwingReport& report);
/// The same as one JSON object on one line; temperatures in °C, clocks in MHz. `swing_percent` is this run's,
/// `swing_over_fleets_percent` the mean over the fleets. Each figure K of causes and levers is a mean over the fleets too, followed by its
/// standard error `K_se` if there are several.
std::string swing_json(const SwingReport& report);

}  // namespace TIDEWATT_NAMESPACE::study
