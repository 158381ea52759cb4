#include "sensitivity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "draws.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

/// Rows of a Saltelli design without NaN: f(A), f(B), f(AB_d).
struct Rows {
  std::vector<double> a, b;
  std::vector<std::vector<double>> ab;  // [dimension][row]
};

Rows whole_rows(std::span<const double> f, std::size_t n, std::size_t k) {
  Rows rows;
  rows.ab.resize(k);
  for (std::size_t i = 0; i < n; ++i) {
    bool whole = true;
    for (std::size_t block = 0; block < k + 2; ++block) whole &= std::isfinite(f[block * n + i]);
    if (!whole) continue;
    rows.a.push_back(f[i]);
    rows.b.push_back(f[n + i]);
    for (std::size_t d = 0; d < k; ++d) rows.ab[d].push_back(f[(d + 2) * n + i]);
  }
  return rows;
}

struct Pair {
  double first = 0.0, total = 0.0;
};

/// Jansen's estimators on the rows that `pick` names.
std::vector<Pair> estimate(const Rows& rows, const std::vector<std::size_t>& pick) {
  const auto n = static_cast<double>(pick.size());
  double mean = 0.0, variance = 0.0, least = rows.a[pick.front()], most = least;
  for (const std::size_t i : pick) {
    least = std::min({least, rows.a[i], rows.b[i]});
    most = std::max({most, rows.a[i], rows.b[i]});
  }
  for (const std::size_t i : pick) mean += (rows.a[i] + rows.b[i]) / (2.0 * n);
  for (const std::size_t i : pick)
    variance += ((rows.a[i] - mean) * (rows.a[i] - mean) + (rows.b[i] - mean) * (rows.b[i] - mean)) / (2.0 * n - 1.0);
  std::vector<Pair> out(rows.ab.size());
  if (least == most) return out;  // rounding alone would leave a variance
  for (std::size_t d = 0; d < out.size(); ++d) {
    double from_b = 0.0, from_a = 0.0;
    for (const std::size_t i : pick) {
      from_b += (rows.b[i] - rows.ab[d][i]) * (rows.b[i] - rows.ab[d][i]);
      from_a += (rows.a[i] - rows.ab[d][i]) * (rows.a[i] - rows.ab[d][i]);
    }
    out[d] = {1.0 - from_b / (2.0 * n * variance), from_a / (2.0 * n * variance)};
  }
  return out;
}

std::vector<double> ranks(const std::vector<double>& x) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  std::vector<double> out(x.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t j = i;
    while (j + 1 < order.size() && x[order[j + 1]] == x[order[i]]) ++j;
    for (std::size_t m = i; m <= j; ++m) out[order[m]] = 0.5 * static_cast<double>(i + j);
    i = j + 1;
  }
  return out;
}

}  // namespace

std::vector<SobolIndex> sobol_indices(std::span<const double> f, std::size_t n_dimension, std::uint64_t seed,
                                      std::size_t n_bootstrap) {
  const std::size_t k = n_dimension;
  if (k == 0 || f.size() % (k + 2) != 0)
    throw InputError(
        fmt::format("Sobol indices of {} variables need a multiple of {} outputs, not {}", k, k + 2, f.size()));
  const Rows rows = whole_rows(f, f.size() / (k + 2), k);
  const std::size_t n = rows.a.size();
  if (n < 2) throw InputError("Sobol indices need two rows at least in which no case failed");
  std::vector<std::size_t> pick(n);
  std::iota(pick.begin(), pick.end(), std::size_t{0});
  const auto best = estimate(rows, pick);
  std::vector<std::vector<double>> first(k), total(k);
  for (std::size_t b = 0; b < n_bootstrap; ++b) {
    for (std::size_t i = 0; i < n; ++i)
      pick[i] = static_cast<std::size_t>(random::uniform(seed, draws::bootstrap, b, i) * static_cast<double>(n));
    const auto once = estimate(rows, pick);
    for (std::size_t d = 0; d < k; ++d) {
      first[d].push_back(once[d].first);
      total[d].push_back(once[d].total);
    }
  }
  std::vector<SobolIndex> out(k);
  for (std::size_t d = 0; d < k; ++d)
    out[d] = {best[d].first, quantile(first[d], 0.025), quantile(first[d], 0.975),
              best[d].total, quantile(total[d], 0.025), quantile(total[d], 0.975)};
  return out;
}

double quantile(std::span<const double> values, double p) {
  std::vector<double> x;
  for (const double v : values)
    if (!std::isnan(v)) x.push_back(v);
  if (x.empty()) return nothing;
  std::sort(x.begin(), x.end());
  const double at = p * static_cast<double>(x.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const auto above = std::min(below + 1, x.size() - 1);
  return x[below] + (at - static_cast<double>(below)) * (x[above] - x[below]);
}

double rank_correlation(std::span<const double> x, std::span<const double> y) {
  std::vector<double> a, b;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i)
    if (!std::isnan(x[i]) && !std::isnan(y[i])) {
      a.push_back(x[i]);
      b.push_back(y[i]);
    }
  const auto ra = ranks(a), rb = ranks(b);
  const double mean = 0.5 * (static_cast<double>(a.size()) - 1.0);
  double ab = 0.0, aa = 0.0, bb = 0.0;
  for (std::size_t i = 0; i < ra.size(); ++i) {
    ab += (ra[i] - mean) * (rb[i] - mean);
    aa += (ra[i] - mean) * (ra[i] - mean);
    bb += (rb[i] - mean) * (rb[i] - mean);
  }
  return aa > 0.0 && bb > 0.0 ? ab / std::sqrt(aa * bb) : nothing;
}

double correlation_ratio(std::span<const std::string> groups, std::span<const double> y) {
  std::vector<double> known;
  std::vector<std::string> group_of;
  for (std::size_t i = 0; i < std::min(groups.size(), y.size()); ++i)
    if (!std::isnan(y[i])) known.push_back(y[i]), group_of.push_back(groups[i]);
  const auto r = ranks(known);
  const double mean = 0.5 * (static_cast<double>(known.size()) - 1.0);
  std::map<std::string, std::pair<double, double>> of_group;  // number, sum of deviations
  double all = 0.0, between = 0.0;
  for (std::size_t i = 0; i < r.size(); ++i) {
    auto& [n, sum] = of_group[group_of[i]];
    n += 1.0, sum += r[i] - mean, all += (r[i] - mean) * (r[i] - mean);
  }
  for (const auto& [name, group] : of_group) between += group.second * group.second / group.first;
  return all > 0.0 && of_group.size() > 1 ? std::sqrt(between / all) : nothing;
}

}  // namespace TIDEWATT_NAMESPACE::study
