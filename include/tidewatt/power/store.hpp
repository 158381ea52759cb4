#pragma once
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/sum.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::power {

/// Rating, capacity, efficiencies and bounds of an energy store, seen from its terminals.
struct TIDEWATT_API StoreParams {
  double power_W = 0.0;                    ///< largest charging or discharging power at the terminals
  double energy_J = 0.0;                   ///< capacity between 0 and 1 state of charge
  double charge_efficiency_frac = 1.0;     ///< terminals to store
  double discharge_efficiency_frac = 1.0;  ///< store to terminals
  double soc_min_frac = 0.0;               ///< lowest state of charge
  double soc_max_frac = 1.0;               ///< highest state of charge
  double soc_initial_frac = 1.0;           ///< state of charge at the start
  void fields(FieldVisitor& v, std::string_view prefix);
};

/// State of a store.
struct TIDEWATT_API StoreState {
  double energy_J = 0.0;
  double carry_J = 0.0;  ///< rounding error of energy_J, to be added (Kahan)
  bool operator==(const StoreState&) const = default;
  template <class A>
  void archive(A& a) {
    a(energy_J, carry_J);
  }
};

/// Energies at the terminals and losses, each from its own equation, and what limits refused.
struct TIDEWATT_API StoreMeters {
  CompensatedSum charged_J, discharged_J;          ///< ∫ P⁺ and ∫ P⁻ at the terminals
  CompensatedSum charge_loss_J;                    ///< (1 − η_c) ∫ P⁺
  CompensatedSum discharge_loss_J;                 ///< (1/η_d − 1) ∫ P⁻
  CompensatedSum not_served_J;                     ///< ∫ |requested − delivered|
  std::int64_t n_power_limited = 0;                ///< calls that requested more than the rating
  std::int64_t n_energy_limited = 0;               ///< calls limited by the bounds
  double soc_low_frac = 1.0, soc_high_frac = 0.0;  ///< reached
  /// |charged − discharged − losses − stored| / (charged + discharged). @param stored_J rise of the store's energy
  double closure(double stored_J) const;
  template <class A>
  void archive(A& a) {
    a(charged_J, discharged_J, charge_loss_J, discharge_loss_J, not_served_J, n_power_limited, n_energy_limited,
      soc_low_frac, soc_high_frac);
  }
};

/// A bounded store with constant efficiencies.
///
///     E' = η_c P⁺ − P⁻/η_d,   E_min <= E <= E_max,   |P| <= P_r
///
/// Power that would cross a bound is cut so that the bound is reached exactly; the rest counts as not served.
/// Assumption: efficiencies do not depend on power or charge; self-discharge belongs to the device that holds the store.
class TIDEWATT_API Store {
 public:
  /// @throws InputError naming every bound, rating or efficiency that makes no sense
  Store(const StoreParams& params, std::string_view name);

  StoreState start() const { return {p_.soc_initial_frac * p_.energy_J, 0.0}; }

  /// Asks for `asked_W` (positive: charge) over `h_s`; returns what the terminals exchange.
  /// @param h_s > 0  @returns W at the terminals
  double exchange(StoreState& s, double asked_W, double h_s, StoreMeters& m) const {
    double given_W = asked_W;
    if (given_W > p_.power_W || given_W < -p_.power_W) {
      given_W = given_W > 0.0 ? p_.power_W : -p_.power_W;
      ++m.n_power_limited;
    }
    const double full_W = ((E_max_J_ - s.energy_J) - s.carry_J) / h_s,
                 empty_W = ((E_min_J_ - s.energy_J) - s.carry_J) / h_s;
    double store_W = given_W > 0.0 ? given_W * p_.charge_efficiency_frac : given_W / p_.discharge_efficiency_frac;
    if (store_W > full_W || store_W < empty_W) {
      store_W = store_W > full_W ? std::max(0.0, full_W) : std::min(0.0, empty_W);
      given_W = store_W > 0.0 ? store_W / p_.charge_efficiency_frac : store_W * p_.discharge_efficiency_frac;
      ++m.n_energy_limited;
    }
    const double in_W = given_W > 0.0 ? given_W : 0.0, out_W = given_W < 0.0 ? -given_W : 0.0;
    const double rise_J = (in_W * p_.charge_efficiency_frac - out_W / p_.discharge_efficiency_frac) * h_s + s.carry_J;
    const double next_J = s.energy_J + rise_J;
    s.carry_J = rise_J - (next_J - s.energy_J);
    s.energy_J = next_J;
    if (in_W > 0.0) {
      m.charged_J.add(in_W * h_s);
      m.charge_loss_J.add((1.0 - p_.charge_efficiency_frac) * in_W * h_s);
    } else if (out_W > 0.0) {
      m.discharged_J.add(out_W * h_s);
      m.discharge_loss_J.add((1.0 / p_.discharge_efficiency_frac - 1.0) * out_W * h_s);
    }
    if (given_W != asked_W) m.not_served_J.add((given_W > asked_W ? given_W - asked_W : asked_W - given_W) * h_s);
    const double soc_frac = s.energy_J / p_.energy_J;
    m.soc_low_frac = std::min(m.soc_low_frac, soc_frac);
    m.soc_high_frac = std::max(m.soc_high_frac, soc_frac);
    return given_W;
  }

  /// The most that can be discharged over `h_s` without a limit.
  double available_W(const StoreState& s, double h_s) const {
    return std::min(p_.power_W, std::max(0.0, usable_J(s)) * p_.discharge_efficiency_frac / h_s);
  }
  double usable_J(const StoreState& s) const { return (s.energy_J - E_min_J_) + s.carry_J; }  ///< above the lower bound
  /// Free below the upper bound.
  double room_J(const StoreState& s) const { return (E_max_J_ - s.energy_J) - s.carry_J; }
  /// Above the initial charge.
  double stored_J(const StoreState& s) const { return (s.energy_J - p_.soc_initial_frac * p_.energy_J) + s.carry_J; }
  /// State of charge, 0 to 1.
  double soc_frac(const StoreState& s) const { return (s.energy_J + s.carry_J) / p_.energy_J; }
  const StoreParams& params() const { return p_; }

 private:
  StoreParams p_;
  double E_min_J_, E_max_J_;
};

}  // namespace TIDEWATT_NAMESPACE::power
