#pragma once
#include <complex>
#include <cstddef>

#include "tidewatt/grid/machine_case.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// Values of one synchronous machine at an instant, on its own rating; fluxes in per unit of nominal voltage.
struct MachineValues {
  double angle_rad = 0.0;                   ///< of the q axis, against the network's reference
  double speed_pu = 0.0;                    ///< above nominal
  double field = 0.0;                       ///< ψ_fd
  double damper_d = 0.0;                    ///< ψ_1d
  double damper_q = 0.0;                    ///< ψ_1q, the slow one
  double damper_q2 = 0.0;                   ///< ψ_2q, the subtransient one
  double current_d = 0.0, current_q = 0.0;  ///< out of the machine
  double gap_d = 0.0, gap_q = 0.0;          ///< air-gap flux
};

/// Rates of change of the rotor's values and residuals of the stator's.
struct MachineRates {
  double angle = 0.0, speed = 0.0, field = 0.0, damper_d = 0.0, damper_q = 0.0, damper_q2 = 0.0;
  double stator_d = 0.0, stator_q = 0.0, gap_d = 0.0, gap_q = 0.0;
  double torque_pu = 0.0;
};

/// A machine at rest: its values, field voltage and mechanical power.
struct MachineRest {
  MachineValues values;
  double field_pu = 0.0;
  double mechanical_pu = 0.0;
};

/// Synchronous machine of up to sixth order: field and up to three dampers as coupled circuits, saturated main flux.
///
///     2H ω' = T_m − (ψ_ad i_q − ψ_aq i_d) − D ω,   δ' = ω_0 ω
///     ψ_k' = ω_0 (u_k − R_k (ψ_k − ψ_a)/L_k),   u_fd = R_fd/L_ad E,   u = 0 in dampers
///     0 = ψ_a (1/(K L_a) + Σ 1/L_k) + i − Σ ψ_k/L_k,   1/K = 1 + A e^{B (|ψ_a| − T)}/|ψ_a|
///     0 = v_d + R_a i_d − X_l i_q + ψ_aq,   0 = v_q + R_a i_q + X_l i_d − ψ_ad
///
/// The circuits follow from the standard reactances and open-circuit times (classical relations). Assumptions: stator
/// transients and the effect of speed on stator voltages left out; both axes saturate by the same K; the saturation
/// exponential holds below its knee too (the curve stays smooth; at the knee it is A). A winding whose time is 0 is
/// absent. Source: [@kundur], ch. 3 to 5.
class Machine {
 public:
  /// @param index of the machine in the case's lists, which have been checked
  Machine(const MachineCase& c, std::size_t index);

  /// @param v terminal voltage in the network's frame, pu  @param field_pu E  @param mechanical_pu P_m
  MachineRates rates(const MachineValues& m, std::complex<double> v, double field_pu, double mechanical_pu) const;
  /// Steady values at a terminal voltage and power (pu of the machine's rating).
  MachineRest rest(std::complex<double> v, std::complex<double> power_pu) const;
  /// Current out of the machine in the network's frame, pu of the machine's rating.
  std::complex<double> current(const MachineValues& m) const;

  bool has_damper_d() const { return damper_d_.present; }
  bool has_damper_q() const { return damper_q_.present; }
  bool has_damper_q2() const { return damper_q2_.present; }

 private:
  struct Circuit {
    bool present = false;
    double inverse_L = 0.0, rate = 0.0;  // 1/L_k and ω_0 R_k/L_k
  };
  double saturation(double gap) const;  // 1/K
  Circuit field_, damper_d_, damper_q_, damper_q2_;
  double L_ad_, L_aq_, X_l_, R_a_, two_H_, D_, omega0_, field_gain_;
  double A_, B_, T_;
};

}  // namespace TIDEWATT_NAMESPACE::grid
