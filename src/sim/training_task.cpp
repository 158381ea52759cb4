#include "tidewatt/sim/training_task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tidewatt/base/error.hpp"

namespace tidewatt::sim {
namespace {

std::uint32_t index_of(const workload::Timeline& timeline, const char* name) {
  for (std::uint32_t k = 0; k < timeline.kinds.size(); ++k)
    if (timeline.kinds[k].name == name) return k;
  return static_cast<std::uint32_t>(timeline.kinds.size() - 1);
}

constexpr double nominal_die_K = 338.15;  ///< at which smoothing sees a GPU's natural power

const NodeType& type_of(const Fleet& fleet, std::size_t node) { return fleet.types[fleet.node_hall[node]]; }
const Controls& controls_of(const Fleet& fleet, const FleetState& state, std::size_t node) { return state.controls[fleet.node_hall[node]]; }

}  // namespace

workload::PhaseKind idle_kind() {
  workload::PhaseKind k;
  k.name = "idle";
  k.wait_s = 1.0;
  k.context = false;
  return k;
}

TrainingTask::TrainingTask(workload::IterationModel model, const Fleet& fleet, std::size_t first_node, Options options)
    : model_(std::move(model)), fleet_(fleet), first_node_(first_node), options_(options) {
  const auto per_node = static_cast<std::int64_t>(fleet.n_gpu_per_node);
  for (std::int64_t rank = 0; rank < model_.n_gpu(); rank += per_node) {
    node_stage_.push_back(model_.stage_of_gpu(rank));
    node_replica_.push_back(model_.replica_of_gpu(rank));
    if (model_.stage_of_gpu(std::min(rank + per_node, model_.n_gpu()) - 1) != node_stage_.back())
      throw InputError(fmt::format("plan: the {} GPUs of a node would hold several pipeline stages (tp × cp = {}); "
                                   "choose rank_order tp-cp-dp-pp or a wider tensor-parallel group",
                                   per_node, model_.gpus_per_stage()));
  }
  const double one[] = {1.0};
  iterate_window_ = stage_windows(model_.iteration(one));
  evaluate_window_ = stage_windows(model_.evaluation(one, 1));
}

TrainingTask::Windows TrainingTask::stage_windows(const workload::Timeline& at_reference) const {
  const auto& type = type_of(fleet_, first_node_);
  FleetTask task;
  set_kinds(task, at_reference, type, model_.reference_clock_Hz());
  Windows out;
  for (std::size_t s = 0; s < at_reference.classes.size(); ++s) {
    out.mix.push_back(worst_window(at_reference, s, task.kind_reference_W, type.governor.window_s));
    double J = 0.0;
    for (const auto& segment : at_reference.classes[s]) J += task.kind_reference_W[segment.kind] * seconds(segment.duration);
    out.mean_W.push_back(std::min(J / seconds(at_reference.period), type.usual.cap_W - type.governor.cap_margin_W));
  }
  out.period_s = seconds(at_reference.period);
  return out;
}

void TrainingTask::set_work(Work work, std::int64_t batches, FleetState& state, double ahead_s,
                            FleetSignals& signals, FleetTask& task, std::int64_t iteration, Tick begin) {
  const auto n_stage = static_cast<std::size_t>(model_.n_stage());
  const auto& window = work == Work::iterate ? iterate_window_ : evaluate_window_;
  const double reference_Hz = model_.reference_clock_Hz();
  const auto& type = type_of(fleet_, first_node_);
  // What could everyone do alone? Classes are the stages.
  task.reference_Hz = reference_Hz;
  task.class_window = window.mix;
  task.first_node = first_node_;
  task.node_class.resize(n_node());
  for (std::size_t i = 0; i < n_node(); ++i) task.node_class[i] = static_cast<std::uint32_t>(node_stage_[i]);
  task.legs.clear();
  task.repeats = true;
  predict_with_own_clocks(fleet_, state, task, window.mean_W, ahead_s, signals);

  const auto n_replica = static_cast<std::size_t>(model_.dp());
  std::vector<double> replica_Hz(n_replica, std::numeric_limits<double>::infinity());
  double sum_Hz = 0.0;
  slowest_Hz_ = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < n_node(); ++i) {
    auto& slowest = replica_Hz[static_cast<std::size_t>(node_replica_[i])];
    for (std::size_t g = 0; g < fleet_.n_gpu_per_node; ++g) {
      const double f = state.own_Hz[(first_node_ + i) * fleet_.n_gpu_per_node + g] /
                       (options_.host_slowness.empty() ? 1.0 : options_.host_slowness[i]);
      slowest = std::min(slowest, f);
      sum_Hz += f;
    }
    slowest_Hz_ = std::min(slowest_Hz_, slowest);
  }
  // Replicas by pace, slowest first; equal shares per group. Replicas that no node leads (several per node) are skipped.
  std::vector<std::size_t> order;
  for (std::size_t r = 0; r < n_replica; ++r)
    if (std::isfinite(replica_Hz[r])) order.push_back(r);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return replica_Hz[a] < replica_Hz[b]; });
  const std::size_t n_group = std::min(order.size(), static_cast<std::size_t>(options_.replica_groups));
  std::vector<std::size_t> group_of(n_replica, 0);
  std::vector<double> pace(n_group, 0.0);
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::size_t group = i * n_group / order.size();
    group_of[order[i]] = group;
    pace[group] = replica_Hz[order[i]] / reference_Hz;  // the slowest of the group comes last
  }
  if (!options_.gating) {
    const double mean_Hz = sum_Hz / static_cast<double>(n_node() * fleet_.n_gpu_per_node);
    std::fill(pace.begin(), pace.end(), mean_Hz / reference_Hz);
  }
  timeline_ = work == Work::iterate ? model_.iteration(pace) : model_.evaluation(pace, batches);
  pace_ = pace;
  plain_period_ = timeline_.period;
  if (scatters() && work == Work::iterate) {
    excess_ = {excess_of(iteration, begin)};
    timeline_ = model_.iteration(pace_, scatter(excess_.front(), excess_.front()));
  }
  task.class_window.clear();
  task.class_gate_Hz.clear();
  for (std::size_t group = 0; group < n_group; ++group)
    for (std::size_t s = 0; s < n_stage; ++s) {
      task.class_window.push_back(window.mix[s]);
      task.class_gate_Hz.push_back(options_.gating ? pace[group] * reference_Hz : 0.0);
    }
  task.class_busy.assign(n_group * n_stage, 1);
  for (std::size_t i = 0; i < n_node(); ++i)
    task.node_class[i] = static_cast<std::uint32_t>(
        group_of[static_cast<std::size_t>(node_replica_[i])] * n_stage + static_cast<std::size_t>(node_stage_[i]));
  set_kinds(task, timeline_, type, reference_Hz);
  if (options_.hold.any()) hold(task, index_of(timeline_, "bubble"), true, controls_of(fleet_, state, first_node_));
}

Tick TrainingTask::excess_of(std::int64_t iteration, Tick begin) const {
  const Tick own = options_.jitter ? options_.jitter->excess_ns(iteration, plain_period_) : 0;
  return options_.beat ? mitigation::beat_end(*options_.beat, begin, plain_period_ + own) - begin - plain_period_ : own;
}

/// @param least of the excesses that share the lateness
workload::Scatter TrainingTask::scatter(Tick excess, Tick least) const {
  workload::Scatter out{{}, excess};
  const auto n = static_cast<std::int64_t>(pace_.size());
  for (std::int64_t g = 0; g < n; ++g)
    out.late.push_back(options_.jitter ? std::min(least, to_tick(seconds(plain_period_) * options_.jitter->quantile_frac(g, n))) : 0);
  return out;
}

void TrainingTask::set_mean(std::int64_t first, std::int64_t count, Tick begin, FleetTask& task) {
  excess_.clear();
  Tick sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    excess_.push_back(excess_of(first + i, begin));
    begin += plain_period_ + excess_.back();
    sum += excess_.back();
  }
  // Whole nanoseconds: what the mean rounds away, less than one per iteration, is taken from the longest.
  auto& longest = *std::max_element(excess_.begin(), excess_.end());
  if (longest < sum % count) excess_.assign(excess_.size(), sum / count);
  else longest -= sum % count;
  timeline_ = model_.iteration(pace_, scatter(sum / count, *std::min_element(excess_.begin(), excess_.end())));
  task.timeline = &timeline_;
}

std::vector<workload::Timeline> TrainingTask::singles() const {
  std::vector<workload::Timeline> out;
  const Tick least = *std::min_element(excess_.begin(), excess_.end());
  for (const Tick excess : excess_) out.push_back(model_.iteration(pace_, scatter(excess, least)));
  return out;
}

/// Every task begins where the last one left the GPUs, so that no edge between two tasks is steeper than a ramp allows.
void TrainingTask::hold(FleetTask& task, std::uint32_t wait_kind, bool works, const Controls& controls) {
  const auto& type = type_of(fleet_, first_node_);
  const double tdp_W = type.gpu.params().tdp_W;
  const std::size_t n_class = timeline_.classes.size();
  std::vector<std::vector<double>> natural_W(n_class);
  std::vector<double> waiting_W(n_class);
  std::vector<std::vector<mitigation::ThrottleCurve>> curve;
  for (std::size_t c = 0; c < n_class; ++c) {
    if (works) {
      auto pacing = pacing_gpu(task, type, controls, c, nominal_die_K);
      natural_W[c] = std::move(pacing.natural_W);
      curve.push_back(std::move(pacing.curve));
    } else {
      natural_W[c] = nominal_kind_W(task, type, controls, c, nominal_die_K);
    }
    // In a constant state nothing is delayed: it lasts its time whatever its power does.
    waiting_W[c] = works ? natural_W[c][wait_kind] : *std::max_element(natural_W[c].begin(), natural_W[c].end());
  }
  if (node_hold_.empty()) node_hold_.assign(n_node(), {{natural_W[0][timeline_.classes[0].front().kind], 0}, {}});
  class_begin_.assign(n_class, {});
  std::vector<double> n_in(n_class, 0.0);
  hold_class_ = task.node_class;
  for (std::size_t i = 0; i < n_node(); ++i) {
    auto& begin = class_begin_[hold_class_[i]];
    const auto& node = node_hold_[i];
    if (n_in[hold_class_[i]]++ == 0.0) begin.smoothing.missing = node.smoothing.missing, begin.ballast.missing = node.ballast.missing;
    begin.smoothing.level_W += node.smoothing.level_W;
    begin.ballast.level_W += node.ballast.level_W;
  }
  for (std::size_t c = 0; c < n_class; ++c)
    for (double* W : {&class_begin_[c].smoothing.level_W, &class_begin_[c].ballast.level_W}) *W /= std::max(1.0, n_in[c]);
  auto end = class_begin_;
  auto held = hold_power(timeline_, options_.hold, tdp_W, natural_W, wait_kind, waiting_W, end, curve);
  if (works) {
    // What is burned counts against the board limit as work does: where both together exceed it, the governor takes clock
    // from the work until their mean does not.
    // No lower than what the lowest clock draws: a cap below that is not kept.
    double limit_W = controls.cap_W - type.governor.cap_margin_W;
    for (const auto& of_class : curve)
      for (const auto& c : of_class)
        if (c.power_W.size() > 1) limit_W = std::max(limit_W, c.power_W[1]);
    std::vector<double> low_W(n_class, limit_W), high_W(n_class), peak_W(n_class, std::numeric_limits<double>::infinity());
    bool over = false;
    for (std::size_t c = 0; c < n_class; ++c) {
      high_W[c] = std::max(limit_W, *std::max_element(natural_W[c].begin(), natural_W[c].end()));
      if (held_mean_W(held, c, natural_W[c]) > 1.001 * limit_W) over = true, peak_W[c] = limit_W;
      else low_W[c] = high_W[c] = std::numeric_limits<double>::infinity();
    }
    for (int halving = 0; over && halving <= 6; ++halving) {
      end = class_begin_;
      held = hold_power(timeline_, options_.hold, tdp_W, natural_W, wait_kind, waiting_W, end, curve, peak_W);
      if (halving == 6) break;
      for (std::size_t c = 0; c < n_class; ++c) {
        if (!std::isfinite(low_W[c])) continue;
        (held_mean_W(held, c, natural_W[c]) > limit_W ? high_W : low_W)[c] = peak_W[c];
        peak_W[c] = halving == 5 ? low_W[c] : 0.5 * (low_W[c] + high_W[c]);
      }
    }
  }
  constexpr double alike_ratio = 1e-3;
  double moved_W = 0.0;
  for (std::size_t c = 0; c < n_class; ++c)
    moved_W += n_in[c] * (std::abs(end[c].smoothing.level_W - class_begin_[c].smoothing.level_W) + std::abs(end[c].ballast.level_W - class_begin_[c].ballast.level_W));
  settled_ = moved_W <= alike_ratio * tdp_W * static_cast<double>(n_node());
  for (std::size_t i = 0; i < n_node(); ++i) node_hold_[i] = end[hold_class_[i]];
  class_marks_ = std::move(held.marks);
  timeline_ = std::move(held.timeline);
  set_kinds(task, timeline_, type, model_.reference_clock_Hz());
  task.kind_low_W = std::move(held.low_W);
  task.kind_high_W = std::move(held.high_W);
}

void TrainingTask::cut(Tick at) {
  if (!options_.hold.any()) return;
  std::vector<HoldState> state;
  for (std::size_t c = 0; c < class_marks_.size(); ++c) state.push_back(remembered(class_marks_[c], class_begin_[c], at));
  for (std::size_t i = 0; i < n_node(); ++i) node_hold_[i] = state[hold_class_[i]];
}

double TrainingTask::nominal_hold_W(const workload::PhaseKind& kind, const FleetState& state) const {
  FleetTask one;
  workload::Timeline hold;
  hold_task(kind, ns_per_s, model_.reference_clock_Hz(), fleet_, first_node_, 1, hold, one);
  return nominal_kind_W(one, type_of(fleet_, first_node_), controls_of(fleet_, state, first_node_), 0, nominal_die_K)[0];
}

void TrainingTask::add_pause(const workload::PhaseKind& kind, FleetTask& task) const {
  FleetTask one;
  workload::Timeline hold;
  hold_task(kind, ns_per_s, model_.reference_clock_Hz(), fleet_, first_node_, 1, hold, one);
  task.pause_kind = static_cast<std::uint32_t>(task.kind_mix.size());
  task.kind_mix.push_back(one.kind_mix[0]);
  task.kind_context.push_back(one.kind_context[0]);
  task.kind_low_W.push_back(one.kind_low_W[0]);
  task.kind_high_W.push_back(one.kind_high_W[0]);
  task.kind_reference_W.push_back(one.kind_reference_W[0]);
}

void hold_task(const workload::PhaseKind& kind, Tick duration, double reference_Hz, const Fleet& fleet,
               std::size_t first_node, std::size_t n_node, workload::Timeline& timeline, FleetTask& task) {
  timeline = {};
  timeline.kinds.push_back(kind);
  timeline.classes.push_back({{duration, 0}});
  timeline.period = duration;
  task.class_window = {mix_of(kind)};
  task.class_gate_Hz = {0.0};
  task.class_busy = {kind.context ? std::uint8_t{1} : std::uint8_t{0}};
  task.first_node = first_node;
  task.legs.clear();
  task.repeats = false;
  task.node_class.assign(n_node, 0);
  set_kinds(task, timeline, type_of(fleet, first_node), reference_Hz);
}

/// A second class that waits, for the replicas beyond the busy ones.
void TrainingTask::split_hold(Tick duration, double busy_frac, FleetTask& task) {
  workload::PhaseKind waiting;
  waiting.name = "bubble";
  waiting.wait_s = 1.0;
  timeline_.kinds.push_back(waiting);
  timeline_.classes.push_back({{duration, 1}});
  task.class_window.push_back(mix_of(waiting));
  task.class_gate_Hz.push_back(0.0);
  task.class_busy.push_back(1);
  const auto n_busy = std::llround(busy_frac * static_cast<double>(model_.dp()));
  for (std::size_t i = 0; i < n_node(); ++i) task.node_class[i] = node_replica_[i] < n_busy ? 0 : 1;
  set_kinds(task, timeline_, type_of(fleet_, first_node_), model_.reference_clock_Hz());
}

/// GPUs whose power was held differently do not go on alike: a class for each memory that there is.
void TrainingTask::split_by_memory(FleetTask& task) {
  if (node_hold_.empty()) return;
  std::vector<std::pair<std::uint32_t, HoldState>> known;  // [class] what it was, what it remembers
  const auto before = std::move(timeline_.classes);
  const auto window = std::move(task.class_window);
  timeline_.classes.clear();
  task.class_window.clear();
  for (std::size_t i = 0; i < n_node(); ++i) {
    const std::pair<std::uint32_t, HoldState> own{task.node_class[i], node_hold_[i]};
    const auto at = std::find(known.begin(), known.end(), own);
    task.node_class[i] = static_cast<std::uint32_t>(at - known.begin());
    if (at != known.end()) continue;
    known.push_back(own);
    timeline_.classes.push_back(before[own.first]);
    task.class_window.push_back(window[own.first]);
  }
  task.class_gate_Hz.assign(known.size(), 0.0);
  task.class_busy.assign(known.size(), task.class_busy.front());
}

void TrainingTask::set_hold(const workload::PhaseKind& kind, Tick duration, FleetState& state,
                            FleetSignals& signals, FleetTask& task, double busy_frac) {
  hold_task(kind, duration, model_.reference_clock_Hz(), fleet_, first_node_, n_node(), timeline_, task);
  if (busy_frac < 1.0) split_hold(duration, busy_frac, task);
  if (options_.hold.any()) split_by_memory(task);
  std::vector<double> nominal_W;
  for (std::size_t c = 0; c < timeline_.classes.size(); ++c)
    nominal_W.push_back(nominal_kind_W(task, type_of(fleet_, first_node_), controls_of(fleet_, state, first_node_), c, nominal_die_K)[timeline_.classes[c].front().kind]);
  predict(fleet_, state, task, nominal_W, seconds(duration), signals);
  if (kind.context)
    own_clocks(fleet_, state, task, seconds(duration), signals);
  else
    idle_clocks(fleet_, state, task, signals);
  if (options_.hold.any()) hold(task, 0, false, controls_of(fleet_, state, first_node_));
}

}  // namespace tidewatt::sim
