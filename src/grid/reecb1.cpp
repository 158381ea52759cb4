#include "reecb1.hpp"

#include <algorithm>
#include <cmath>

namespace TIDEWATT_NAMESPACE::grid {
namespace {

enum State : std::size_t { voltage, power, order, q_integral, v_integral, q_lag };

double beyond(double x, double low, double high) { return x > high ? x - high : x < low ? x - low : 0.0; }

}  // namespace

Reecb1::Reecb1(DyrValues& values) {
  if (values.whole("remote bus", {0, 1e9}) != 0) values.wrong("remote bus", "is not modelled: 0");
  power_factor_ = values.whole("PFFLAG", {0, 1}) == 1;
  inner_voltage_ = values.whole("VFLAG", {0, 1}) == 1;
  q_control_ = values.whole("QFLAG", {0, 1}) == 1;
  p_first_ = values.whole("PQFLAG", {0, 1}) == 1;
  V_dip_ = values.number("Vdip", {-1e3, 10});
  V_up_ = values.number("Vup", {0, 1e3});
  T_rv_s_ = values.number("Trv", {1e-3, 10});
  d_1_ = values.number("dbd1", {-10, 0});
  d_2_ = values.number("dbd2", {0, 10});
  K_qv_ = values.number("Kqv", {0, 100});
  I_qh_ = values.number("Iqh1", {-10, 10});
  I_ql_ = values.number("Iql1", {-10, 10});
  v_ref0_ = values.number("Vref0", {0, 2});
  T_p_s_ = values.number("Tp", {1e-3, 100});
  Q_high_ = values.number("Qmax", {-10, 10});
  Q_low_ = values.number("Qmin", {-10, 10});
  V_high_ = values.number("VMAX", {0, 10});
  V_low_ = values.number("VMIN", {-10, 10});
  K_qp_ = values.number("Kqp", {0, 1e3});
  K_qi_ = values.number("Kqi", {0, 1e3});
  K_vp_ = values.number("Kvp", {0, 1e3});
  K_vi_ = values.number("Kvi", {0, 1e3});
  T_iq_s_ = values.number("Tiq", {1e-3, 10});
  up_per_s_ = values.number("dPmax", {0, 1e4});
  down_per_s_ = values.number("dPmin", {-1e4, 0});
  P_high_ = values.number("PMAX", {-10, 10});
  P_low_ = values.number("PMIN", {-10, 10});
  I_max_ = values.number("Imax", {1e-3, 100});
  T_pord_s_ = values.number("Tpord", {1e-3, 10});
}

void Reecb1::rest(double v, std::complex<double> power_pu, std::span<double> x) {
  if (v_ref0_ == 0.0) v_ref0_ = v;
  tan_phi_ = std::abs(power_pu.real()) > 1e-9 ? power_pu.imag() / power_pu.real() : 0.0;
  x[voltage] = v;
  x[power] = x[order] = power_pu.real();
  x[q_lag] = power_pu.imag() / v;
  x[q_integral] = v;
  x[v_integral] = power_pu.imag() / v;
}

double Reecb1::reactive_order(std::span<const double> x, const Input& in) const {
  return power_factor_ ? x[power] * tan_phi_ : in.reactive_pu;
}

double Reecb1::voltage_order(std::span<const double> x, const Input& in) const {
  if (!inner_voltage_) return reactive_order(x, in);
  const double error = std::clamp(reactive_order(x, in), Q_low_, Q_high_) - in.power_pu.imag();
  return std::clamp(K_qp_ * error + x[q_integral], V_low_, V_high_);
}

double Reecb1::limit_q(double active_pu) const {
  return p_first_ ? std::sqrt(std::max(I_max_ * I_max_ - active_pu * active_pu, 0.0)) : I_max_;
}

Reecb1::Command Reecb1::command(std::span<const double> x, const Input& in) const {
  const double v = std::max(x[voltage], 0.01);
  double p = x[order] / v;
  if (p_first_) p = std::clamp(p, 0.0, I_max_);
  double q =
      q_control_ ? K_vp_ * (std::clamp(voltage_order(x, in), V_low_, V_high_) - x[voltage]) + x[v_integral] : x[q_lag];
  q += std::clamp(K_qv_ * beyond(v_ref0_ - x[voltage], d_1_, d_2_), I_ql_, I_qh_);
  q = std::clamp(q, -limit_q(p), limit_q(p));
  if (!p_first_) p = std::clamp(p, 0.0, std::sqrt(std::max(I_max_ * I_max_ - q * q, 0.0)));
  return {p, q};
}

void Reecb1::rates(std::span<const double> x, const Input& in, std::span<double> rate) const {
  const bool runs = x[voltage] > V_dip_ && x[voltage] < V_up_;
  const double v = std::max(x[voltage], 0.01), wanted = std::clamp(in.active_pu, P_low_, P_high_);
  rate[voltage] = (in.voltage_pu - x[voltage]) / T_rv_s_;
  rate[power] = (in.power_pu.real() - x[power]) / T_p_s_;
  rate[order] = runs ? std::clamp((wanted - x[order]) / T_pord_s_, down_per_s_, up_per_s_) : 0.0;
  rate[q_integral] = runs ? K_qi_ * (std::clamp(reactive_order(x, in), Q_low_, Q_high_) - in.power_pu.imag()) : 0.0;
  rate[v_integral] =
      runs && q_control_ ? K_vi_ * (std::clamp(voltage_order(x, in), V_low_, V_high_) - x[voltage]) : 0.0;
  rate[q_lag] = runs ? (reactive_order(x, in) / v - x[q_lag]) / T_iq_s_ : 0.0;
}

void Reecb1::limits(std::span<StateLimit> out) const {
  out[order] = {P_low_, P_high_};
  if (q_control_) out[v_integral] = {-I_max_, I_max_};
  if (q_control_ && inner_voltage_) out[q_integral] = {V_low_, V_high_};
}

}  // namespace TIDEWATT_NAMESPACE::grid
