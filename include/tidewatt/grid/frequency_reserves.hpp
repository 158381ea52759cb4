#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"
#include "tidewatt/grid/frequency.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// Deadband of the governors, fast reserve and load shedding of a power system.
struct TIDEWATT_API ReserveParams {
  double governor_deadband_Hz = 0.0;  ///< 0: none
  double fast_W = 0.0;                ///< fast reserve available; 0: none
  double fast_below_Hz = 0.0;         ///< it starts when frequency falls below this
  double fast_delay_s = 0.0;          ///< from that time to its first power
  double fast_ramp_s = 0.0;           ///< from 0 to full power, a straight line; 0: at once
  double fast_hold_s = 0.0;           ///< time at full power; power then falls over `fast_ramp_s`
  std::vector<double> shed_below_Hz;  ///< [stage] frequency
  std::vector<double> shed_frac;      ///< [stage] of the system's load
  double shed_delay_s = 0.0;          ///< relay and breaker
  double system_load_W = 0.0;         ///< load of which each stage sheds its share
  void fields(FieldVisitor& v);
  /// @throws InputError for lists of unequal length, thresholds that rise, or shares above 1 in total
  void check() const;
};

/// State of the system and of its reserves.
struct TIDEWATT_API ReserveState {
  double equilibrium_W = 0.0;         ///< the site's load at which the system is at rest
  std::array<double, 4> deviation{};  ///< speed, governor, chest, reheater, pu
  double time_s = 0.0;                ///< since the start
  double fast_from_s = -1.0;          ///< when the fast reserve was asked; below 0: not yet
  std::vector<double> below_from_s;   ///< [stage] since when frequency is below; below 0: it is not
  std::vector<double> shed_at_s;      ///< [stage] when it opened; below 0: not yet
  template <class A>
  void archive(A& a) {
    a(equilibrium_W, deviation, time_s, fast_from_s, below_from_s, shed_at_s);
  }
};

/// Frequency of a system with deadband, fast reserve and under-frequency stages under the site's load.
///
///     2H ω' = P_m + r(t) + Σ_k shed_k L/S − (P − P_0)/S − D ω,   T_g y' = −dead(ω)/R − y
///     dead(ω) = sign(ω) max(0, |ω| − ω_db)
///
/// All other equations and assumptions are those of Frequency; without deadband, reserve and stages the models are equal. The
/// fast reserve starts once, a delay after frequency crosses its threshold. A stage opens when frequency has been below its
/// threshold for the delay, and stays open. It sheds its share of the load at rest. Within a step, frequency is taken as a
/// straight line to find a crossing, and steps end where a device acts. Runge-Kutta of order 4, steps of 1 ms at most.
/// Source: [@kundur], ch. 11.
class TIDEWATT_API FrequencyReserves {
 public:
  /// @throws InputError as Frequency, and for reserves that do not belong together
  FrequencyReserves(const FrequencyParams& system, ReserveParams reserves);

  /// At rest under a steady load.
  ReserveState start(double load_W) const;
  /// A chunk of 1 ms means that follows the last one. @param load_W of the site  @param deviation_Hz same length, at the ends of the bins
  /// @throws InputError if lengths differ
  void advance(std::span<const double> load_W, std::span<double> deviation_Hz, ReserveState& state) const;
  /// df/dt at an instant. @param load_W that the site draws then
  double rate_Hz_per_s(double load_W, const ReserveState& state) const;
  /// Power of the fast reserve. @param time_s since the start
  double fast_W(const ReserveState& state, double time_s) const;
  double shed_W(const ReserveState& state) const;  ///< load that is shed

 private:
  void rates(const std::array<double, 4>& x, double power_pu, std::array<double, 4>& rate) const;
  void step(double load_W, double h_s, ReserveState& state) const;
  void act(double before_Hz, double after_Hz, double from_s, double h_s, ReserveState& state) const;
  double next_action_s(const ReserveState& state) const;
  FrequencyParams p_;
  ReserveParams r_;
};

}  // namespace TIDEWATT_NAMESPACE::grid
