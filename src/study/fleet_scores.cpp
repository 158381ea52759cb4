#include "fleet_scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::study::detail {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double far_share = 0.1;       // of the GPUs, in the second fit
constexpr std::size_t far_least = 200;  // GPUs
constexpr double ridge_share = 1e-6;    // of a feature's own square: features that do not vary have no slope

/// Solves A x = b by Gauss elimination without pivots. @pre A is symmetric and positive definite
Features solved(std::array<Features, n_feature> A, Features b) {
  for (std::size_t k = 0; k < n_feature; ++k)
    for (std::size_t i = k + 1; i < n_feature; ++i) {
      const double f = A[i][k] / A[k][k];
      for (std::size_t j = k; j < n_feature; ++j) A[i][j] -= f * A[k][j];
      b[i] -= f * b[k];
    }
  for (std::size_t k = n_feature; k-- > 0;) {
    for (std::size_t j = k + 1; j < n_feature; ++j) b[k] -= A[k][j] * b[j];
    b[k] /= A[k][k];
  }
  return b;
}

/// GPUs of a fit.
struct Sample {
  std::vector<std::size_t> of_class;
  std::vector<Features> x;
  std::vector<double> y;
};

/// Levels and slopes of least squares; deviations are those from the class's mean.
void fit(const Sample& s, std::vector<double>& level, Features& slope) {
  std::vector<double> n(level.size(), 0.0), mean_y(level.size(), 0.0);
  std::vector<Features> mean_x(level.size(), Features{});
  for (std::size_t i = 0; i < s.y.size(); ++i) {
    const auto c = s.of_class[i];
    n[c] += 1.0, mean_y[c] += s.y[i];
    for (std::size_t k = 0; k < n_feature; ++k) mean_x[c][k] += s.x[i][k];
  }
  for (std::size_t c = 0; c < level.size(); ++c)
    if (n[c] > 0.0) {
      mean_y[c] /= n[c];
      for (auto& m : mean_x[c]) m /= n[c];
    }
  std::array<Features, n_feature> A{};
  Features b{};
  for (std::size_t i = 0; i < s.y.size(); ++i) {
    const auto c = s.of_class[i];
    Features d;
    for (std::size_t k = 0; k < n_feature; ++k) d[k] = s.x[i][k] - mean_x[c][k];
    for (std::size_t k = 0; k < n_feature; ++k) {
      b[k] += d[k] * (s.y[i] - mean_y[c]);
      for (std::size_t j = 0; j < n_feature; ++j) A[k][j] += d[k] * d[j];
    }
  }
  for (std::size_t k = 0; k < n_feature; ++k) A[k][k] += ridge_share * A[k][k] + 1e-9;
  slope = solved(A, b);
  for (std::size_t c = 0; c < level.size(); ++c) {
    if (n[c] == 0.0) continue;
    level[c] = mean_y[c];
    for (std::size_t k = 0; k < n_feature; ++k) level[c] -= slope[k] * mean_x[c][k];
  }
}

}  // namespace

NodePlaces node_places(const sim::Scenario& scenario) {
  NodePlaces out;
  out.order = sim::placed_nodes(scenario);
  out.n_gpu_per_node = static_cast<std::size_t>(scenario.halls.front().server.n_gpu);
  std::vector<std::size_t> hall;  // [node of the site]
  for (std::size_t h = 0; h < scenario.halls.size(); ++h)
    hall.insert(hall.end(), static_cast<std::size_t>(scenario.halls[h].hall.n_gpu / scenario.halls[h].server.n_gpu), h);
  std::map<std::tuple<std::size_t, std::size_t, std::int64_t, std::uint32_t>, std::size_t> classes;
  for (std::size_t j = 0; j < scenario.jobs.size(); ++j) {
    const auto& plan = scenario.jobs[j].plan;
    out.first.push_back(out.n_node());
    const std::size_t n_node = static_cast<std::size_t>(plan.n_gpu) / out.n_gpu_per_node;
    for (std::size_t i = 0; i < n_node; ++i) {
      const auto rank = static_cast<std::int64_t>(i * out.n_gpu_per_node);
      const std::int64_t stage = rank / plan.pp_group().stride % plan.pp;
      const auto node = out.order[out.n_node()];
      const auto& spec = scenario.halls[hall[node]];
      const std::uint32_t parity = spec.fans && !spec.liquid ? node % 2 : 0;
      const auto at = classes.try_emplace({j, hall[node], stage, parity}, classes.size()).first;
      if (at->second == out.stock.size()) out.stock.push_back(j * scenario.halls.size() + hall[node]);
      out.job.push_back(j);
      out.of.push_back(at->second);
    }
  }
  out.n_class = classes.size();
  return out;
}

TIDEWATT_CLONES
void features_of(const sim::FleetDraws& draws, std::size_t node, std::span<Features> out) {
  const std::size_t n = out.size();
  double node_r = 0.0, most_r = -1.0;
  for (std::size_t g = 0; g < n; ++g) {
    const auto& chip = draws.chip[node * n + g];
    const double v = chip.voltage_offset_V / 0.01, l = math::log(chip.leakage_ratio),
                 r = math::log(draws.resistance_ratio[node * n + g]);
    node_r += r / static_cast<double>(n), most_r = std::max(most_r, r);
    out[g] = {
        v,     l,     r,     0.0,   0.0,  draws.recirculation[node], thermal::in_rear_row(g, n) ? 1.0 : 0.0, v * v,
        l * l, r * r, v * l, v * r, l * r};
  }
  for (auto& x : out) x[3] = node_r, x[4] = most_r;
}

Response::Response(const NodePlaces& places, const sim::FleetDraws& draws, std::span<const double> y, bool low)
    : level_(places.n_class, 0.0) {
  Sample all;
  const std::size_t n = places.n_gpu_per_node;
  std::vector<Features> x(n);
  for (std::size_t node = 0; node < places.n_node(); ++node) {
    features_of(draws, node, x);
    for (std::size_t g = 0; g < n; ++g) {
      if (!std::isfinite(y[node * n + g])) continue;
      all.of_class.push_back(places.of[node]), all.x.push_back(x[g]), all.y.push_back(y[node * n + g]);
    }
  }
  fit(all, level_, slope_);
  const std::size_t n_far =
      std::max(far_least, static_cast<std::size_t>(far_share * static_cast<double>(all.y.size())));
  if (n_far >= all.y.size()) return;
  std::vector<double> score;
  for (std::size_t i = 0; i < all.y.size(); ++i) score.push_back((low ? 1.0 : -1.0) * at(all.of_class[i], all.x[i]));
  auto sorted = score;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(n_far), sorted.end());
  // What the first fit leaves of them has one level: not every class has GPUs at the far end.
  Sample some;
  for (std::size_t i = 0; i < score.size(); ++i)
    if (score[i] < sorted[n_far])
      some.of_class.push_back(0), some.x.push_back(all.x[i]), some.y.push_back(all.y[i] - level_[all.of_class[i]]);
  std::vector<double> moved(1, 0.0);
  fit(some, moved, slope_);
  for (auto& level : level_) level += moved.front();
}

double Response::at(std::size_t of_class, const Features& x) const {
  double out = level_[of_class];
  for (std::size_t k = 0; k < n_feature; ++k) out += slope_[k] * x[k];
  return out;
}

NodeScore score_of(const FleetScores& scores, std::size_t of_class, std::span<const Features> x) {
  NodeScore out{scores.own_Hz.at(of_class, x.front()), scores.die_K.at(of_class, x.front())};
  for (const auto& of_gpu : x.subspan(1)) {
    out.own_Hz = std::min(out.own_Hz, scores.own_Hz.at(of_class, of_gpu));
    out.die_K = std::max(out.die_K, scores.die_K.at(of_class, of_gpu));
  }
  return out;
}

FleetScores fleet_scores(const NodePlaces& places, const sim::FleetDraws& draws, const sim::FleetClocks& clocks) {
  const std::size_t n_gpu = places.n_node() * places.n_gpu_per_node;
  std::vector<double> own_Hz(n_gpu, nan), die_K(n_gpu, nan);
  for (std::size_t g = 0; g < n_gpu; ++g)
    if (clocks.iterated(g)) own_Hz[g] = clocks.own_mean_Hz(g), die_K[g] = clocks.die_peak_K()[g];
  return {Response(places, draws, own_Hz, true), Response(places, draws, die_K, false)};
}

}  // namespace TIDEWATT_NAMESPACE::study::detail
