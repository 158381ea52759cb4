#include <algorithm>

#include "package_batch_play.hpp"
#include "tidewatt/base/math.hpp"

namespace TIDEWATT_NAMESPACE::fleet::detail {
namespace {

// Slope of the rise: s(t) = Σ a_k e^{−λ_k t}.
struct Slope {
  std::array<double, n_mode> a, rate;
  double at(double t) const {
    double s = 0.0;
    for (std::size_t k = 0; k < n_mode; ++k) s = std::fma(a[k], math::exp(-rate[k] * t), s);
    return s;
  }
  // Where the slope crosses zero downwards inside (lo, hi), s(lo) > 0 > s(hi).
  double fall(double lo, double hi) const {
    double t = 0.5 * (lo + hi);
    for (int i = 0; i < 100 && hi - lo > 1e-15 * hi; ++i) {
      double s = 0.0, d = 0.0;
      for (std::size_t k = 0; k < n_mode; ++k) {
        const double e = a[k] * math::exp(-rate[k] * t);
        s += e;
        d -= rate[k] * e;
      }
      (s > 0.0 ? lo : hi) = t;
      const double next = t - s / d;
      t = next > lo && next < hi ? next : 0.5 * (lo + hi);
    }
    return t;
  }
};

}  // namespace

// A sum of three exponentials has at most two zeros. e^{λ0 t} s(t) has one extremum at most,
//     t* = ln(−(λ2 − λ0) a2 / ((λ1 − λ0) a1)) / (λ2 − λ1),
// so there is at most one zero on either side of it.
double inner_peak(const thermal::PackageModes& m, const std::array<double, n_mode>& mode_K, double rW, double d) {
  static_assert(n_mode == 3);
  Slope slope;
  std::array<double, n_mode> settled_K;
  double start_K = 0.0, end_K = 0.0;
  for (std::size_t k = 0; k < n_mode; ++k) {
    slope.rate[k] = m.rate_per_s[k];
    const double drive = m.shape[0][k] * m.gain_K_per_J[k] * rW;
    slope.a[k] = std::fma(-slope.rate[k], mode_K[k], drive);
    settled_K[k] = drive / slope.rate[k];
    start_K += mode_K[k];
  }
  const auto rise = [&](double t) {
    double sum = 0.0;
    for (std::size_t k = 0; k < n_mode; ++k) {
      const double e = math::exp(-slope.rate[k] * t);
      sum += std::fma(e, mode_K[k] - settled_K[k], settled_K[k]);
    }
    return sum;
  };
  end_K = rise(d);
  double peak_K = std::max(start_K, end_K);
  const double l10 = slope.rate[1] - slope.rate[0], l20 = slope.rate[2] - slope.rate[0];
  const double turn = -l20 * slope.a[2] / (l10 * slope.a[1]);
  double middle = d;
  if (turn > 1.0 && turn < 1e300) middle = std::min(d, math::log(turn) / (l20 - l10));
  for (const auto& [lo, hi] : {std::pair{0.0, middle}, std::pair{middle, d}})
    if (lo < hi && slope.at(lo) > 0.0 && slope.at(hi) < 0.0) peak_K = std::max(peak_K, rise(slope.fall(lo, hi)));
  return peak_K;
}

}  // namespace TIDEWATT_NAMESPACE::fleet::detail
