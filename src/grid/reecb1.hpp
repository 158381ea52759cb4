#pragma once
#include <complex>
#include <span>

#include "grid_unit.hpp"
#include "psse_dyr.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// Electrical control of a converter: from ordered power to current commands.
///
///     T_rv v_f' = |v| − v_f,   T_p p_f' = P − p_f,   T_pord p' = p_ref − p within its rates and P_min … P_max
///     Q order: p_f tan φ_0 (power factor) or the plant's, within Q_min … Q_max
///     i_q: lag T_iq of Q/v_f, or a PI of Q − Q_e (to a voltage within V_min … V_max) with a PI of v − v_f behind it
///     i_q += K_qv · deadband(v_ref0 − v_f) within I_ql … I_qh;   √(i_p² + i_q²) ≤ I_max, q or p first
///
/// While v_f is below V_dip or above V_up the integrals and lags are frozen. Record: bus, power-factor, voltage, Q and priority
/// flags; V_dip, V_up, T_rv, d_1, d_2, K_qv, I_qh, I_ql, v_ref0, T_p, Q_max, Q_min, V_max, V_min, K_qp, K_qi, K_vp, K_vi, T_iq,
/// dP_max, dP_min, P_max, P_min, I_max, T_pord. Source: WECC generic models, REEC_B.
class Reecb1 {
 public:
  static constexpr std::size_t n_state = 6;  ///< v_f, p_f, order, integral of Q, integral of v, lag of i_q
  struct Input {
    double voltage_pu = 1.0;
    std::complex<double> power_pu;              ///< delivered
    double active_pu = 0.0, reactive_pu = 0.0;  ///< ordered by the plant
  };
  struct Command {
    double active_pu = 0.0, reactive_pu = 0.0;  ///< currents
  };
  /// Findings go into `values`.
  explicit Reecb1(DyrValues& values);
  /// Fills x [n_state] pu at rest, delivering `power_pu`.
  void rest(double voltage_pu, std::complex<double> power_pu, std::span<double> x);
  Command command(std::span<const double> x, const Input& in) const;  ///< pu, x [n_state]
  /// Rates, pu/s. @param x, rate [n_state]
  void rates(std::span<const double> x, const Input& in, std::span<double> rate) const;
  void limits(std::span<StateLimit> out) const;  ///< out [n_state]

 private:
  double reactive_order(std::span<const double> x, const Input& in) const;
  double voltage_order(std::span<const double> x, const Input& in) const;
  double limit_q(double active_pu) const;
  bool power_factor_ = false, inner_voltage_ = false, q_control_ = false, p_first_ = false;
  double V_dip_, V_up_, T_rv_s_, d_1_, d_2_, K_qv_, I_qh_, I_ql_, v_ref0_, T_p_s_, Q_high_, Q_low_, V_high_, V_low_,
      K_qp_, K_qi_, K_vp_, K_vi_, T_iq_s_, up_per_s_, down_per_s_, P_high_, P_low_, I_max_, T_pord_s_;
  double tan_phi_ = 0.0;
};

}  // namespace TIDEWATT_NAMESPACE::grid
