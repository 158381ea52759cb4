#include "flicker.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "numerics/block.hpp"
#include "numerics/fft.hpp"
#include "numerics/linear_step.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

using Complex = std::complex<double>;
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

/// One lamp's bank of poles, each lane one: z ← decay z + drive s; y = Σ Re(weight z).
struct Poles {
  static constexpr std::size_t n = 8;
  Pack8 re, im, decay_re, decay_im, drive_re, drive_im, weight_re, weight_im;
  TIDEWATT_INLINE void begin(const double* coefficients, const double* state) {
    load(state, re), load(state + n, im);
    load(coefficients, decay_re), load(coefficients + n, decay_im);
    load(coefficients + 2 * n, drive_re), load(coefficients + 3 * n, drive_im);
    load(coefficients + 4 * n, weight_re), load(coefficients + 5 * n, weight_im);
  }
  TIDEWATT_INLINE void step(double x, Pack8& part) {
    const Pack8 next = (decay_re * re - decay_im * im) + drive_re * x;
    im = (decay_re * im + decay_im * re) + drive_im * x;
    re = next;
    part = weight_re * re - weight_im * im;
  }
  TIDEWATT_INLINE void end(double* state) const { store(re, state), store(im, state + n); }
};

TIDEWATT_CLONES
void filter(const double* coefficients, double* state, const double* s, double* y, std::size_t n) {
  Poles p;
  p.begin(coefficients, state);
  for (std::size_t k = 0; k < n; ++k) {
    Pack8 part;
    p.step(s[k], part);
    const Pack4 four = part.low + part.high;
    y[k] = (four[0] + four[2]) + (four[1] + four[3]);
  }
  p.end(state);
}

// Each lamp waits for its own last bin, and their sums share the way down: two of them take hardly longer than one.
TIDEWATT_CLONES
void filter_two(const double* coefficients_a, double* state_a, const double* s_a, double* y_a,
                const double* coefficients_b, double* state_b, const double* s_b, double* y_b, std::size_t n) {
  Poles a, b;
  a.begin(coefficients_a, state_a);
  b.begin(coefficients_b, state_b);
  for (std::size_t k = 0; k < n; ++k) {
    Pack8 p, q;
    a.step(s_a[k], p);
    b.step(s_b[k], q);
    const Pack4 of_a = p.low + p.high, of_b = q.low + q.high;
    const Pack4 two = __builtin_shufflevector(of_a, of_b, 0, 1, 4, 5) + __builtin_shufflevector(of_a, of_b, 2, 3, 6, 7);
    y_a[k] = two[0] + two[1];
    y_b[k] = two[2] + two[3];
  }
  a.end(state_a);
  b.end(state_b);
}

}  // namespace

Flickermeter::Flickermeter(FlickerLamp lamp, double window_s, int bins_per_ms) : lamp_(lamp) {
  if (!(window_s >= 1.0 && window_s <= 7200.0)) throw InputError("flicker: the window must last 1 to 7200 s");
  if (bins_per_ms < 1 || bins_per_ms > 8) throw InputError("flicker: 1 to 8 bins per millisecond");
  const double bin_s = numerics::bin_s / static_cast<double>(bins_per_ms);
  window_bins_ = static_cast<std::int64_t>(std::llround(window_s / bin_s));
  counts_ = Counts(n_class());
  const Transfer H = transfer_of(lamp);
  for (std::size_t i = 0; i < 3; ++i) {
    const double x = -H.real[i] * bin_s;
    bank_.decay_re[i] = math::exp(-x);
    bank_.drive_re[i] = bin_s * math::mean_decay(x);
    bank_.weight_re[i] = H.residue(H.real[i]).real();
  }
  for (std::size_t i = 0; i < 4; ++i) {
    const double a = H.upper[i].real(), b = H.upper[i].imag();
    const std::array<double, 4> A{a, -b, b, a};
    const std::array<double, 2> B{1.0, 0.0};
    const numerics::LinearStep step(A, B, 2, 1, bin_s);
    const Complex r = H.residue(H.upper[i]);
    const std::size_t lane = 3 + i;
    bank_.decay_re[lane] = step.E()[0], bank_.decay_im[lane] = step.E()[2];
    bank_.drive_re[lane] = step.F()[0], bank_.drive_im[lane] = step.F()[1];
    bank_.weight_re[lane] = 2.0 * r.real(), bank_.weight_im[lane] = 2.0 * r.imag();
  }
  smooth_ = 1.0 - math::exp(-bin_s / 0.3);
  reference_gain_ = 1.0 - math::exp(-bin_s / 27.3);
  const double sine_f_Hz = 8.8, w_tau = 2.0 * two_pi * sine_f_Hz * 0.3;
  const double y = std::abs(H(Complex(0.0, two_pi * sine_f_Hz))) * weighting_of(lamp).sine_frac;
  scale_ = 2.0 / (y * y * (1.0 + 1.0 / std::sqrt(1.0 + w_tau * w_tau)));
  // Ripple of the squared mains voltage at the middle of bins, 10 ms of them for one cycle of 100 Hz, 25 ms for three of
  // 120 Hz. A change of voltage with a part near that frequency beats with it into the visible range.
  const std::size_t turns = is_50Hz(lamp) ? 1 : 3;
  const std::size_t n = (is_50Hz(lamp) ? 10u : 25u) * static_cast<std::size_t>(bins_per_ms);
  for (std::size_t k = 0; k < n; ++k)
    carrier_.push_back(1.0 - numerics::unit_root(4 * turns * (2 * k + 1) % (8 * n), 8 * n).cos);
  begin(0, 1.0);
}

void Flickermeter::begin(std::int64_t first_bin, double v_pu) {
  next_bin_ = first_bin;
  carrier_shift_ = 0;
  reference_ = v_pu * v_pu;
  settle(v_pu * v_pu);
  counts_.clear();
  n_counted_ = 0;
}

// The state that a steady voltage leaves at every whole turn of the ripple: what one turn makes of nothing, over
// 1 − (decay of a turn).
void Flickermeter::settle(double v2) {
  const std::size_t n = carrier_.size();
  const auto period = static_cast<std::int64_t>(n);
  const auto at = [&](std::int64_t bin) {
    return carrier_[static_cast<std::size_t>(((bin % period) + period) % period)];
  };
  std::vector<double> s(n), y(n);
  for (std::size_t k = 0; k < n; ++k) {  // products are one bin behind, and their sharpening another
    const std::int64_t bin = next_bin_ + static_cast<std::int64_t>(k) - 2;
    s[k] = at(bin) - (1.0 / 24.0) * ((at(bin + 1) - at(bin)) - (at(bin) - at(bin - 1)));
  }
  std::array<double, 2 * lanes> state{};
  filter(bank_.decay_re.data(), state.data(), s.data(), y.data(), n);
  for (std::size_t i = 0; i < lanes; ++i) {
    const Complex decay(bank_.decay_re[i], bank_.decay_im[i]);
    Complex turn = 1.0;
    for (std::size_t k = 0; k < n; ++k) turn *= decay;
    const Complex z = Complex(state[i], state[lanes + i]) / (1.0 - turn);
    state[i] = re_[i] = z.real();
    state[lanes + i] = im_[i] = z.imag();
  }
  filter(bank_.decay_re.data(), state.data(), s.data(), y.data(), n);
  double turn = 1.0;
  level_ = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    level_ += smooth_ * (y[k] * y[k] - level_);
    turn *= 1.0 - smooth_;
  }
  level_ /= 1.0 - turn;
  recent_ = {v2, v2, at(next_bin_ - 2), at(next_bin_ - 3)};
}

void Flickermeter::push(std::span<const double> v_pu) {
  for (std::size_t at = 0; at < v_pu.size(); at += numerics::block_size) {
    const auto v = v_pu.subspan(at, std::min(numerics::block_size, v_pu.size() - at));
    std::array<double, numerics::block_size> ratio, s, y;
    relate(v, ratio.data());
    modulate({ratio.data(), v.size()}, s.data());
    auto state = poles();
    filter(bank_.decay_re.data(), state.data(), s.data(), y.data(), v.size());
    set_poles(state);
    for (std::size_t k = 0; k < v.size(); ++k) count_eye(y[k]);
  }
}

void Flickermeter::push_two(Flickermeter& a, Flickermeter& b, std::span<const double> v_pu) {
  for (std::size_t at = 0; at < v_pu.size(); at += numerics::block_size) {
    const auto v = v_pu.subspan(at, std::min(numerics::block_size, v_pu.size() - at));
    std::array<double, numerics::block_size> ratio, s_a, s_b, y_a, y_b;
    const bool same = a.saw_the_same(b);
    a.relate(v, ratio.data());
    a.modulate({ratio.data(), v.size()}, s_a.data());
    if (same)
      b.reference_ = a.reference_, b.recent_.v2 = a.recent_.v2, b.recent_.older_v2 = a.recent_.older_v2;
    else
      b.relate(v, ratio.data());
    b.modulate({ratio.data(), v.size()}, s_b.data());
    auto state_a = a.poles(), state_b = b.poles();
    filter_two(a.bank_.decay_re.data(), state_a.data(), s_a.data(), y_a.data(), b.bank_.decay_re.data(), state_b.data(),
               s_b.data(), y_b.data(), v.size());
    a.set_poles(state_a);
    b.set_poles(state_b);
    for (std::size_t k = 0; k < v.size(); ++k) {
      a.count_eye(y_a[k]);
      b.count_eye(y_b[k]);
    }
  }
}

/// The squared voltage over its slow mean, one bin behind the input.
void Flickermeter::relate(std::span<const double> v_pu, double* ratio) {
  double reference = reference_, v2 = recent_.v2, older_v2 = recent_.older_v2;
  for (std::size_t k = 0; k < v_pu.size(); ++k) {
    const double next_v2 = v_pu[k] * v_pu[k];
    ratio[k] = (v2 - (1.0 / 24.0) * ((next_v2 - v2) - (v2 - older_v2))) / reference;
    reference += reference_gain_ * (v2 - reference);
    older_v2 = v2, v2 = next_v2;
  }
  recent_.v2 = v2, recent_.older_v2 = older_v2;
  reference_ = reference;
}

/// That, on the ripple of the mains.
void Flickermeter::modulate(std::span<const double> ratio, double* s) {
  const auto period = static_cast<std::int64_t>(carrier_.size());
  auto phase = static_cast<std::size_t>((((next_bin_ - carrier_shift_ - 1) % period) + period) % period);
  double last = recent_.s, older = recent_.older_s;
  for (std::size_t k = 0; k < ratio.size(); ++k) {
    const double product = ratio[k] * carrier_[phase];
    s[k] = last - (1.0 / 24.0) * ((product - last) - (last - older));
    older = last, last = product;
    phase = phase + 1 == carrier_.size() ? 0 : phase + 1;
  }
  recent_.s = last, recent_.older_s = older;
}

bool Flickermeter::saw_the_same(const Flickermeter& o) const {
  return reference_ == o.reference_ && recent_.v2 == o.recent_.v2 && recent_.older_v2 == o.recent_.older_v2 &&
         reference_gain_ == o.reference_gain_;
}

std::array<double, 2 * Flickermeter::lanes> Flickermeter::poles() const {
  static_assert(sizeof(Bank) == 6 * sizeof(Lanes) && lanes == Poles::n);
  std::array<double, 2 * lanes> state;
  std::copy(re_.begin(), re_.end(), state.begin());
  std::copy(im_.begin(), im_.end(), state.begin() + lanes);
  return state;
}

void Flickermeter::set_poles(const std::array<double, 2 * lanes>& state) {
  std::copy_n(state.begin(), lanes, re_.begin());
  std::copy_n(state.begin() + lanes, lanes, im_.begin());
}

double Flickermeter::gain(double f_Hz) const {
  return std::abs(transfer_of(lamp_)(Complex(0.0, two_pi * f_Hz))) * std::sqrt(scale_);
}

}  // namespace TIDEWATT_NAMESPACE::grid
