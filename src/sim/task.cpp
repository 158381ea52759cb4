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

namespace {

/// Builds a held timeline, class by class.
struct Holder {
  const workload::Timeline& from;
  const PowerHold& hold;
  double tdp_W;
  HeldTimeline out = {};
  std::map<std::tuple<std::uint32_t, double, double>, std::uint32_t> known = {};

  std::uint32_t kind_of(std::uint32_t kind, double low_W, double high_W) {
    const auto [it, fresh] = known.try_emplace({kind, low_W, high_W}, static_cast<std::uint32_t>(known.size()));
    if (fresh) {
      out.timeline.kinds.push_back(from.kinds[kind]);
      out.low_W.push_back(low_W);
      out.high_W.push_back(high_W);
    }
    return it->second;
  }

  /// @return how long the segments last under ballast and smoothing
  Tick play(std::span<const workload::Segment> segments, std::span<const double> natural_W, double waiting_W, std::size_t cls, HoldState& state) {
    std::vector<Tick> duration;
    std::vector<double> W;
    for (const auto& s : segments) duration.push_back(s.duration), W.push_back(natural_W[s.kind]);
    std::vector<mitigation::BallastStretch> stretches;
    if (hold.ballast) {
      stretches = mitigation::ballast_from(state.ballast, *hold.ballast, tdp_W, duration, W);
    } else {
      for (std::uint32_t i = 0; i < duration.size(); ++i) stretches.push_back({duration[i], i, 0.0, {}});
    }
    const auto kind_at = [&](std::size_t i) { return segments[stretches[i].segment].kind; };
    Tick length = 0;
    const auto emit = [&](std::size_t i, Tick d, double low_W, double high_W, const mitigation::SmoothingState& smoothing) {
      length += d;
      out.timeline.classes[cls].push_back({d, kind_of(kind_at(i), low_W, high_W)});
      auto& marks = out.marks[cls];
      marks.push_back({(marks.empty() ? 0 : marks.back().end) + d, {smoothing, stretches[i].end}});
    };
    if (!hold.smoothing) {
      for (std::size_t i = 0; i < stretches.size(); ++i)
        emit(i, stretches[i].duration, stretches[i].low_W, std::numeric_limits<double>::infinity(), {});
      return length;
    }
    duration.clear();
    W.clear();
    for (std::size_t i = 0; i < stretches.size(); ++i)
      duration.push_back(stretches[i].duration), W.push_back(std::max(stretches[i].low_W, natural_W[kind_at(i)]));
    for (const auto& piece : mitigation::smooth_from(state.smoothing, *hold.smoothing, tdp_W, duration, W, waiting_W))
      emit(piece.segment, piece.duration, std::max(piece.low_W, stretches[piece.segment].low_W), piece.high_W, piece.end);
    return length;
  }
};

}  // namespace

HeldTimeline hold_power(const workload::Timeline& timeline, const PowerHold& hold, double tdp_W,
                        std::span<const std::vector<double>> natural_W, std::uint32_t wait_kind,
                        std::span<const double> waiting_W, std::span<HoldState> state) {
  Holder holder{timeline, hold, tdp_W};
  const std::size_t n_class = timeline.classes.size();
  auto& out = holder.out.timeline;
  out.classes.resize(n_class);
  holder.out.marks.resize(n_class);
  std::vector<Tick> length(n_class);
  for (std::size_t c = 0; c < n_class; ++c) {
    length[c] = holder.play(timeline.classes[c], natural_W[c], waiting_W[c], c, state[c]);
    out.period = std::max(out.period, length[c]);
  }
  for (std::size_t c = 0; c < n_class; ++c)
    if (length[c] < out.period)
      holder.play(std::array{workload::Segment{out.period - length[c], wait_kind}}, natural_W[c], waiting_W[c], c, state[c]);
  return std::move(holder.out);
}

HoldState remembered(const std::vector<HeldTimeline::Mark>& marks, const HoldState& begin, Tick at) {
  HoldState before = begin;
  Tick since = 0;
  for (const auto& m : marks) {
    if (m.end > at) {
      const double share = static_cast<double>(at - since) / static_cast<double>(m.end - since);
      before.smoothing.level_W += share * (m.state.smoothing.level_W - before.smoothing.level_W);
      before.smoothing.missing = m.state.smoothing.missing;
      before.ballast = m.state.ballast;
      return before;
    }
    before = m.state;
    since = m.end;
  }
  return before;
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
