#include "job_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "tidewatt/sim/memory_heat.hpp"

namespace tidewatt::sim {
namespace {

using workload::JobState;
constexpr double settling_share = 0.5, settling_lag_s = 300.0, hold_growth = 3.0;
constexpr double a_remainder = 1.5;  ///< of a hold's stretch, that it takes along rather than leave it a step of its own
constexpr Tick first_hold = 3 * ns_per_s, first_hot_hold = ns_per_s, longest_hold = 4096 * ns_per_s;
constexpr Tick settling = 120 * ns_per_s;  // fans follow a start for some minutes; halls and plants say themselves how far they are
constexpr Tick settled_after = 600 * ns_per_s;  // the warmest moment is looked for from then on

bool works(JobState s) { return s == JobState::iterate || s == JobState::evaluate; }

std::vector<workload::Failure> failures_of(const Scenario& s, const JobSpec& job, Tick end, std::int64_t n_node) {
  std::vector<workload::Failure> out;
  if (job.failures) out = workload::draw_failures(*job.failures, static_cast<std::uint64_t>(s.run.seed), n_node, 0, end);
  for (const auto& e : s.events)
    if (e.job == job.name && (e.kind == "failure" || e.kind == "planned_stop")) out.push_back({to_tick(e.at_s), 0, -1, e.kind == "planned_stop"});
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.tick < b.tick; });
  return out;
}

}  // namespace

JobRun::JobRun(const Scenario& scenario, const Fleet& fleet, const JobSpec* spec, std::size_t lane,
               std::size_t first_node, std::size_t n_node)
    : name_(spec != nullptr ? spec->name : "idle"),
      lane_(lane),
      first_node_(first_node),
      n_node_(n_node),
      macro_step_(to_tick(scenario.run.macro_step_s)),
      brakes_(scenario) {
  if (spec == nullptr) return;
  TrainingTask::Options options;
  options.replica_groups = scenario.run.replica_groups;
  options.gating = scenario.run.gating;
  options.hold = {scenario.gpu_smoothing, scenario.ballast};
  options.beat = spec->beat;
  options.jitter.emplace(spec->life.jitter, static_cast<std::uint64_t>(scenario.run.seed), lane, spec->plan.dp());
  options.host_slowness = workload::host_slowness(spec->life.jitter, static_cast<std::uint64_t>(scenario.run.seed), static_cast<std::int64_t>(n_node));
  const auto& hall = scenario.halls[fleet.node_hall[first_node]];
  maker_.emplace(workload::IterationModel(spec->model, spec->plan, hall.compute, spec->network), fleet, first_node, options);
  life_.emplace(spec->life, workload::JobSize{spec->plan.n_gpu, maker_->model().model_checkpoint_bytes()},
                failures_of(scenario, *spec, to_tick(scenario.run.duration_s), static_cast<std::int64_t>(n_node)));
  for (const auto& e : scenario.events)
    if ((e.kind == "pause" && e.job == name_) || (e.kind == "curtailment" && e.by == "pause"))
      life_->request_stop(to_tick(e.at_s - e.notice_s), to_tick(e.duration_s + e.notice_s));
}

void JobRun::set_air(Hands& hands) {
  task_.n_thread = hands.n_thread;
  task_.inlet_K = hands.halls.inlet_K();
  task_.inlet_K_per_s = hands.halls.inlet_K_per_s();
  task_.flow_frac = hands.halls.flow_frac();
  task_.since_macro_s = seconds(now_ - hands.halls.macro_begin());
  task_.before_s = before_s_;
  task_.air_J_per_m3_K = hands.halls.air_J_per_m3_K();
  task_.dark = dark_;
}

void JobRun::predict_hold(Hands& hands) {
  const auto hall = hands.fleet.node_hall[first_node_];
  predict(hands.fleet, hands.state, task_, std::array{dark_ ? 0.0 : nominal_kind_W(task_, hands.fleet.types[hall], hands.state.controls[hall], 0, 338.15)[0]}, seconds(task_.timeline->period), hands.signals);
}

double JobRun::spin_up_W(Hands& hands, FleetMeters& unbooked) {
  set_air(hands);
  task_.repetitions = 1;
  const double reference_Hz = hands.scenario.halls.front().compute.reference_clock_Hz;
  hold_task(idle_kind(), 3600 * ns_per_s, reference_Hz, hands.fleet, first_node_, n_node_, hold_, task_);
  predict_hold(hands);
  idle_clocks(hands.fleet, hands.state, task_, hands.signals);
  Rises rises;
  return advance_periodic(hands.fleet, hands.state, hands.signals, unbooked, task_, make_class_maps(hands.fleet, hands.state, hands.signals, task_, &rises))[0][0];
}

bool JobRun::calm(Tick until) const {
  if (!life_) return true;
  if (life_->state().start_held) return false;  // it looks at every macro step whether its nodes can run
  const JobState doing = life_->state().state;
  if (doing == JobState::queued || doing == JobState::done) return life_->next(now_).until >= until;
  if (doing != last_state_ && !works(doing)) return false;  // something has just become of it
  const auto next = life_->next(now_);
  if (!works(doing) && next.state == doing) return held_ > 0 && since_change_ > settling && std::min(next.until, next.interrupt) >= until;
  return doing == JobState::iterate && now_ - started_ > settling && since_change_ > 0 && jump_s_ > 0.0 && next.interrupt >= until;
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
  if (life_ && !runs(last_state_)) life_->hold_start(cannot_start(hands));
  job_step_ = life_ ? life_->next(now_) : workload::JobStep{};
  // A jump goes through short pauses as if they were part of the iterating.
  const bool pause_first = jumps_over(job_step_, now_, hands) && last_state_ == JobState::iterate && to_slice_ == 0 && jump_s_ > 0.0;
  const JobState doing = pause_first ? JobState::iterate : job_step_.state;
  if (doing != last_state_) change_to(doing, hands);
  task_.clock_frac = job_step_.clock_frac;
  if (doing == JobState::iterate) {
    double ahead_s = maker_->iteration_reference_s();
    task_.dip_K = 0.0;
    if (since_change_ > 0 && last_period_ > 0 && to_slice_ == 0 && hands.scenario.run.advance != "resolved") {
      if (const auto ahead = look_ahead(until, last_period_, std::numeric_limits<std::int64_t>::max(), hands)) {
        ahead_s = 0.0;
        for (const auto& leg : ahead->legs) ahead_s += seconds(leg.duration);
        task_.dip_K = pause_dip_K(*ahead, hands);
      }
    }
    maker_->set_work(TrainingTask::Work::iterate, 0, hands.state, ahead_s, hands.signals, task_, life_->progress_iterations(), now_);
    task_.dip_K = 0.0;
    last_period_ = task_.timeline->period;
  } else if (doing == JobState::evaluate) {
    maker_->set_work(TrainingTask::Work::evaluate, job_step_.evaluation_batches, hands.state, std::max(1.0, last_step_s_), hands.signals, task_);
  }
}

void JobRun::change_to(JobState doing, Hands& hands) {
  if (held_ > 0 && !runs(last_state_) && !runs(doing)) {  // the GPUs go on as they were, without a process
    last_state_ = doing;
    return;
  }
  // A short pause leaves the fleet almost as it was; a start or an outage does not.
  const bool pause = last_state_ == JobState::checkpoint || last_state_ == JobState::evaluate;
  to_slice_ = doing == JobState::iterate && !pause ? 1 : 0;
  if (doing == JobState::iterate && !pause) started_ = now_;
  held_ = 0;
  since_change_ = 0;
  jump_s_ = 0.0;
  begun_frac_ = 0.0;
  if (runs(doing)) reset_nodes(hands);
  // What the last step's power was describes something else. The work will draw much what it drew last.
  const auto first = static_cast<std::ptrdiff_t>(first_node_ * hands.fleet.n_gpu_per_node);
  const auto n = static_cast<std::ptrdiff_t>(n_node_ * hands.fleet.n_gpu_per_node);
  auto& s = hands.state;
  if (last_state_ == JobState::iterate) std::copy_n(s.mean_W.begin() + first, n, s.work_W.begin() + first);
  if (doing == JobState::iterate) std::copy_n(s.work_W.begin() + first, n, s.mean_W.begin() + first);
  else std::fill_n(s.mean_W.begin() + first, n, 0.0);
  for (auto* v : {&s.die_mean_K, &s.die_peak_K}) std::copy_n(s.die_K.begin() + first, n, v->begin() + first);
  task_.before_s = before_s_ = 0.0;
  last_state_ = doing;
  rises_ = {};
}

/// Fans and halls swing in after a start, which the estimate sees only in part: no step is longer than a share of the
/// time since then.
double JobRun::settling_s() const {
  const double since_s = seconds(now_ - started_);
  return std::max(settling_share * since_s, since_s - settling_lag_s);
}

JobRun::Length JobRun::choose_length(Tick until, Hands& hands) {
  ahead_.reset();
  if (last_state_ == JobState::iterate && job_step_.state == JobState::checkpoint) {
    if (jump_through(until, hands)) return {ahead_->repetitions, How::repeated, false};
    change_to(JobState::checkpoint, hands);
  }
  if (!works(job_step_.state)) return hold(until, hands);
  const Tick hard_end = std::min({hands.end, job_step_.interrupt, hands.power_edge});
  const Tick period = task_.timeline->period, left = period - to_tick(begun_frac_ * seconds(period)), edge = next_edge(now_, hands);
  if (heat_near_s() < 2.0 * std::max(std::min(jump_s_, seconds(until - now_)), seconds(period))) {
    jump_s_ = 0.0;
    if (const Tick end = heat_end(std::min({left, edge - now_, hard_end - now_}), hands); end > 0) return {1, How::sliced, true, end};
  }
  if (edge < hard_end && edge - now_ < left) return {1, How::sliced, false, edge - now_};
  if (hard_end - now_ < left) {
    if (hard_end == hands.end) show(true, hands);
    return {1, How::sliced, true};
  }
  if (to_slice_ > 0 || begun_frac_ > 0.0) return {1, How::sliced, false};
  if (hands.scenario.run.advance == "resolved" || job_step_.state == JobState::evaluate) return {1, How::resolved, false};
  jump_through(until, hands);
  return {ahead_->repetitions, How::repeated, false};
}

/// A constant state: its own steps are graded, so only fans and preheat ask for stretches: 3 s, 9 s, 36 s, ...
JobRun::Length JobRun::hold(Tick until, Hands& hands) {
  Tick stretch = std::clamp(to_tick(hold_growth * seconds(since_change_)), hot() ? first_hot_hold : first_hold, longest_hold);
  stretch = std::min(stretch, to_tick(std::clamp(0.5 * heat_near_s(), 0.25, 1e4)));
  const Tick change = std::min(job_step_.interrupt, job_step_.until);
  if (change - until < ns_per_ms) until = std::max(until, change);  // macro steps end at whole milliseconds
  const Tick most = std::min({hands.end, next_edge(now_, hands), until, change, hands.power_edge}) - now_;
  stretch = std::max<Tick>(1, to_tick(a_remainder * seconds(stretch)) >= most ? most : stretch);
  const bool free = job_step_.state == JobState::done || job_step_.state == JobState::queued;
  const auto kind = free ? idle_kind() : job_step_.kind;
  if (maker_ && !dark_) {
    maker_->set_hold(kind, stretch, hands.state, hands.signals, task_, job_step_.busy_frac);
  } else {
    hold_task(kind, stretch, hands.scenario.halls.front().compute.reference_clock_Hz, hands.fleet, first_node_, n_node_, hold_, task_);
    predict_hold(hands);
    idle_clocks(hands.fleet, hands.state, task_, hands.signals);
  }
  return {1, How::resolved, false};
}

void JobRun::advance(const Length& length, Hands& hands) {
  task_.repetitions = length.repetitions;
  const bool iterates = job_step_.state == JobState::iterate && !length.cut;
  const double tokens = iterates ? maker_->model().tokens_per_iteration() * static_cast<double>(length.repetitions) : 0.0;
  if (length.how == How::sliced) return advance_sliced(length, hands);
  sliced_ = false;
  ClassPower power;
  if (length.how == How::resolved) {
    graded_ = graded(*task_.timeline, works(job_step_.state) || since_change_ < ns_per_s ? 10 * ns_per_ms : ns_per_s);
    task_.timeline = &graded_;
    ++hands.counts.resolved;
    power = advance_resolved(hands.fleet, hands.state, hands.signals, hands.meters, task_);
  } else {
    ++hands.counts.jumps;
    hands.counts.repetitions += length.repetitions;
    power = advance_periodic(hands.fleet, hands.state, hands.signals, hands.meters, task_, make_class_maps(hands.fleet, hands.state, hands.signals, task_, &rises_));
    judge(hands);
  }
  deliver(power, tokens, hands);
}

/// The fleet as it works at this moment, for whoever wants to see single GPUs.
void JobRun::show(bool full_hour, Hands& hands) {
  if (!maker_ || last_state_ != JobState::iterate || last_load_.load_W.empty() || inside_) return;
  set_air(hands);
  std::vector<double> inlet_K(task_.inlet_K.begin(), task_.inlet_K.end());
  for (std::size_t n = 0; n < task_.inlet_K_per_s.size(); ++n) inlet_K[n] += task_.since_macro_s * task_.inlet_K_per_s[n];
  const double mean_K = std::accumulate(inlet_K.begin(), inlet_K.end(), 0.0) / static_cast<double>(inlet_K.size());
  const Recorder::Moment moment{mean_K, now_ - started_ > settled_after, full_hour};
  if (!hands.recorder.better(moment)) return;
  predict(hands.fleet, hands.state, task_, {}, seconds(task_.timeline->period), hands.signals);
  hands.recorder.snapshot(hands.state, hands.signals, *maker_, inlet_K, last_load_, moment);
}

/// One iteration in slices that grow fourfold from 10 ms after a start on, because leakage, fans and preheat then follow a die that
/// warms by the second.
void JobRun::advance_sliced(const Length& length, Hands& hands) {
  const workload::Timeline whole = *task_.timeline;
  const Tick begin = to_tick(begun_frac_ * seconds(whole.period));
  const Tick end = length.piece > 0 ? begin + length.piece : length.cut ? begin + std::min({hands.end, job_step_.interrupt, hands.power_edge}) - now_ : whole.period;
  if (length.cut) maker_->cut(end);
  const double tokens_per_ns = length.cut || job_step_.state != JobState::iterate ? 0.0 : maker_->model().tokens_per_iteration() / static_cast<double>(whole.period);
  const bool resolve = hands.scenario.run.advance == "resolved";
  Tick step = since_change_ == 0 ? 10 * ns_per_ms : ns_per_s;
  const std::size_t first = first_node_ * hands.fleet.n_gpu_per_node;
  slice_J_.assign(n_node_ * hands.fleet.n_gpu_per_node, 0.0);
  const auto die_mean_K = std::span<const double>(hands.state.die_mean_K).subspan(first, slice_J_.size());
  if (begun_frac_ == 0.0 || slice_Ks_.empty()) {
    slice_Ks_.assign(slice_J_.size(), 0.0);
    if (!sliced_) iteration_K_.assign(die_mean_K.begin(), die_mean_K.end());
  }
  sliced_ = true;
  task_.slice = true;
  for (Tick at = begin; at < end;) {
    const Tick stop = end - at <= step + step / 2 ? end : at + step;
    graded_ = resolve ? graded(slice(whole, at, stop)) : slice(whole, at, stop);
    task_.timeline = &graded_;
    set_air(hands);
    ++hands.counts.slices;
    const auto power = resolve ? advance_resolved(hands.fleet, hands.state, hands.signals, hands.meters, task_)
                               : advance_periodic(hands.fleet, hands.state, hands.signals, hands.meters, task_, make_class_maps(hands.fleet, hands.state, hands.signals, task_, nullptr));
    for (std::size_t i = 0; i < slice_J_.size(); ++i) slice_J_[i] += hands.signals.gpu_J[first + i];
    for (std::size_t i = 0; i < slice_Ks_.size(); ++i) slice_Ks_[i] += die_mean_K[i] * seconds(stop - at);
    deliver(power, tokens_per_ns * static_cast<double>(stop - at), hands);
    at = stop;
    step *= resolve ? 2 : 4;
  }
  task_.slice = false;
  for (std::size_t i = 0; i < slice_J_.size(); ++i) hands.state.mean_W[first + i] = slice_J_[i] / seconds(end - begin);
  if (end == whole.period)
    for (std::size_t i = 0; i < slice_Ks_.size(); ++i) iteration_K_[i] = slice_Ks_[i] / seconds(whole.period);
  last_step_s_ = seconds(end - begin);
  begun_frac_ = length.piece > 0 && !length.cut ? seconds(end) / seconds(whole.period) : 0.0;
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
  const double done_s = seconds(task_.duration());
  const double next_s = done_s * std::clamp(0.9 / std::sqrt(error), 0.25, 2.0);
  // A step that something else kept short says nothing against the length found before.
  jump_s_ = error < 1.0 ? std::max(jump_s_, next_s) : next_s;
  jump_s_ = std::max(jump_s_, 1.5 * seconds(task_.timeline->period) * (error < 0.5 ? 1.4 : 0.7));
}

/// The step's load to the site, its heat to the halls, its figures to the recorder; its clock moves on.
void JobRun::deliver(const ClassPower& power, double tokens, Hands& hands) {
  hands.walk.add(task_);
  const bool held = !works(job_step_.state) && task_.legs.empty();
  std::vector<LoadPiece> pieces;
  if (held) pieces = make_held_load(*task_.timeline, power);
  LoadTemplate load;
  if (!held) {
    auto edges = make_load_edges(*task_.timeline, power);
    load = make_load_template(edges);
    if (job_step_.state == JobState::iterate && !task_.slice) last_load_ = std::move(edges);
  }
  const Tick begin = now_;
  std::vector<LoadTemplate> singles;
  if (maker_ && maker_->scatters() && task_.repetitions > 1 && looked_at(now_ + task_.duration(), hands)) singles = single_loads(power);
  std::size_t next_single = 0;
  std::vector<Recorder::Stretch> stretches;
  const auto add = [&](Tick duration, JobState state, const LoadTemplate& of, std::int64_t repetitions, double share) {
    Recorder::Stretch s{now_, now_ + duration, state};
    s.load_J = of.total_J() * static_cast<double>(repetitions);
    for (const auto& piece : pieces) s.load_J += piece.load.total_J() * static_cast<double>(piece.repetitions);
    if (share * tokens > 0.0) {
      s.tokens = share * tokens;
      s.iteration_s = seconds(duration) * maker_->model().tokens_per_iteration() / s.tokens;
      s.slowest_Hz = maker_->slowest_Hz();
      figures_.tokens += s.tokens;
      figures_.iterating_s += seconds(duration);
      figures_.iteration_s2 += seconds(duration) * s.iteration_s;
    }
    figures_.load_J += s.load_J;
    stretches.push_back(s);
    for (auto& piece : pieces) hands.loads.push_back({lane_, std::move(piece.load), piece.repetitions, false});
    if (held) {
    } else if (state == JobState::iterate && !singles.empty())
      for (std::int64_t i = 0; i < repetitions; ++i) hands.loads.push_back({lane_, std::move(singles[next_single++]), 1, true});
    else
      hands.loads.push_back({lane_, of, repetitions, state == JobState::iterate});
    now_ += duration;
  };
  if (task_.legs.empty()) add(task_.duration(), job_step_.state, load, task_.repetitions, 1.0);
  for (const auto& leg : task_.legs)
    if (leg.repetitions > 0) {
      add(leg.duration, JobState::iterate, load, leg.repetitions, static_cast<double>(leg.repetitions) / static_cast<double>(task_.repetitions));
    } else {
      hold_ = {{ahead_->pause}, {{{leg.duration, 0}}}, leg.duration};
      add(leg.duration, JobState::checkpoint, make_load_template(hold_, {{hands.signals.pause_W}}), 1, 0.0);
    }
  if (!hands.signals.memory_K.empty()) memory_temperatures(hands.fleet, hands.state, task_, hands.signals);
  hands.recorder.fleet_step(stretches, lane_, first_node_, n_node_, hands.state, hands.signals);
  hands.halls.collect(hands.signals, first_node_, n_node_, begin, now_);
  last_step_s_ = before_s_ = seconds(now_ - begin);
  since_change_ += now_ - begin;
}

void JobRun::work_done(const Length& length, Hands& hands) {
  ++held_;
  inside_ = length.cut;
  if (to_slice_ > 0) --to_slice_;
  if (!life_) return watch_heat(hands);
  const bool whole = !length.cut && length.piece == 0;
  const std::int64_t iterations = job_step_.state == JobState::iterate && whole ? length.repetitions : 0;
  if (ahead_) {
    life_ = std::move(ahead_->life);
  } else if (now_ >= job_step_.interrupt) {
    life_->interrupted(now_, iterations);
  } else if (works(job_step_.state)) {
    if (whole) life_->completed(job_step_, iterations, now_);
    else life_->book_until(now_);
  } else if (job_step_.until != workload::never && now_ >= job_step_.until) {
    life_->completed(job_step_, 0, now_);
  } else if (now_ >= hands.end) {
    life_->book_until(now_);
  }
  watch_heat(hands);
  tell_events(hands);
  watch_limits(hands);
  if (works(job_step_.state) && length.piece == 0) watch_caps(hands);
}

/// A cap that even the lowest clock exceeds is a result, said once.
void JobRun::watch_limits(Hands& hands) {
  const auto& fleet = hands.fleet;
  if (job_step_.state == JobState::iterate && maker_->misses_beat() && !said_beat_) {
    hands.recorder.event(now_, "beat_missed", name_, "iterations last longer than their beat");
    said_beat_ = true;
  }
  const double lowest_Hz = fleet.types[fleet.node_hall[first_node_]].gpu.clock_min_Hz();
  if (works(job_step_.state) && maker_->slowest_Hz() <= lowest_Hz * (1.0 + 1e-9) && !said_cap_) {
    hands.recorder.event(now_, "cap_not_held", name_, "the lowest clock draws more than the power cap allows");
    said_cap_ = true;
  }
}

}  // namespace tidewatt::sim
