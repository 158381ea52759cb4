#include "tidewatt/mitigation/ballast.hpp"

#include <algorithm>
#include <limits>

#include "tidewatt/base/error.hpp"

namespace tidewatt::mitigation {

void BallastParams::fields(FieldVisitor& v) {
  v.number("level_ratio", level_ratio, {0, 1}, "power that the ballast holds over the board limit");
  v.number("period_ms", period_s, {0.01, 1000}, "of its monitor");
  v.number("launch_ms", launch_s, {0, 100}, "from the decision to power");
  v.number("granule_ms", granule_s, {0, 1000}, "length of one ballast kernel");
  v.number("share_frac", share_frac, {0, 0.99}, "of the processor that a running kernel takes from returning work");
  v.number("monitor_cost_frac", monitor_cost_frac, {0, 0.5}, "of throughput, always");
}

BallastOutcome ballast(const BallastParams& p, double tdp_W, std::span<const Tick> duration,
                       std::span<const double> natural_W) {
  if (duration.size() != natural_W.size()) throw InputError("ballast: one power per segment is needed");
  if (!(p.share_frac >= 0.0 && p.share_frac < 1.0 && p.monitor_cost_frac >= 0.0 && p.monitor_cost_frac < 1.0))
    throw InputError("ballast: shares must be in [0, 1)");
  BallastOutcome out;
  const double level_W = p.level_ratio * tdp_W;
  const Tick blind = to_tick(0.5 * p.period_s + p.launch_s), tail = to_tick(0.5 * p.granule_s);
  const std::size_t n = duration.size();
  const auto emit = [&](Tick d, std::size_t i, double power_W, double burned_W, double work) {
    if (d <= 0) return;
    out.pieces.push_back({d, static_cast<std::uint32_t>(i), power_W, burned_W, work});
    out.total_s += seconds(d);
    out.burned_J += burned_W * seconds(d);
  };
  for (std::size_t i = 0; i < n; ++i) {
    out.natural_s += seconds(duration[i]);
    const bool filled = natural_W[i] < level_W;
    const std::size_t before = i > 0 ? i - 1 : n - 1;
    const bool behind = !filled && n > 1 && natural_W[before] < level_W && duration[before] > blind;
    if (filled) {
      const bool running = n > 1 && i > 0 && natural_W[before] < level_W && duration[before] > blind;
      const Tick alone = running ? 0 : std::min(blind, duration[i]);
      emit(alone, i, natural_W[i], 0.0, 1.0);
      emit(duration[i] - alone, i, level_W, level_W - natural_W[i], 1.0);
      continue;
    }
    const double rate = 1.0 - p.monitor_cost_frac;
    double work_s = seconds(duration[i]);
    if (behind) {
      const double beside_s = std::min(seconds(tail), work_s / ((1.0 - p.share_frac) * rate));
      emit(to_tick(beside_s), i, natural_W[i], p.share_frac * natural_W[i], (1.0 - p.share_frac) * rate);
      work_s -= beside_s * (1.0 - p.share_frac) * rate;
    }
    emit(to_tick(std::max(0.0, work_s) / rate), i, natural_W[i], 0.0, rate);
  }
  return out;
}

double windowed_range_W(std::span<const Tick> duration, std::span<const double> power_W, double window_s) {
  if (duration.size() != power_W.size() || !(window_s > 0.0))
    throw InputError("windowed range: one power per segment and a positive window are needed");
  std::vector<double> edge_s{0.0}, energy_J{0.0};
  for (int turn = 0; turn < 2; ++turn)
    for (std::size_t i = 0; i < duration.size(); ++i) {
      edge_s.push_back(edge_s.back() + seconds(duration[i]));
      energy_J.push_back(energy_J.back() + power_W[i] * seconds(duration[i]));
    }
  const double period_s = 0.5 * edge_s.back(), period_J = 0.5 * energy_J.back();
  const auto upto_J = [&](double t_s) {  // ∫_0^t of the repeated timeline
    double whole_J = 0.0;
    while (t_s > edge_s.back()) {
      t_s -= period_s;
      whole_J += period_J;
    }
    const auto k = static_cast<std::size_t>(
        std::max<std::ptrdiff_t>(1, std::lower_bound(edge_s.begin(), edge_s.end(), t_s) - edge_s.begin()));
    return whole_J + energy_J[k - 1] + power_W[(k - 1) % power_W.size()] * (t_s - edge_s[k - 1]);
  };
  double low_W = std::numeric_limits<double>::infinity(), high_W = -low_W;
  // A window's mean is piecewise linear in its place: the extremes lie where one of its ends is on an edge.
  for (std::size_t i = 0; i < edge_s.size(); ++i)
    for (const double begin_s : {edge_s[i], edge_s[i] - window_s}) {
      if (begin_s < 0.0) continue;
      const double mean_W = (upto_J(begin_s + window_s) - upto_J(begin_s)) / window_s;
      low_W = std::min(low_W, mean_W);
      high_W = std::max(high_W, mean_W);
    }
  return high_W - low_W;
}

}  // namespace tidewatt::mitigation
