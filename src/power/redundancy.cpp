#include "redundancy.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::power {
namespace {
constexpr std::size_t n_level = FeederParams::n_level;

FeederParams without(FeederParams f, const RedundancyParams& r) {
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < n_level; ++i) {
    f.level[i].n_branch -= r.n_out[i];
    if (f.level[i].n_branch < 1)
      findings.push_back({{}, fmt::format("{}_n_out", FeederParams::level_names[i]), "no branch would be left"});
  }
  if (!findings.empty()) throw InputError(std::move(findings));
  return f;
}

/// The largest load with `ok(point)`, which is true up to some load.
template <class Ok>
double largest(const Feeder& feeder, double auxiliary_ratio, double high_W, Ok ok) {
  double lo = 0.0, hi = high_W;
  for (int i = 0; i < 100; ++i) {
    const double mid = 0.5 * (lo + hi);
    (ok(feeder.at(mid, auxiliary_ratio * mid)) ? lo : hi) = mid;
  }
  return lo;
}
}  // namespace

RedundancyParams RedundancyParams::scheme(const FeederParams& feeder, std::int64_t spare, bool two_n) {
  RedundancyParams r;
  r.loading_limit_frac.fill(1.0);
  for (std::size_t i = 0; i < n_level; ++i) r.n_out[i] = two_n ? feeder.level[i].n_branch / 2 : spare;
  r.n_out[0] = two_n ? r.n_out[0] : 0;  // a rack's own branch has no spare beside it
  return r;
}

Capacity capacity(const FeederParams& params, double auxiliary_ratio, const RedundancyParams& r) {
  if (!(auxiliary_ratio >= 0.0)) throw InputError("capacity: the auxiliaries must not be negative");
  const Feeder feeder(without(params, r));
  double high_W = 0.0;
  for (std::size_t i = 0; i < n_level; ++i)
    high_W = std::max(high_W, 4.0 * static_cast<double>(params.level[i].n_branch) * params.level[i].rating_VA);
  Capacity out;
  const auto add = [&](std::string name, auto ok) {
    out.items.push_back({std::move(name), largest(feeder, auxiliary_ratio, high_W, ok)});
  };
  for (std::size_t i = 0; i < n_level; ++i) {
    const std::string name(FeederParams::level_names[i]);
    add(name, [&](const FeederPoint& p) { return p.loading_frac[i] <= r.loading_limit_frac[i]; });
    if (r.breaker_frac[i] > 0.0)
      add(name + " breaker", [&](const FeederPoint& p) { return p.loading_frac[i] <= r.breaker_frac[i]; });
  }
  if (r.contract_W > 0.0) add("contract", [&](const FeederPoint& p) { return p.connection_W() <= r.contract_W; });
  std::stable_sort(out.items.begin(), out.items.end(),
                   [](const auto& a, const auto& b) { return a.load_W < b.load_W; });
  out.load_W = out.items.front().load_W;
  out.binds = out.items.front().name;
  out.connection_W = feeder.at(out.load_W, auxiliary_ratio * out.load_W).connection_W();
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::power
