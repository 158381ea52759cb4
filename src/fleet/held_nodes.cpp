#include "held_nodes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "held_courses.hpp"
#include "step_lengths.hpp"

namespace TIDEWATT_NAMESPACE::fleet {
namespace {

constexpr double none = std::numeric_limits<double>::infinity();

/// Power of the GPUs of a task's classes without smoothing and ballast.
struct NaturalPower {
  std::vector<std::vector<double>> kind_W;                    ///< [class][kind]
  std::vector<double> waiting_W;                              ///< [class] without work
  std::vector<std::vector<mitigation::ThrottleCurve>> curve;  ///< [class][kind]; empty: nothing is delayed

  NaturalPower(const FleetTask& task, const NodeType& type, const Controls& controls, std::size_t n_class,
               std::uint32_t wait_kind, bool works) {
    for (std::size_t c = 0; c < n_class; ++c) {
      if (works) {
        auto pacing = pacing_gpu(task, type, controls, c, nominal_die_K);
        kind_W.push_back(std::move(pacing.natural_W));
        curve.push_back(std::move(pacing.curve));
      } else {
        kind_W.push_back(nominal_kind_W(task, type, controls, c, nominal_die_K));
      }
      // A constant state lasts its time whatever its power does.
      waiting_W.push_back(works ? kind_W[c][wait_kind] : most_W(c));
    }
  }
  double most_W(std::size_t cls) const { return *std::max_element(kind_W[cls].begin(), kind_W[cls].end()); }
  /// Highest power that work may draw: no lower than what the lowest clock draws, since a cap below that is not kept.
  double limit_W(double board_W) const {
    double limit_W = board_W;
    for (const auto& of_class : curve)
      for (const auto& c : of_class)
        if (c.power_W.size() > 1) limit_W = std::max(limit_W, c.power_W[1]);
    return limit_W;
  }
};

/// At one clock for all of an iteration no limiter takes what smoothing and ballast burn: holds `timeline` with work below a peak power, found by halving, such that no class's mean exceeds the limit.
/// @param hold_below computes it from the beginning with work below [class] a peak
template <class HoldBelow>
HeldTimeline within_limit(HeldTimeline held, const NaturalPower& natural, double limit_W, HoldBelow&& hold_below) {
  const std::size_t n_class = natural.kind_W.size();
  std::vector<double> low_W(n_class, limit_W), high_W(n_class), peak_W(n_class, none);
  bool over = false;
  for (std::size_t c = 0; c < n_class; ++c) {
    high_W[c] = std::max(limit_W, natural.most_W(c));
    if (held_mean_W(held, c, natural.kind_W[c]) > 1.001 * limit_W)
      over = true, peak_W[c] = limit_W;
    else
      low_W[c] = high_W[c] = none;
  }
  for (int halving = 0; over && halving <= 6; ++halving) {
    held = hold_below(peak_W);
    if (halving == 6) break;
    for (std::size_t c = 0; c < n_class; ++c) {
      if (!std::isfinite(low_W[c])) continue;
      (held_mean_W(held, c, natural.kind_W[c]) > limit_W ? high_W : low_W)[c] = peak_W[c];
      peak_W[c] = halving == 5 ? low_W[c] : 0.5 * (low_W[c] + high_W[c]);
    }
  }
  return held;
}

}  // namespace

/// Where the classes of a task begin: at the mean of their nodes. @return [class] number of nodes
std::vector<double> HeldNodes::begin_classes(const FleetTask& task, std::size_t n_class) {
  auto& begin = last_.begin;
  begin.assign(n_class, {});
  std::vector<double> n_in(n_class, 0.0);
  last_.node_class = task.node_class;
  for (std::size_t i = 0; i < n_node_; ++i) {
    const auto c = last_.node_class[i];
    const auto& node = state_.node[i];
    if (n_in[c]++ == 0.0)
      begin[c].smoothing.missing = node.smoothing.missing, begin[c].ballast.missing = node.ballast.missing;
    begin[c].smoothing.level_W += node.smoothing.level_W;
    begin[c].ballast.level_W += node.ballast.level_W;
  }
  for (std::size_t c = 0; c < n_class; ++c)
    for (double* W : {&begin[c].smoothing.level_W, &begin[c].ballast.level_W}) *W /= std::max(1.0, n_in[c]);
  return n_in;
}

/// How far the classes' levels are apart in the mean over the nodes, W. @param n_in [class] nodes
double HeldNodes::apart_W(std::span<const HoldState> a, std::span<const HoldState> b,
                          std::span<const double> n_in) const {
  double sum_W = 0.0;
  for (std::size_t c = 0; c < n_in.size(); ++c)
    sum_W += n_in[c] * (std::abs(a[c].smoothing.level_W - b[c].smoothing.level_W) +
                        std::abs(a[c].ballast.level_W - b[c].ballast.level_W));
  return sum_W / static_cast<double>(n_node_);
}

void HeldNodes::apply(workload::Timeline& timeline, FleetTask& task, const NodeType& type, const Controls& controls,
                      std::uint32_t wait_kind, bool works, Tick pair_within) {
  const double tdp_W = type.gpu.params().tdp_W;
  const std::size_t n_class = timeline.classes.size();
  const NaturalPower natural(task, type, controls, n_class, wait_kind, works);
  if (state_.node.empty()) state_.node.assign(n_node_, {{natural.kind_W[0][timeline.classes[0].front().kind], 0}, {}});
  const double limit_W = natural.limit_W(dvfs::limit_W(controls.cap_W, type.governor));
  const BoardPower board{tdp_W, limit_W};
  const PowerHold hold = hold_.within(board);
  last_.gives_way_W = hold_.gives_way(board) ? limit_W : 0.0;
  const auto n_in = begin_classes(task, n_class);
  // A limit that fell takes what was held under the one before: nothing is kept above what the chip itself may draw now.
  for (std::size_t c = 0; c < n_class; ++c) {
    auto& [smoothing, ballast] = last_.begin[c];
    smoothing.level_W = std::min(smoothing.level_W, std::max(limit_W, natural.most_W(c)));
    if (hold.ballast) ballast.level_W = std::min(ballast.level_W, hold.ballast->level_ratio * tdp_W);
  }
  const auto held_from = [&](const std::vector<HoldState>& begin, std::vector<HoldState>& end) {
    const auto hold_below = [&](std::span<const double> peak_W) {
      end = begin;
      return hold_power(timeline, hold, board, natural.kind_W, wait_kind, natural.waiting_W, end, natural.curve,
                        peak_W);
    };
    auto held = hold_below({});
    return works && task.class_course.empty() ? within_limit(std::move(held), natural, limit_W, hold_below) : held;
  };
  std::vector<HoldState> end;
  auto held = held_from(last_.begin, end);
  const double still_W = 4e-4 * tdp_W;  // a jump keeps what is left: of every GPU at the highest power
  last_.settled = apart_W(end, last_.begin, n_in) <= still_W;
  task.iterations = 1, task.second_begin = 0;
  if (std::vector<HoldState> next; pair_within > 0 && !last_.settled) {
    // What slow ramps do not reach in one iteration they do in the next: both alternate, and as a pair they repeat.
    const auto second = held_from(end, next);
    if (held.timeline.period + second.timeline.period <= pair_within && apart_W(next, last_.begin, n_in) <= still_W) {
      task.second_begin = held.timeline.period;
      held = joined(std::move(held), second);
      end = std::move(next);
      task.iterations = 2;
      last_.settled = true;
    }
  }
  for (std::size_t i = 0; i < n_node_; ++i) state_.node[i] = end[last_.node_class[i]];
  last_.acts = {};
  if (hold.smoothing)
    last_.acts.add(smoothing_acts(held, *hold.smoothing, tdp_W, last_.begin, n_in),
                   1.0 / seconds(held.timeline.period));
  last_.marks = std::move(held.marks);
  timeline = std::move(held.timeline);
  if (works && !task.class_course.empty()) split_evenly(timeline, most_between_bounds);
  set_kinds(task, timeline, type, task.reference_Hz);
  task.kind_low_W = std::move(held.low_W);
  task.kind_high_W = std::move(held.high_W);
  if (!task.class_course.empty()) task.class_kinds = held_kinds(task, type, held.from_kind);
}

void HeldNodes::split(workload::Timeline& timeline, FleetTask& task) const {
  if (state_.node.empty()) return;
  std::vector<std::pair<std::uint32_t, HoldState>> known;  // [class] original timeline, memory
  const auto before = std::move(timeline.classes);
  const auto window = std::move(task.class_window);
  timeline.classes.clear();
  task.class_window.clear();
  for (std::size_t i = 0; i < n_node_; ++i) {
    const std::pair<std::uint32_t, HoldState> own{task.node_class[i], state_.node[i]};
    const auto at = std::find(known.begin(), known.end(), own);
    task.node_class[i] = static_cast<std::uint32_t>(at - known.begin());
    if (at != known.end()) continue;
    known.push_back(own);
    timeline.classes.push_back(before[own.first]);
    task.class_window.push_back(window[own.first]);
  }
  task.class_gate_Hz.assign(known.size(), 0.0);
  task.class_busy.assign(known.size(), task.class_busy.front());
}

void HeldNodes::cut(Tick at) {
  if (!hold_.any()) return;
  std::vector<HoldState> of_class;
  of_class.reserve(last_.marks.size());
  for (std::size_t c = 0; c < last_.marks.size(); ++c)
    of_class.push_back(remembered(last_.marks[c], last_.begin[c], at));
  for (std::size_t i = 0; i < n_node_; ++i) state_.node[i] = of_class[last_.node_class[i]];
}

}  // namespace TIDEWATT_NAMESPACE::fleet
