#include "tidewatt/grid/flicker.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/numerics/block.hpp"
#include "tidewatt/numerics/fft.hpp"
#include "tidewatt/numerics/linear_step.hpp"

namespace tidewatt::grid {
namespace {

using Complex = std::complex<double>;
using numerics::bin_s;
constexpr double two_pi = 6.283185307179586476925287;

// Lamp-eye-brain weighting of IEC 61000-4-15, rad/s, and the sine of 8.8 Hz that is just perceptible.
struct Weighting {
  double k, lambda, w1, w2, w3, w4, sine_frac;
};

Weighting weighting_of(FlickerLamp lamp) {
  if (lamp == FlickerLamp::v230_50Hz || lamp == FlickerLamp::v230_60Hz)
    return {1.74802, two_pi * 4.05981, two_pi * 9.15494, two_pi * 2.27979, two_pi * 1.22535, two_pi * 21.9, 0.00250};
  return {1.6357, two_pi * 4.167375, two_pi * 9.077169, two_pi * 2.939902, two_pi * 1.394468, two_pi * 17.31512,
          0.00321};
}

bool is_50Hz(FlickerLamp lamp) { return lamp == FlickerLamp::v230_50Hz || lamp == FlickerLamp::v120_50Hz; }

// H(s) = factor · s² (s + w2) / Π (s − pole).
struct Transfer {
  std::array<double, 3> real;    // high-pass, w3, w4
  std::array<Complex, 4> upper;  // weighting, Butterworth; their conjugates belong to it
  double factor, zero;
  Complex operator()(Complex s) const {
    Complex h = factor * s * s * (s + zero);
    for (const double p : real) h /= s - p;
    for (const Complex& p : upper) h /= (s - p) * (s - std::conj(p));
    return h;
  }
  Complex residue(Complex at) const {  // of a simple pole: all other factors
    Complex r = factor * at * at * (at + zero);
    for (const double p : real)
      if (at != Complex(p)) r /= at - p;
    for (const Complex& p : upper) {
      if (at != p) r /= at - p;
      if (at != std::conj(p)) r /= at - std::conj(p);
    }
    return r;
  }
};

Transfer transfer_of(FlickerLamp lamp) {
  const Weighting w = weighting_of(lamp);
  const double cut = two_pi * (is_50Hz(lamp) ? 35.0 : 42.0);
  Transfer t;
  t.real = {-two_pi * 0.05, -w.w3, -w.w4};
  t.upper[0] = {-w.lambda, std::sqrt(w.w1 * w.w1 - w.lambda * w.lambda)};
  for (std::size_t i = 0; i < 3; ++i) {  // at 105, 135 and 165 degrees
    const auto root = numerics::unit_root(7 + 2 * i, 24);
    t.upper[1 + i] = {cut * root.cos, cut * root.sin};
  }
  t.factor = w.k * w.w1 * (cut * cut * cut) * (cut * cut * cut) * (w.w3 * w.w4 / w.w2);
  t.zero = w.w2;
  return t;
}

}  // namespace

Flickermeter::Flickermeter(FlickerLamp lamp, double window_s) : lamp_(lamp) {
  if (!(window_s >= 1.0 && window_s <= 7200.0)) throw InputError("flicker: the window must last 1 to 7200 s");
  window_bins_ = static_cast<std::size_t>(std::llround(window_s / bin_s));
  P_inst_.reserve(window_bins_);
  const Transfer H = transfer_of(lamp);
  for (std::size_t i = 0; i < 3; ++i) {
    const double x = -H.real[i] * bin_s;
    real_[i] = {math::exp(-x), bin_s * math::mean_decay(x), H.residue(H.real[i]).real()};
  }
  for (std::size_t i = 0; i < 4; ++i) {
    const double a = H.upper[i].real(), b = H.upper[i].imag();
    const std::array<double, 4> A{a, -b, b, a};
    const std::array<double, 2> B{1.0, 0.0};
    const numerics::LinearStep step(A, B, 2, 1, bin_s);
    const Complex r = H.residue(H.upper[i]);
    pair_[i] = {step.E()[0], step.E()[2], step.F()[0], step.F()[1], 2.0 * r.real(), 2.0 * r.imag()};
  }
  smooth_ = 1.0 - math::exp(-bin_s / 0.3);
  reference_gain_ = 1.0 - math::exp(-bin_s / 27.3);
  const double sine_f_Hz = 8.8, w_tau = 2.0 * two_pi * sine_f_Hz * 0.3;
  const double y = std::abs(H(Complex(0.0, two_pi * sine_f_Hz))) * weighting_of(lamp).sine_frac;
  scale_ = 2.0 / (y * y * (1.0 + 1.0 / std::sqrt(1.0 + w_tau * w_tau)));
  // Ripple of the squared mains voltage, 10 bins for one cycle of 100 Hz, 25 for three of 120 Hz. A change of voltage
  // with a part near that frequency beats with it into the visible range; the bins' means have weakened that part by
  // sin(θ/2)/(θ/2), θ being the ripple's angle per bin, and the ripple makes up for it.
  const std::size_t n = is_50Hz(lamp) ? 10 : 25, turns = is_50Hz(lamp) ? 1 : 3;
  const double half_theta = 0.5 * two_pi * static_cast<double>(turns) / static_cast<double>(n);
  const double weakened = numerics::unit_root(4 * turns, 8 * n).sin / half_theta;
  for (std::size_t k = 0; k < n; ++k)
    carrier_.push_back(1.0 - numerics::unit_root(4 * turns * (2 * k + 1) % (8 * n), 8 * n).cos / weakened);
  begin(0, 1.0);
}

void Flickermeter::begin(std::int64_t first_bin, double v_pu) {
  next_bin_ = first_bin;
  reference_ = v_pu * v_pu;
  level_ = 0.0;
  for (std::size_t i = 0; i < 3; ++i) x_[i] = real_[i].drive / (1.0 - real_[i].decay);  // at rest under s = 1
  for (std::size_t i = 0; i < 4; ++i) {
    const Pair& p = pair_[i];
    const Complex z = Complex(p.drive_re, p.drive_im) / (1.0 - Complex(p.decay_re, p.decay_im));
    z_[2 * i] = z.real();
    z_[2 * i + 1] = z.imag();
  }
  P_inst_.clear();
}

void Flickermeter::push(std::span<const double> v_pu) {
  const auto n = static_cast<std::int64_t>(carrier_.size());
  auto phase = static_cast<std::size_t>(((next_bin_ % n) + n) % n);
  for (const double v : v_pu) {
    const double v2 = v * v;
    const double s = v2 / reference_ * carrier_[phase];
    reference_ += reference_gain_ * (v2 - reference_);
    double y = 0.0;
    for (std::size_t i = 0; i < 3; ++i) {
      x_[i] = real_[i].decay * x_[i] + real_[i].drive * s;
      y += real_[i].weight * x_[i];
    }
    for (std::size_t i = 0; i < 4; ++i) {
      const Pair& p = pair_[i];
      const double re = z_[2 * i], im = z_[2 * i + 1];
      z_[2 * i] = (p.decay_re * re - p.decay_im * im) + p.drive_re * s;
      z_[2 * i + 1] = (p.decay_re * im + p.decay_im * re) + p.drive_im * s;
      y += p.weight_re * z_[2 * i] - p.weight_im * z_[2 * i + 1];
    }
    level_ += smooth_ * (y * y - level_);
    const double P_inst = scale_ * level_;
    P_inst_max_ = P_inst > P_inst_max_ ? P_inst : P_inst_max_;
    P_inst_.push_back(P_inst);
    ++next_bin_;
    phase = phase + 1 == carrier_.size() ? 0 : phase + 1;
    if (P_inst_.size() == window_bins_) finish_window();
  }
}

void Flickermeter::finish_window() {
  // Levels exceeded for these percentages of the time, from the lowest level up, so that each search narrows the next.
  constexpr std::array percent{80.0, 50.0, 30.0, 17.0, 13.0, 10.0, 8.0, 6.0, 4.0, 3.0, 2.2, 1.5, 1.0, 0.7, 0.1};
  std::array<double, percent.size()> P{};
  auto from = P_inst_.begin();
  for (std::size_t i = 0; i < percent.size(); ++i) {
    const auto below = static_cast<std::size_t>(static_cast<double>(P_inst_.size()) * (1.0 - percent[i] / 100.0));
    const auto at = P_inst_.begin() + static_cast<std::ptrdiff_t>(std::min(below, P_inst_.size() - 1));
    std::nth_element(from, at, P_inst_.end());
    P[i] = *at;
    from = at;
  }
  const double P50s = (P[2] + P[1] + P[0]) / 3.0;
  const double P10s = (P[7] + P[6] + P[5] + P[4] + P[3]) / 5.0;
  const double P3s = (P[10] + P[9] + P[8]) / 3.0;
  const double P1s = (P[13] + P[12] + P[11]) / 3.0;
  const double P_st = std::sqrt(0.0314 * P[14] + 0.0525 * P1s + 0.0657 * P3s + 0.28 * P10s + 0.08 * P50s);
  windows_.push_back({next_bin_ - static_cast<std::int64_t>(window_bins_), P_st});
  P_inst_.clear();
}

double Flickermeter::P_st_max() const {
  double worst = 0.0;
  for (const auto& w : windows_) worst = std::max(worst, w.P_st);
  return worst;
}

double Flickermeter::P_lt_max() const {
  double worst = 0.0;
  constexpr std::size_t n = 12;
  for (std::size_t i = 0; i + n <= windows_.size(); ++i) {
    const std::int64_t last_bin = windows_[i].first_bin + static_cast<std::int64_t>((n - 1) * window_bins_);
    if (windows_[i + n - 1].first_bin != last_bin) continue;  // a gap lies between
    double sum = 0.0;
    for (std::size_t k = i; k < i + n; ++k) sum += windows_[k].P_st * windows_[k].P_st * windows_[k].P_st;
    worst = std::max(worst, sum / static_cast<double>(n));
  }
  return worst > 0.0 ? math::pow(worst, 1.0 / 3.0) : 0.0;
}

double Flickermeter::gain(double f_Hz) const {
  return std::abs(transfer_of(lamp_)(Complex(0.0, two_pi * f_Hz))) * std::sqrt(scale_);
}

}  // namespace tidewatt::grid
