#pragma once
#include "machine_parts.hpp"
#include "psse_dyr.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// Steam turbine with governor.
///
///     T_1 g' = (P_ref − ω)/R − g within V_min … V_max (non-windup),   P_m = (1 + T_2 s)/(1 + T_3 s) g − D_t ω
///
/// Record: R, T_1, V_max, V_min, T_2, T_3, D_t.
/// Settles at ω = −ΔP/(1/R + D). Source: model library of common use; [@kundur], ch. 9.
class Tgov1 final : public Governor {
 public:
  /// Findings go into `values`.
  explicit Tgov1(DyrValues& values);
  std::vector<std::string> states() const override { return {"valve", "turbine"}; }
  void rest(double mechanical_pu, std::span<double> x) override;
  double mechanical_pu(std::span<const double> x, double speed_pu) const override;
  void rates(std::span<const double> x, double speed_pu, std::span<double> rate) const override;
  void limits(std::span<StateLimit> out) const override { out[0] = {low_, high_}; }

 private:
  double R_, T1_s_, high_, low_, T2_s_, T3_s_, D_, reference_pu_ = 0.0;
};

}  // namespace TIDEWATT_NAMESPACE::grid
