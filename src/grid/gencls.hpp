#pragma once
#include "machine_parts.hpp"
#include "psse_dyr.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// Classical machine: constant voltage behind ZSORCE; inertia 0 is an infinite bus.
///
///     i = (E e^{jδ} − v)/(R + jX),   2H ω' = T_m − D ω − Re(E e^{jδ} i*),   δ' = ω_0 ω
///
/// Record: H, D. Source: [@kundur], ch. 13.
class Gencls final : public Rotor {
 public:
  /// @param source_pu R + jX  @param nominal_Hz of the network; findings go into `values`
  Gencls(DyrValues& values, std::complex<double> source_pu, double nominal_Hz);
  std::vector<std::string> states() const override { return {"angle", "speed", "voltage"}; }
  RotorRest rest(std::complex<double> v, std::complex<double> power_pu, std::span<double> x) const override;
  std::complex<double> current(std::span<const double> x, std::complex<double> v) const override;
  double field_current_pu(std::span<const double> x, std::complex<double> v) const override;
  void rates(std::span<const double> x, std::complex<double> v, double torque_pu, double field_pu,
             std::span<double> rate) const override;
  double inertia_s() const override { return H_; }

 private:
  double H_, D_, omega0_;
  std::complex<double> Z_;
};

}  // namespace TIDEWATT_NAMESPACE::grid
