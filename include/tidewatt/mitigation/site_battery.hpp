#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/sum.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::mitigation {

/// A battery at the point of common coupling and the rule that drives it.
struct TIDEWATT_API SiteBatteryParams {
  double power_W = 0.0;                    ///< rating at the AC side, both directions
  double energy_J = 0.0;                   ///< capacity of the store between 0 and 1 state of charge
  double charge_efficiency_frac = 1.0;     ///< AC to store
  double discharge_efficiency_frac = 1.0;  ///< store to AC
  double standby_W = 0.0;                  ///< drawn from the store all the time
  double soc_min_frac = 0.0;               ///< lowest state of charge
  double soc_max_frac = 1.0;               ///< highest state of charge
  double soc_initial_frac = 0.5;           ///< state of charge at the start of the run
  double soc_target_frac = 0.5;            ///< state of charge to return to
  double response_s = 0.0;                 ///< first-order lag from command to power of the converter; 0: none
  double control_period_s = 0.0;           ///< whole milliseconds
  double ramp_up_W_per_s = 0.0;            ///< largest rise of the connection's power; 0: not limited
  double ramp_down_W_per_s = 0.0;          ///< largest fall; 0: not limited
  double smoothing_s = 0.0;                ///< time constant of the low-pass that the connection should follow; 0: none
  double soc_gain_pu = 0.0;  ///< share of rated power asked per unit of state of charge away from its target
  double band_W = 0.0;       ///< the connection may leave the low-pass by this much; 0: it follows it
  void fields(FieldVisitor& v);
};

/// State of the battery: plain numbers, kept by the caller.
struct TIDEWATT_API SiteBatteryState {
  double energy_J = 0.0;        ///< in the store
  double energy_carry_J = 0.0;  ///< its rounding error, to be added (Kahan)
  double power_W = 0.0;         ///< AC side at the end of the last bin
  double command_W = 0.0;       ///< constant over the control period
  double reference_W = 0.0;     ///< what the connection should draw, after the ramp limit
  double smoothed_W = 0.0;      ///< the low-pass's memory
  double period_sum_W = 0.0;    ///< Σ of the load's bins in the running control period
  std::int64_t period_bins = 0;
  bool cut_in_period = false;  ///< the store was too full or too empty in the running period
  bool operator==(const SiteBatteryState&) const = default;  ///< equal states have equal futures
  template <class A>
  void archive(A& a) {
    a(energy_J, energy_carry_J, power_W, command_W, reference_W, smoothed_W, period_sum_W, period_bins, cut_in_period);
  }
};

/// Energies and limits; each energy is summed from its own equation.
struct TIDEWATT_API SiteBatteryMeters {
  CompensatedSum charged_J;         ///< ∫ P⁺, AC side
  CompensatedSum discharged_J;      ///< ∫ P⁻, AC side
  CompensatedSum charge_loss_J;     ///< (1 − η_c) ∫ P⁺
  CompensatedSum discharge_loss_J;  ///< (1/η_d − 1) ∫ P⁻
  CompensatedSum standby_J;
  CompensatedSum not_served_J;                    ///< ∫ |requested − delivered| while a limit was active
  std::int64_t n_power_limited = 0;               ///< control periods whose command the rating cut
  std::int64_t n_energy_limited = 0;              ///< bins in which the store was too full or too empty
  double soc_min_frac = 1.0, soc_max_frac = 0.0;  ///< reached
  template <class A>
  void archive(A& a) {
    a(charged_J, discharged_J, charge_loss_J, discharge_loss_J, standby_J, not_served_J, n_power_limited,
      n_energy_limited, soc_min_frac, soc_max_frac);
  }

  /// |charged − discharged − losses − standby − stored| / (charged + discharged); `stored_J` = rise of the store.
  /// Relative, dimensionless.
  double closure(double stored_J) const;
};

/// Sampled controller with a zero-order hold, and the store behind it.
///
/// Once per control period T_c, from the mean load L of the period before and the state of charge s:
///
///     target    f ← f + (1 − e^(−T_c/τ)) (L − f),   goal = L within f ± band, + k P_r (s_target − s)
///     ramp      r ← min(max(goal, r − d T_c), r + u T_c)
///     command   P_c = r − L within ± P_r; where it was cut, r ← L + P_c (no wind-up)
///
/// Between: P' = (P_c − P)/τ_r, exact over each 1 ms bin, whose mean is delivered; and in the store
///
///     E' = η_c P⁺ − P⁻/η_d − standby,   s_min E_0 <= E <= s_max E_0
///
/// A bin that would leave these bounds is cut (at the lower one the standby power is drawn from the connection) and
/// counted. Assumptions: constant efficiencies; lossless connection to the bus; the load is measured without error.
/// The delay of one control period is part of the model: a step of the load reaches the connection for that long.
class TIDEWATT_API SiteBattery {
 public:
  /// @throws InputError if bounds are out of order, the period is no whole number of ms, or standby exceeds the rating
  explicit SiteBattery(const SiteBatteryParams& params);

  /// At rest at a steady load. @param load_W >= 0
  SiteBatteryState start(double load_W) const;
  /// A gap in the recorded load: keeps the energy, takes the controller's memory to a steady `load_W`.
  void resume(SiteBatteryState& state, double load_W) const;

  /// One chunk of 1 ms means. @param load_W any length  @param pcc_W same length: load + battery (positive: charging);
  /// may be the same memory as `load_W`  @param ceiling_W of the connection: an order that comes before the rules above
  /// @throws InputError if lengths differ
  void step(std::span<const double> load_W, std::span<double> pcc_W, SiteBatteryState& state, SiteBatteryMeters& meters,
            double ceiling_W = std::numeric_limits<double>::infinity()) const;

  /// How many times the `n_bin` bins from `before` to `now` may be counted again: while charge and low-pass drift on as they did
  /// without moving the connection by more than `drift_W`, and the store stays within its bounds. 0: they are no repetition, because
  /// a limit of the store was active, or the low-pass has not settled.
  std::int64_t repeatable(const SiteBatteryState& before, const SiteBatteryMeters& meters_before,
                          const SiteBatteryState& now, const SiteBatteryMeters& meters, std::int64_t n_bin,
                          double drift_W) const;
  /// Adds the contribution since `before` `count` times. @return energy taken from the connection, J; below 0: given
  double repeat(SiteBatteryState& state, SiteBatteryMeters& meters, const SiteBatteryMeters& before,
                double count) const;

  /// State of charge, 0 to 1.
  double soc_frac(const SiteBatteryState& state) const { return (state.energy_J + state.energy_carry_J) / p_.energy_J; }
  const SiteBatteryParams& params() const { return p_; }

 private:
  void decide(SiteBatteryState& s, SiteBatteryMeters& meters, double ceiling_W) const;
  void bins(std::span<const double> load_W, double* pcc_W, SiteBatteryState& s, SiteBatteryMeters& meters) const;
  SiteBatteryParams p_;
  std::int64_t period_bins_;
  double smooth_gain_;              // 1 − e^(−T_c/τ)
  double lag_end_;                  // e^(−h/τ_r): P_end = P_c + (P − P_c) lag_end
  double lag_mean_;                 // the same for the bin's mean
  double ramp_up_W_, ramp_down_W_;  // per control period
};

}  // namespace TIDEWATT_NAMESPACE::mitigation
