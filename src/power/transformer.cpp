#include "tidewatt/power/transformer.hpp"

#include <algorithm>
#include <cmath>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/math.hpp"

namespace TIDEWATT_NAMESPACE::power {

void TransformerParams::fields(FieldVisitor& v) {
  v.number("oil_rise_K", oil_rise_K, {5, 100}, "top oil over ambient at rating");
  v.number("hot_spot_rise_K", hot_spot_rise_K, {1, 60}, "hot spot over top oil at rating");
  v.number("loss_ratio", loss_ratio, {0.5, 30}, "load loss over no-load loss at rating");
  v.number("oil_exponent_ratio", oil_exponent, {0.3, 1.5}, "exponent of the oil rise");
  v.number("winding_exponent_ratio", winding_exponent, {0.5, 2.5}, "exponent of the hot-spot gradient");
  v.number("oil_min", oil_s, {1, 1000}, "time constant of the oil");
  v.number("winding_min", winding_s, {0.1, 60}, "time constant of the winding");
  v.number("k11_ratio", k11, {0.1, 3}, "thermal constant of the standard");
  v.number("k21_ratio", k21, {1, 4}, "thermal constant of the standard");
  v.number("k22_ratio", k22, {0.5, 4}, "thermal constant of the standard");
  v.flag("upgraded_paper", upgraded_paper, "true: thermally upgraded insulation paper");
  v.number("hot_spot_limit_degC", hot_spot_limit_K, {60, 200},
           "hot-spot temperature above which the transformer counts as overloaded");
}

Transformer::Transformer(const TransformerParams& p) : p_(p) {
  if (!(p.oil_rise_K > 0.0 && p.hot_spot_rise_K > 0.0 && p.loss_ratio > 0.0 && p.oil_s > 0.0 && p.winding_s > 0.0 &&
        p.k11 > 0.0 && p.k21 >= 1.0 && p.k22 > 0.0))
    throw InputError("transformer: rises, ratios, time constants and k11, k22 must be positive, k21 at least 1");
}

TransformerState Transformer::target(double K) const {
  const double oil = (1.0 + p_.loss_ratio * K * K) / (1.0 + p_.loss_ratio);
  const double gradient_K = K > 0.0 ? p_.hot_spot_rise_K * math::pow(K, p_.winding_exponent) : 0.0;
  return {p_.oil_rise_K * math::pow(oil, p_.oil_exponent), p_.k21 * gradient_K, (p_.k21 - 1.0) * gradient_K};
}

TransformerState Transformer::steady(double loading_frac) const { return target(loading_frac); }

TransformerState Transformer::after(const TransformerState& from, const TransformerState& to, double s) const {
  const auto go = [s](double a, double b, double tau_s) { return b + (a - b) * math::exp(-s / tau_s); };
  return {go(from.oil_K, to.oil_K, p_.k11 * p_.oil_s),
          go(from.gradient_fast_K, to.gradient_fast_K, p_.k22 * p_.winding_s),
          go(from.gradient_slow_K, to.gradient_slow_K, p_.oil_s / p_.k22)};
}

double Transformer::hot_spot_K(const TransformerState& s, double ambient_K) const {
  return ambient_K + s.oil_K + s.gradient_fast_K - s.gradient_slow_K;
}

double Transformer::ageing(double hot_spot_K) const {
  constexpr double ln2 = 0.69314718055994531;
  if (p_.upgraded_paper) return math::exp(15000.0 / 383.0 - 15000.0 / hot_spot_K);
  return math::exp(ln2 / 6.0 * (hot_spot_K - 371.15));
}

void Transformer::step(double duration_s, double loading_frac, double ambient_K, TransformerState& s,
                       TransformerMeters& m) const {
  if (!(duration_s >= 0.0 && loading_frac >= 0.0))
    throw InputError("transformer: duration and loading must not be negative");
  const TransformerState to = target(loading_frac);
  const double n = std::max(1.0, std::ceil(duration_s / (0.25 * p_.winding_s)));
  const double h_s = duration_s / n;
  for (int i = 0; i < static_cast<int>(n); ++i) {
    const TransformerState mid = after(s, to, 0.5 * h_s), end = after(s, to, h_s);
    const double a = hot_spot_K(s, ambient_K), b = hot_spot_K(mid, ambient_K), c = hot_spot_K(end, ambient_K);
    m.aged_s += h_s * (ageing(a) + 4.0 * ageing(b) + ageing(c)) / 6.0;
    m.hottest_K = std::max({m.hottest_K, a, b, c});
    m.above_limit_s += b > p_.hot_spot_limit_K ? h_s : 0.0;
    s = end;
  }
  m.elapsed_s += duration_s;
}

}  // namespace TIDEWATT_NAMESPACE::power
