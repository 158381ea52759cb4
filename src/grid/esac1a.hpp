#pragma once
#include "machine_parts.hpp"
#include "psse_dyr.hpp"
#include "quadratic_saturation.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// Alternator with rotating rectifiers, IEEE type AC1A.
///
///     T_R v' = |v| − v,   u = v_ref − v + v_s − V_F,   lead-lag (1 + T_C s)/(1 + T_B s)
///     T_A V_A' = K_A u_l − V_A within V_Amin … V_Amax,   V_R = V_A within V_Rmin … V_Rmax
///     T_E V_E' = V_R − V_FE,   V_E ≥ 0,   V_FE = (K_E + S(V_E)) V_E + K_D I_fd,   V_F = K_F s/(1 + T_F s) V_FE
///     E = F(K_C I_fd/V_E) V_E;   F(I) = 1 − 0.577 I to 0.433, √(0.75 − I²) to 0.75, 1.732 (1 − I) to 1
///
/// S as QuadraticSaturation through the two given points. T_R, T_B and T_A of 0 leave their lag out. Record: T_R, T_B,
/// T_C, K_A, T_A, V_Amax, V_Amin, T_E, K_F, T_F, K_C, K_D, K_E, E_1, S(E_1), E_2, S(E_2), V_Rmax, V_Rmin.
/// Source: IEEE 421.5 type AC1A; [@kundur], ch. 8.
class Esac1a final : public Exciter {
 public:
  /// Findings go into `values`.
  explicit Esac1a(DyrValues& values);
  std::vector<std::string> states() const override {
    return {"measured voltage", "lead-lag", "regulator", "exciter", "feedback"};
  }
  void rest(const RotorRest& rotor, double voltage_pu, std::span<double> x) override;
  double field_pu(std::span<const double> x, const ExciterInput& in) const override;
  void rates(std::span<const double> x, const ExciterInput& in, std::span<double> rate) const override;
  void limits(std::span<StateLimit> out) const override;

 private:
  double load(double exciter_pu, double field_current_pu) const;  // V_FE
  double T_R_s_, T_B_s_, T_C_s_, K_A_, T_A_s_, A_high_, A_low_, T_E_s_, K_F_, T_F_s_, K_C_, K_D_, K_E_, R_high_, R_low_;
  QuadraticSaturation iron_;
  double reference_pu_ = 1.0;
};

}  // namespace TIDEWATT_NAMESPACE::grid
