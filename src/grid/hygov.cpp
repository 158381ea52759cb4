#include "hygov.hpp"

#include <algorithm>

namespace TIDEWATT_NAMESPACE::grid {

Hygov::Hygov(DyrValues& values) {
  R_ = values.number("R", {0, 10});
  r_ = values.number("r", {1e-3, 100});
  T_r_s_ = values.number("Tr", {1e-3, 1000});
  T_f_s_ = values.number("Tf", {1e-3, 100});
  T_g_s_ = values.number("Tg", {1e-3, 1000});
  velocity_per_s_ = values.number("VELM", {1e-6, 100});
  high_ = values.number("GMAX", {-10, 100});
  low_ = values.number("GMIN", {-10, 100});
  T_W_s_ = values.number("TW", {1e-3, 100});
  A_ = values.number("At", {1e-3, 100});
  D_ = values.number("Dturb", {0, 100});
  q_NL_ = values.number("qNL", {0, 1});
  if (!(low_ < high_)) values.wrong("GMAX", "must be above GMIN");
}

void Hygov::rest(double mechanical_pu, std::span<double> x) {
  const double flow = mechanical_pu / A_ + q_NL_;
  x[0] = 0.0;
  x[1] = x[2] = x[3] = flow;
  reference_pu_ = R_ * flow;
}

double Hygov::mechanical_pu(std::span<const double> x, double speed_pu) const {
  const double gate = std::max(x[2], 1e-3), head = x[3] * x[3] / (gate * gate);
  return A_ * head * (x[3] - q_NL_) - D_ * gate * speed_pu;
}

void Hygov::rates(std::span<const double> x, double speed_pu, std::span<double> rate) const {
  const double gate = std::max(x[2], 1e-3);
  rate[0] = (reference_pu_ - speed_pu - R_ * x[1] - x[0]) / T_f_s_;
  rate[1] = std::clamp((x[0] / T_r_s_ + rate[0]) / r_, -velocity_per_s_, velocity_per_s_);
  rate[2] = (x[1] - x[2]) / T_g_s_;
  rate[3] = (1.0 - x[3] * x[3] / (gate * gate)) / T_W_s_;
}

}  // namespace TIDEWATT_NAMESPACE::grid
