#include "sexs.hpp"

namespace TIDEWATT_NAMESPACE::grid {

Sexs::Sexs(DyrValues& values) {
  ratio_ = values.number("TA/TB", {0, 100});
  T_B_s_ = values.number("TB", {1e-3, 1000});
  K_ = values.number("K", {1e-3, 1e4});
  T_E_s_ = values.number("TE", {1e-3, 100});
  low_ = values.number("EMIN", {-1e4, 1e4});
  high_ = values.number("EMAX", {-1e4, 1e4});
  if (!(low_ < high_)) values.wrong("EMAX", "must be above EMIN");
}

void Sexs::rest(const RotorRest& rotor, double voltage_pu, std::span<double> x) {
  const double error = rotor.field_pu / K_;
  reference_pu_ = voltage_pu + error;
  x[0] = error;
  x[1] = rotor.field_pu;
}

void Sexs::rates(std::span<const double> x, const ExciterInput& in, std::span<double> rate) const {
  const double error = reference_pu_ - in.voltage_pu + in.stabiliser_pu;
  rate[0] = (error - x[0]) / T_B_s_;
  rate[1] = (K_ * (ratio_ * error + (1.0 - ratio_) * x[0]) - x[1]) / T_E_s_;
}

}  // namespace TIDEWATT_NAMESPACE::grid
