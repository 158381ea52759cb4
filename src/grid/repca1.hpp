#pragma once
#include <complex>
#include <span>

#include "grid_unit.hpp"
#include "psse_dyr.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// Plant control of a converter: orders reactive power from a voltage or reactive error, active power from frequency.
///
///     v_r = |v + (R_c + jX_c) i| or |v| + K_c Q, filtered by T_f;   Q filtered by T_f
///     e = deadband(v_ref − v_r) or deadband(Q_ref − Q), within e_min … e_max;   PI (K_p, K_i) within Q_min … Q_max, held below V_frz
///     Q_ext = (1 + T_ft s)/(1 + T_fv s) PI
///     P: e = P_ref − P (filtered by T_p) + D_dn min(f_e, 0) + D_up max(f_e, 0), f_e = deadband(−Δf), PI (K_pg, K_ig) within
///     P_min … P_max, lag T_g; without the frequency flag P_ref stays
///
/// Δf is the rate of the terminal voltage's angle behind a lag of 20 ms (assumed, 10 to 100 ms). Measured at the unit's own
/// terminal: another bus or branch in the record is a finding. Record: bus, from, to, circuit, droop, voltage and frequency flags;
/// T_f, K_p, K_i, T_ft, T_fv, V_frz, R_c, X_c, K_c, e_max, e_min, d_1, d_2, Q_max, Q_min, K_pg, K_ig, T_p, fd_1, fd_2, fe_max, fe_min,
/// P_max, P_min, T_g, D_dn, D_up. Source: WECC generic models, REPC_A.
class Repca1 {
 public:
  static constexpr std::size_t n_state = 8;  ///< v_r, Q, integral, lead-lag, P, integral of P, order, angle
  struct Orders {
    double active_pu = 0.0, reactive_pu = 0.0;
  };
  /// @param nominal_Hz of the network; findings go into `values`
  Repca1(DyrValues& values, double nominal_Hz);
  /// Fills x [n_state] pu at rest, delivering `power_pu`.
  void rest(std::complex<double> v, std::complex<double> power_pu, std::span<double> x);
  /// pu, x [n_state].
  Orders orders(std::span<const double> x, std::complex<double> v, std::complex<double> power_pu) const;
  /// Rates, pu/s. @param x, rate [n_state]
  void rates(std::span<const double> x, std::complex<double> v, std::complex<double> power_pu,
             std::span<double> rate) const;
  void limits(std::span<StateLimit> out) const;  ///< out [n_state]

 private:
  double regulated(std::complex<double> v, std::complex<double> power_pu) const;
  double error(std::span<const double> x) const;
  double reactive(std::span<const double> x) const;
  double active_error(std::span<const double> x, std::complex<double> v) const;
  bool line_drop_ = false, voltage_ = false, frequency_ = false;
  double T_f_s_, K_p_, K_i_, T_ft_s_, T_fv_s_, V_frz_, K_c_, e_high_, e_low_, d_1_, d_2_, Q_high_, Q_low_, K_pg_, K_ig_,
      T_p_s_, fd_1_, fd_2_, fe_high_, fe_low_, P_high_, P_low_, T_g_s_, D_dn_, D_up_;
  std::complex<double> Z_c_;
  double omega0_, voltage_pu_ = 1.0;
  std::complex<double> reference_pu_;
};

}  // namespace TIDEWATT_NAMESPACE::grid
