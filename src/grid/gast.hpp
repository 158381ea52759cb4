#pragma once
#include "machine_parts.hpp"
#include "psse_dyr.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// Gas turbine with governor and temperature limit.
///
///     u = min(P_ref − ω/R,  A_T + K_T (A_T − x_3))
///     T_1 x_1' = u − x_1 within V_min … V_max (non-windup),   T_2 x_2' = x_1 − x_2,   T_3 x_3' = x_2 − x_3
///     P_m = x_2 − D ω
///
/// Record: R, T_1, T_2, T_3, A_T, K_T, V_max, V_min, D. Source: model library of common use.
class Gast final : public Governor {
 public:
  /// Findings go into `values`.
  explicit Gast(DyrValues& values);
  std::vector<std::string> states() const override { return {"valve", "turbine", "exhaust"}; }
  void rest(double mechanical_pu, std::span<double> x) override;
  double mechanical_pu(std::span<const double> x, double speed_pu) const override;
  void rates(std::span<const double> x, double speed_pu, std::span<double> rate) const override;
  void limits(std::span<StateLimit> out) const override { out[0] = {low_, high_}; }

 private:
  double R_, T1_s_, T2_s_, T3_s_, A_, K_, high_, low_, D_, reference_pu_ = 0.0;
};

}  // namespace TIDEWATT_NAMESPACE::grid
