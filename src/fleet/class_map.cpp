#include "class_map.hpp"

#include <algorithm>
#include <cmath>

#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::fleet {
namespace {

using thermal::n_mode;

TIDEWATT_CLONES
void decay_to_end(const double* to_end_s, std::size_t n, double rate_per_s, double* out) {
  for (std::size_t j = 0; j < n; ++j) out[j] = math::exp(-rate_per_s * to_end_s[j]);
}

constexpr std::array<double, ClassMap::n_point> chebyshev = {0.92387953251128674, 0.38268343236508977,
                                                             -0.38268343236508977, -0.92387953251128674};

// Samples at the Chebyshev points → coefficients of 1, t, t², t³.
std::array<double, 4> cubic(const std::array<double, 4>& f) {
  std::array<double, 4> a{};
  for (std::size_t q = 0; q < 4; ++q) {
    const double t = chebyshev[q];
    a[0] += 0.25 * f[q];
    a[1] += 0.5 * f[q] * t;
    a[2] += 0.5 * f[q] * (2.0 * t * t - 1.0);
    a[3] += 0.5 * f[q] * t * (4.0 * t * t - 3.0);
  }
  return {a[0] - a[2], a[1] - 3.0 * a[3], 2.0 * a[2], 4.0 * a[3]};
}

// Contribution of each kind's watts to the die at the end of segment `last` of the periodic steady state, minus that to its mean:
// every segment's response decays until then, and those of all repetitions before it are a geometric series.
TIDEWATT_CLONES
void peak_weights(ClassMap& map, std::span<const workload::Segment> segments, const thermal::PackageModes& modes,
                  std::size_t last) {
  map.peak_K_per_W.assign(map.kind_s.size(), 0.0);
  for (std::size_t m = 0; m < n_mode; ++m) {
    const double settled_K_per_W = modes.shape[0][m] * modes.gain_K_per_J[m] / modes.rate_per_s[m];
    const double series = settled_K_per_W / (1.0 - math::exp(-modes.rate_per_s[m] * map.period_s));
    double end = 1.0;  // decay from a segment's end until then
    for (std::size_t i = 0; i < segments.size(); ++i) {
      const auto& s = segments[(last + segments.size() - i) % segments.size()];
      const double begin = end * math::exp(-modes.rate_per_s[m] * seconds(s.duration));
      map.peak_K_per_W[s.kind] += series * (end - begin);
      end = begin;
    }
    for (const auto k : map.used) map.peak_K_per_W[k] -= settled_K_per_W * map.kind_s[k] / map.period_s;
  }
}

// Segments whose die differs by more than this from their kind's mean get their own leakage.
constexpr double apart_K = 0.75;

// ∫ T² over a segment in which T = settled + Σ falls e^{−λt}.
TIDEWATT_INLINE double square_of(const thermal::PackageModes& modes, double settled_K,
                                 const std::array<double, n_mode>& falls_K, double area_Ks, double d) {
  double out = settled_K * (2.0 * area_Ks - settled_K * d);
  for (std::size_t m = 0; m < n_mode; ++m)
    for (std::size_t n = m; n < n_mode; ++n)
      out += (n == m ? 1.0 : 2.0) * falls_K[m] * falls_K[n] * d *
             math::mean_decay((modes.rate_per_s[m] + modes.rate_per_s[n]) * d);
  return out;
}

/// The nominal die in a segment: T(t) = settled + Σ falls e^{−λt}.
struct Course {
  double s, mean_K, settled_K;
  bool even;                                          ///< hardly moves
  std::array<double, n_mode> falls_K, left, spent_s;  ///< e^{−λs} and its integral
};

// How a kind's leakage differs from its mean within each segment, per watt of it: `share` at the segment's mean temperature, and
// (1 + share) k (T(t) − mean) about it. Of that, ∫ e^{−λ(d−t)} dt over the segment.
TIDEWATT_INLINE double leak_response(const Course& c, double share, double k_T, const thermal::PackageModes& modes,
                                     std::size_t mode) {
  if (c.even) return share * c.spent_s[mode];
  const double rate = modes.rate_per_s[mode], per_K = (1.0 + share) * k_T;
  double out = (share + per_K * (c.settled_K - c.mean_K)) * c.spent_s[mode];
  for (std::size_t m = 0; m < n_mode; ++m) {
    const double apart = std::abs(rate - modes.rate_per_s[m]);
    out += per_K * c.falls_K[m] * c.s * std::max(c.left[mode], c.left[m]) * math::mean_decay(apart * c.s);
  }
  return out;
}

/// A kind's mean leakage over that at the repetition's mean temperature.
TIDEWATT_INLINE double leakage_factor(const KindLeakage& leakage, std::size_t kind, double k_T) {
  return math::exp(k_T * leakage.rise_K[kind] + 0.5 * k_T * k_T * leakage.spread_K2[kind]);
}

// Adds what the leakage's course does to the modes at the repetition's end, and at the end of segment `hottest` where it repeats.
TIDEWATT_CLONES
void follow_leakage(ClassMap& map, std::span<const workload::Segment> segments, const NominalChip& chip,
                    std::span<const Course> courses, std::span<const double> share, std::size_t hottest) {
  const auto& modes = chip.modes;
  const std::size_t n = segments.size();
  const double k_T = chip.leakage_per_K;
  std::vector<double> factor(map.kind_s.size(), 1.0);  // [kind] leakage over that at the repetition's mean
  for (const auto k : map.used) factor[k] = leakage_factor(map.leakage, k, k_T);
  map.leakage.weight_s = {};
  map.leakage.peak_K_per_W = 0.0;
  for (std::size_t m = 0; m < n_mode; ++m) {
    const double rate = modes.rate_per_s[m], period = rate * map.period_s;
    const double series = modes.shape[0][m] * modes.gain_K_per_J[m] / (period * math::mean_decay(period));
    std::vector<double> response_s(n);
    double after = 1.0;
    for (std::size_t j = n; j-- > 0;) {
      response_s[j] = factor[segments[j].kind] * leak_response(courses[j], share[j], k_T, modes, m);
      map.leakage.weight_s[m] += response_s[j] * after;
      after *= courses[j].left[m];
    }
    double end = 1.0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t j = (hottest + n - i) % n;
      map.leakage.peak_K_per_W += series * response_s[j] * end;
      end *= courses[j].left[m];
    }
  }
}

/// The nominal die through all segments.
struct Played {
  std::vector<Course> courses;  ///< [segment]
  double mean_K;
  std::size_t hottest;  ///< segment at whose end it is warmest
};

// The nominal die from modes `z` on, and its mean and spread in every kind.
TIDEWATT_CLONES
Played play_nominal(ClassMap& map, std::span<const workload::Segment> segments, const NominalChip& chip,
                    std::array<double, n_mode> z) {
  const auto& modes = chip.modes;
  std::vector<double> integral_Ks(map.kind_s.size(), 0.0), square_K2s(map.kind_s.size(), 0.0);
  Played out{std::vector<Course>(segments.size()), 0.0, 0};
  double total_Ks = 0.0, peak_K = -1e300;
  for (std::size_t j = 0; j < segments.size(); ++j) {
    const auto& s = segments[j];
    const double d = seconds(s.duration);
    double area_Ks = 0.0, end_K = 0.0;
    Course& course = out.courses[j];
    course.s = d;
    course.settled_K = 0.0;
    double range_K = 0.0;
    for (std::size_t m = 0; m < n_mode; ++m) {
      const double x = modes.rate_per_s[m] * d;
      course.left[m] = math::exp(-x);
      course.spent_s[m] = d * math::mean_decay(x);
      const double drive = modes.gain_K_per_J[m] * chip.power_W[s.kind];
      const double next = z[m] * course.left[m] + drive * course.spent_s[m];
      const double settled = drive / modes.rate_per_s[m];
      course.settled_K += modes.shape[0][m] * settled;
      course.falls_K[m] = modes.shape[0][m] * (z[m] - settled);
      area_Ks += modes.shape[0][m] * (drive * d - (next - z[m])) / modes.rate_per_s[m];
      range_K += std::abs(modes.shape[0][m] * (next - z[m]));
      z[m] = next;
      end_K += modes.shape[0][m] * next;
    }
    course.mean_K = d > 0.0 ? area_Ks / d : end_K;
    integral_Ks[s.kind] += area_Ks;
    // Short segments: a straight line.
    course.even = chip.leakage_per_K * range_K < 0.03;
    square_K2s[s.kind] += course.even ? (course.mean_K * course.mean_K + range_K * range_K / 12.0) * d
                                      : square_of(modes, course.settled_K, course.falls_K, area_Ks, d);
    total_Ks += area_Ks;
    if (end_K > peak_K) peak_K = end_K, out.hottest = j;
  }
  out.mean_K = total_Ks / map.period_s;
  for (const auto k : map.used) {
    const double kind_K = integral_Ks[k] / map.kind_s[k];
    map.leakage.rise_K[k] = kind_K - out.mean_K;
    map.leakage.spread_K2[k] = std::max(0.0, square_K2s[k] / map.kind_s[k] - kind_K * kind_K);
  }
  return out;
}

// How leakage follows the die within its kind, and the segments with their own leakage.
TIDEWATT_CLONES
void share_leakage(ClassMap& map, std::span<const workload::Segment> segments, const NominalChip& chip,
                   const Played& played) {
  const double k_T = chip.leakage_per_K;
  map.leakage.apart.clear();
  std::vector<double> share(segments.size()), excess_s(map.kind_s.size(), 0.0);
  for (std::size_t j = 0; j < segments.size(); ++j) {
    const auto k = segments[j].kind;
    const double over_K = played.courses[j].mean_K - played.mean_K - map.leakage.rise_K[k];
    share[j] = math::exp(k_T * over_K - 0.5 * k_T * k_T * map.leakage.spread_K2[k]) - 1.0;
    excess_s[k] += share[j] * played.courses[j].s;
    if (std::abs(over_K) > apart_K) map.leakage.apart.push_back({static_cast<std::uint32_t>(j), share[j]});
  }
  for (std::size_t j = 0; j < segments.size(); ++j)
    share[j] -= excess_s[segments[j].kind] / map.kind_s[segments[j].kind];
  follow_leakage(map, segments, chip, played.courses, share, played.hottest);
}

/// The nominal chip's powers with each kind's leakage at its own temperature: warm kinds leak more and are warmer for it.
std::vector<double> at_own_temperatures(const ClassMap& map, const NominalChip& chip) {
  const double k_T = chip.leakage_per_K;
  std::vector<double> out(chip.power_W.begin(), chip.power_W.end());
  for (const auto k : map.used) out[k] += chip.leakage_W[k] * (leakage_factor(map.leakage, k, k_T) - 1.0);
  return out;
}

// Where the periodic steady state begins.
std::array<double, n_mode> steady_modes(const ClassMap& map, const NominalChip& chip) {
  std::array<std::vector<double>, n_mode> weight_s;
  interpolate_weights(map, chip.modes.rate_per_s, weight_s);
  std::array<double, n_mode> z{};
  for (std::size_t m = 0; m < n_mode; ++m) {
    double b = 0.0;
    for (std::size_t i = 0; i < map.used.size(); ++i) b += chip.power_W[map.used[i]] * weight_s[m][i];
    const double x = chip.modes.rate_per_s[m] * map.period_s;
    z[m] = chip.modes.gain_K_per_J[m] * b / (x * math::mean_decay(x));
  }
  return z;
}

}  // namespace

ClassMap make_class_map(std::span<const workload::Segment> segments, std::size_t n_kind, const RateRange& rates) {
  ClassMap map;
  map.kind_s.assign(n_kind, 0.0);
  std::vector<Tick> kind_ticks(n_kind, 0);
  Tick period = 0;
  for (const auto& s : segments) {
    kind_ticks[s.kind] += s.duration;
    period += s.duration;
  }
  map.period_s = seconds(period);
  for (std::uint32_t k = 0; k < n_kind; ++k) {
    map.kind_s[k] = seconds(kind_ticks[k]);
    if (kind_ticks[k] > 0) map.used.push_back(k);
  }
  map.used_s.assign((map.used.size() + ClassMap::pad - 1) / ClassMap::pad * ClassMap::pad, 0.0);
  std::vector<std::size_t> place(n_kind, 0);
  for (std::size_t i = 0; i < map.used.size(); ++i) {
    place[map.used[i]] = i;
    map.used_s[i] = map.kind_s[map.used[i]];
  }
  std::vector<double> to_end_s, decay(segments.size() + 1);
  Tick left = period;
  for (const auto& s : segments) {
    to_end_s.push_back(seconds(left));
    left -= s.duration;
  }
  to_end_s.push_back(0.0);
  // Segments by kind, so that each sum stays in a register.
  std::vector<std::uint32_t> from(map.used.size() + 1, 0), order(segments.size());
  for (const auto& s : segments) ++from[place[s.kind] + 1];
  for (std::size_t i = 0; i < map.used.size(); ++i) from[i + 1] += from[i];
  auto next = from;
  for (std::uint32_t j = 0; j < order.size(); ++j) order[next[place[segments[j].kind]]++] = j;
  const std::size_t n = map.n_padded();
  map.weight_s.assign(n_mode * ClassMap::n_point * n, 0.0);
  for (std::size_t m = 0; m < n_mode; ++m) {
    double* of_mode = map.weight_s.data() + m * ClassMap::n_point * n;
    // A vanishing range still needs distinct points.
    const double half_per_s = std::max(0.5 * (rates.hi[m] - rates.lo[m]), 1e-3 * rates.hi[m]);
    map.middle_per_s[m] = 0.5 * (rates.lo[m] + rates.hi[m]);
    map.per_half_s[m] = 1.0 / half_per_s;
    for (std::size_t q = 0; q < ClassMap::n_point; ++q) {
      const double rate = std::fma(half_per_s, chebyshev[q], map.middle_per_s[m]);
      decay_to_end(to_end_s.data(), to_end_s.size(), rate, decay.data());
      for (std::size_t i = 0; i < map.used.size(); ++i) {
        double sum = 0.0;
        for (std::uint32_t at = from[i]; at < from[i + 1]; ++at) sum += decay[order[at] + 1] - decay[order[at]];
        of_mode[q * n + i] = sum / rate;
      }
    }
    for (std::size_t i = 0; i < map.used.size(); ++i) {
      const auto c = cubic({of_mode[i], of_mode[n + i], of_mode[2 * n + i], of_mode[3 * n + i]});
      for (std::size_t q = 0; q < ClassMap::n_point; ++q) of_mode[q * n + i] = c[q];
    }
  }
  map.leakage.rise_K.assign(n_kind, 0.0);
  map.leakage.spread_K2.assign(n_kind, 0.0);
  return map;
}

void add_rises(ClassMap& map, std::span<const workload::Segment> segments, const NominalChip& chip) {
  map.repeats = true;
  play_nominal(map, segments, chip, steady_modes(map, chip));
  const auto own_W = at_own_temperatures(map, chip);
  const NominalChip own{chip.modes, own_W, chip.leakage_W, chip.leakage_per_K};
  const auto played = play_nominal(map, segments, own, steady_modes(map, own));
  share_leakage(map, segments, own, played);
  peak_weights(map, segments, own.modes, played.hottest);
}

void add_course(ClassMap& map, std::span<const workload::Segment> segments, const NominalChip& chip,
                const std::array<double, n_mode>& store_K) {
  std::array<double, n_mode> z{};
  for (std::size_t m = 0; m < n_mode; ++m)
    for (std::size_t i = 0; i < n_mode; ++i) z[m] += chip.modes.inverse[m][i] * store_K[i];
  share_leakage(map, segments, chip, play_nominal(map, segments, chip, z));
}

// Every mode decays towards its new steady state: −(1 − mean decay) of the step g ΔP/λ on average.
double pause_rise_K(const thermal::PackageModes& reference, double mean_W, double pause_W, double pause_s) {
  double rise_K = 0.0;
  for (std::size_t m = 0; m < n_mode; ++m)
    rise_K += reference.shape[0][m] * reference.gain_K_per_J[m] / reference.rate_per_s[m] * (pause_W - mean_W) *
              (1.0 - math::mean_decay(reference.rate_per_s[m] * pause_s));
  return rise_K;
}

void interpolate_weights(const ClassMap& map, const std::array<double, n_mode>& rate_per_s,
                         std::array<std::vector<double>, n_mode>& out_s) {
  for (std::size_t m = 0; m < n_mode; ++m) {
    const double t = (rate_per_s[m] - map.middle_per_s[m]) * map.per_half_s[m];
    out_s[m].resize(map.used.size());
    for (std::size_t i = 0; i < map.used.size(); ++i)
      out_s[m][i] =
          std::fma(t, std::fma(t, std::fma(t, map.weights(m, 3)[i], map.weights(m, 2)[i]), map.weights(m, 1)[i]),
                   map.weights(m, 0)[i]);
  }
}

}  // namespace TIDEWATT_NAMESPACE::fleet
