#pragma once
#include "grid/grid_unit.hpp"
#include "supply_control.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// A site's supplies as a load that responds to voltage and frequency within the step: constant power behind DC links, a limit
/// of the current, and a load that follows frequency if it has a gain.
///
/// In a frame at the angle θ that the supplies measure, per unit of their rating, ω_0 = 2π f_0, Z = R + jX in front of them:
///
///     p* = k (1 − w_m) + z,   z' = k_i (1 − w_m),   k = g T_w 2π f_v,   k_i = k 2π f_v/(4 ζ²),   T_m w_m' = w − w_m
///     i' = 2π f_i (min(p*/|v_m|, i_max) + j i_q − i),   T_v v_m' = v − v_m
///     θ' = ω_0 ξ + 2π f_θ arg v_m,   ξ' = (2π f_θ)²/(4 ζ_θ²) arg v_m/ω_0
///     v = v_bus e^{−jθ} − Z i − X/ω_0 (i' + j θ' i)
///     T_w w' = Re(v i*) − p_load − K deadband(φ),   T_f φ' = θ'/ω_0 − φ
///
/// g: loop gain, 1 as in the control. φ is a state only where the load has a frequency gain K. The current through Z is a state,
/// so the connection's own transients are in the model.
/// Assumptions: balanced; the current loop is a lag; ripple filters are lags; the servers draw constant power however low the
/// links are; no capacitance at the connection (resonances above some 100 Hz left out). Source of the structure: loops of
/// [@power_delivery_resonance].
class SupplyLoad final : public GridUnit {
 public:
  /// @param impedance_pu between its bus and the supplies, on their rating, without the control's own reactance
  /// @param gain_ratio g, above 0  @throws InputError
  SupplyLoad(const SupplyControl& control, std::complex<double> impedance_pu, double nominal_Hz,
             double gain_ratio = 1.0);

  /// What the bus gives at rest when the supplies draw `load_pu` at unity power factor, P + jQ. @param bus_pu voltage of the bus
  /// @throws RefusedError beyond the nose of the voltage curve or the current limit
  std::complex<double> drawn_pu(double bus_pu, double load_pu) const;
  /// The most that the supplies can draw at a voltage of the bus: nose or current limit.
  double most_pu(double bus_pu) const;
  /// What the servers draw from now on.
  void set_load(double load_pu) { load_pu_ = load_pu; }
  /// What the servers draw, on the rating.
  double load_pu() const { return load_pu_; }

  std::vector<std::string> states() const override;
  /// @param power_pu below 0: what it draws, with its sign  @throws RefusedError beyond the current limit
  void rest(std::complex<double> v, std::complex<double> power_pu, std::span<double> x) override;
  std::complex<double> current(std::span<const double> x, std::complex<double> v) const override;
  void rates(std::span<const double> x, std::complex<double> v, std::span<double> rate) const override;
  void limits(std::span<StateLimit> out) const override;
  UnitReadout readout(std::span<const double> x, std::complex<double> v) const override;
  /// Energy of the links over the nominal one. @param x [n_state] pu
  static double link_ratio(std::span<const double> x) { return x[6]; }

 private:
  SupplyControl c_;
  std::complex<double> Z_;
  double omega0_, k_, ki_;
  double load_pu_ = 0.0, reactive_pu_ = 0.0;  // i_q
};

}  // namespace TIDEWATT_NAMESPACE::grid
