#include "regca1.hpp"

#include <algorithm>
#include <cmath>

namespace TIDEWATT_NAMESPACE::grid {

using Complex = std::complex<double>;

Regca1::Regca1(DyrValues& values) {
  limits_active_ = values.whole("Lvplsw", {0, 1}) == 1;
  T_g_s_ = values.number("Tg", {1e-3, 10});
  rise_per_s_ = values.number("Rrpwr", {1e-3, 1e4});
  break_pu_ = values.number("Brkpt", {0, 2});
  zero_pu_ = values.number("Zerox", {0, 2});
  level_pu_ = values.number("Lvpl1", {0, 10});
  V_o_ = values.number("Volim", {0, 10});
  V_1_ = values.number("Lvpnt1", {0, 2});
  V_0_ = values.number("Lvpnt0", {0, 2});
  I_o_ = values.number("Iolim", {-10, 10});
  T_f_s_ = values.number("Tfltr", {1e-3, 10});
  K_hv_ = values.number("Khv", {0, 100});
  q_up_per_s_ = values.number("Iqrmax", {-1e4, 1e4});
  q_down_per_s_ = values.number("Iqrmin", {-1e4, 1e4});
  values.number("Accel", {0, 1});
  if (!(zero_pu_ < break_pu_ && V_0_ < V_1_ && q_down_per_s_ < q_up_per_s_))
    values.wrong("Brkpt, Lvpnt1, Iqrmax", "must be above Zerox, Lvpnt0, Iqrmin");
}

void Regca1::rest(Complex v, Complex power_pu, std::span<double> x) const {
  const double size = std::abs(v);
  x[0] = power_pu.real() / size;
  x[1] = power_pu.imag() / size;
  x[2] = size;
}

Complex Regca1::current(std::span<const double> x, Complex v) const {
  const double size = std::max(std::abs(v), 1e-6), share = std::clamp((size - V_0_) / (V_1_ - V_0_), 0.0, 1.0);
  const double above = K_hv_ * std::max(size - V_o_, 0.0), reactive = above > 0.0 ? std::max(x[1] - above, I_o_) : x[1];
  return Complex(share * x[0], -reactive) * v / size;
}

void Regca1::rates(std::span<const double> x, double voltage_pu, double active_pu, double reactive_pu,
                   std::span<double> rate) const {
  double wanted = active_pu;
  if (limits_active_ && x[2] < break_pu_)
    wanted = std::min(wanted, level_pu_ * std::max(x[2] - zero_pu_, 0.0) / (break_pu_ - zero_pu_));
  rate[0] = std::min((wanted - x[0]) / T_g_s_, rise_per_s_);
  rate[1] = std::clamp((reactive_pu - x[1]) / T_g_s_, q_down_per_s_, q_up_per_s_);
  rate[2] = (voltage_pu - x[2]) / T_f_s_;
}

}  // namespace TIDEWATT_NAMESPACE::grid
