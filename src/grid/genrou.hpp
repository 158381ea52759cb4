#pragma once
#include "machine_parts.hpp"
#include "psse_dyr.hpp"
#include "quadratic_saturation.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// Synchronous machine with up to one damper in d and two windings in q, quadratic saturation.
///
///     T'_d0 e_q' = E − e_q − (X_d − X'_d)(g_d i_d + h_d (e_q − ψ_d)) − S ψ''_d,      g = (X'' − X_l)/(X' − X_l)
///     T''_d0 ψ_d' = e_q − (X'_d − X_l) i_d − ψ_d,                                    h = (X' − X'')/(X' − X_l)²
///     T'_q0 e_d' = −e_d + (X_q − X'_q)(g_q i_q − h_q (e_d − ψ_q)) − S ψ''_q (X_q − X_l)/(X_d − X_l)
///     T''_q0 ψ_q' = e_d + (X'_q − X_l) i_q − ψ_q
///     ψ''_d = g_d e_q + (1 − g_d) ψ_d,   ψ''_q = g_q e_d + (1 − g_q) ψ_q,   S = B (|ψ''| − A)²/|ψ''| above A
///     v_d = ψ''_q + X''_q i_q − R i_d,   v_q = ψ''_d − X''_d i_d − R i_q
///     2H ω' = T_m − D ω − (ψ''_d i_q + ψ''_q i_d + (X''_q − X''_d) i_d i_q),   δ' = ω_0 ω
///
/// X''_d = X''_q = X'' with both dampers. Beyond the record's common use, a time of 0 leaves a winding out: T''_d0 makes X''_d = X'_d,
/// T''_q0 makes X''_q = X'_q, T'_q0 makes X'_q = X_q; saturation needs all windings. A and B from S(1.0) and S(1.2). R is the real part of
/// ZSORCE. Assumptions: stator transients and the effect of speed on stator voltages left out. Record: T'_d0, T''_d0, T'_q0, T''_q0, H, D, X_d, X_q, X'_d, X'_q, X'', X_l, S(1.0), S(1.2).
/// Source: [@kundur], ch. 3 to 5; order of the record as in published cases.
class Genrou final : public Rotor {
 public:
  /// @param armature_pu R  @param nominal_Hz of the network; findings go into `values`
  Genrou(DyrValues& values, double armature_pu, double nominal_Hz);
  std::vector<std::string> states() const override;
  RotorRest rest(std::complex<double> v, std::complex<double> power_pu, std::span<double> x) const override;
  std::complex<double> current(std::span<const double> x, std::complex<double> v) const override;
  double field_current_pu(std::span<const double> x, std::complex<double> v) const override;
  void rates(std::span<const double> x, std::complex<double> v, double torque_pu, double field_pu,
             std::span<double> rate) const override;
  double inertia_s() const override { return H_; }

 private:
  struct Axes {
    double flux_d, flux_q, i_d, i_q;  // subtransient flux and current
  };
  Axes axes(std::span<const double> x, std::complex<double> v) const;
  double saturation(double flux_pu) const { return flux_pu > 0.0 ? iron_.excess(flux_pu) / flux_pu : 0.0; }
  double field_current(std::span<const double> x, const Axes& a) const;

  double T1_d_s_, T2_d_s_, T1_q_s_, T2_q_s_, H_, D_, X_d_, X_q_, X1_d_, X1_q_, X2_d_, X2_q_, X_l_, R_, omega0_;
  QuadraticSaturation iron_;
};

}  // namespace TIDEWATT_NAMESPACE::grid
