#include "fit_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

constexpr std::size_t n_grid = 801, n_side = 81;
constexpr int n_refine = 5;

/// Equal steps from one end to the other, both included.
std::vector<double> steps(double from, double to, std::size_t n) {
  std::vector<double> out;
  out.reserve(n);
  for (std::size_t i = 0; i < n; ++i)
    out.push_back(from + (to - from) * static_cast<double>(i) / static_cast<double>(n - 1));
  return out;
}

/// Mean and 95 % between equal tails of weights over equal steps.
struct Summary {
  double mean, low, high;
};
Summary summary_of(std::span<const double> x, std::span<const double> weight) {
  double sum = 0.0, mean = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += weight[i], mean += x[i] * weight[i];
  const double step = x[1] - x[0];
  const auto quantile = [&](double share) {
    double below = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (below + weight[i] / sum >= share) return x[i] + ((share - below) * sum / weight[i] - 0.5) * step;
      below += weight[i] / sum;
    }
    return x.back();
  };
  return {mean / sum, quantile(0.025), quantile(0.975)};
}

FitValue value_of(const PriorParameter& prior, std::span<const double> z, std::span<const double> weight) {
  const auto s = summary_of(z, weight);
  const bool identified = s.high - s.low < 2.0 * normal_95 * identified_width_ratio;
  FitValue v{prior.key, prior_value(prior, s.mean), identified ? prior_value(prior, s.low) : prior.low,
             identified ? prior_value(prior, s.high) : prior.high, identified};
  v.at_bound = std::abs(s.mean) > 0.99 * search_sigma;
  v.prior_low = prior.low, v.prior_high = prior.high;
  return v;
}

/// The part of a grid that has weight, with a step to either side.
std::pair<double, double> weighty(std::span<const double> x, std::span<const double> weight) {
  const double least = 1e-7 * *std::max_element(weight.begin(), weight.end());
  std::size_t first = 0, last = x.size() - 1;
  while (weight[first] < least) ++first;
  while (weight[last] < least) --last;
  return {x[first ? first - 1 : 0], x[std::min(last + 1, x.size() - 1)]};
}

/// ln P of an iteration that the log shows as t s: of all that it rounds to t, or the density where it does not round.
double log_density(double t_s, double T_s, double s, double n, double resolution_s) {
  constexpr double none = -std::numeric_limits<double>::infinity();
  const auto below = [&](double at_s) {
    if (at_s <= T_s) return 0.0;
    const double of_one = std::erf((at_s - T_s) / (s * T_s) * M_SQRT1_2);
    return n > 1.0 && of_one < 1.0 ? std::pow(of_one, n) : of_one;
  };
  if (resolution_s > 0.0) {
    const double p = below(t_s + 0.5 * resolution_s) - below(t_s - 0.5 * resolution_s);
    return p > 0.0 ? std::log(p) : none;
  }
  const double z = (t_s - T_s) / (s * T_s), within = std::erf(z * M_SQRT1_2);
  if (z < 0.0 || (n > 1.0 && within <= 0.0)) return none;
  return std::log(2.0 * n) + (n > 1.0 ? (n - 1.0) * std::log(within) : 0.0) - 0.5 * z * z - std::log(s * T_s);
}

}  // namespace

FitValue grid_posterior(const PriorParameter& prior, const std::function<double(double)>& log_likelihood) {
  const auto z = steps(-search_sigma, search_sigma, n_grid);
  std::vector<double> weight;
  weight.reserve(z.size());
  for (const double at : z) weight.push_back(log_likelihood(prior_value(prior, at)) - 0.5 * at * at);
  const double best = *std::max_element(weight.begin(), weight.end());
  for (auto& w : weight) w = std::exp(w - best);
  return value_of(prior, z, weight);
}

FitValue fit_rate(const PriorParameter& prior, double count, double exposure) {
  if (!(exposure > 0.0)) throw InputError(fmt::format("{}: no exposure", prior.key));
  return grid_posterior(prior, [&](double rate) { return count * std::log(rate) - rate * exposure; });
}

FitValue fit_mean_time(const PriorParameter& prior, double n, double total) {
  return grid_posterior(prior, [&](double mean) { return -n * std::log(mean) - total / mean; });
}

JitterFit fit_jitter(const PriorParameter& sigma, std::span<const double> iteration_s, double n_replica,
                     double resolution_s) {
  JitterFit out;
  std::vector<double> sorted, kept;
  for (const double t : iteration_s)
    if (t > 0.0) sorted.push_back(t);
  if (sorted.size() < 20) throw InputError(fmt::format("{} iterations; 20 are needed", sorted.size()));
  std::sort(sorted.begin(), sorted.end());
  const double median_s = sorted[sorted.size() / 2];
  for (const double t : iteration_s)
    if (t >= median_s / 1.5 && t <= 1.5 * median_s) kept.push_back(t);
  out.n_outlier = sorted.size() - kept.size();
  const double shortest_s = *std::min_element(kept.begin(), kept.end());
  // A log rounds, so that many iterations show the same time: each time is weighed once, with the number that shows it.
  std::map<double, double> count_of_s;
  for (const double t : kept) count_of_s[t] += 1.0;
  const std::vector<std::pair<double, double>> counted(count_of_s.begin(), count_of_s.end());

  // T lies below the shortest iteration, by less than a few scatters; both grids shrink to where the weight is.
  std::pair<double, double> z_range{-search_sigma, search_sigma};
  std::pair<double, double> T_range{shortest_s - 8.0 * (median_s - shortest_s) - 8.0 * resolution_s,
                                    shortest_s + 0.5 * resolution_s};
  std::vector<double> z, T, of_z, of_T;
  for (int round = 0; round < n_refine; ++round) {
    z = steps(z_range.first, z_range.second, n_side), T = steps(T_range.first, T_range.second, n_side);
    std::vector<double> both(n_side * n_side);
    for (std::size_t i = 0; i < n_side; ++i)
      for (std::size_t k = 0; k < n_side; ++k) {
        double sum = -0.5 * z[i] * z[i];
        const double s = prior_value(sigma, z[i]);
        for (std::size_t j = 0; j < counted.size() && std::isfinite(sum); ++j)
          sum += counted[j].second * log_density(counted[j].first, T[k], s, n_replica, resolution_s);
        both[i * n_side + k] = sum;
      }
    const double best = *std::max_element(both.begin(), both.end());
    if (!std::isfinite(best)) throw InputError("iteration times contradict the model of their scatter");
    of_z.assign(n_side, 0.0), of_T.assign(n_side, 0.0);
    for (std::size_t i = 0; i < n_side; ++i)
      for (std::size_t k = 0; k < n_side; ++k) {
        const double w = std::exp(both[i * n_side + k] - best);
        of_z[i] += w, of_T[k] += w;
      }
    z_range = weighty(z, of_z), T_range = weighty(T, of_T);
  }
  out.sigma_frac = value_of(sigma, z, of_z);
  const auto s = summary_of(T, of_T);
  out.iteration_s = {"iteration_s", s.mean, s.low, s.high, true};
  out.iteration_s.prior_low = T_range.first, out.iteration_s.prior_high = T_range.second;
  double mean_s = 0.0;
  for (const double t : kept) mean_s += t / static_cast<double>(kept.size());
  out.residual.reserve(kept.size());
  for (const double t : kept) out.residual.push_back(t - mean_s);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
