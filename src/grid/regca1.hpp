#pragma once
#include <complex>
#include <span>

#include "grid_unit.hpp"
#include "psse_dyr.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// Grid side of a converter: commanded currents with a lag, in the direction of the terminal voltage.
///
///     T_g i_p' = i_p,cmd − i_p, rising at most r_p;   T_g i_q' = i_q,cmd − i_q within r_q,min … r_q,max
///     T_f v_f' = |v| − v_f;   i_p ≤ L_1 (v_f − Z)/(B − Z) below the break point B, 0 below Z (if switched on)
///     i = (g(|v|) i_p − j max(i_q − K_hv max(|v| − V_o, 0), I_o)) e^{jθ},   g: 0 below V_0, 1 above V_1, linear between
///
/// The sign of i_q: positive feeds reactive power. Record: switch; T_g, r_p, B, Z, L_1, V_o, V_1, V_0, I_o, T_f, K_hv,
/// r_q,max, r_q,min, acceleration (unused: the network is solved with the currents). Source: WECC generic models, REGC_A.
class Regca1 {
 public:
  static constexpr std::size_t n_state = 3;  ///< i_p, i_q, v_f
  /// Findings go into `values`.
  explicit Regca1(DyrValues& values);
  /// Fills x [n_state] pu. @param power_pu generated, of the rating
  void rest(std::complex<double> v, std::complex<double> power_pu, std::span<double> x) const;
  /// Current into the network, pu. @param x [n_state] pu
  std::complex<double> current(std::span<const double> x, std::complex<double> v) const;
  /// Rates, pu/s. @param x, rate [n_state]  @param active_pu, reactive_pu commands
  void rates(std::span<const double> x, double voltage_pu, double active_pu, double reactive_pu,
             std::span<double> rate) const;

 private:
  bool limits_active_;
  double T_g_s_, rise_per_s_, break_pu_, zero_pu_, level_pu_, V_o_, V_1_, V_0_, I_o_, T_f_s_, K_hv_, q_up_per_s_,
      q_down_per_s_;
};

}  // namespace TIDEWATT_NAMESPACE::grid
