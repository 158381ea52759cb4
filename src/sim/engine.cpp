#include "engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "tidewatt/cooling/epw.hpp"

namespace tidewatt::sim {
namespace {

constexpr Tick hour_ns = 3600 * ns_per_s;

bool works(workload::JobState s) { return s == workload::JobState::iterate || s == workload::JobState::evaluate; }

std::vector<workload::Failure> failures_of(const Scenario& s, Tick end, std::int64_t n_node) {
  std::vector<workload::Failure> out;
  const auto& job = s.jobs.front();
  if (job.failures) out = workload::draw_failures(*job.failures, static_cast<std::uint64_t>(s.run.seed), n_node, 0, end);
  for (const auto& e : s.events)
    if (e.kind == "failure" && e.job == job.name) out.push_back({to_tick(e.at_s), 0, -1, false});
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.tick < b.tick; });
  return out;
}

}  // namespace

double AuditLevel::closure() const {
  const double through = std::max({std::abs(in_J), std::abs(out_J), std::abs(stored_J), 1e-300});
  return std::abs(in_J - out_J - stored_J) / through;
}

Engine::Impl::Impl(const Scenario& s, const RunOptions& o)
    : scenario(s), options(o), end(to_tick(s.run.duration_s)), weather(make_weather(s)), fleet(build_fleet(s)) {
  if (options.n_thread == 0) options.n_thread = std::max(1u, std::thread::hardware_concurrency());
  const auto& job = scenario.jobs.front();
  TrainingTask::Options task_options;
  task_options.replica_groups = scenario.run.replica_groups;
  task_options.gating = scenario.run.gating;
  task_options.smoothing = scenario.gpu_smoothing;
  task_maker.emplace(workload::IterationModel(job.model, job.plan, scenario.halls.front().compute, job.network), fleet, 0,
                     task_options);
  const auto n_node = static_cast<std::int64_t>(task_maker->n_node());
  life.emplace(job.life, workload::JobSize{job.plan.n_gpu, task_maker->model().model_checkpoint_bytes()},
               failures_of(scenario, end, n_node));
  halls.emplace(scenario, fleet, weather);
  recorder.emplace(fleet, local_time_of_day(scenario.run.start));
  signals = make_signals(fleet);
  state = idle_state(fleet, halls->inlet_K());
  spin_up();
}

/// The fleet has stood idle for long when the run begins; nothing of that is booked.
void Engine::Impl::spin_up() {
  task.n_thread = options.n_thread;
  FleetMeters unbooked;
  ClassPower power;
  for (int i = 0; i < 12; ++i) {
    task.inlet_K = halls->inlet_K();
    task.air_J_per_m3_K = halls->air_J_per_m3_K();
    task.repetitions = 1;
    task_maker->set_hold(idle_kind(), hour_ns, state, signals, task);
    power = advance_periodic(fleet, state, signals, unbooked, task, class_maps());
    if (i == 0 || i == 6) halls->settle(signals);
  }
  const double load_W = make_load_template(*task.timeline, power).max_W;
  SiteStream::Params p;
  double total_W = 0.0;
  for (std::size_t n = 0; n < fleet.n_node(); ++n) total_W += design_W(fleet.types[fleet.node_hall[n]]);
  p.feeder = scenario.feeder.sized(total_W, 0.1 * total_W);
  p.source = scenario.source;
  p.frequency = scenario.frequency;
  p.battery = scenario.battery;
  for (const auto& w : scenario.windows) p.windows.push_back({w.name, to_tick(w.start_s), to_tick(w.start_s + w.duration_s)});
  stream.emplace(p, load_W, halls->means().plant_W);
}

std::vector<ClassMap> Engine::Impl::class_maps() const {
  // Rates between those of the slowest and the fastest fan that can occur in this step.
  double lo = 1.0, hi = 0.0;
  for (std::size_t n = 0; n < fleet.n_node(); ++n) {
    const auto& air = fleet.types[fleet.node_hall[n]].air;
    const auto first = state.die_mean_K.begin() + static_cast<std::ptrdiff_t>(n * fleet.n_gpu_per_node);
    const double target = thermal::fan_target_frac(
        air, *std::max_element(first, first + static_cast<std::ptrdiff_t>(fleet.n_gpu_per_node)));
    lo = std::min({lo, state.fan_frac[n], target});
    hi = std::max({hi, state.fan_frac[n], target});
  }
  RateRange rates;
  rates.lo.fill(1e300);
  rates.hi.fill(0.0);
  for (const auto& type : fleet.types)
    for (const double fan : {std::max(type.air.fan_min_frac, lo), std::max(type.air.fan_min_frac, hi)})
      for (std::size_t m = 0; m < thermal::n_mode; ++m) {
        const double rate = type.modes[fan_step(fan)].rate_per_s[m];
        rates.lo[m] = std::min(rates.lo[m], rate);
        rates.hi[m] = std::max(rates.hi[m], rate);
      }
  const auto& type = fleet.types.front();
  const auto& reference = type.modes[fan_step(std::max(type.air.fan_min_frac, 0.5 * (lo + hi)))];
  std::vector<ClassMap> maps(task.timeline->classes.size());
  const std::size_t n_kind = task.timeline->kinds.size();
  for (std::size_t c = 0; c < maps.size(); ++c)
    maps[c] = make_class_map(task.timeline->classes[c], n_kind, rates, reference, nominal_kind_W(task, type, c, 338.15));
  return maps;
}

void Engine::Impl::ask() {
  job_step = life->next(now);
  if (job_step.state != last_state) {
    // A short pause leaves the fleet almost as it was; a start or an outage does not.
    const bool pause = job_step.state == workload::JobState::iterate &&
                       (last_state == workload::JobState::checkpoint || last_state == workload::JobState::evaluate);
    if (!works(job_step.state) || (!pause && job_step.state == workload::JobState::iterate)) settled = 0;
    to_resolve = job_step.state == workload::JobState::iterate ? (pause ? 3 : 30) : 0;
    if (pause) settled = iterating_settled;
    changed = true;
  } else {
    changed = false;
  }
  last_state = job_step.state;
  task.inlet_K = halls->inlet_K();
  task.air_J_per_m3_K = halls->air_J_per_m3_K();
  // After a change the last step's means describe something else; the present is the better guess.
  if (changed) {
    state.die_mean_K = state.die_K;
    state.die_peak_K = state.die_K;
  }
  const double ahead_s = last_step_s > 0.0 ? last_step_s : 1.0;
  if (job_step.state == workload::JobState::iterate)
    task_maker->set_work(TrainingTask::Work::iterate, 0, state, ahead_s, signals, task);
  else if (job_step.state == workload::JobState::evaluate)
    task_maker->set_work(TrainingTask::Work::evaluate, job_step.evaluation_batches, state, ahead_s, signals, task);
}

Engine::Impl::Length Engine::Impl::choose_length() {
  const Tick macro = to_tick(scenario.run.macro_step_s);
  const Tick macro_end = (now / macro + 1) * macro;
  const Tick hard_end = std::min(end, job_step.interrupt);
  if (!works(job_step.state)) {
    // A constant state: stretches that grow from 1 s, never across a macro step.
    Tick stretch = ns_per_s << std::min<std::int64_t>(settled, 12);
    stretch = std::min({stretch, hard_end - now, macro_end - now});
    if (job_step.until != workload::never) stretch = std::min(stretch, job_step.until - now);
    const auto kind = job_step.state == workload::JobState::done || job_step.state == workload::JobState::queued
                          ? idle_kind()
                          : job_step.kind;
    task_maker->set_hold(kind, std::max<Tick>(stretch, 1), state, signals, task);
    return {1, true, false};
  }
  const Tick period = task.timeline->period;
  const std::int64_t whole = (hard_end - now) / period;
  if (whole == 0) return {1, true, true};
  const bool resolved = scenario.run.advance == "resolved" || to_resolve > 0 || job_step.state == workload::JobState::evaluate;
  if (resolved) return {1, true, false};
  std::int64_t n = (macro_end - now + period - 1) / period;  // the first boundary that is not before the macro step's end
  if (job_step.until != workload::never) n = std::min(n, (job_step.until - now + period - 1) / period);
  n = std::min({n, whole, std::max<std::int64_t>(1, job_step.max_iterations), settled < 90 ? 1 + (settled - 30) / 8 : n});
  return {n, false, false};
}

void Engine::Impl::advance(const Length& length) {
  task.repetitions = length.repetitions;
  ClassPower power;
  if (length.resolved) {
    graded_timeline = graded(length.cut ? cut(*task.timeline, std::min(end, job_step.interrupt) - now) : *task.timeline);
    task.timeline = &graded_timeline;
    power = advance_resolved(fleet, state, signals, meters, task);
  } else {
    power = advance_periodic(fleet, state, signals, meters, task, class_maps());
  }
  walk.add(task);
  const Tick period = task.timeline->period;
  LoadTemplate load = make_load_template(*task.timeline, power);
  const double load_J = load.total_J() * static_cast<double>(length.repetitions);
  Recorder::Step step{now, now + period * length.repetitions, job_step.state};
  if (job_step.state == workload::JobState::iterate && !length.cut) {
    step.tokens = task_maker->model().tokens_per_iteration() * static_cast<double>(length.repetitions);
    step.iteration_s = seconds(period);
    step.slowest_Hz = task_maker->slowest_Hz();
    if (settled > 3 && recorder->hotter(halls->mean_inlet_K()))
      recorder->snapshot(state, signals, *task_maker, halls->inlet_K(), make_load_edges(*task.timeline, power),
                         halls->mean_inlet_K());
  }
  recorder->fleet_step(step, state, signals, *task_maker, load_J);
  halls->collect(signals, seconds(period) * static_cast<double>(length.repetitions));
  stream->append(std::move(load), length.repetitions, job_step.state == workload::JobState::iterate);
  last_step_s = seconds(period) * static_cast<double>(length.repetitions);
  now += period * length.repetitions;
}

void Engine::Impl::work_done(const Length& length) {
  const std::int64_t iterations = job_step.state == workload::JobState::iterate && !length.cut ? length.repetitions : 0;
  if (now >= job_step.interrupt) {
    life->interrupted(now, iterations);
  } else if (works(job_step.state)) {
    if (!length.cut) life->completed(job_step, iterations, now);
  } else if (job_step.until != workload::never && now >= job_step.until) {
    life->completed(job_step, 0, now);
  }
  take_job_events();
  watch_limits();
  ++settled;
  if (to_resolve > 0) --to_resolve;
  if (job_step.state == workload::JobState::iterate) iterating_settled = settled;
}

/// What no limiter can prevent is a result, said once: a die beyond its shutdown temperature, a cap that even the lowest
/// clock exceeds.
void Engine::Impl::watch_limits() {
  std::size_t n_hot = 0;
  for (std::size_t g = 0; g < fleet.n_gpu(); ++g)
    if (state.die_peak_K[g] > fleet.types[fleet.node_hall[g / fleet.n_gpu_per_node]].governor.shutdown_K) ++n_hot;
  if (n_hot > 0 && !said_hot)
    recorder->event(now, "over_shutdown_temperature", "site", fmt::format("{} GPUs beyond their shutdown temperature", n_hot));
  said_hot = said_hot || n_hot > 0;
  const double lowest_Hz = fleet.types.front().gpu.clock_min_Hz();
  if (works(job_step.state) && task_maker->slowest_Hz() <= lowest_Hz * (1.0 + 1e-9) && !said_cap) {
    recorder->event(now, "cap_not_held", scenario.jobs.front().name, "the lowest clock draws more than the power cap allows");
    said_cap = true;
  }
}

void Engine::Impl::take_job_events() {
  for (auto& e : life->take_events())
    recorder->event(e.tick, std::move(e.kind), e.entity < 0 ? scenario.jobs.front().name : fmt::format("node {}", e.entity),
                    std::move(e.text));
}

void Engine::Impl::macro_step() {
  const double plant_W = halls->advance(macro_begin, now);
  stream->flush(plant_W);
  recorder->macro_step(macro_begin, now, *halls, stream->take_span());
  macro_begin = now;
}

void Engine::Impl::step() {
  ask();
  const Length length = choose_length();
  advance(length);
  work_done(length);
  const Tick macro = to_tick(scenario.run.macro_step_s);
  if (now / macro != macro_begin / macro || now >= end) macro_step();
}

Engine::Engine(const Scenario& scenario, const RunOptions& options) : impl_(std::make_unique<Impl>(scenario, options)) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
bool Engine::done() const { return impl_->now >= impl_->end; }
double Engine::time_s() const { return seconds(impl_->now); }
void Engine::step() { impl_->step(); }
std::span<const double> Engine::die_K() const { return impl_->state.die_K; }
Result Engine::finish() { return impl_->finish(); }

Result run(const Scenario& scenario, const RunOptions& options) {
  Engine engine(scenario, options);
  const double total_s = scenario.run.duration_s;
  while (!engine.done()) {
    engine.step();
    if (options.progress && !options.progress(std::min(1.0, engine.time_s() / total_s))) return {};
  }
  return engine.finish();
}

}  // namespace tidewatt::sim
