#include "job_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tidewatt/base/parallel.hpp"

namespace tidewatt::sim {
namespace {

using workload::JobState;

bool works(JobState s) { return s == JobState::iterate || s == JobState::evaluate; }

std::vector<workload::Failure> failures_of(const Scenario& s, const JobSpec& job, Tick end, std::int64_t n_node) {
  std::vector<workload::Failure> out;
  if (job.failures) out = workload::draw_failures(*job.failures, static_cast<std::uint64_t>(s.run.seed), n_node, 0, end);
  for (const auto& e : s.events)
    if (e.job == job.name) out.push_back({to_tick(e.at_s), 0, -1, e.kind == "planned_stop"});
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.tick < b.tick; });
  return out;
}

}  // namespace

std::vector<ClassMap> make_class_maps(const Fleet& fleet, const FleetState& state, const FleetTask& task, bool slice) {
  // Rates between those of the slowest and the fastest fan that can occur in this step.
  RateRange rates;
  rates.lo.fill(1e300);
  rates.hi.fill(0.0);
  const thermal::PackageModes* reference = nullptr;
  for (std::size_t n = task.first_node; n < task.first_node + task.n_node(); ++n) {
    const auto& type = fleet.types[fleet.node_hall[n]];
    const auto carry = state.die_carry_K.begin() + static_cast<std::ptrdiff_t>(n * fleet.n_gpu_per_node);
    const double hottest_K = *std::max_element(carry, carry + static_cast<std::ptrdiff_t>(fleet.n_gpu_per_node));
    for (const double fan : {state.fan_frac[n], thermal::fan_target_frac(type.air, hottest_K)}) {
      const auto& modes = type.modes[fan_step(std::max(type.air.fan_min_frac, fan))];
      if (reference == nullptr) reference = &modes;
      for (std::size_t m = 0; m < thermal::n_mode; ++m) {
        rates.lo[m] = std::min(rates.lo[m], modes.rate_per_s[m]);
        rates.hi[m] = std::max(rates.hi[m], modes.rate_per_s[m]);
      }
    }
  }
  const auto& type = fleet.types[fleet.node_hall[task.first_node]];
  std::vector<ClassMap> maps(task.timeline->classes.size());
  const std::size_t n_kind = task.timeline->kinds.size();
  parallel_ranges(maps.size(), task.n_thread, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c)
      maps[c] = make_class_map(task.timeline->classes[c], n_kind, rates, *reference,
                               slice ? std::vector<double>{} : nominal_kind_W(task, type, c, 338.15));
  });
  return maps;
}

JobRun::JobRun(const Scenario& scenario, const Fleet& fleet, const JobSpec* spec, std::size_t lane,
               std::size_t first_node, std::size_t n_node)
    : name_(spec != nullptr ? spec->name : "idle"),
      lane_(lane),
      first_node_(first_node),
      n_node_(n_node),
      macro_step_(to_tick(scenario.run.macro_step_s)) {
  if (spec == nullptr) return;
  TrainingTask::Options options;
  options.replica_groups = scenario.run.replica_groups;
  options.gating = scenario.run.gating;
  options.smoothing = scenario.gpu_smoothing;
  options.jitter.emplace(spec->life.jitter, static_cast<std::uint64_t>(scenario.run.seed), lane, spec->plan.dp());
  options.host_slowness = workload::host_slowness(spec->life.jitter, static_cast<std::uint64_t>(scenario.run.seed), static_cast<std::int64_t>(n_node));
  const auto& hall = scenario.halls[fleet.node_hall[first_node]];
  maker_.emplace(workload::IterationModel(spec->model, spec->plan, hall.compute, spec->network), fleet, first_node, options);
  life_.emplace(spec->life, workload::JobSize{spec->plan.n_gpu, maker_->model().model_checkpoint_bytes()},
                failures_of(scenario, *spec, to_tick(scenario.run.duration_s), static_cast<std::int64_t>(n_node)));
}

void JobRun::set_air(Hands& hands) {
  task_.n_thread = hands.n_thread;
  task_.inlet_K = hands.halls.inlet_K();
  task_.inlet_K_per_s = hands.halls.inlet_K_per_s();
  task_.since_macro_s = seconds(now_ - hands.halls.macro_begin());
  task_.air_J_per_m3_K = hands.halls.air_J_per_m3_K();
}

double JobRun::spin_up_W(Hands& hands, FleetMeters& unbooked) {
  set_air(hands);
  task_.repetitions = 1;
  const double reference_Hz = hands.scenario.halls.front().compute.reference_clock_Hz;
  hold_task(idle_kind(), 3600 * ns_per_s, reference_Hz, hands.fleet, first_node_, n_node_, hold_, task_);
  idle_clocks(hands.fleet, hands.state, task_, hands.signals);
  return advance_periodic(hands.fleet, hands.state, hands.signals, unbooked, task_, make_class_maps(hands.fleet, hands.state, task_, false))[0][0];
}

bool JobRun::calm(Tick until) const {
  if (!life_) return true;
  const JobState doing = life_->state().state;
  if (doing == JobState::queued || doing == JobState::done) return life_->next(now_).until >= until;
  // Fans, halls and plants take some minutes to follow a start.
  return doing == JobState::iterate && now_ - started_ > 600 * ns_per_s && since_change_ > 0 && jump_s_ > 0.0 && life_->next(now_).interrupt >= until;
}

void JobRun::advance_to(Tick until, Hands& hands) {
  while (now_ < until) step(until, hands);
}

void JobRun::step(Tick until, Hands& hands) {
  ask(until, hands);
  const Length length = choose_length(until, hands);
  advance(length, hands);
  work_done(length, hands);
}

void JobRun::ask(Tick until, Hands& hands) {
  set_air(hands);
  job_step_ = life_ ? life_->next(now_) : workload::JobStep{};
  if (job_step_.state != last_state_) {
    // A short pause leaves the fleet almost as it was; a start or an outage does not.
    const bool pause = job_step_.state == JobState::iterate &&
                       (last_state_ == JobState::checkpoint || last_state_ == JobState::evaluate);
    to_slice_ = job_step_.state == JobState::iterate && !pause ? 2 : 0;
    if (job_step_.state == JobState::iterate && !pause) started_ = now_;
    held_ = 0;
    since_change_ = 0;
    jump_s_ = 0.0;
    // What the last step carried describes something else. After a pause it will be much as it was before; otherwise the
    // present is the better guess.
    const auto first = static_cast<std::ptrdiff_t>(first_node_ * hands.fleet.n_gpu_per_node);
    const auto n = static_cast<std::ptrdiff_t>(n_node_ * hands.fleet.n_gpu_per_node);
    auto& s = hands.state;
    if (last_state_ == JobState::iterate) std::copy_n(s.die_carry_K.begin() + first, n, s.die_work_K.begin() + first);
    for (auto* v : {&s.die_carry_K, &s.die_mean_K, &s.die_peak_K}) std::copy_n(s.die_K.begin() + first, n, v->begin() + first);
    if (pause) std::copy_n(s.die_work_K.begin() + first, n, s.die_carry_K.begin() + first);
    std::fill_n(hands.state.die_rate_K_per_s.begin() + first, n, 0.0);
  }
  last_state_ = job_step_.state;
  task_.clock_frac = job_step_.clock_frac;
  const double ahead_s = since_change_ == 0 ? 1.0 : std::min(std::max(last_step_s_, jump_s_), seconds(until - now_));
  if (job_step_.state == JobState::iterate)
    maker_->set_work(TrainingTask::Work::iterate, 0, hands.state, ahead_s, hands.signals, task_, life_->progress_iterations());
  else if (job_step_.state == JobState::evaluate)
    maker_->set_work(TrainingTask::Work::evaluate, job_step_.evaluation_batches, hands.state, ahead_s, hands.signals, task_);
}

JobRun::Length JobRun::choose_length(Tick until, Hands& hands) {
  const Tick hard_end = std::min(hands.end, job_step_.interrupt);
  if (!works(job_step_.state)) {
    // A constant state: its own steps are graded, so only fans and preheat ask for stretches: 1 s, 4 s, 16 s, ...
    Tick stretch = ns_per_s << std::min<std::int64_t>(2 * held_, 12);
    stretch = std::min({stretch, hard_end - now_, until - now_});
    if (job_step_.until != workload::never) stretch = std::min(stretch, job_step_.until - now_);
    stretch = std::max<Tick>(stretch, 1);
    const bool free = job_step_.state == JobState::done || job_step_.state == JobState::queued;
    const auto kind = free ? idle_kind() : job_step_.kind;
    if (maker_) {
      maker_->set_hold(kind, stretch, hands.state, hands.signals, task_, job_step_.busy_frac);
    } else {
      hold_task(kind, stretch, hands.scenario.halls.front().compute.reference_clock_Hz, hands.fleet, first_node_, n_node_, hold_, task_);
      idle_clocks(hands.fleet, hands.state, task_, hands.signals);
    }
    return {1, How::resolved, false};
  }
  const bool resolve = hands.scenario.run.advance == "resolved";
  const Tick period = task_.timeline->period;
  const std::int64_t whole = whole_iterations(hard_end - now_, false);
  if (whole == 0) return {1, How::sliced, true};
  if (to_slice_ > 0) return {1, How::sliced, false};
  if (resolve || job_step_.state == JobState::evaluate) return {1, How::resolved, false};
  std::int64_t n = whole_iterations(until - now_, true);  // the first boundary that is not before the macro step's end
  if (job_step_.until != workload::never) n = std::min(n, whole_iterations(job_step_.until - now_, true));
  // Fans swing in after a start, which the estimate does not see: jumps no longer than a share of the time since then.
  const double settling_s = 0.12 * seconds(now_ - started_);
  const auto allowed = static_cast<std::int64_t>(std::min(jump_s_, settling_s) / seconds(period));
  n = std::min({n, whole, std::max<std::int64_t>(1, job_step_.max_iterations), std::max<std::int64_t>(1, allowed)});
  if (maker_->scatters() && hands.scenario.gpu_smoothing) n = 1;  // smoothed pieces follow each iteration's own length
  if (maker_->scatters() && n > 1) maker_->set_mean(life_->progress_iterations(), n, task_);
  return {n, How::repeated, false};
}

/// Iterations of the present work inside `length`, or up to the first boundary that is not before its end.
std::int64_t JobRun::whole_iterations(Tick length, bool through) const {
  const Tick period = task_.timeline->period;
  if (!maker_->scatters() || job_step_.state != JobState::iterate || length < period)
    return (length + (through ? period - 1 : 0)) / period;
  constexpr std::int64_t most = 100'000;  // further than any step goes
  return maker_->fit(life_->progress_iterations(), most, length, through);
}

/// Whether somebody looks at single iterations before `until`: a recorded window, or the spectrum, which begins anew with
/// every uninterrupted interval.
bool JobRun::looked_at(Tick until, const Hands& hands) const {
  constexpr Tick spectrum = 310 * ns_per_s;
  if (since_change_ < spectrum) return true;
  for (const auto& w : hands.scenario.windows)
    if (to_tick(w.start_s) < until && to_tick(w.start_s + w.duration_s) > now_) return true;
  return false;
}

/// The step's load on its way to the site's stream: as one repeated template, or iteration by iteration.
void JobRun::hand_on(LoadTemplate load, const ClassPower& power, Tick stop, Hands& hands) {
  const bool iterating = job_step_.state == JobState::iterate;
  if (task_.repetitions == 1 || !maker_->scatters() || !looked_at(stop, hands)) {
    hands.loads.push_back({lane_, std::move(load), task_.repetitions, iterating});
    return;
  }
  const auto& mean = *task_.timeline;
  const std::size_t n_kind = mean.kinds.size();
  std::vector<double> kind_W(mean.classes.size() * n_kind, 0.0);
  for (std::size_t c = 0; c < mean.classes.size(); ++c)
    for (std::size_t s = 0; s < mean.classes[c].size(); ++s) kind_W[c * n_kind + mean.classes[c][s].kind] = power[c][s];
  for (const auto& single : maker_->singles()) {
    ClassPower W(single.classes.size());
    for (std::size_t c = 0; c < W.size(); ++c)
      for (const auto& s : single.classes[c]) W[c].push_back(kind_W[c * n_kind + s.kind]);
    hands.loads.push_back({lane_, make_load_template(single, W), 1, iterating});
  }
}

void JobRun::advance(const Length& length, Hands& hands) {
  task_.repetitions = length.repetitions;
  const bool iterates = job_step_.state == JobState::iterate && !length.cut;
  const double tokens = iterates ? maker_->model().tokens_per_iteration() * static_cast<double>(length.repetitions) : 0.0;
  if (length.how == How::sliced) return advance_sliced(length, hands);
  ClassPower power;
  if (length.how == How::resolved) {
    graded_ = graded(*task_.timeline);
    task_.timeline = &graded_;
    ++hands.counts.resolved;
    power = advance_resolved(hands.fleet, hands.state, hands.signals, hands.meters, task_);
  } else {
    ++hands.counts.jumps;
    hands.counts.repetitions += length.repetitions;
    power = advance_periodic(hands.fleet, hands.state, hands.signals, hands.meters, task_, make_class_maps(hands.fleet, hands.state, task_, false));
    judge(hands);
  }
  if (iterates && since_change_ > 60 * ns_per_s && hands.recorder.hotter(hands.halls.mean_inlet_K()))
    hands.recorder.snapshot(hands.state, hands.signals, *maker_, hands.halls.inlet_K(), make_load_edges(*task_.timeline, power),
                            hands.halls.mean_inlet_K());
  deliver(power, tokens, hands);
}

/// One iteration in slices from 10 ms after a start, doubling up to a second, because leakage, fans and preheat then
/// follow a die that warms by the second.
void JobRun::advance_sliced(const Length& length, Hands& hands) {
  const workload::Timeline whole = *task_.timeline;
  const Tick end = length.cut ? std::min(hands.end, job_step_.interrupt) - now_ : whole.period;
  const double tokens = length.cut ? 0.0 : maker_->model().tokens_per_iteration();
  const bool resolve = hands.scenario.run.advance == "resolved";
  Tick step = since_change_ == 0 ? 10 * ns_per_ms : ns_per_s;
  for (Tick at = 0; at < end;) {
    const Tick stop = end - at <= step + step / 2 ? end : at + step;
    graded_ = resolve ? graded(slice(whole, at, stop)) : slice(whole, at, stop);
    task_.timeline = &graded_;
    set_air(hands);
    ++hands.counts.slices;
    const auto power = resolve ? advance_resolved(hands.fleet, hands.state, hands.signals, hands.meters, task_)
                               : advance_periodic(hands.fleet, hands.state, hands.signals, hands.meters, task_, make_class_maps(hands.fleet, hands.state, task_, true));
    deliver(power, tokens * (static_cast<double>(stop - at) / static_cast<double>(end)), hands);
    at = stop;
    step = std::min(2 * step, ns_per_s);
  }
  last_step_s_ = seconds(end);
}

/// Embedded error estimate of a jump: how far the mean die temperatures came out from where clocks had been chosen and
/// leakage guessed. Second order in the jump's length.
void JobRun::judge(Hands& hands) {
  double worst_K = 0.0, sum_K = 0.0;
  for (std::size_t n = first_node_; n < first_node_ + n_node_; ++n) {
    worst_K = std::max(worst_K, hands.signals.miss_K[n]);
    sum_K += hands.signals.miss_K[n];
  }
  const double tolerance_K = hands.scenario.run.tolerance_K;
  const double error = std::max({sum_K / static_cast<double>(n_node_), 0.25 * worst_K, 1e-9}) / tolerance_K;
  const double done_s = seconds(task_.timeline->period) * static_cast<double>(task_.repetitions);
  jump_s_ = done_s * std::clamp(0.9 / std::sqrt(error), 0.25, 2.0);
  jump_s_ = std::max(jump_s_, 1.5 * seconds(task_.timeline->period) * (error < 0.5 ? 1.4 : 0.7));
}

/// The step's load to the site, its heat to the halls, its figures to the recorder; its clock moves on.
void JobRun::deliver(const ClassPower& power, double tokens, Hands& hands) {
  hands.walk.add(task_);
  LoadTemplate load = make_load_template(*task_.timeline, power);
  const Tick stop = now_ + task_.timeline->period * task_.repetitions;
  Recorder::Step step{now_, stop, job_step_.state};
  step.load_J = load.total_J() * static_cast<double>(task_.repetitions);
  if (tokens > 0.0) {
    step.tokens = tokens;
    step.iteration_s = seconds(stop - now_) * maker_->model().tokens_per_iteration() / tokens;
    step.slowest_Hz = maker_->slowest_Hz();
    figures_.tokens += tokens;
    figures_.iterating_s += seconds(stop - now_);
    figures_.iteration_s2 += seconds(stop - now_) * step.iteration_s;
  }
  figures_.load_J += step.load_J;
  hands.recorder.fleet_step(step, lane_, first_node_, n_node_, hands.state, hands.signals);
  hands.halls.collect(hands.signals, first_node_, n_node_, now_, stop);
  hand_on(std::move(load), power, stop, hands);
  last_step_s_ = seconds(stop - now_);
  since_change_ += stop - now_;
  now_ = stop;
}

void JobRun::work_done(const Length& length, Hands& hands) {
  ++held_;
  if (to_slice_ > 0) --to_slice_;
  if (!life_) return;
  const std::int64_t iterations = job_step_.state == JobState::iterate && !length.cut ? length.repetitions : 0;
  if (now_ >= job_step_.interrupt) {
    life_->interrupted(now_, iterations);
  } else if (works(job_step_.state)) {
    if (!length.cut) life_->completed(job_step_, iterations, now_);
    else life_->book_until(now_);
  } else if (job_step_.until != workload::never && now_ >= job_step_.until) {
    life_->completed(job_step_, 0, now_);
  } else if (now_ >= hands.end) {
    life_->book_until(now_);
  }
  for (auto& e : life_->take_events())
    hands.recorder.event(e.tick, std::move(e.kind), e.entity < 0 ? name_ : fmt::format("node {}", hands.fleet.node_number[first_node_ + static_cast<std::size_t>(e.entity)]), std::move(e.text));
  watch_limits(hands);
}

/// What no limiter can prevent is a result, said once: a die beyond its shutdown temperature, a cap that even the lowest
/// clock exceeds.
void JobRun::watch_limits(Hands& hands) {
  const auto& fleet = hands.fleet;
  if (!said_hot_) {
    std::size_t n_hot = 0;
    for (std::size_t n = first_node_; n < first_node_ + n_node_; ++n) {
      const double limit_K = fleet.types[fleet.node_hall[n]].governor.shutdown_K;
      for (std::size_t g = n * fleet.n_gpu_per_node; g < (n + 1) * fleet.n_gpu_per_node; ++g) n_hot += hands.state.die_peak_K[g] > limit_K;
    }
    if (n_hot > 0)
      hands.recorder.event(now_, "over_shutdown_temperature", "site", fmt::format("{} GPUs beyond their shutdown temperature", n_hot));
    said_hot_ = n_hot > 0;
  }
  const double lowest_Hz = fleet.types[fleet.node_hall[first_node_]].gpu.clock_min_Hz();
  if (works(job_step_.state) && maker_->slowest_Hz() <= lowest_Hz * (1.0 + 1e-9) && !said_cap_) {
    hands.recorder.event(now_, "cap_not_held", name_, "the lowest clock draws more than the power cap allows");
    said_cap_ = true;
  }
}

}  // namespace tidewatt::sim
