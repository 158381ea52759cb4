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

/// One lamp's bank of poles and its eye's memory: z ← decay z + drive x, y = Σ Re(weight z), level ← level + smooth (y² − level).
/// The real poles and one of each pair lie in lanes of their own: their sums keep the order of all eight.
struct Lamp {
  static constexpr std::size_t n = 8;
  struct Real {
    Pack4 z, decay, drive, weight;
  };
  struct Pairs {
    Pack4 re, im, decay_re, decay_im, drive_re, drive_im, weight_re, weight_im;
  };
  Real real;
  Pairs pair;
  double level, smooth;

  TIDEWATT_INLINE static void take(const double* from, Pack4& single, Pack4& paired) {
    Pack4 low, high;
    load(from, low), load(from + 4, high);
    single = __builtin_shufflevector(low, Pack4{}, 0, 1, 2, 4);
    paired = __builtin_shufflevector(low, high, 4, 5, 6, 3);
  }
  TIDEWATT_INLINE static void give(const Pack4& single, const Pack4& paired, double* to) {
    const Pack4 low = __builtin_shufflevector(single, paired, 0, 1, 2, 7),
                high = __builtin_shufflevector(paired, Pack4{}, 0, 1, 2, 4);
    store(low, to), store(high, to + 4);
  }
  TIDEWATT_INLINE void begin(const double* coefficients, const double* state) {
    Pack4 none;
    take(state, real.z, pair.re), take(state + n, none, pair.im);
    take(coefficients, real.decay, pair.decay_re), take(coefficients + n, none, pair.decay_im);
    take(coefficients + 2 * n, real.drive, pair.drive_re), take(coefficients + 3 * n, none, pair.drive_im);
    take(coefficients + 4 * n, real.weight, pair.weight_re), take(coefficients + 5 * n, none, pair.weight_im);
    level = state[2 * n], smooth = coefficients[6 * n];
  }
  TIDEWATT_INLINE void step(double x, Pack4& parts) {
    real.z = real.decay * real.z + real.drive * x;
    auto& p = pair;
    const Pack4 next = (p.decay_re * p.re - p.decay_im * p.im) + p.drive_re * x;
    p.im = (p.decay_re * p.im + p.decay_im * p.re) + p.drive_im * x;
    p.re = next;
    parts = real.weight * real.z + (p.weight_re * p.re - p.weight_im * p.im);
  }
  TIDEWATT_INLINE double see(double y) { return level += smooth * (y * y - level); }
  TIDEWATT_INLINE void end(double* state) const {
    give(real.z, pair.re, state), give(Pack4{}, pair.im, state + n);
    state[2 * n] = level;
  }
};

TIDEWATT_CLONES
void see(const double* coefficients, double* state, const double* s, double* level, std::size_t n) {
  Lamp lamp;
  lamp.begin(coefficients, state);
  for (std::size_t k = 0; k < n; ++k) {
    Pack4 four;
    lamp.step(s[k], four);
    level[k] = lamp.see((four[0] + four[2]) + (four[1] + four[3]));
  }
  lamp.end(state);
}

/// The squared voltage over its slow mean, one bin behind the input.
struct Relation {
  double reference, gain, v2, older_v2;
  TIDEWATT_INLINE double step(double v_pu) {
    const double next_v2 = v_pu * v_pu;
    const double ratio = (v2 - (1.0 / 24.0) * ((next_v2 - v2) - (v2 - older_v2))) / reference;
    reference += gain * (v2 - reference);
    older_v2 = v2, v2 = next_v2;
    return ratio;
  }
};

/// One lamp's bank, what it sees, and its levels.
struct Seen {
  const double* coefficients;
  double* state;
  const double* s;
  double* level;
};
/// Voltages to be related: a later block's.
struct Coming {
  std::span<const double> v_pu;
  double* ratio;
};

TIDEWATT_INLINE void see_bin(Lamp& a, const Seen& of_a, Lamp& b, const Seen& of_b, std::size_t k) {
  Pack4 part_a, part_b;
  a.step(of_a.s[k], part_a);
  b.step(of_b.s[k], part_b);
  const Pack4 two =
      __builtin_shufflevector(part_a, part_b, 0, 1, 4, 5) + __builtin_shufflevector(part_a, part_b, 2, 3, 6, 7);
  of_a.level[k] = a.see(two[0] + two[1]);
  of_b.level[k] = b.see(two[2] + two[3]);
}

// Each lamp waits for its own last bin, and their sums share the way down: two of them take hardly longer than one. So does the mean
// of the voltage, which has its time here, too.
TIDEWATT_CLONES
void see_two(const Seen& of_a, const Seen& of_b, std::size_t n, const Coming& coming, Relation& relation) {
  Lamp a, b;
  a.begin(of_a.coefficients, of_a.state);
  b.begin(of_b.coefficients, of_b.state);
  Relation mean = relation;
  const double* v_pu = coming.v_pu.data();
  const std::size_t both = std::min(n, coming.v_pu.size());
  std::size_t k = 0;
  for (; k < both; ++k) {
    see_bin(a, of_a, b, of_b, k);
    coming.ratio[k] = mean.step(v_pu[k]);
  }
  for (; k < n; ++k) see_bin(a, of_a, b, of_b, k);
  relation = mean;
  a.end(of_a.state);
  b.end(of_b.state);
}

/// x − Δ²x/24 in the middle of three. @param x [n + 2]
TIDEWATT_CLONES
void sharpen(const double* x, std::size_t n, double* s) {
  for (std::size_t k = 0; k < n; ++k) s[k] = x[k + 1] - (1.0 / 24.0) * ((x[k + 2] - x[k + 1]) - (x[k + 1] - x[k]));
}

/// Classes of levels, which are not negative, and the largest P_inst.
struct Classed {
  std::int64_t least, most;
  double P_inst;
};
TIDEWATT_CLONES
Classed classify(const double* level, double scale, int shift, std::int64_t lowest, std::int64_t highest, std::size_t n,
                 std::uint32_t* of) {
  std::int64_t least = highest, most = lowest, most_bits = 0;  // which are in the order of the values
  for (std::size_t k = 0; k < n; ++k) {
    const auto bits = std::bit_cast<std::int64_t>(scale * level[k]), bounded = bits >> shift;
    const std::int64_t raised = bounded < lowest ? lowest : bounded, kept = raised > highest ? highest : raised;
    most_bits = bits > most_bits ? bits : most_bits;
    least = kept < least ? kept : least;
    most = kept > most ? kept : most;
    of[k] = static_cast<std::uint32_t>(kept - lowest);
  }
  return {least - lowest, most - lowest, std::bit_cast<double>(most_bits)};
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
  bank_.smooth = 1.0 - math::exp(-bin_s / 0.3);
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
  std::array<double, n_state> state{};
  see(bank_.decay_re.data(), state.data(), s.data(), y.data(), n);
  for (std::size_t i = 0; i < lanes; ++i) {
    const Complex decay(bank_.decay_re[i], bank_.decay_im[i]);
    Complex turn = 1.0;
    for (std::size_t k = 0; k < n; ++k) turn *= decay;
    const Complex z = Complex(state[i], state[lanes + i]) / (1.0 - turn);
    state[i] = re_[i] = z.real();
    state[lanes + i] = im_[i] = z.imag();
  }
  state.back() = 0.0;
  see(bank_.decay_re.data(), state.data(), s.data(), y.data(), n);
  double turn = 1.0;
  for (std::size_t k = 0; k < n; ++k) turn *= 1.0 - bank_.smooth;
  level_ = state.back() / (1.0 - turn);
  recent_ = {v2, v2, at(next_bin_ - 2), at(next_bin_ - 3)};
}

void Flickermeter::push(std::span<const double> v_pu) {
  for (std::size_t at = 0; at < v_pu.size(); at += numerics::block_size) {
    const auto v = v_pu.subspan(at, std::min(numerics::block_size, v_pu.size() - at));
    std::array<double, numerics::block_size> ratio, s, level;
    relate(v, ratio.data());
    modulate({ratio.data(), v.size()}, s.data());
    auto state = poles();
    see(bank_.decay_re.data(), state.data(), s.data(), level.data(), v.size());
    set_poles(state);
    count({level.data(), v.size()});
  }
}

void Flickermeter::push_two(Flickermeter& a, Flickermeter& b, std::span<const double> v_pu) {
  const auto block = [&](std::size_t at) { return v_pu.subspan(at, std::min(numerics::block_size, v_pu.size() - at)); };
  const bool same = a.saw_the_same(b);
  std::array<double, numerics::block_size> ratio[2], ratio_b, s_a, s_b, level_a, level_b;
  a.relate(block(0), ratio[0].data());
  Relation relation{a.reference_, a.reference_gain_, a.recent_.v2, a.recent_.older_v2};
  for (std::size_t at = 0, turn = 0; at < v_pu.size(); at += numerics::block_size, turn = 1 - turn) {
    const auto v = block(at);
    const double* seen_b = ratio[turn].data();
    if (!same) b.relate(v, ratio_b.data()), seen_b = ratio_b.data();
    a.modulate({ratio[turn].data(), v.size()}, s_a.data());
    b.modulate({seen_b, v.size()}, s_b.data());
    auto state_a = a.poles(), state_b = b.poles();
    see_two({a.bank_.decay_re.data(), state_a.data(), s_a.data(), level_a.data()},
            {b.bank_.decay_re.data(), state_b.data(), s_b.data(), level_b.data()}, v.size(),
            {block(at + v.size()), ratio[1 - turn].data()}, relation);
    a.set_poles(state_a);
    b.set_poles(state_b);
    a.count({level_a.data(), v.size()});
    b.count({level_b.data(), v.size()});
  }
  a.reference_ = relation.reference, a.recent_.v2 = relation.v2, a.recent_.older_v2 = relation.older_v2;
  if (same) b.reference_ = a.reference_, b.recent_.v2 = a.recent_.v2, b.recent_.older_v2 = a.recent_.older_v2;
}

/// What the eye has seen, by classes.
void Flickermeter::count(std::span<const double> level) {
  std::array<std::uint32_t, numerics::block_size> of;
  while (!level.empty()) {
    const std::size_t n = std::min(level.size(), static_cast<std::size_t>(window_bins_ - n_counted_));
    const auto seen = classify(level.data(), scale_, class_shift, static_cast<std::int64_t>(lowest_class),
                               static_cast<std::int64_t>(highest_class), n, of.data());
    P_inst_max_ = seen.P_inst > P_inst_max_ ? seen.P_inst : P_inst_max_;
    counts_.add_all({of.data(), n}, static_cast<std::size_t>(seen.least), static_cast<std::size_t>(seen.most));
    next_bin_ += static_cast<std::int64_t>(n);
    n_counted_ += static_cast<std::int64_t>(n);
    if (n_counted_ == window_bins_) finish_window();
    level = level.subspan(n);
  }
}

/// The squared voltage over its slow mean, one bin behind the input.
void Flickermeter::relate(std::span<const double> v_pu, double* ratio) {
  Relation relation{reference_, reference_gain_, recent_.v2, recent_.older_v2};
  for (std::size_t k = 0; k < v_pu.size(); ++k) ratio[k] = relation.step(v_pu[k]);
  reference_ = relation.reference, recent_.v2 = relation.v2, recent_.older_v2 = relation.older_v2;
}

/// That, on the ripple of the mains.
void Flickermeter::modulate(std::span<const double> ratio, double* s) {
  const auto period = static_cast<std::int64_t>(carrier_.size());
  auto phase = static_cast<std::size_t>((((next_bin_ - carrier_shift_ - 1) % period) + period) % period);
  const std::size_t n = ratio.size();
  std::array<double, numerics::block_size + 2> product;
  product[0] = recent_.older_s, product[1] = recent_.s;
  for (std::size_t k = 0; k < n; phase = 0) {
    const std::size_t run = std::min(n - k, carrier_.size() - phase);
    for (std::size_t i = 0; i < run; ++i) product[k + i + 2] = ratio[k + i] * carrier_[phase + i];
    k += run;
  }
  sharpen(product.data(), n, s);
  recent_.older_s = product[n], recent_.s = product[n + 1];
}

bool Flickermeter::saw_the_same(const Flickermeter& o) const {
  return reference_ == o.reference_ && recent_.v2 == o.recent_.v2 && recent_.older_v2 == o.recent_.older_v2 &&
         reference_gain_ == o.reference_gain_;
}

std::array<double, Flickermeter::n_state> Flickermeter::poles() const {
  static_assert(sizeof(Bank) == 6 * sizeof(Lanes) + sizeof(double) && lanes == Lamp::n);
  std::array<double, n_state> state;
  std::copy(re_.begin(), re_.end(), state.begin());
  std::copy(im_.begin(), im_.end(), state.begin() + lanes);
  state.back() = level_;
  return state;
}

void Flickermeter::set_poles(const std::array<double, n_state>& state) {
  std::copy_n(state.begin(), lanes, re_.begin());
  std::copy_n(state.begin() + lanes, lanes, im_.begin());
  level_ = state.back();
}

double Flickermeter::gain(double f_Hz) const {
  return std::abs(transfer_of(lamp_)(Complex(0.0, two_pi * f_Hz))) * std::sqrt(scale_);
}

}  // namespace TIDEWATT_NAMESPACE::grid
