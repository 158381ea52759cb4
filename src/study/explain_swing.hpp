#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tidewatt/sim/run.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// One link of the chain weather → tokens switched off, everything else and the seed the same.
struct SwingCause {
  std::string name, how;            ///< what it is; how it was switched off
  double without_percent = 0.0;     ///< swing of hourly throughput that is left
  double adds_points = 0.0;         ///< swing − without_percent: below 0 the link damps the swing
  double without_MW = 0.0;          ///< mean power at the connection that is left
  double adds_MW = 0.0;             ///< mean power − without_MW
  double adds_ramp_MW_per_s = 0.0;  ///< to the size of the steepest fall of power in 0.1 s
};

/// A change that an operator can make.
struct SwingLever {
  std::string name, how;
  double tokens_percent = 0.0;            ///< change of mean throughput
  double energy_per_token_percent = 0.0;  ///< change of energy at the connection per token
  double swing_percent = 0.0;             ///< that is left
};

/// One GPU in the step with the warmest inlet.
struct NamedGpu {
  std::int64_t row = 0, rack = 0, node = 0, slot = 0;
  double die_K = 0.0, own_Hz = 0.0;  ///< own: its clock if it did not wait for slower ranks
  double inlet_K = 0.0, leakage_ratio = 0.0, resistance_ratio = 0.0;
};

struct SwingReport {
  double swing_percent = 0.0;
  std::vector<std::int64_t> min_hours;  ///< hours of the day with the lowest throughput
  double tokens_per_s = 0.0;
  double mean_MW = 0.0, fall_MW_per_s = 0.0;  ///< mean power at the connection, size of its steepest fall
  std::vector<SwingCause> causes;
  std::vector<SwingLever> levers;
  std::vector<NamedGpu> hottest, slowest;  ///< five each, the worst first
  std::vector<std::string> notes;          ///< questions that this scenario cannot answer
};

/// Why throughput moves over a run, what each part of the models is worth in watts, and what would help: the run is repeated
/// without leakage's rise with temperature, its gated share, thermal and fast limiter, own clocks by kind of work, unequal chips and
/// their tail, waiting for the slowest, moving fans, their steps, moving coolant, the host's gap, the spread of a stop, the wet pads'
/// approach, and without the plant's own control; then with
/// cooler and warmer coolant, a lower cap, and cold plates. The parts do not add up to the whole: links act on one another.
/// @param base result of the same scenario
/// @param progress called before every run with its name
/// @throws InputError if the run has no hours to compare (fewer than two with 15 iterating minutes)
SwingReport explain_swing(const sim::Scenario& scenario, const sim::Result& base, const sim::RunOptions& options = {},
                          const std::function<void(const std::string&)>& progress = {});

/// What every cause is worth in power, for people: the largest first.
std::string power_text(const SwingReport& report);
/// The same as one JSON object on one line.
std::string power_json(const SwingReport& report);

/// For people, one line per cause, lever and GPU.
std::string swing_text(const SwingReport& report);
/// The same as one JSON object on one line; temperatures in °C, clocks in MHz.
std::string swing_json(const SwingReport& report);

}  // namespace TIDEWATT_NAMESPACE::study
