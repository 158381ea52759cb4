#include "repca1.hpp"

#include <algorithm>
#include <cmath>

namespace TIDEWATT_NAMESPACE::grid {
namespace {

using Complex = std::complex<double>;
enum State : std::size_t { v_filter, q_filter, integral, lead, p_filter, p_integral, order, angle };
constexpr double angle_lag_s = 0.02;

double beyond(double x, double low, double high) { return x > high ? x - high : x < low ? x - low : 0.0; }

}  // namespace

Repca1::Repca1(DyrValues& values, double nominal_Hz) : omega0_(6.283185307179586476925287 * nominal_Hz) {
  for (const char* name : {"remote bus", "from bus", "to bus"})
    if (values.whole(name, {0, 1e9}) != 0) values.wrong(name, "is not modelled: 0, the unit's own terminal");
  values.text("circuit");
  line_drop_ = values.whole("VCFlag", {0, 1}) == 1;
  voltage_ = values.whole("RefFlag", {0, 1}) == 1;
  frequency_ = values.whole("Fflag", {0, 1}) == 1;
  T_f_s_ = values.number("Tfltr", {1e-3, 100});
  K_p_ = values.number("Kp", {0, 1e3});
  K_i_ = values.number("Ki", {0, 1e3});
  T_ft_s_ = values.number("Tft", {0, 100});
  T_fv_s_ = values.number("Tfv", {1e-3, 100});
  V_frz_ = values.number("Vfrz", {-10, 10});
  const double R = values.number("Rc", {0, 10}), X = values.number("Xc", {0, 10});
  Z_c_ = {R, X};
  K_c_ = values.number("Kc", {0, 10});
  e_high_ = values.number("emax", {-1e3, 1e3});
  e_low_ = values.number("emin", {-1e3, 1e3});
  d_1_ = values.number("dbd1", {-10, 0});
  d_2_ = values.number("dbd2", {0, 10});
  Q_high_ = values.number("Qmax", {-10, 10});
  Q_low_ = values.number("Qmin", {-10, 10});
  K_pg_ = values.number("Kpg", {0, 1e3});
  K_ig_ = values.number("Kig", {0, 1e3});
  T_p_s_ = values.number("Tp", {1e-3, 100});
  fd_1_ = values.number("fdbd1", {-10, 0});
  fd_2_ = values.number("fdbd2", {0, 10});
  fe_high_ = values.number("femax", {-1e3, 1e3});
  fe_low_ = values.number("femin", {-1e3, 1e3});
  P_high_ = values.number("Pmax", {-10, 10});
  P_low_ = values.number("Pmin", {-10, 10});
  T_g_s_ = values.number("Tg", {1e-3, 100});
  D_dn_ = values.number("Ddn", {0, 1e3});
  D_up_ = values.number("Dup", {0, 1e3});
}

double Repca1::regulated(Complex v, Complex power_pu) const {
  return line_drop_ ? std::abs(v - Z_c_ * std::conj(power_pu / v)) : std::abs(v) + K_c_ * power_pu.imag();
}

void Repca1::rest(Complex v, Complex power_pu, std::span<double> x) {
  reference_pu_ = power_pu;
  x[v_filter] = voltage_pu_ = regulated(v, power_pu);
  x[q_filter] = x[integral] = x[lead] = power_pu.imag();
  x[p_filter] = x[p_integral] = x[order] = power_pu.real();
  x[angle] = std::arg(v);
}

double Repca1::error(std::span<const double> x) const {
  const double e = voltage_ ? voltage_pu_ - x[v_filter] : reference_pu_.imag() - x[q_filter];
  return std::clamp(beyond(e, d_1_, d_2_), e_low_, e_high_);
}

double Repca1::reactive(std::span<const double> x) const {
  return std::clamp(K_p_ * error(x) + x[integral], Q_low_, Q_high_);
}

double Repca1::active_error(std::span<const double> x, Complex v) const {
  const double above = std::remainder(std::arg(v) - x[angle], 2.0 * 3.14159265358979323846) / (angle_lag_s * omega0_);
  const double f = beyond(-above, fd_1_, fd_2_);
  return std::clamp(reference_pu_.real() - x[p_filter] + D_dn_ * std::min(f, 0.0) + D_up_ * std::max(f, 0.0), fe_low_,
                    fe_high_);
}

Repca1::Orders Repca1::orders(std::span<const double> x, Complex, Complex) const {
  const double ratio = T_ft_s_ / T_fv_s_;
  return {frequency_ ? x[order] : reference_pu_.real(), ratio * reactive(x) + (1.0 - ratio) * x[lead]};
}

void Repca1::rates(std::span<const double> x, Complex v, Complex power_pu, std::span<double> rate) const {
  rate[v_filter] = (regulated(v, power_pu) - x[v_filter]) / T_f_s_;
  rate[q_filter] = (power_pu.imag() - x[q_filter]) / T_f_s_;
  rate[integral] = std::abs(v) < V_frz_ ? 0.0 : K_i_ * error(x);
  rate[lead] = (reactive(x) - x[lead]) / T_fv_s_;
  rate[p_filter] = (power_pu.real() - x[p_filter]) / T_p_s_;
  const double e = active_error(x, v);
  rate[p_integral] = K_ig_ * e;
  rate[order] = (std::clamp(K_pg_ * e + x[p_integral], P_low_, P_high_) - x[order]) / T_g_s_;
  rate[angle] = std::remainder(std::arg(v) - x[angle], 2.0 * 3.14159265358979323846) / angle_lag_s;
}

void Repca1::limits(std::span<StateLimit> out) const {
  out[integral] = {Q_low_, Q_high_};
  out[p_integral] = {P_low_, P_high_};
}

}  // namespace TIDEWATT_NAMESPACE::grid
