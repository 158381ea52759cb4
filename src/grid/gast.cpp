#include "gast.hpp"

#include <algorithm>

namespace TIDEWATT_NAMESPACE::grid {

Gast::Gast(DyrValues& values) {
  R_ = values.number("R", {1e-4, 10});
  T1_s_ = values.number("T1", {1e-3, 100});
  T2_s_ = values.number("T2", {1e-3, 100});
  T3_s_ = values.number("T3", {1e-3, 1000});
  A_ = values.number("AT", {-10, 10});
  K_ = values.number("KT", {0, 100});
  high_ = values.number("VMAX", {-10, 1e3});
  low_ = values.number("VMIN", {-10, 1e3});
  D_ = values.number("Dturb", {0, 100});
  if (!(low_ < high_)) values.wrong("VMAX", "must be above VMIN");
}

void Gast::rest(double mechanical_pu, std::span<double> x) {
  reference_pu_ = mechanical_pu;
  x[0] = x[1] = x[2] = mechanical_pu;
}

double Gast::mechanical_pu(std::span<const double> x, double speed_pu) const { return x[1] - D_ * speed_pu; }

void Gast::rates(std::span<const double> x, double speed_pu, std::span<double> rate) const {
  const double asked = std::min(reference_pu_ - speed_pu / R_, A_ + K_ * (A_ - x[2]));
  rate[0] = (asked - x[0]) / T1_s_;
  rate[1] = (x[0] - x[1]) / T2_s_;
  rate[2] = (x[1] - x[2]) / T3_s_;
}

}  // namespace TIDEWATT_NAMESPACE::grid
