#include "tidewatt/mitigation/ballast.hpp"

#include <algorithm>
#include <limits>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::mitigation {

void BallastParams::fields(FieldVisitor& v) {
  v.number("level_ratio", level_ratio, {0, 1}, "power that the ballast keeps ÷ board limit");
  v.number("period_ms", period_s, {0.01, 1000}, "period of the ballast's monitor");
  v.number("launch_ms", launch_s, {0, 100}, "time from the monitor's decision to the ballast's power");
  v.number("granule_ms", granule_s, {0, 1000}, "length of one ballast kernel");
  v.number("share_frac", share_frac, {0, 0.99},
           "fraction of the GPU that a running ballast kernel takes from returning work");
  v.number("monitor_cost_frac", monitor_cost_frac, {0, 0.5}, "constant loss of throughput by the monitor");
  v.number("hold_s", hold_s, {0, 3600}, "time for which the ballast runs if work does not return");
  v.number("ramp_down_W_per_s", ramp_down_W_per_s, {1, 1e6}, "ramp of one GPU after that");
}

namespace {

void check(const BallastParams& p, std::span<const Tick> duration, std::span<const double> natural_W) {
  if (duration.size() != natural_W.size()) throw InputError("ballast: one power per segment is needed");
  if (!(p.share_frac >= 0.0 && p.share_frac < 1.0 && p.monitor_cost_frac >= 0.0 && p.monitor_cost_frac < 1.0))
    throw InputError("ballast: shares must be in [0, 1)");
}

}  // namespace

BallastOutcome ballast(const BallastParams& p, double tdp_W, std::span<const Tick> duration,
                       std::span<const double> natural_W) {
  check(p, duration, natural_W);
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

namespace {

struct BallastWalk {
  const BallastParams& p;
  double tdp_W;
  BallastState s;
  std::vector<BallastStretch> out = {};

  void emit(Tick d, std::uint32_t segment, double low_W) {
    if (d > 0) out.push_back({d, segment, low_W, s});
  }

  void wait(Tick left, std::uint32_t segment, double natural_W) {
    const Tick blind = to_tick(0.5 * p.period_s + p.launch_s), hold = to_tick(p.hold_s);
    const double top_W = p.level_ratio * tdp_W, stair_W = tdp_W / 32.0;
    if (s.missing < 0) return emit(left, segment, 0.0);
    const auto pass = [&](Tick d, double low_W) {
      s.missing = std::min(s.missing + d, std::max(blind, hold));
      emit(d, segment, low_W);
      left -= d;
    };
    if (s.missing < blind) {
      pass(std::min(left, blind - s.missing), 0.0);
      if (s.missing >= blind) s.level_W = top_W;
    }
    if (left > 0 && s.level_W == top_W && s.missing < hold) pass(std::min(left, hold - s.missing), top_W);
    while (left > 0 && s.level_W > natural_W) {
      const double next_W = std::max(natural_W, s.level_W - stair_W);
      const Tick needed = std::max<Tick>(1, to_tick((s.level_W - next_W) / p.ramp_down_W_per_s));
      const Tick d = std::min(left, needed);
      const double end_W = s.level_W - (s.level_W - next_W) * static_cast<double>(d) / static_cast<double>(needed);
      const double mean_W = 0.5 * (s.level_W + end_W);
      s.level_W = end_W;
      pass(d, mean_W);
    }
    emit(left, segment, 0.0);
  }

  /// A segment that draws as much as the ballast would: nothing is missing, and nothing is slowed down.
  void draw(Tick left, std::uint32_t segment) {
    s = {0.0, 0};
    emit(left, segment, 0.0);
  }

  void work(Tick alone, std::uint32_t segment) {
    const double rate = 1.0 - p.monitor_cost_frac;
    const bool beside = s.level_W > 0.0;
    s = {0.0, 0};
    double left_s = seconds(alone);
    if (beside) {
      const double beside_s = std::min(0.5 * p.granule_s, left_s / ((1.0 - p.share_frac) * rate));
      emit(to_tick(beside_s), segment, 0.0);
      left_s -= beside_s * (1.0 - p.share_frac) * rate;
    }
    emit(to_tick(std::max(0.0, left_s) / rate), segment, 0.0);
  }
};

}  // namespace

std::vector<BallastStretch> ballast_from(BallastState& state, const BallastParams& params, double tdp_W,
                                         std::span<const Tick> duration, std::span<const double> natural_W,
                                         std::span<const std::uint8_t> works) {
  check(params, duration, natural_W);
  BallastWalk walk{params, tdp_W, state};
  for (std::uint32_t i = 0; i < duration.size(); ++i)
    if (natural_W[i] < params.level_ratio * tdp_W)
      walk.wait(duration[i], i, natural_W[i]);
    else if (works.empty() || works[i] != 0)
      walk.work(duration[i], i);
    else
      walk.draw(duration[i], i);
  state = walk.s;
  return std::move(walk.out);
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
  // A window's mean is piecewise linear in its place: the extremes are where one of its ends is on an edge.
  for (const double at_s : edge_s)
    for (const double begin_s : {at_s, at_s - window_s}) {
      if (begin_s < 0.0) continue;
      const double mean_W = (upto_J(begin_s + window_s) - upto_J(begin_s)) / window_s;
      low_W = std::min(low_W, mean_W);
      high_W = std::max(high_W, mean_W);
    }
  return high_W - low_W;
}

}  // namespace TIDEWATT_NAMESPACE::mitigation
