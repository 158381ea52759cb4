#include "genrou.hpp"

#include <fmt/format.h>

#include <cmath>

namespace TIDEWATT_NAMESPACE::grid {
namespace {

using Complex = std::complex<double>;
constexpr double two_pi = 6.283185307179586476925287;
enum State : std::size_t { angle, speed, flux_q1, flux_d1, flux_d2, flux_q2 };  // δ, ω, e_q, e_d, ψ_d, ψ_q

/// A winding's time constant; 0: there is none.
double winding_s(DyrValues& values, const char* name, Range range) {
  const double out = values.number(name, {0.0, range.hi});
  if (out > 0.0 && out < range.lo)
    values.wrong(name, fmt::format("{:g} is below {:g}; 0 leaves the winding out", out, range.lo));
  return out;
}

}  // namespace

Genrou::Genrou(DyrValues& values, double armature_pu, double nominal_Hz)
    : R_(armature_pu), omega0_(two_pi * nominal_Hz) {
  T1_d_s_ = values.number("T'd0", {0.01, 100});
  T2_d_s_ = winding_s(values, "T''d0", {1e-3, 10});
  T1_q_s_ = winding_s(values, "T'q0", {0.01, 100});
  T2_q_s_ = winding_s(values, "T''q0", {1e-3, 10});
  H_ = values.number("H", {0.01, 1e4});
  D_ = values.number("D", {0, 1e3});
  X_d_ = values.number("Xd", {1e-4, 10});
  X_q_ = values.number("Xq", {1e-4, 10});
  X1_d_ = values.number("X'd", {1e-4, 10});
  X1_q_ = values.number("X'q", {1e-4, 10});
  const double X2 = values.number("X''", {1e-4, 10});
  X_l_ = values.number("Xl", {0, 10});
  const double S1 = values.number("S(1.0)", {0, 5}), S2 = values.number("S(1.2)", {0, 5});
  // A winding that is absent has the reactance of the one before it.
  if (T1_q_s_ <= 0.0) X1_q_ = X_q_;
  X2_d_ = T2_d_s_ > 0.0 ? X2 : X1_d_;
  X2_q_ = T2_q_s_ > 0.0 ? X2 : X1_q_;
  const auto falls = [](double T_s, double before, double after) { return T_s <= 0.0 || after < before; };
  if (!(X_l_ < X2_d_ && X_l_ < X2_q_ && X1_d_ < X_d_ && falls(T2_d_s_, X1_d_, X2) && falls(T1_q_s_, X_q_, X1_q_) &&
        falls(T2_q_s_, X1_q_, X2)))
    values.wrong("Xl, X'', X'd, Xd", "Xl < X'' < X'd < Xd and X'' < X'q < Xq are needed");
  if (S1 > 0.0 && S2 > 0.0) {
    iron_ = QuadraticSaturation::through(1.0, S1, 1.2, S2);
    if (!(S1 < 1.2 * S2)) values.wrong("S(1.2)", "must be above S(1.0)/1.2");
    if (T1_q_s_ <= 0.0 || T2_d_s_ <= 0.0 || T2_q_s_ <= 0.0) values.wrong("S(1.0)", "saturation needs all windings");
  }
}

std::vector<std::string> Genrou::states() const {
  return {"angle", "speed", "flux q'", "flux d'", "flux d''", "flux q''"};
}

Genrou::Axes Genrou::axes(std::span<const double> x, Complex v) const {
  const double g_d = (X2_d_ - X_l_) / (X1_d_ - X_l_), g_q = (X2_q_ - X_l_) / (X1_q_ - X_l_);
  const double sine = std::sin(x[angle]), cosine = std::cos(x[angle]);
  const double v_d = v.real() * sine - v.imag() * cosine, v_q = v.real() * cosine + v.imag() * sine;
  Axes a{g_d * x[flux_q1] + (1.0 - g_d) * x[flux_d2], g_q * x[flux_d1] + (1.0 - g_q) * x[flux_q2], 0.0, 0.0};
  const double over = 1.0 / (R_ * R_ + X2_d_ * X2_q_), e_d = a.flux_q - v_d, e_q = a.flux_d - v_q;
  a.i_d = over * (R_ * e_d + X2_q_ * e_q);
  a.i_q = over * (R_ * e_q - X2_d_ * e_d);
  return a;
}

Complex Genrou::current(std::span<const double> x, Complex v) const {
  const Axes a = axes(x, v);
  const double sine = std::sin(x[angle]), cosine = std::cos(x[angle]);
  return {a.i_d * sine + a.i_q * cosine, a.i_q * sine - a.i_d * cosine};
}

double Genrou::field_current(std::span<const double> x, const Axes& a) const {
  const double g = (X2_d_ - X_l_) / (X1_d_ - X_l_), h = (X1_d_ - X2_d_) / ((X1_d_ - X_l_) * (X1_d_ - X_l_));
  const double S = saturation(std::hypot(a.flux_d, a.flux_q));
  return x[flux_q1] + (X_d_ - X1_d_) * (g * a.i_d + h * (x[flux_q1] - x[flux_d2])) + S * a.flux_d;
}

double Genrou::field_current_pu(std::span<const double> x, Complex v) const { return field_current(x, axes(x, v)); }

void Genrou::rates(std::span<const double> x, Complex v, double torque_pu, double field_pu,
                   std::span<double> rate) const {
  const Axes a = axes(x, v);
  const double g = (X2_q_ - X_l_) / (X1_q_ - X_l_), h = (X1_q_ - X2_q_) / ((X1_q_ - X_l_) * (X1_q_ - X_l_));
  const double S = saturation(std::hypot(a.flux_d, a.flux_q)) * (X_q_ - X_l_) / (X_d_ - X_l_);
  rate[angle] = omega0_ * x[speed];
  const double T_e = a.flux_d * a.i_q + a.flux_q * a.i_d + (X2_q_ - X2_d_) * a.i_d * a.i_q;
  const auto moves = [](double T_s, double change) { return T_s > 0.0 ? change / T_s : 0.0; };
  rate[speed] = (torque_pu - D_ * x[speed] - T_e) / (2.0 * H_);
  rate[flux_q1] = (field_pu - field_current(x, a)) / T1_d_s_;
  rate[flux_d1] =
      moves(T1_q_s_, -x[flux_d1] + (X_q_ - X1_q_) * (g * a.i_q - h * (x[flux_d1] - x[flux_q2])) - S * a.flux_q);
  rate[flux_d2] = moves(T2_d_s_, x[flux_q1] - (X1_d_ - X_l_) * a.i_d - x[flux_d2]);
  rate[flux_q2] = moves(T2_q_s_, x[flux_d1] + (X1_q_ - X_l_) * a.i_q - x[flux_q2]);
}

RotorRest Genrou::rest(Complex v, Complex power_pu, std::span<double> x) const {
  const Complex i = std::conj(power_pu / v), behind = v + Complex(R_, X2_q_) * i;
  const double S = saturation(std::abs(behind)), S_q = S * (X_q_ - X_l_) / (X_d_ - X_l_);
  // The vector that lies on the q axis at rest.
  x[angle] = std::arg(behind * (1.0 + S_q) + Complex(0.0, X_q_ - X2_q_) * i);
  x[speed] = 0.0;
  const Complex turn = std::polar(1.0, 1.5707963267948966192 - x[angle]);  // network to d + jq
  const Complex i_dq = i * turn, behind_dq = behind * turn;
  const double i_d = i_dq.real(), i_q = i_dq.imag(), flux_q = behind_dq.real();
  const double flux_d = behind_dq.imag() + (X2_d_ - X2_q_) * i_d;
  x[flux_q1] = flux_d + (X1_d_ - X2_d_) * i_d;
  x[flux_d2] = x[flux_q1] - (X1_d_ - X_l_) * i_d;
  x[flux_d1] = flux_q - (X1_q_ - X2_q_) * i_q;
  x[flux_q2] = x[flux_d1] + (X1_q_ - X_l_) * i_q;
  RotorRest out;
  out.field_pu = out.field_current_pu = (1.0 + S) * flux_d + (X_d_ - X2_d_) * i_d;
  out.mechanical_pu = flux_d * i_q + flux_q * i_d + (X2_q_ - X2_d_) * i_d * i_q;
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::grid
