#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"
#include "tidewatt/grid/metrics.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// A power system as one machine with a governor and a reheat turbine, on its own rating.
struct TIDEWATT_API FrequencyParams {
  double nominal_Hz = 0.0;          ///< nominal frequency
  double system_VA = 0.0;           ///< rating of the synchronised machines
  double inertia_s = 0.0;           ///< H: kinetic energy at nominal speed ÷ rating
  double damping_pu = 0.0;          ///< D: change of load per change of frequency, both per unit
  double droop_pu = 0.0;            ///< R: frequency over power, per unit of system_VA; of machines with governors
  double governor_s = 0.0;          ///< T_g; 0: none
  double chest_s = 0.0;             ///< T_ch, steam chest; 0: none
  double reheat_s = 0.0;            ///< T_rh; 0: none
  double high_pressure_frac = 1.0;  ///< F_hp, share of power that passes no reheater
  void fields(FieldVisitor& v);
};

/// Deviations from the equilibrium at `load_W`; plain numbers in the caller's state.
struct TIDEWATT_API FrequencyState {
  double equilibrium_W = 0.0;  ///< the site's load at which the system is at rest
  using Deviation = std::array<double, 4>;
  Deviation deviation{};      ///< speed, governor, chest, reheater, per unit
  std::int64_t next_bin = 0;  ///< absolute 1 ms bin that comes next
  template <class A>
  void archive(A& a) {
    a(equilibrium_W, deviation, next_bin);
  }
};

/// Extremes of the frequency. If recorded intervals are not adjacent, begin the next with `start` and `window.begin`.
/// Deviations are taken at the ends of the bins, rates of change exactly at their start.
struct TIDEWATT_API FrequencyMeters {
  double lowest_Hz = 0.0, highest_Hz = 0.0;        ///< deviation from nominal, <= 0 and >= 0
  std::int64_t lowest_bin = -1, highest_bin = -1;  ///< absolute bin at whose end it occurred
  double rocof_max_Hz_per_s = 0.0;                 ///< |df/dt| at an instant
  StepMeter window{500};                           ///< largest |f(t + 0.5 s) − f(t)|
  /// Largest |f(t + 0.5 s) − f(t)|/0.5 s.
  double rocof_window_Hz_per_s() const { return window.largest() / 0.5; }
  template <class A>
  void archive(A& a) {
    a(lowest_Hz, highest_Hz, lowest_bin, highest_bin, rocof_max_Hz_per_s, window);
  }
};

/// Where the frequency turns after a step of load.
struct TIDEWATT_API FrequencyTurn {
  double time_s = 0.0;
  double deviation_Hz = 0.0;
};

/// Frequency of the system under the site's load, exact for a load that is constant over each 1 ms bin.
///
///     2H ω' = P_m − (P − P_0)/S − D ω,   f = f_0 (1 + ω)
///     T_g y' = −ω/R − y,   T_ch z' = y − z,   T_rh w' = z − w,   P_m = F_hp z + (1 − F_hp) w
///
/// Assumptions: one frequency for the whole system (no local modes), small deviations (linear), constant other load. Not
/// modelled: governor deadband, limits of valves and rates, load shedding, fast response of other storage. In systems with a
/// deadband (about ±36 mHz in some), small swings get less response than here. A time constant of 0 removes its state.
/// Source: Kundur, Power System Stability and Control, ch. 11.
class TIDEWATT_API Frequency {
 public:
  /// @throws InputError if rating, frequency, inertia or droop is not positive, or a time is negative
  explicit Frequency(const FrequencyParams& params);

  /// At rest under a steady load. @param first_bin absolute 1 ms bin that comes first
  FrequencyState start(double load_W, std::int64_t first_bin = 0) const;
  /// A chunk of 1 ms means that follows the last one. @param load_W of the site
  /// @param deviation_Hz same length, f − f_0 at the end of each bin  @throws InputError if lengths differ
  void advance(std::span<const double> load_W, std::span<double> deviation_Hz, FrequencyState& state,
               FrequencyMeters& meters) const;

  /// What `times` repetitions of a load make of the state, without a look at what happens on the way.
  /// @param load_W 1 ms means of one repetition, W
  void repeat(std::span<const double> load_W, std::int64_t times, FrequencyState& state) const;

  /// df/dt at an instant. @param load_W that the site draws then
  double rate_Hz_per_s(double load_W, const FrequencyState& state) const;
  /// First turning point after a lasting step of the load. Between bins it comes from the cubic through values and slopes at
  /// the bins' ends (error of order h⁴). @throws RefusedError if it does not turn within `horizon_s`
  FrequencyTurn first_turn(double step_W, double horizon_s = 60.0) const;

  /// |df/dt| right after a step of the load: f_0 |ΔP|/(2 H S).
  double initial_rocof_Hz_per_s(double step_W) const;

 private:
  void block(std::span<const double> load_W, double* deviation_Hz, double* rate, FrequencyState& state) const;
  FrequencyParams p_;
  std::array<double, 16> E_{};  // 4 × 4; rows and columns of removed states are 0
  std::array<double, 4> F_{};
  std::array<double, 4> mechanical_{};  // P_m as a row over the states
};

}  // namespace TIDEWATT_NAMESPACE::grid
