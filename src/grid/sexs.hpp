#pragma once
#include "machine_parts.hpp"
#include "psse_dyr.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// Simplified excitation system.
///
///     E = K (1 + T_A s)/(1 + T_B s)/(1 + T_E s) (v_ref − |v| + v_s),   E held within E_min … E_max (non-windup)
///
/// Record: T_A/T_B, T_B, K, T_E, E_min, E_max. Source: model library of common use; [@kundur], ch. 8.
class Sexs final : public Exciter {
 public:
  /// Findings go into `values`.
  explicit Sexs(DyrValues& values);
  std::vector<std::string> states() const override { return {"lead-lag", "field voltage"}; }
  void rest(const RotorRest& rotor, double voltage_pu, std::span<double> x) override;
  double field_pu(std::span<const double> x, const ExciterInput&) const override { return x[1]; }
  void rates(std::span<const double> x, const ExciterInput& in, std::span<double> rate) const override;
  void limits(std::span<StateLimit> out) const override { out[1] = {low_, high_}; }

 private:
  double ratio_, T_B_s_, K_, T_E_s_, low_, high_, reference_pu_ = 1.0;
};

}  // namespace TIDEWATT_NAMESPACE::grid
