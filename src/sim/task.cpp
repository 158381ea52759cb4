#include "tidewatt/sim/task.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace tidewatt::sim {
namespace {

void add(dvfs::PhaseMix& to, const dvfs::PhaseMix& mix, double share) {
  to.matrix_s += share * mix.matrix_s;
  to.memory_s += share * mix.memory_s;
  to.link_s += share * mix.link_s;
  to.wait_s += share * mix.wait_s;
  to.active_matrix_s += share * mix.active_matrix_s;
  to.hbm_s += share * mix.hbm_s;
  to.full_link_s += share * mix.full_link_s;
}

}  // namespace

dvfs::PhaseMix mix_of(const workload::PhaseKind& k) {
  return {k.matrix_s,
          k.memory_s,
          k.link_s,
          k.wait_s,
          k.matrix_activity * k.matrix_s,
          k.hbm_frac_matrix * k.matrix_s + k.hbm_frac_memory * k.memory_s,
          k.link_frac * k.link_s};
}

dvfs::PhaseMix worst_window(const workload::Timeline& timeline, std::size_t cls, std::span<const double> nominal_W,
                            double window_s) {
  const auto& segments = timeline.classes[cls];
  const Tick window = std::min(to_tick(window_s), timeline.period);
  const auto share_inside = [&](std::size_t first, auto&& visit) {
    Tick left = window;
    for (std::size_t i = first; left > 0; i = (i + 1) % segments.size()) {
      const Tick d = std::min(left, segments[i].duration);
      visit(segments[i].kind, seconds(d));
      left -= d;
    }
  };
  std::size_t worst = 0;
  double worst_J = -1.0;
  for (std::size_t first = 0; first < segments.size(); ++first) {
    double J = 0.0;
    share_inside(first, [&](std::uint32_t kind, double s) { J += nominal_W[kind] * s; });
    if (J > worst_J * (1.0 + 1e-12)) {
      worst_J = J;
      worst = first;
    }
  }
  dvfs::PhaseMix mix;
  share_inside(worst, [&](std::uint32_t kind, double s) {
    const auto& k = timeline.kinds[kind];
    add(mix, mix_of(k), s / k.reference_s());
  });
  return mix;
}

void set_kinds(FleetTask& task, const workload::Timeline& timeline, const NodeType& type, double reference_Hz) {
  const std::size_t n = timeline.kinds.size();
  task.timeline = &timeline;
  task.reference_Hz = reference_Hz;
  task.kind_mix.clear();
  task.kind_context.clear();
  task.kind_reference_W.clear();
  for (const auto& k : timeline.kinds) {
    task.kind_mix.push_back(mix_of(k));
    task.kind_context.push_back(k.context ? 1 : 0);
    const auto p = dvfs::phase_power(type.gpu, {}, task.kind_mix.back(), reference_Hz,
                                     k.context ? reference_Hz : type.gpu.idle_clock_Hz(), 0.0);
    const double awake = k.context ? 1.0 : type.gpu.params().rest_leakage_ratio;
    task.kind_reference_W.push_back(std::round((p.fixed_W + awake * p.leakage_W) * 1e3) * 1e-3);
  }
  task.kind_low_W.assign(n, 0.0);
  task.kind_high_W.assign(n, std::numeric_limits<double>::infinity());
}

std::vector<double> nominal_kind_W(const FleetTask& task, const NodeType& type, std::size_t cls, double die_K) {
  const double gate_Hz = task.class_gate_Hz[cls];
  const double factor = type.gpu.leakage_temperature_factor(die_K);
  const auto point = dvfs::operating_point(type.gpu, {}, task.class_window[cls], task.reference_Hz, gate_Hz, factor,
                                           type.cap_W - type.governor.cap_margin_W, type.clock_lock_Hz, 0.0);
  std::vector<double> out;
  for (std::size_t k = 0; k < task.kind_mix.size(); ++k) {
    const bool context = task.kind_context[k] != 0;
    const double f = context ? point.clock_Hz : type.gpu.idle_clock_Hz();
    const auto p = dvfs::phase_power(type.gpu, {}, task.kind_mix[k], task.reference_Hz, f, context ? gate_Hz : 0.0);
    const double W = p.fixed_W + (context ? 1.0 : type.gpu.params().rest_leakage_ratio) * p.leakage_W * factor;
    out.push_back(std::clamp(W, task.kind_low_W.empty() ? 0.0 : task.kind_low_W[k],
                             task.kind_high_W.empty() ? W : std::max(task.kind_low_W[k], task.kind_high_W[k])));
  }
  return out;
}

SmoothedTimeline smooth_timeline(const workload::Timeline& timeline, const mitigation::GpuSmoothingParams& params,
                                 double tdp_W, std::span<const double> natural_W, std::uint32_t wait_kind,
                                 double waiting_W, bool repeats,
                                 mitigation::SmoothingState& state) {
  SmoothedTimeline out;
  std::map<std::tuple<std::uint32_t, double, double>, std::uint32_t> known;
  const auto kind_of = [&](std::uint32_t kind, double low_W, double high_W) {
    const auto [it, fresh] = known.try_emplace({kind, low_W, high_W}, static_cast<std::uint32_t>(known.size()));
    if (fresh) {
      out.timeline.kinds.push_back(timeline.kinds[kind]);
      out.low_W.push_back(low_W);
      out.high_W.push_back(high_W);
    }
    return it->second;
  };
  std::vector<mitigation::SmoothingState> end(timeline.classes.size(), state);
  for (std::size_t c = 0; c < timeline.classes.size(); ++c) {
    const auto& segments = timeline.classes[c];
    std::vector<Tick> duration;
    std::vector<double> W;
    for (const auto& s : segments) {
      duration.push_back(s.duration);
      W.push_back(natural_W[s.kind]);
    }
    auto& to = out.timeline.classes.emplace_back();
    Tick period = 0;
    const auto pieces = repeats ? mitigation::smooth(params, tdp_W, duration, W, waiting_W, &end[c])
                                : mitigation::smooth_from(end[c], params, tdp_W, duration, W, waiting_W);
    for (const auto& piece : pieces) {
      to.push_back({piece.duration, kind_of(segments[piece.segment].kind, piece.low_W, piece.high_W)});
      period += piece.duration;
    }
    out.timeline.period = std::max(out.timeline.period, period);
  }
  for (std::size_t c = 0; c < out.timeline.classes.size(); ++c) {
    auto& segments = out.timeline.classes[c];
    Tick rest = out.timeline.period;
    for (const auto& s : segments) rest -= s.duration;
    if (rest > 0)
      for (const auto& piece : mitigation::smooth_from(end[c], params, tdp_W, std::array{rest}, std::array{waiting_W}, waiting_W))
        segments.push_back({piece.duration, kind_of(wait_kind, piece.low_W, piece.high_W)});
  }
  state = end.front();
  return out;
}

workload::Timeline slice(const workload::Timeline& timeline, Tick from, Tick to) {
  workload::Timeline out;
  out.kinds = timeline.kinds;
  out.period = to - from;
  for (const auto& segments : timeline.classes) {
    auto& piece = out.classes.emplace_back();
    Tick at = 0;
    for (const auto& s : segments) {
      const Tick begin = std::max(at, from), end = std::min(at + s.duration, to);
      if (begin < end) piece.push_back({end - begin, s.kind});
      at += s.duration;
      if (at >= to) break;
    }
  }
  return out;
}

}  // namespace tidewatt::sim
