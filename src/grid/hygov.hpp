#pragma once
#include "machine_parts.hpp"
#include "psse_dyr.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// Hydro turbine with governor.
///
///     T_f e' = n_ref − ω − R c − e
///     c' = e/(r T_r) + e'/r, at most V_ELM in size,   c within G_min … G_max (non-windup)
///     T_g g' = c − g,   T_W q' = 1 − (q/g)²
///     P_m = A_t h (q − q_NL) − D g ω,   h = (q/g)²
///
/// Record: R, r, T_r, T_f, T_g, V_ELM, G_max, G_min, T_W, A_t, D, q_NL. Settles at ω = −R Δc. Source: [@kundur], ch. 9.
class Hygov final : public Governor {
 public:
  /// Findings go into `values`.
  explicit Hygov(DyrValues& values);
  std::vector<std::string> states() const override { return {"filter", "desired gate", "gate", "flow"}; }
  void rest(double mechanical_pu, std::span<double> x) override;
  double mechanical_pu(std::span<const double> x, double speed_pu) const override;
  void rates(std::span<const double> x, double speed_pu, std::span<double> rate) const override;
  void limits(std::span<StateLimit> out) const override { out[1] = {low_, high_}; }

 private:
  double R_, r_, T_r_s_, T_f_s_, T_g_s_, velocity_per_s_, high_, low_, T_W_s_, A_, D_, q_NL_, reference_pu_ = 0.0;
};

}  // namespace TIDEWATT_NAMESPACE::grid
