#include "task.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>

#include "dvfs/clock_course.hpp"

namespace TIDEWATT_NAMESPACE::fleet {
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
    const auto& at_rest = type.gpu.params();
    const double W = k.context ? p.fixed_W + p.leakage_W : at_rest.board_W + at_rest.rest_leakage_ratio * p.leakage_W;
    task.kind_reference_W.push_back(std::round(W * 1e3) * 1e-3);
  }
  task.kind_low_W.assign(n, 0.0);
  task.kind_high_W.assign(n, std::numeric_limits<double>::infinity());
}

std::uint32_t wait_kind_of(const workload::Timeline& timeline) {
  std::uint32_t k = 0;
  while (k + 1 < timeline.kinds.size() && timeline.kinds[k].name != "bubble") ++k;
  return k;
}

PowerHold PowerHold::within(const BoardPower& board) const {
  // At the limit itself, chips that work at the limit would switch the floor on and off.
  constexpr double floor_of_limit = 0.98;
  PowerHold out = *this;
  const double most = std::max(0.0, board.limit_W) / board.tdp_W;
  if (out.smoothing) out.smoothing->floor_ratio = std::min(out.smoothing->floor_ratio, floor_of_limit * most);
  if (out.ballast) out.ballast->level_ratio = std::min(out.ballast->level_ratio, most);
  return out;
}

bool PowerHold::gives_way(const BoardPower& board) const {
  return (smoothing && smoothing->floor_ratio * board.tdp_W > board.limit_W) ||
         (ballast && ballast->level_ratio * board.tdp_W > board.limit_W);
}

namespace {

bool works(const workload::PhaseKind& kind) { return kind.matrix_s > 0.0 || kind.memory_s > 0.0; }

/// Builds a timeline with smoothing and ballast, class by class.
struct Holder {
  const workload::Timeline& from;
  const PowerHold& hold;
  const BoardPower& board;
  std::span<const std::vector<mitigation::ThrottleCurve>> curve;
  std::span<const double> peak_W;
  HeldTimeline out = {};
  using Kind = std::tuple<std::uint32_t, double, double>;  ///< of the timeline, limited to
  struct KindHash {
    std::size_t operator()(const Kind& k) const {
      constexpr std::size_t spread = 0x9e3779b97f4a7c15u;
      const auto& [kind, low_W, high_W] = k;
      const std::hash<double> of;
      return ((kind * spread ^ of(low_W)) * spread ^ of(high_W)) * spread;
    }
  };
  std::unordered_map<Kind, std::uint32_t, KindHash> known = {};
  // Scratch of `play`, kept to reuse its memory.
  std::vector<Tick> duration = {};
  std::vector<double> W = {};
  std::vector<std::uint8_t> marked = {};  ///< that works, then: that ballast fills
  std::vector<mitigation::BallastStretch> stretches = {};
  std::vector<const mitigation::ThrottleCurve*> throttle = {};

  std::uint32_t kind_of(std::uint32_t kind, double low_W, double high_W) {
    const auto [it, fresh] = known.try_emplace({kind, low_W, high_W}, static_cast<std::uint32_t>(known.size()));
    if (fresh) {
      out.timeline.kinds.push_back(from.kinds[kind]);
      out.from_kind.push_back(kind);
      out.low_W.push_back(low_W);
      out.high_W.push_back(high_W);
    }
    return it->second;
  }

  /// @return how long the segments last under ballast and smoothing
  Tick play(std::span<const workload::Segment> segments, std::span<const double> natural_W, double waiting_W,
            std::size_t cls, HoldState& state) {
    duration.clear();
    W.clear();
    // Work above the peak: its clock is lower, so it lasts longer.
    const double peak = peak_W.empty() ? std::numeric_limits<double>::infinity() : peak_W[cls];
    std::map<std::uint32_t, mitigation::ThrottleCurve> slowed;
    for (const auto& s : segments) {
      duration.push_back(s.duration);
      W.push_back(std::min(natural_W[s.kind], peak));
      if (natural_W[s.kind] <= peak || curve.empty() || curve[cls][s.kind].power_W.empty()) continue;
      const auto [c, fresh] = slowed.try_emplace(s.kind, curve[cls][s.kind]);
      const double speed = curve[cls][s.kind].at(peak);
      if (fresh)
        for (double& x : c->second.speed_frac) x = std::min(1.0, x / speed);
      duration.back() = to_tick(seconds(s.duration) / speed);
    }
    stretches.clear();
    if (hold.ballast) {
      marked.clear();
      for (const auto& s : segments) marked.push_back(works(from.kinds[s.kind]) ? 1 : 0);
      stretches = mitigation::ballast_from(state.ballast, *hold.ballast, board.tdp_W, duration, W, marked);
    } else {
      for (std::uint32_t i = 0; i < duration.size(); ++i) stretches.push_back({duration[i], i, 0.0, {}});
    }
    const auto kind_at = [&](std::size_t i) { return segments[stretches[i].segment].kind; };
    Tick length = 0;
    const auto emit = [&](std::size_t i, Tick d, double low_W, double high_W,
                          const mitigation::SmoothingState& smoothing) {
      length += d;
      out.timeline.classes[cls].push_back({d, kind_of(kind_at(i), low_W, high_W)});
      auto& marks = out.marks[cls];
      marks.push_back({(marks.empty() ? 0 : marks.back().end) + d, {smoothing, stretches[i].end}});
    };
    if (!hold.smoothing) {
      for (std::size_t i = 0; i < stretches.size(); ++i)
        emit(i, stretches[i].duration, stretches[i].low_W, std::max(peak, stretches[i].low_W), {});
      return length;
    }
    duration.clear();
    W.clear();
    throttle.clear();
    marked.clear();
    for (std::size_t i = 0; i < stretches.size(); ++i) {
      const auto kind = kind_at(i);
      duration.push_back(stretches[i].duration);
      const double own_W = std::min(natural_W[kind], peak);
      W.push_back(std::max(stretches[i].low_W, own_W));
      marked.push_back(stretches[i].low_W > own_W ? 1 : 0);
      const bool curved = !curve.empty() && W.back() == own_W && !curve[cls][kind].power_W.empty();
      const auto slow = slowed.find(kind);
      throttle.push_back(!curved ? nullptr : slow != slowed.end() ? &slow->second : &curve[cls][kind]);
    }
    for (const auto& piece : mitigation::smooth_from(state.smoothing, *hold.smoothing, board.tdp_W, duration, W,
                                                     waiting_W, throttle, marked)) {
      // The chip's own ramp is behind the ballast: it throttles its kernels, too.
      const double high_W = std::min(piece.high_W, std::max(peak, piece.low_W));
      const double kept_W = std::max(std::min(piece.low_W, board.limit_W), stretches[piece.segment].low_W);
      emit(piece.segment, piece.duration, std::min(kept_W, high_W), high_W, piece.end);
    }
    return length;
  }
};

}  // namespace

namespace {

/// Where all classes meet: ticks at which every one of them begins the same kind, and the end.
std::vector<Tick> meetings(const workload::Timeline& timeline) {
  const auto begins = [](const std::vector<workload::Segment>& segments) {
    std::map<Tick, std::uint32_t> out;
    Tick at = 0;
    for (const auto& s : segments) out.emplace_hint(out.end(), at, s.kind), at += s.duration;
    return out;
  };
  auto common = begins(timeline.classes.front());
  for (const auto& segments : timeline.classes) {
    const auto own = begins(segments);
    std::erase_if(common, [&](const auto& begin) {
      const auto same = own.find(begin.first);
      return same == own.end() || same->second != begin.second;
    });
  }
  std::vector<Tick> out;
  for (const auto& [at, kind] : common)
    if (at > 0) out.push_back(at);
  out.push_back(timeline.period);
  return out;
}

}  // namespace

HeldTimeline hold_power(const workload::Timeline& timeline, const PowerHold& hold, const BoardPower& board,
                        std::span<const std::vector<double>> natural_W, std::uint32_t wait_kind,
                        std::span<const double> waiting_W, std::span<HoldState> state,
                        std::span<const std::vector<mitigation::ThrottleCurve>> curve, std::span<const double> peak_W) {
  const PowerHold kept = hold.within(board);
  Holder holder{timeline, kept, board, curve, peak_W};
  const std::size_t n_class = timeline.classes.size();
  auto& out = holder.out.timeline;
  out.classes.resize(n_class);
  holder.out.marks.resize(n_class);
  std::vector<std::span<const workload::Segment>> left(timeline.classes.begin(), timeline.classes.end());
  std::vector<Tick> length(n_class);
  Tick begin = 0;
  for (const Tick meeting : meetings(timeline)) {
    const Tick planned = meeting - begin;
    begin = meeting;
    Tick longest = 0;
    for (std::size_t c = 0; c < n_class; ++c) {
      const auto play = [&](std::span<const workload::Segment> part) {
        return holder.play(part, natural_W[c], waiting_W[c], c, state[c]);
      };
      std::size_t n = 0, n_until_done = 0;  // segments until the meeting, and until the class has done its work
      for (Tick at = 0; n < left[c].size() && at < planned; at += left[c][n++].duration)
        if (works(timeline.kinds[left[c][n].kind])) n_until_done = n + 1;
      const auto part = left[c].first(n);
      left[c] = left[c].subspan(n);
      length[c] = play(part.first(n_until_done));
      Tick late = length[c];
      for (const auto& s : part.first(n_until_done)) late -= s.duration;
      // Who is late waits less for the others.
      for (auto s : part.subspan(n_until_done)) {
        const Tick saved = s.kind == wait_kind ? std::clamp<Tick>(late, 0, s.duration) : 0;
        s.duration -= saved;
        late -= saved;
        length[c] += play({&s, 1});
      }
      longest = std::max(longest, length[c]);
    }
    for (std::size_t c = 0; c < n_class; ++c)
      if (length[c] < longest)
        holder.play(std::array{workload::Segment{longest - length[c], wait_kind}}, natural_W[c], waiting_W[c], c,
                    state[c]);
    out.period += longest;
  }
  return std::move(holder.out);
}

HeldTimeline joined(HeldTimeline first, const HeldTimeline& second) {
  const auto n_kind = static_cast<std::uint32_t>(first.timeline.kinds.size());
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  append(first.timeline.kinds, second.timeline.kinds);
  append(first.low_W, second.low_W);
  append(first.high_W, second.high_W);
  append(first.from_kind, second.from_kind);
  for (std::size_t c = 0; c < first.timeline.classes.size(); ++c) {
    for (auto segment : second.timeline.classes[c]) {
      segment.kind += n_kind;
      first.timeline.classes[c].push_back(segment);
    }
    for (auto mark : second.marks[c]) {
      mark.end += first.timeline.period;
      first.marks[c].push_back(mark);
    }
  }
  first.timeline.period += second.timeline.period;
  return first;
}

double held_mean_W(const HeldTimeline& held, std::size_t cls, std::span<const double> natural_W) {
  double J = 0.0;
  for (const auto& s : held.timeline.classes[cls])
    J += seconds(s.duration) * std::clamp(natural_W[held.from_kind[s.kind]], held.low_W[s.kind],
                                          std::max(held.low_W[s.kind], held.high_W[s.kind]));
  return J / seconds(held.timeline.period);
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

}  // namespace TIDEWATT_NAMESPACE::fleet
