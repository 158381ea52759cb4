#pragma once
#include "machine_parts.hpp"
#include "psse_dyr.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// Stabiliser with one input: speed deviation (1), electrical power on the machine's rating (3) or bus voltage (5).
///
///     v_s = K_S · (1 + A_5 s + A_6 s²)/((1 + A_1 s + A_2 s²)(1 + A_3 s + A_4 s²))
///               · (1 + T_1 s)/(1 + T_2 s) · (1 + T_3 s)/(1 + T_4 s) · T_5 s/(1 + T_6 s),   within L_min … L_max
///     v_s = 0 where the voltage is above V_CU (if > 0) or below V_CL (if > 0)
///
/// One rational function, realised in controllable form; a numerator of higher degree than its denominator is a finding.
/// Record: input, remote bus (0: none), A_1 … A_6, T_1 … T_6, K_S, L_max, L_min, V_CU, V_CL. Source: IEEE 421.5 PSS1A.
class Ieeest final : public Stabiliser {
 public:
  /// Findings go into `values`.
  explicit Ieeest(DyrValues& values);
  std::vector<std::string> states() const override;
  void rest(const StabiliserInput& in, std::span<double> x) override;
  double signal_pu(std::span<const double> x, const StabiliserInput& in) const override;
  void rates(std::span<const double> x, const StabiliserInput& in, std::span<double> rate) const override;

 private:
  double input_of(const StabiliserInput& in) const;
  int input_ = 1;
  std::vector<double> denominator_;  // of s^0 … s^(n−1), monic
  std::vector<double> numerator_;    // of s^0 … s^(n−1), less the direct part
  double direct_ = 0.0, high_ = 0.0, low_ = 0.0, cut_above_pu_ = 0.0, cut_below_pu_ = 0.0;
};

}  // namespace TIDEWATT_NAMESPACE::grid
