#pragma once
#include "machine_parts.hpp"
#include "psse_dyr.hpp"
#include "quadratic_saturation.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// Direct-current commutator exciter, IEEE type 1.
///
///     T_R v' = |v| − v,   T_A V_R' = K_A (v_ref − v + v_s − V_F) − V_R within V_Rmin … V_Rmax (non-windup)
///     T_E E' = V_R − (K_E + S(E)) E,   V_F = K_F s/(1 + T_F s) E
///
/// S as QuadraticSaturation through the two given points. T_R of 0 leaves its lag out. Record: T_R, K_A, T_A, V_Rmax, V_Rmin, K_E, T_E,
/// K_F, T_F, 0, E_1, S(E_1), E_2, S(E_2). Source: IEEE committee report 1968, type 1; [@kundur], ch. 8.
class Ieeet1 final : public Exciter {
 public:
  /// Findings go into `values`.
  explicit Ieeet1(DyrValues& values);
  std::vector<std::string> states() const override {
    return {"measured voltage", "regulator", "field voltage", "feedback"};
  }
  void rest(const RotorRest& rotor, double voltage_pu, std::span<double> x) override;
  double field_pu(std::span<const double> x, const ExciterInput&) const override { return x[2]; }
  void rates(std::span<const double> x, const ExciterInput& in, std::span<double> rate) const override;
  void limits(std::span<StateLimit> out) const override { out[1] = {low_, high_}; }

 private:
  double T_R_s_, K_A_, T_A_s_, high_, low_, K_E_, T_E_s_, K_F_, T_F_s_, reference_pu_ = 1.0;
  QuadraticSaturation iron_;
};

}  // namespace TIDEWATT_NAMESPACE::grid
