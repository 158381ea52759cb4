#include "tgov1.hpp"

namespace TIDEWATT_NAMESPACE::grid {

Tgov1::Tgov1(DyrValues& values) {
  R_ = values.number("R", {1e-4, 10});
  T1_s_ = values.number("T1", {1e-3, 100});
  high_ = values.number("VMAX", {-10, 1e3});
  low_ = values.number("VMIN", {-10, 1e3});
  T2_s_ = values.number("T2", {0, 100});
  T3_s_ = values.number("T3", {1e-3, 100});
  D_ = values.number("Dt", {0, 100});
  if (!(low_ < high_)) values.wrong("VMAX", "must be above VMIN");
}

void Tgov1::rest(double mechanical_pu, std::span<double> x) {
  reference_pu_ = R_ * mechanical_pu;
  x[0] = x[1] = mechanical_pu;
}

double Tgov1::mechanical_pu(std::span<const double> x, double speed_pu) const {
  return x[1] + T2_s_ / T3_s_ * (x[0] - x[1]) - D_ * speed_pu;
}

void Tgov1::rates(std::span<const double> x, double speed_pu, std::span<double> rate) const {
  rate[0] = ((reference_pu_ - speed_pu) / R_ - x[0]) / T1_s_;
  rate[1] = (x[0] - x[1]) / T3_s_;
}

}  // namespace TIDEWATT_NAMESPACE::grid
