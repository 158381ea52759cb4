#pragma once
// Private to study: a fleet's figures from its slowest clocks, by what complete runs have shown.
#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "fleet_screen.hpp"
#include "sim/fleet_clocks.hpp"
#include "tidewatt/sim/result.hpp"

namespace TIDEWATT_NAMESPACE::study::detail {

enum FleetKey : std::size_t { swing, slowest, tokens, iteration, die, n_fleet_key };
/// Of the summary, in the order of FleetKey.
inline constexpr std::array<const char*, n_fleet_key> fleet_keys = {"throughput_swing_percent", "clock_slowest_MHz",
                                                                    "tokens_per_s_mean", "iteration_s", "die_max_degC"};
/// In the keys' units; NaN: the run has none.
using FleetFigures = std::array<double, n_fleet_key>;
/// Of a complete run's summary.
FleetFigures fleet_figures(const sim::Result& result);

/// A run of all nodes of one fleet.
struct CompleteRun {
  std::uint64_t seed = 0;
  FleetFigures figures{};
  std::vector<std::map<std::int64_t, sim::FleetClocks::Hour>> hours;  ///< [job][hour] see FleetClocks
};

/// From clocks to work. In complete runs each hour shows a job's tokens per second and its length of an iteration at its slowest clock f:
///
///     ln(tokens per s) = a + b ln f,   ln(iteration) = c + d ln f
///
/// by least squares over all hours of all runs. Where f hardly differs, b = 1 and d = −1. Swing and means follow as in the summary of a run.
class FleetEstimate {
 public:
  /// @param runs at least one; the hours of the first are those of every fleet  @pre they outlive this
  explicit FleetEstimate(const std::vector<CompleteRun>& runs);
  /// Figures of a fleet in the keys' units. @param fleet in hours that the first run has, too
  FleetFigures of(const FleetCourse& fleet) const;

 private:
  /// ln y = level + slope ln f.
  struct Line {
    double level = 0.0, slope = 1.0;
    double at(double f) const;
  };
  template <class Y>
  static Line line_of(const std::vector<CompleteRun>& runs, std::size_t job, double usual, Y&& y);
  const CompleteRun& base_;
  std::vector<Line> rate_, period_;  ///< [job]
};

}  // namespace TIDEWATT_NAMESPACE::study::detail
