#pragma once
// Stretches of a run that event_instants() replays. Private to study.
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tidewatt/sim/result.hpp"
#include "tidewatt/sim/run.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::study::detail {

/// Figures of a run or of a part of it, [event_keys()], in the keys' units.
using EdgeFigures = std::array<double, 4>;
EdgeFigures largest(const EdgeFigures& a, const EdgeFigures& b);
/// Of a whole run, from its summary.
EdgeFigures summary_figures(const sim::Result& result);

/// Part of a run in which an event makes an edge, wherever in the iteration it falls. Times in s since the start, whole ms.
struct Stretch {
  std::size_t event = 0;  ///< index in the scenario
  double save_s = 0.0;    ///< the replays begin here, more than an iteration before the edge
  double from_s = 0.0;    ///< figures are measured from here on
  double edge_s = 0.0;    ///< the event's first edge, not moved
  double until_s = 0.0;   ///< regular iterations again, even after the last instant
  std::int64_t job = -1;  ///< whose iteration the instants are spread over; −1: the longest of all jobs
};

/// Length of an iteration of each job in a run, [job], s; 0: it did not train.
std::vector<double> iterations_s(const sim::Scenario& scenario, const sim::Result& base);
/// In the order of time. @param iteration_s [job], s
std::vector<Stretch> event_stretches(const sim::Scenario& scenario, const std::vector<double>& iteration_s);

/// Measures parts of a run on the whole fleet from saved states.
class PartMeter {
 public:
  /// @param scenario of the run; its recorded windows, rules and power system are left out
  explicit PartMeter(sim::Scenario scenario);
  const sim::Scenario& scenario() const { return scenario_; }
  /// @param state saved by an engine of `scenario()`, of a time not after `from_s`  @param moved an event  @param by_s by this much
  /// @return between the times, not looking across them  @throws InputError, SolverError as the engine
  EdgeFigures measure(const std::string& state, double from_s, double until_s, std::size_t moved = 0,
                      double by_s = 0.0) const;
  /// From the run's start to a time. @param state as above
  EdgeFigures measure_start(const std::string& state, double until_s) const;

 private:
  sim::Scenario scenario_;
};

/// Jobs that iterate beside one another with their starts shifted.
struct JobPhases {
  std::vector<EdgeFigures>
      ratio;            ///< [draw] over the figures of the jobs' own starts; empty: fewer than two jobs train together
  EdgeFigures bound{};  ///< sum of the jobs' own figures, keys' units
  std::int64_t n_failed = 0;  ///< draws that could not be run
};
/// @param iteration_s [job], s
JobPhases job_phases(const sim::Scenario& scenario, const sim::Result& base, const std::vector<double>& iteration_s,
                     std::int64_t n_draw);

/// Options of the replays: the same bits and processor time on any machine.
inline sim::RunOptions one_thread() {
  sim::RunOptions out;
  out.n_thread = 1;
  return out;
}

/// Whole milliseconds: edges of devices and meters are.
double whole_ms(double t_s);

}  // namespace TIDEWATT_NAMESPACE::study::detail
