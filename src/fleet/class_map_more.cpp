#include <algorithm>
#include <cmath>

#include "class_map.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

using thermal::n_mode;

namespace {

constexpr std::size_t n_rate = n_mode * ClassMap::n_point;  ///< modes × points at which weights are sampled
/// Sums of all segments at all rates, [used kind][rate]: what is left of a segment's end − what is left of its begin. All rates side by
/// side, so that no addition waits for the one before it.
/// @param to_end_s [run of segments of one kind, and the end] from its begin  @param place [run] its kind
TIDEWATT_CLONES
void sum_decays(const double* to_end_s, const std::uint32_t* place, std::size_t n_segment, const double* rate_per_s,
                double* sum) {
  double before[n_rate], after[n_rate];
  TIDEWATT_LANE_LOOP
  for (std::size_t q = 0; q < n_rate; ++q) before[q] = math::exp(-rate_per_s[q] * to_end_s[0]);
  for (std::size_t j = 0; j < n_segment; ++j) {
    double* of_kind = sum + place[j] * n_rate;
    const double left_s = to_end_s[j + 1];
    TIDEWATT_LANE_LOOP
    for (std::size_t q = 0; q < n_rate; ++q) {
      after[q] = math::exp(-rate_per_s[q] * left_s);
      of_kind[q] += after[q] - before[q];
      before[q] = after[q];
    }
  }
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

/// Of a map under way, kept from one to the next.
struct Rooms {
  std::vector<Tick> kind_ticks;
  std::vector<std::uint32_t> place;   ///< [kind] among the used ones
  std::vector<double> to_end_s;       ///< [run of one kind, and the end]
  std::vector<std::uint32_t> places;  ///< [run of one kind]
  std::vector<double> sum;            ///< [used kind][rate]
};

/// What make_class_map does not set.
void clear(ClassMap& map) {
  map.used.clear(), map.peak.K_per_W.clear(), map.leakage.apart.clear();
  map.leakage.weight_s = {}, map.leakage.peak_K_per_W = 0.0;
  map.within.more_W.clear(), map.within.kind_W.clear();
  map.within.weight_J = {}, map.within.peak_K = 0.0;
  map.pause = {};
  map.peak.once = {};
  map.repeats = false;
}

}  // namespace

ClassMap make_class_map(std::span<const workload::Segment> segments, std::size_t n_kind, const RateRange& rates) {
  ClassMap map;
  make_class_map(segments, n_kind, rates, map);
  return map;
}

void make_class_map(std::span<const workload::Segment> segments, std::size_t n_kind, const RateRange& rates,
                    ClassMap& map) {
  static thread_local Rooms rooms;
  auto& [kind_ticks, place, to_end_s, places, sum] = rooms;
  clear(map);
  map.kind_s.assign(n_kind, 0.0);
  kind_ticks.assign(n_kind, 0);
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
  place.assign(n_kind, 0);
  for (std::uint32_t i = 0; i < map.used.size(); ++i) {
    place[map.used[i]] = i;
    map.used_s[i] = map.kind_s[map.used[i]];
  }
  to_end_s.clear(), places.clear();
  Tick left = period;
  for (const auto& s : segments) {
    // What two segments of one kind have between them cancels.
    if (places.empty() || places.back() != place[s.kind]) {
      to_end_s.push_back(seconds(left));
      places.push_back(place[s.kind]);
    }
    left -= s.duration;
  }
  to_end_s.push_back(0.0);
  std::array<double, n_rate> rate_per_s;
  for (std::size_t m = 0; m < n_mode; ++m) {
    // A vanishing range still needs distinct points.
    const double half_per_s = std::max(0.5 * (rates.hi[m] - rates.lo[m]), 1e-3 * rates.hi[m]);
    map.middle_per_s[m] = 0.5 * (rates.lo[m] + rates.hi[m]);
    map.per_half_s[m] = 1.0 / half_per_s;
    for (std::size_t q = 0; q < ClassMap::n_point; ++q)
      rate_per_s[m * ClassMap::n_point + q] = std::fma(half_per_s, chebyshev[q], map.middle_per_s[m]);
  }
  sum.assign(map.used.size() * n_rate, 0.0);
  sum_decays(to_end_s.data(), places.data(), places.size(), rate_per_s.data(), sum.data());
  const std::size_t n = map.n_padded();
  map.weight_s.assign(n_rate * n, 0.0);
  for (std::size_t m = 0; m < n_mode; ++m) {
    double* of_mode = map.weight_s.data() + m * ClassMap::n_point * n;
    for (std::size_t i = 0; i < map.used.size(); ++i) {
      std::array<double, ClassMap::n_point> f;
      for (std::size_t q = 0; q < ClassMap::n_point; ++q) {
        const std::size_t at = m * ClassMap::n_point + q;
        f[q] = sum[i * n_rate + at] / rate_per_s[at];
      }
      const auto c = cubic(f);
      for (std::size_t q = 0; q < ClassMap::n_point; ++q) of_mode[q * n + i] = c[q];
    }
  }
  map.leakage.rise_K.assign(n_kind, 0.0);
  map.leakage.spread_K2.assign(n_kind, 0.0);
}

// Every mode decays towards its new steady state: −(1 − mean decay) of the step g ΔP/λ on average.
PauseRise pause_rise(const thermal::PackageModes& reference, double mean_W, double pause_W, double pause_s) {
  PauseRise out;
  for (std::size_t m = 0; m < n_mode; ++m) {
    const double shape = reference.shape[0][m], left = math::mean_decay(reference.rate_per_s[m] * pause_s);
    out.K += shape * reference.gain_K_per_J[m] / reference.rate_per_s[m] * (pause_W - mean_W) * (1.0 - left);
    out.per_K[m] = shape * left;
  }
  return out;
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
