#include "ieeet1.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

enum State : std::size_t { measured, regulator, field, feedback };

}  // namespace

Ieeet1::Ieeet1(DyrValues& values) {
  T_R_s_ = values.number("TR", {0, 10});
  K_A_ = values.number("KA", {1e-3, 1e4});
  T_A_s_ = values.number("TA", {1e-3, 100});
  high_ = values.number("VRMAX", {-1e4, 1e4});
  low_ = values.number("VRMIN", {-1e4, 1e4});
  K_E_ = values.number("KE", {-10, 10});
  T_E_s_ = values.number("TE", {1e-3, 100});
  K_F_ = values.number("KF", {0, 100});
  T_F_s_ = values.number("TF", {1e-3, 100});
  if (values.whole("switch", {0, 1}) != 0) values.wrong("switch", "1 is not modelled: 0");
  const double E1 = values.number("E1", {0, 100}), S1 = values.number("SE(E1)", {0, 10});
  const double E2 = values.number("E2", {0, 100}), S2 = values.number("SE(E2)", {0, 10});
  iron_ = QuadraticSaturation::through(E1, S1, E2, S2);
  if (!(low_ < high_)) values.wrong("VRMAX", "must be above VRMIN");
}

void Ieeet1::rest(const RotorRest& rotor, double voltage_pu, std::span<double> x) {
  x[measured] = voltage_pu;
  x[field] = x[feedback] = rotor.field_pu;
  x[regulator] = K_E_ * rotor.field_pu + iron_.excess(rotor.field_pu);
  reference_pu_ = voltage_pu + x[regulator] / K_A_;
}

void Ieeet1::rates(std::span<const double> x, const ExciterInput& in, std::span<double> rate) const {
  const double error = reference_pu_ - (T_R_s_ > 0.0 ? x[measured] : in.voltage_pu) + in.stabiliser_pu;
  rate[measured] = T_R_s_ > 0.0 ? (in.voltage_pu - x[measured]) / T_R_s_ : 0.0;
  rate[regulator] = (K_A_ * (error - K_F_ / T_F_s_ * (x[field] - x[feedback])) - x[regulator]) / T_A_s_;
  rate[field] = (x[regulator] - K_E_ * x[field] - iron_.excess(x[field])) / T_E_s_;
  rate[feedback] = (x[field] - x[feedback]) / T_F_s_;
}

}  // namespace TIDEWATT_NAMESPACE::grid
