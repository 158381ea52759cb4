#include "training_task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "step_lengths.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::fleet {
namespace {

/// A second of a constant state on one node; of its kinds only.
FleetTask second_of(const workload::PhaseKind& kind, double reference_Hz, const Fleet& fleet, std::size_t first_node) {
  FleetTask one;
  workload::Timeline hold;
  hold_task(kind, ns_per_s, reference_Hz, fleet, first_node, 1, hold, one);
  one.timeline = nullptr;
  return one;
}

/// Kinds of one task after those of another.
void append_kinds(const FleetTask& from, FleetTask& to) {
  const auto append = [](const auto& a, auto& b) { b.insert(b.end(), a.begin(), a.end()); };
  append(from.kind_mix, to.kind_mix), append(from.kind_context, to.kind_context);
  append(from.kind_low_W, to.kind_low_W), append(from.kind_high_W, to.kind_high_W);
  append(from.kind_reference_W, to.kind_reference_W);
}

/// What those do that have no part in a constant state.
workload::PhaseKind rest_kind(const HoldShare& share) {
  workload::PhaseKind rest = idle_kind();
  if (share.rest_waits) rest.name = "bubble", rest.context = true;
  return rest;
}

/// Mean over a class's segments. @param kind_W [kind]
double mean_W(const workload::Timeline& timeline, std::size_t cls, std::span<const double> kind_W) {
  double J = 0.0;
  for (const auto& s : timeline.classes[cls]) J += seconds(s.duration) * kind_W[s.kind];
  return J / seconds(timeline.period);
}

/// Classes of hosts that begin one after another, each in the middle of its share of the spread.
/// @param rest_waits what the others do counts as work
void spread_hosts(const workload::HostSpread& hosts, bool rest_waits, Tick duration, std::size_t n_node,
                  workload::Timeline& timeline, FleetTask& task) {
  constexpr std::size_t most_group = 32;
  const auto n_group = std::min(most_group, n_node);
  const auto& [length, window, since] = hosts;
  timeline.classes.clear(), task.class_busy.clear();
  for (std::size_t g = 0; g < n_group; ++g) {
    const auto at = length * static_cast<Tick>(2 * g + 1) / static_cast<Tick>(2 * n_group) - since;
    const Tick begin = std::clamp<Tick>(at, 0, duration),
               end = window == workload::never ? duration : std::clamp<Tick>(at + window, begin, duration);
    auto& segments = timeline.classes.emplace_back();
    const auto add = [&](Tick ticks, std::uint32_t kind) {
      if (ticks > 0) segments.push_back({ticks, kind});
    };
    add(begin, 1), add(end - begin, 0), add(duration - end, 1);
    task.class_busy.push_back(rest_waits || end > begin ? 1 : 0);
  }
  task.class_window.assign(n_group, dvfs::PhaseMix(task.class_window.front()));
  task.class_gate_Hz.assign(n_group, 0.0);
  for (std::size_t i = 0; i < n_node; ++i) task.node_class[i] = static_cast<std::uint32_t>(i * n_group / n_node);
}

/// Those in which a range of GPUs lies, in their order.
std::vector<std::size_t> halls_of(const Fleet& fleet, std::size_t first_node, std::int64_t n_gpu) {
  std::vector<std::size_t> out;
  const auto per_node = static_cast<std::int64_t>(fleet.n_gpu_per_node);
  for (std::int64_t n = 0; n * per_node < n_gpu; ++n) {
    const std::size_t hall = fleet.node_hall[first_node + static_cast<std::size_t>(n)];
    if (out.empty() || out.back() != hall) out.push_back(hall);
  }
  return out;
}

/// A class of GPUs that wait, or have no process. @returns its number
std::uint32_t add_class(const workload::Segment& all, bool busy, workload::Timeline& timeline, FleetTask& task) {
  timeline.classes.push_back({all});
  task.class_window.push_back(mix_of(timeline.kinds[all.kind]));
  task.class_gate_Hz.push_back(0.0);
  task.class_busy.push_back(busy ? 1 : 0);
  // It has no course of its own: any class's gives the clock of a rank that waits.
  for (auto* courses : {&task.class_course, &task.class_lead})
    if (!courses->empty()) courses->push_back(courses->front());
  return static_cast<std::uint32_t>(timeline.classes.size() - 1);
}

}  // namespace

workload::PhaseKind idle_kind() {
  workload::PhaseKind k;
  k.name = "idle";
  k.wait_s = 1.0;
  k.context = false;
  return k;
}

TrainingTask::TrainingTask(workload::IterationModel model, const Fleet& fleet, std::size_t first_node, Options options)
    : model_(std::move(model)),
      fleet_(fleet),
      options_(std::move(options)),
      ranks_{first_node, {}, {}, halls_of(fleet, first_node, model_.n_gpu())},
      scatter_(options_.jitter, options_.beat),
      held_(options_.hold,
            (static_cast<std::size_t>(model_.n_gpu()) + fleet.n_gpu_per_node - 1) / fleet.n_gpu_per_node) {
  const auto per_node = static_cast<std::int64_t>(fleet.n_gpu_per_node);
  for (std::int64_t rank = 0; rank < model_.n_gpu(); rank += per_node) {
    ranks_.stage.push_back(model_.stage_of_gpu(rank));
    ranks_.replica.push_back(model_.replica_of_gpu(rank));
    if (model_.stage_of_gpu(std::min(rank + per_node, model_.n_gpu()) - 1) != ranks_.stage.back())
      throw InputError(
          fmt::format("plan: the {} GPUs of a node would hold several pipeline stages (tp × cp = {}); "
                      "choose rank_order tp-cp-dp-pp or a wider tensor-parallel group",
                      per_node, model_.gpus_per_stage()));
  }
  if (options_.host_slowness.empty()) options_.host_slowness.assign(n_node(), 1.0);
  const double one[] = {1.0};
  iterate_window_ = {model_, model_.iteration(one), type(), StageCourses(false, options_.hold, options_.single_chips)};
  evaluate_window_ = {model_, model_.evaluation(one, 1), type(),
                      StageCourses(true, options_.hold, options_.single_chips)};
}

/// What could everyone do alone? Classes are the stages.
void TrainingTask::ask_alone(StageWindows& window, FleetState& state, double ahead_s, FleetSignals& signals,
                             FleetTask& task) const {
  task.reference_Hz = model_.reference_clock_Hz();
  const auto mean_W = window.set_alone(limits_, task);
  task.whole = nullptr;
  task.first_node = ranks_.first_node;
  task.node_class.resize(n_node());
  for (std::size_t i = 0; i < n_node(); ++i) task.node_class[i] = limits_.class_of(i, 0, ranks_.stage[i], n_stage());
  task.legs.clear();
  task.repeats = true;
  predict_with_own_clocks(fleet_, state, task, mean_W, ahead_s, signals);
  if (!window.rated_Hz.empty()) return;
  const auto rated_Hz =
      rated_clocks_Hz(fleet_, task, dvfs::limit_W(window.cap_W(type()), type().governor), window.max_Hz(type()));
  window.rated_Hz = slowest_of_replicas(rated_Hz, ranks_.replica, options_.host_slowness, n_replica());
}

/// Replicas by the clock that their slowest GPU could have alone.
ReplicaGroups TrainingTask::groups_now(const FleetState& state, std::span<const double> rated_Hz) {
  constexpr double apart_share = 0.01;  // of the reference clock: what a group does to its replicas is a tenth of that
  const std::size_t n_gpu = fleet_.n_gpu_per_node;
  const double* own_Hz = &state.own_Hz[ranks_.first_node * n_gpu];
  std::vector<double> node_Hz;
  node_Hz.reserve(n_node());
  for (std::size_t i = 0; i < n_node(); ++i)
    node_Hz.push_back(*std::min_element(own_Hz + i * n_gpu, own_Hz + (i + 1) * n_gpu));
  auto out =
      group_replicas(slowest_of_replicas(node_Hz, ranks_.replica, options_.host_slowness, n_replica()), rated_Hz,
                     static_cast<std::size_t>(options_.replica_groups), apart_share * model_.reference_clock_Hz());
  double sum_Hz = 0.0;
  for (std::size_t i = 0; i < n_node(); ++i)
    for (std::size_t g = 0; g < n_gpu; ++g) sum_Hz += own_Hz[i * n_gpu + g] / options_.host_slowness[i];
  state_.slowest_Hz = out.slowest_Hz.front();
  state_.alone_Hz = sum_Hz / static_cast<double>(n_node() * n_gpu);
  if (!options_.gating) std::fill(out.slowest_Hz.begin(), out.slowest_Hz.end(), state_.alone_Hz);
  return out;
}

void TrainingTask::set_work(Work work, std::int64_t batches, FleetState& state, double ahead_s, FleetSignals& signals,
                            FleetTask& task, std::int64_t iteration, Tick begin, Tick pair_within) {
  auto& window = work == Work::iterate ? iterate_window_ : evaluate_window_;
  const auto node_hall = std::span(fleet_.node_hall).subspan(ranks_.first_node, n_node());
  limits_ = limits_of(state.controls, ranks_.halls, node_hall);
  window.set_limits(model_, fleet_, limits_, task.clock_frac);
  const double reference_Hz = model_.reference_clock_Hz();
  ask_alone(window, state, ahead_s, signals, task);
  const auto groups = groups_now(state, window.rated_Hz);
  pace_.clear();
  for (const double Hz : groups.slowest_Hz) pace_.push_back(Hz / reference_Hz);
  const std::size_t n_group = pace_.size();
  timeline_ = work == Work::iterate ? model_.iteration(pace_) : model_.evaluation(pace_, batches);
  scatter_.set_work(static_cast<std::int64_t>(n_group), timeline_.period);
  if (scatters() && work == Work::iterate)
    timeline_ = model_.iteration(pace_, scatter_.one(iteration, begin));
  else if (!held_.any())
    split_long(timeline_);
  if (!held_.any()) split_after_waits(timeline_);
  limits_.repeat_classes(n_stage(), timeline_);
  task.class_window.clear(), task.class_course.clear(), task.class_lead.clear();
  task.class_gate_Hz.clear();
  for (std::size_t group = 0; group < n_group; ++group) {
    const double gate_Hz = options_.gating ? pace_[group] * reference_Hz : 0.0;
    if (gate_Hz > 0.0 || !held_.any())  // without gating nobody waits, so courses know nothing of what is burned
      window.add(model_, fleet_, limits_, gate_Hz, pace_.front() * reference_Hz, task);
    for (std::size_t c = 0; c < limits_.n() * n_stage(); ++c) {
      task.class_window.push_back(task.class_course.empty() ? window.mix(c % n_stage())
                                                            : task.class_course[task.class_window.size()].all());
      task.class_gate_Hz.push_back(gate_Hz);
    }
  }
  task.class_busy.assign(n_group * limits_.n() * n_stage(), 1);
  for (std::size_t i = 0; i < n_node(); ++i)
    task.node_class[i] =
        limits_.class_of(i, groups.of_replica[static_cast<std::size_t>(ranks_.replica[i])], ranks_.stage[i], n_stage());
  set_kinds(task, timeline_, type(), reference_Hz);
  task.iterations = 1;
  if (held_.any()) held_.apply(timeline_, task, type(), controls(state), wait_kind_of(timeline_), true, pair_within);
}

void TrainingTask::stop_replica(std::int64_t node, FleetTask& task) {
  if (held_.any()) return;
  const auto waits = add_class({timeline_.period, wait_kind_of(timeline_)}, true, timeline_, task);
  const auto replica = ranks_.replica[static_cast<std::size_t>(std::max<std::int64_t>(0, node)) % n_node()];
  for (std::size_t i = 0; i < n_node(); ++i)
    if (ranks_.replica[i] == replica) task.node_class[i] = waits;
}

Tick TrainingTask::exchange() const { return model_.dp() < 2 ? 0 : exchange_begin(timeline_); }

void TrainingTask::set_mean(std::int64_t first, std::int64_t count, Tick begin, FleetTask& task) {
  timeline_ = model_.iteration(pace_, scatter_.mean(first, count, begin));
  split_after_waits(timeline_);
  limits_.repeat_classes(n_stage(), timeline_);
  task.timeline = &timeline_;
}

std::vector<workload::Timeline> TrainingTask::singles() const {
  std::vector<workload::Timeline> out;
  for (const auto& scatter : scatter_.each()) {
    split_after_waits(out.emplace_back(model_.iteration(pace_, scatter)));
    limits_.repeat_classes(n_stage(), out.back());
  }
  return out;
}

double TrainingTask::nominal_hold_W(const workload::PhaseKind& kind, const FleetState& state) const {
  const FleetTask one = second_of(kind, model_.reference_clock_Hz(), fleet_, ranks_.first_node);
  return nominal_kind_W(one, type(), controls(state), 0, nominal_die_K)[0];
}

void TrainingTask::add_pause(const workload::PhaseKind& kind, FleetTask& task) const {
  task.pause_kind = static_cast<std::uint32_t>(task.kind_mix.size());
  append_kinds(second_of(kind, model_.reference_clock_Hz(), fleet_, ranks_.first_node), task);
}

void hold_task(const workload::PhaseKind& kind, Tick duration, double reference_Hz, const Fleet& fleet,
               std::size_t first_node, std::size_t n_node, workload::Timeline& timeline, FleetTask& task) {
  timeline = {};
  timeline.kinds.push_back(kind);
  timeline.classes.push_back({{duration, 0}});
  timeline.period = duration;
  task.class_window = {mix_of(kind)};
  task.class_course.clear();
  task.class_lead.clear();
  task.class_kinds.clear();
  task.class_gate_Hz = {0.0};
  task.class_busy = {kind.context ? std::uint8_t{1} : std::uint8_t{0}};
  task.first_node = first_node;
  task.legs.clear();
  task.iterations = 1;
  task.repeats = false;
  task.node_class.assign(n_node, 0);
  set_kinds(task, timeline, fleet.types[fleet.node_hall[first_node]], reference_Hz);
}

/// A second class for the replicas or hosts beside the busy ones.
void TrainingTask::split_hold(Tick duration, const HoldShare& share, FleetTask& task) {
  timeline_.kinds.push_back(rest_kind(share));
  const auto others = add_class({duration, 1}, share.rest_waits, timeline_, task);
  const auto n_busy = std::llround(share.busy_frac * static_cast<double>(share.by_host ? n_node() : n_replica()));
  for (std::size_t i = 0; i < n_node(); ++i)
    task.node_class[i] = (share.by_host ? static_cast<std::int64_t>(i) : ranks_.replica[i]) < n_busy ? 0 : others;
  set_kinds(task, timeline_, type(), model_.reference_clock_Hz());
}

void TrainingTask::set_hold(const workload::PhaseKind& kind, Tick duration, FleetState& state, FleetSignals& signals,
                            FleetTask& task, const HoldShare& share) {
  hold_task(kind, duration, model_.reference_clock_Hz(), fleet_, ranks_.first_node, n_node(), timeline_, task);
  if (share.hosts.length > 0) {
    timeline_.kinds.push_back(rest_kind(share));
    spread_hosts(share.hosts, share.rest_waits, duration, n_node(), timeline_, task);
    set_kinds(task, timeline_, type(), model_.reference_clock_Hz());
  } else if (share.busy_frac < 1.0)
    split_hold(duration, share, task);
  if (held_.any()) held_.split(timeline_, task);
  std::vector<double> nominal_W;
  nominal_W.reserve(timeline_.classes.size());
  for (std::size_t c = 0; c < timeline_.classes.size(); ++c)
    nominal_W.push_back(mean_W(timeline_, c, nominal_kind_W(task, type(), controls(state), c, nominal_die_K)));
  predict(fleet_, state, task, nominal_W, seconds(duration), signals);
  if (kind.context)
    own_clocks(fleet_, state, task, seconds(duration), signals);
  else
    idle_clocks(fleet_, state, task, signals);
  if (held_.any()) held_.apply(timeline_, task, type(), controls(state), 0, false, 0);
}

}  // namespace TIDEWATT_NAMESPACE::fleet
