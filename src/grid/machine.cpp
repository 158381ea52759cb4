#include "machine.hpp"

#include <cmath>

#include "tidewatt/base/math.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

constexpr double two_pi = 6.283185307179586476925287;

// Reactance behind the leakage that `above` becomes when a winding lowers it to `below`: the winding in parallel.
double winding(double above, double below) { return 1.0 / (1.0 / below - 1.0 / above); }

}  // namespace

Machine::Machine(const MachineCase& c, std::size_t i) {
  const MachineParams& m = c.machine;
  omega0_ = two_pi * c.nominal_Hz;
  two_H_ = 2.0 * m.inertia_s[i];
  D_ = m.damping_pu[i];
  X_l_ = m.leakage_pu[i];
  R_a_ = m.armature_pu[i];
  L_ad_ = m.d_pu[i] - X_l_;
  L_aq_ = m.q_pu[i] - X_l_;
  A_ = m.saturation_pu;
  B_ = m.saturation_slope;
  T_ = m.saturation_knee_pu;
  // Open circuit: a winding's own reactance with what lies behind it, over ω_0 R, is its time constant.
  const double d1 = m.d_transient_pu[i] - X_l_;
  const double L_fd = winding(L_ad_, d1);
  field_ = {true, 1.0 / L_fd, (L_ad_ + L_fd) / (m.d_transient_s[i] * L_fd)};
  field_gain_ = (L_ad_ + L_fd) / (m.d_transient_s[i] * L_ad_);  // ω_0 R_fd/L_ad
  if (m.d_subtransient_s[i] > 0.0) {
    const double L = winding(d1, m.d_subtransient_pu[i] - X_l_);
    damper_d_ = {true, 1.0 / L, (L + d1) / (m.d_subtransient_s[i] * L)};
  }
  double behind = L_aq_;
  if (m.q_transient_s[i] > 0.0) {
    const double q1 = m.q_transient_pu[i] - X_l_, L = winding(behind, q1);
    damper_q_ = {true, 1.0 / L, (L + behind) / (m.q_transient_s[i] * L)};
    behind = q1;
  }
  if (m.q_subtransient_s[i] > 0.0) {
    const double L = winding(behind, m.q_subtransient_pu[i] - X_l_);
    damper_q2_ = {true, 1.0 / L, (L + behind) / (m.q_subtransient_s[i] * L)};
  }
}

double Machine::saturation(double gap) const {
  return A_ > 0.0 && gap > 1e-3 ? 1.0 + A_ * math::exp(B_ * (gap - T_)) / gap : 1.0;
}

MachineRates Machine::rates(const MachineValues& m, std::complex<double> v, double field_pu,
                            double mechanical_pu) const {
  MachineRates r;
  const double sine = std::sin(m.angle_rad), cosine = std::cos(m.angle_rad);
  const double v_d = v.real() * sine - v.imag() * cosine, v_q = v.real() * cosine + v.imag() * sine;
  const double more = saturation(std::sqrt(m.gap_d * m.gap_d + m.gap_q * m.gap_q));
  r.torque_pu = m.gap_d * m.current_q - m.gap_q * m.current_d;
  r.angle = omega0_ * m.speed_pu;
  r.speed = (mechanical_pu - r.torque_pu - D_ * m.speed_pu) / two_H_;
  r.field = field_gain_ * field_pu - field_.rate * (m.field - m.gap_d);
  r.damper_d = -damper_d_.rate * (m.damper_d - m.gap_d);
  r.damper_q = -damper_q_.rate * (m.damper_q - m.gap_q);
  r.damper_q2 = -damper_q2_.rate * (m.damper_q2 - m.gap_q);
  r.stator_d = v_d + R_a_ * m.current_d - X_l_ * m.current_q + m.gap_q;
  r.stator_q = v_q + R_a_ * m.current_q + X_l_ * m.current_d - m.gap_d;
  r.gap_d = m.gap_d * (more / L_ad_ + field_.inverse_L + damper_d_.inverse_L) + m.current_d -
            m.field * field_.inverse_L - m.damper_d * damper_d_.inverse_L;
  r.gap_q = m.gap_q * (more / L_aq_ + damper_q_.inverse_L + damper_q2_.inverse_L) + m.current_q -
            m.damper_q * damper_q_.inverse_L - m.damper_q2 * damper_q2_.inverse_L;
  return r;
}

std::complex<double> Machine::current(const MachineValues& m) const {
  const double sine = std::sin(m.angle_rad), cosine = std::cos(m.angle_rad);
  return {m.current_d * sine + m.current_q * cosine, m.current_q * sine - m.current_d * cosine};
}

MachineRest Machine::rest(std::complex<double> v, std::complex<double> power_pu) const {
  const std::complex<double> i = std::conj(power_pu / v), gap = v + std::complex<double>(R_a_, X_l_) * i;
  const double more = saturation(std::abs(gap));
  const double X_q = X_l_ + L_aq_ / more;
  MachineRest out;
  MachineValues& m = out.values;
  m.angle_rad = std::arg(v + std::complex<double>(R_a_, X_q) * i);
  const std::complex<double> turn = std::polar(1.0, 1.5707963267948966192 - m.angle_rad);  // network to (d, q)
  const std::complex<double> i_dq = i * turn, gap_dq = gap * turn;  // voltage behind leakage: (−ψ_aq, ψ_ad)
  m.current_d = i_dq.real();
  m.current_q = i_dq.imag();
  m.gap_d = gap_dq.imag();
  m.gap_q = -gap_dq.real();
  const double field_current = m.gap_d * more / L_ad_ + m.current_d;
  m.field = m.gap_d + field_current / field_.inverse_L;
  m.damper_d = m.gap_d;
  m.damper_q = m.damper_q2 = m.gap_q;
  out.field_pu = L_ad_ * field_current;
  out.mechanical_pu = m.gap_d * m.current_q - m.gap_q * m.current_d;
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::grid
