#include "job_run.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

namespace TIDEWATT_NAMESPACE::sim {
namespace {

using workload::JobState;
constexpr Tick settled_after = 600 * ns_per_s;  // the warmest time is searched from then on

/// Of all GPUs' values those of one occupant.
template <class Values>
auto of_gpus(const JobPlace& place, Values& all, const fleet::Fleet& fleet) {
  return std::span(all).subspan(place.first_node * fleet.n_gpu_per_node, place.n_node * fleet.n_gpu_per_node);
}

/// Mean power and mean temperature of the last step do not belong together.
void forget_slopes(const JobPlace& place, StepContext& c) {
  std::ranges::fill(of_gpus(place, c.state.W_per_K, c.fleet), std::numeric_limits<double>::quiet_NaN());
}

/// What the last step left of the occupant's GPUs.
StepMeans means_of(const JobPlace& place, StepContext& c) {
  const auto of = [&](std::vector<double>& all) { return of_gpus(place, all, c.fleet); };
  return {of(c.state.mean_W), of(c.state.die_mean_K), of(c.state.die_peak_K),
          c.signals.memory_K.empty() ? std::span<double>() : of(c.signals.memory_K)};
}

/// The power of the last step is that of another state. Predict with the power that the work drew last.
void forget_means(const JobPlace& place, JobState before, JobState doing, StepContext& c) {
  const auto mean_W = of_gpus(place, c.state.mean_W, c.fleet), work_W = of_gpus(place, c.state.work_W, c.fleet);
  if (before == JobState::iterate || before == JobState::run_out)
    std::copy(mean_W.begin(), mean_W.end(), work_W.begin());
  if (doing == JobState::iterate)
    std::copy(work_W.begin(), work_W.end(), mean_W.begin());
  else
    std::fill(mean_W.begin(), mean_W.end(), 0.0);
  forget_slopes(place, c);
  const auto die_K = of_gpus(place, c.state.die_K, c.fleet);
  for (auto* K : {&c.state.die_mean_K, &c.state.die_peak_K})
    std::copy(die_K.begin(), die_K.end(), of_gpus(place, *K, c.fleet).begin());
}

/// [node] coolant at every server now.
std::vector<double> inlets_now_K(const fleet::FleetTask& task) {
  std::vector<double> out(task.inlet_K.begin(), task.inlet_K.end());
  const double moved_s = fleet::drift_in(task, 0.0).mean_s;
  for (std::size_t n = 0; n < task.inlet_K_per_s.size(); ++n) out[n] += moved_s * task.inlet_K_per_s[n];
  return out;
}

/// Every segment integrated. Clocks move from one segment of the task's timeline to the next, however finely they are played.
fleet::ClassPower advance_resolved(fleet::FleetTask& task, workload::Timeline& piece, Tick first, StepContext& c) {
  const fleet::WholeRepetition whole(*task.timeline);
  const bool part = task.whole != nullptr;
  piece = fleet::graded(whole.timeline, first);
  task.timeline = &piece;
  if (!part) task.whole = &whole;
  auto power = fleet::advance_resolved(c.fleet, c.state, c.signals, c.meters, task);
  if (!part) task.whole = nullptr;
  return power;
}

/// What a task takes from its surroundings.
void set_air(Job& job, const StepContext& c) {
  auto& task = job.scratch.task;
  task.n_thread = c.n_thread;
  task.inlet_K = c.halls.inlet_K();
  task.inlet_K_per_s = c.halls.inlet_K_per_s();
  task.flow_frac = c.halls.flow_frac();
  task.since_macro_s = seconds(job.state.now - c.halls.macro_begin());
  task.drifts_for_s = c.halls.drifts_for_s();
  task.before_s = job.state.before_s;
  task.air_J_per_m3_K = c.halls.air_J_per_m3_K();
  task.air_J_per_m3_K_per_s = c.halls.air_J_per_m3_K_per_s();
  task.dark = job.state.dark;
}

/// Of a constant state.
void predict_hold(Job& job, StepContext& c) {
  const auto& task = job.scratch.task;
  const auto hall = c.fleet.node_hall[job.place.first_node];
  const double nominal_W = job.state.dark ? 0.0
                                          : fleet::nominal_kind_W(task, c.fleet.types[hall], c.state.controls[hall], 0,
                                                                  fleet::nominal_die_K)[0];
  predict(c.fleet, c.state, task, std::array{nominal_W}, seconds(task.timeline->period), c.signals);
}

/// Sets the task to a constant state.
void set_hold(Job& job, Tick stretch, StepContext& c) {
  const auto& step = job.scratch.step;
  auto& task = job.scratch.task;
  const bool free = step.state == JobState::done || step.state == JobState::queued;
  const auto kind = free ? fleet::idle_kind() : step.kind;
  if (job.training && !job.state.dark) {
    job.training->set_hold(kind, stretch, c.state, c.signals, task,
                           {step.busy_frac, step.rest_waits, step.by_host, step.hosts});
    return;
  }
  fleet::hold_task(kind, stretch, c.scenario.halls.front().compute.reference_clock_Hz, c.fleet, job.place.first_node,
                   job.place.n_node, job.scratch.hold, task);
  predict_hold(job, c);
  fleet::idle_clocks(c.fleet, c.state, task, c.signals);
}

/// What the step was in the job's life.
/// @param run_out from now on until the other replicas wait for one that fails now
void book_life(Job& job, const StepLength& length, std::optional<Ahead>& ahead, Tick end, Tick run_out) {
  auto& life = *job.life;
  const auto& step = job.scratch.step;
  const Tick now = job.state.now;
  const bool whole = !length.cut && length.piece == 0;
  const std::int64_t iterations = step.state == JobState::iterate && whole ? length.repetitions : 0;
  if (ahead) {
    life = std::move(ahead->life);
  } else if (now >= step.interrupt) {
    life.interrupted(now, iterations, "", run_out);
  } else if (works(step.state)) {
    if (whole)
      life.completed(step, iterations, now);
    else
      life.book_until(now);
  } else if (step.until != workload::never && now >= step.until) {
    life.completed(step, 0, now);
  } else if (now >= end) {
    life.book_until(now);
  }
}

}  // namespace

void IterationMean::begin(bool anew, const StepMeans& now) {
  mean_K_.assign(now.die_mean_K.begin(), now.die_mean_K.end());
  peak_K_.assign(now.die_peak_K.begin(), now.die_peak_K.end());
  memory_K_.assign(now.memory_K.begin(), now.memory_K.end());
  if (!anew && !state_.gpu_J.empty()) return;
  state_.passed_s = 0.0;
  state_.gpu_J.assign(mean_K_.size(), 0.0);
  state_.die_Ks = state_.die_peak_K = state_.gpu_J;
  state_.memory_Ks.assign(memory_K_.size(), 0.0);
}

void IterationMean::add(const StepMeans& now, std::span<const double> gpu_J, double s) {
  auto& [known, passed_s, sum_J, die_Ks, memory_Ks, peak_K] = state_;
  passed_s += s;
  for (std::size_t i = 0; i < sum_J.size(); ++i) {
    sum_J[i] += gpu_J[i];
    die_Ks[i] += now.die_mean_K[i] * s;
    peak_K[i] = std::max(peak_K[i], now.die_peak_K[i]);
  }
  for (std::size_t i = 0; i < memory_Ks.size(); ++i) memory_Ks[i] += now.memory_K[i] * s;
}

void IterationMean::end(bool whole, const StepMeans& now) {
  const auto& [known, passed_s, sum_J, die_Ks, memory_Ks, peak_K] = state_;
  if (!whole && !known) return;
  for (std::size_t i = 0; i < sum_J.size(); ++i) {
    if (whole) now.mean_W[i] = sum_J[i] / passed_s;
    now.die_mean_K[i] = whole ? die_Ks[i] / passed_s : mean_K_[i];
    now.die_peak_K[i] = whole ? peak_K[i] : std::max(peak_K[i], peak_K_[i]);
  }
  for (std::size_t i = 0; i < memory_Ks.size(); ++i) now.memory_K[i] = whole ? memory_Ks[i] / passed_s : memory_K_[i];
  state_.known = true;
}

void JobRun::advance_to(Tick until, StepContext& c) {
  while (job_.state.now < until) step(until, c);
}

void JobRun::step(Tick until, StepContext& c) {
  plan_work(until, c);
  const StepLength length = choose_length(until, c);
  const bool whole = !length.cut && length.piece == 0 && planner_.begun_frac() == 0.0;
  play(length, c);
  planner_.step_done();
  job_.state.inside = length.cut;
  const Tick run_out = run_out_ns();
  if (job_.life) book_life(job_, length, planner_.ahead(), c.agenda.end(), run_out);
  heat_.watch(job_, run_out, c);
  if (!job_.life) return;
  report_.events(job_, c);
  report_.limits(job_, c);
  // Part of an iteration may be all work; a limiter controls the mean of whole iterations.
  if (works(job_.scratch.step.state) && whole) report_.caps(job_, c);
}

/// From the last step's end until all replicas but one wait for that one: at this iteration's exchange, or the next one's.
Tick JobRun::run_out_ns() const {
  if (!job_.training || job_.scratch.step.state != JobState::iterate) return 0;
  const Tick exchange = job_.training->exchange(), period = job_.training->timeline().period;
  if (exchange == 0) return 0;
  const Tick at = to_tick(planner_.begun_frac() * seconds(period));
  return at < exchange ? exchange - at : period - at + exchange;
}

/// What the job wants; sets the task to it where it works.
void JobRun::plan_work(Tick until, StepContext& c) {
  set_air(job_, c);
  auto& task = job_.scratch.task;
  auto& step = job_.scratch.step;
  if (job_.life && !runs(job_.state.doing)) job_.life->hold_start(heat_.cannot_start(job_, c));
  if (!job_.life && !heat_.cannot_start(job_, c)) heat_.reset_nodes(job_, c);
  step = job_.life ? job_.life->next(job_.state.now) : workload::JobStep{};
  // A jump includes short pauses.
  const JobState doing = planner_.goes_through_pause(job_, c) ? JobState::iterate : step.state;
  if (doing != job_.state.doing) begin(doing, c);
  task.clock_frac = step.clock_frac;
  if (doing == JobState::iterate) {
    auto& training = *job_.training;
    double ahead_s = training.iteration_reference_s();
    task.dip_K = 0.0;
    if (const auto ahead = planner_.expected_jump(job_, until, c)) {
      ahead_s = ahead->duration_s();
      task.dip_K = planner_.pause_dip_K(job_, *ahead, c);
    }
    training.set_work(fleet::TrainingTask::Work::iterate, 0, c.state, ahead_s, c.signals, task,
                      job_.life->progress_iterations(), job_.state.now, planner_.pair_within(job_, c));
    task.dip_K = 0.0;
    job_.state.last_period = task.timeline->period / task.iterations;
  } else if (doing == JobState::run_out) {
    auto& training = *job_.training;
    training.set_work(fleet::TrainingTask::Work::iterate, 0, c.state, training.iteration_reference_s(), c.signals, task,
                      job_.life->progress_iterations(), job_.state.now);
    training.stop_replica(step.failed_node, task);
  } else if (doing == JobState::evaluate) {
    job_.training->set_work(fleet::TrainingTask::Work::evaluate, step.evaluation_batches, c.state,
                            std::max(1.0, job_.state.last_step_s), c.signals, task);
  }
}

/// The fleet begins to do something else.
void JobRun::begin(JobState doing, StepContext& c) {
  auto& s = job_.state;
  if (doing == JobState::run_out && s.doing == JobState::iterate) {  // the work under way goes on
    s.doing = doing;
    return;
  }
  const bool had_context = std::exchange(s.context, runs(doing) || job_.scratch.step.kind.context);
  const bool held = planner_.holds() && s.doing != JobState::run_out && !runs(s.doing);
  if (held && !runs(doing) && had_context == s.context) {  // the GPUs go on as they were
    s.doing = doing;
    return;
  }
  // A short pause leaves the fleet almost as it was; a start or an outage does not.
  planner_.begin(doing, s.doing == JobState::checkpoint || s.doing == JobState::evaluate, s.now);
  if (runs(doing)) heat_.reset_nodes(job_, c);
  forget_means(job_.place, s.doing, doing, c);
  iteration_.forget();
  job_.scratch.task.before_s = s.before_s = 0.0;
  s.doing = doing;
  s.kind_temperature_offsets = {};
}

StepLength JobRun::choose_length(Tick until, StepContext& c) {
  planner_.ahead().reset();
  const auto& step = job_.scratch.step;
  if (job_.state.doing == JobState::iterate && step.state == JobState::checkpoint) {
    if (planner_.jump_through(job_, until, c)) return {planner_.ahead()->repetitions};
    begin(JobState::checkpoint, c);
  }
  if (step.state == JobState::run_out) return run_out_length(job_, planner_, heat_, c);
  if (!works(step.state)) {
    set_hold(job_, planner_.hold_length(job_, heat_, until, c), c);
    return {};
  }
  const auto length = planner_.work_length(job_, heat_, until, c);
  if (length.cut && length.piece == 0 && planner_.next_cut(job_, c) == c.agenda.end()) offer_snapshot(true, c);
  return length;
}

double JobRun::spin_up_W(StepContext& c, fleet::FleetMeters& unbooked) {
  set_air(job_, c);
  auto& task = job_.scratch.task;
  task.repetitions = 1;
  fleet::hold_task(fleet::idle_kind(), 3600 * ns_per_s, c.scenario.halls.front().compute.reference_clock_Hz, c.fleet,
                   job_.place.first_node, job_.place.n_node, job_.scratch.hold, task);
  predict_hold(job_, c);
  fleet::idle_clocks(c.fleet, c.state, task, c.signals);
  fleet::KindTemperatureOffsets kind_temperature_offsets;
  return fleet::advance_periodic(
      c.fleet, c.state, c.signals, unbooked, task,
      fleet::make_class_maps(c.fleet, c.state, c.signals, task, &kind_temperature_offsets))[0][0];
}

/// What the task is set to, by the exact map of its timeline, or every segment integrated for the reference.
/// @param offsets nullptr: it happens once
fleet::ClassPower JobRun::move_packages(fleet::KindTemperatureOffsets* offsets, StepContext& c) {
  auto& task = job_.scratch.task;
  if (!c.scenario.run.reference)
    return fleet::advance_periodic(
        c.fleet, c.state, c.signals, c.meters, task,
        fleet::make_class_maps(c.fleet, c.state, c.signals, task, offsets, job_.scratch.maps));
  return advance_resolved(task, job_.scratch.piece, planner_.first_grade(job_), c);
}

void JobRun::play(const StepLength& length, StepContext& c) {
  job_.scratch.task.repetitions = length.repetitions;
  if (length.sliced) return play_sliced(length, c);
  const bool iterates = job_.scratch.step.state == JobState::iterate;
  if (!works(job_.scratch.step.state)) {
    ++c.counts.holds;
    auto& task = job_.scratch.task;
    // After an edge the waveform follows the dies: leakage per part of the segment.
    if (planner_.since_change() == 0 && !job_.state.dark) {
      job_.scratch.piece = fleet::graded(*task.timeline);
      task.timeline = &job_.scratch.piece;
    }
    return deliver(move_packages(nullptr, c), 0.0, c);
  }
  ++c.counts.jumps;
  const std::int64_t iterations = length.repetitions * job_.scratch.task.iterations;
  c.counts.repetitions += iterations;
  const auto power = move_packages(&job_.state.kind_temperature_offsets, c);
  if (planner_.ahead()) planner_.judge(job_, c);
  iteration_.passed();
  deliver(power, iterates ? job_.training->model().tokens_per_iteration() * static_cast<double>(iterations) : 0.0, c);
}

/// One iteration, or a part of it, in slices.
void JobRun::play_sliced(const StepLength& length, StepContext& c) {
  auto& task = job_.scratch.task;
  const fleet::WholeRepetition repetition(*task.timeline);
  const auto& whole = repetition.timeline;
  const auto pieces = planner_.pieces(job_, length, c);
  const Tick begin = pieces.front().begin, end = pieces.back().end;
  if (length.cut) job_.training->cut(end);
  const bool counts = !length.cut && job_.scratch.step.state == JobState::iterate;
  const double tokens_per_ns =
      counts ? job_.training->model().tokens_per_iteration() / static_cast<double>(whole.period) : 0.0;
  const auto means = means_of(job_.place, c);
  const auto gpu_J = of_gpus(job_.place, c.signals.gpu_J, c.fleet);
  iteration_.begin(planner_.begun_frac() == 0.0, means);
  task.slice = true;
  const bool changed = planner_.since_change() == 0;  // the waveform follows the dies, as in play()
  for (const auto& piece : pieces) {
    job_.scratch.piece = fleet::slice(whole, piece.begin, piece.end);
    if (changed && !c.scenario.run.reference) job_.scratch.piece = fleet::graded(job_.scratch.piece);
    task.timeline = &job_.scratch.piece;
    task.whole = &repetition, task.begins_in_whole = piece.begin;
    set_air(job_, c);
    ++c.counts.slices;
    const auto power = move_packages(nullptr, c);
    iteration_.add(means, gpu_J, seconds(piece.end - piece.begin));
    deliver(power, tokens_per_ns * static_cast<double>(piece.end - piece.begin), c);
  }
  task.slice = false;
  iteration_.end(end == whole.period, means);
  task.whole = nullptr, task.begins_in_whole = 0;
  forget_slopes(job_.place, c);
  job_.state.last_step_s = seconds(end - begin);
  planner_.begun(end < whole.period ? seconds(end) / seconds(whole.period) : 0.0);
}

void JobRun::deliver(const fleet::ClassPower& power, double tokens, StepContext& c) {
  const auto& task = job_.scratch.task;
  const Tick begin = job_.state.now;
  const bool single = job_.training && job_.training->scatters() && task.repetitions > 1 &&
                      planner_.looked_at(job_, begin + fleet::duration_of(task), c);
  report_.deliver(job_, power, tokens, single, planner_.ahead() ? &planner_.ahead()->pause : nullptr, c);
  job_.state.last_step_s = job_.state.before_s = seconds(job_.state.now - begin);
  planner_.moved(job_.state.now - begin);
}

/// The fleet's present state, for views of single GPUs.
void JobRun::offer_snapshot(bool full_hour, StepContext& c) {
  if (!job_.training || job_.state.doing != JobState::iterate || job_.state.last_load.load_W.empty() ||
      job_.state.inside)
    return;
  set_air(job_, c);
  const auto& task = job_.scratch.task;
  const auto inlet_K = inlets_now_K(task);
  const double mean_K = std::accumulate(inlet_K.begin(), inlet_K.end(), 0.0) / static_cast<double>(inlet_K.size());
  const FleetSnapshot::Moment moment{mean_K, job_.state.now - planner_.started() > settled_after, full_hour};
  if (!c.recorder.snapshot().better(moment)) return;
  predict(c.fleet, c.state, task, {}, seconds(task.timeline->period), c.signals);
  c.recorder.snapshot().take(c.fleet, c.state, c.signals, *job_.training, inlet_K, job_.state.last_load, moment);
}

std::span<const double> JobRun::iteration_mean_K(const fleet::FleetState& state, const fleet::Fleet& fleet) const {
  return works(job_.state.doing) ? of_gpus(job_.place, state.die_mean_K, fleet)
                                 : of_gpus(job_.place, state.die_K, fleet);
}

}  // namespace TIDEWATT_NAMESPACE::sim
