#pragma once
#include <span>
#include <vector>

#include "tidewatt/base/fields.hpp"

namespace TIDEWATT_NAMESPACE::power {

/// Power that is constant between edges: `level_W[i]` from `edge_s[i]` to `edge_s[i+1]`; one edge more than levels.
struct StepWave {
  std::vector<double> edge_s;  ///< ascending
  std::vector<double> level_W;
};

/// What a power meter publishes of the true power P:
///
///     y_k = q · round( (1/w) ∫ from t_k − d − w to t_k − d of P dt  / q ),   t_k = offset + k · period
///
/// w = 0 reads the instant. q = 0 does not round. A BMC: w small, every 2 s, 75 W steps; a GPU: w = 1 s every 100 ms.
/// @source numbers of the catalog's `sensor` entries
struct PowerSensorParams {
  double window_s;  ///< trailing mean, s
  double period_s;  ///< between publications, s
  double delay_s;   ///< age of the newest power in a reading, s
  double step_W;    ///< resolution, W
  void fields(FieldVisitor& v);
};

/// Exact trailing means of a step wave, at any time, in O(log n): the integral at the edges is summed once.
/// The first level is also valid before the first edge, and the last one after the last edge.
class WaveMeter {
 public:
  /// @throws InputError if the edges do not ascend or do not fit the levels
  explicit WaveMeter(StepWave wave);
  double energy_J(double from_s, double to_s) const;  ///< ∫ P dt
  double mean_W(double from_s, double to_s) const;    ///< of the interval; the level at `to_s` if it is empty
  /// What the sensor publishes at this instant: the trailing mean, delayed and rounded.
  double reading_W(const PowerSensorParams& sensor, double at_s) const;
  /// What the sensor shows to a logger that looks at `at_s`: its newest publication, `offset_s` setting the phase.
  double logged_W(const PowerSensorParams& sensor, double offset_s, double at_s) const;

 private:
  double integral_J(double at_s) const;
  std::size_t level_at(double at_s) const;
  StepWave wave_;
  std::vector<double> sum_J_;  // ∫ from the first edge to edge i
};

/// The same trailing mean as a filter over equal steps, for a running simulation. All memory is in the state.
struct MeanWindowState {
  std::vector<double> ring_W;  ///< [sample] the last window; sized by `start_mean`
  std::size_t next = 0;        ///< slot of the oldest sample
  double sum_W = 0.0;          ///< of the ring
};
/// A window of round(window_s/step_s) samples, all at `level_W`. @throws InputError unless one step fits.
MeanWindowState start_mean(double window_s, double step_s, double level_W);
/// Pushes one step's mean power and returns the window's mean, W.
double push_mean(MeanWindowState& state, double step_mean_W);

/// A thermometer that shows whole steps: T_shown = q round(T/q). @param step_K 1 K for GPU dies
double quantised_K(double true_K, double step_K);

}  // namespace TIDEWATT_NAMESPACE::power
