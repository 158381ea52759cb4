// A job's life in a run: effects of the scenario and of a controller outside.
#include <algorithm>

#include "job_run.hpp"
#include "scenario_rack.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

using workload::JobState;

std::vector<workload::Failure> failures_of(const Scenario& s, const JobSpec& job, Tick end, std::int64_t n_node,
                                           const workload::DomainLayout& domains) {
  std::vector<workload::Failure> out;
  if (job.failures)
    out = workload::draw_failures(*job.failures, static_cast<std::uint64_t>(s.run.seed), n_node, 0, end, domains);
  for (const auto& e : s.events)
    if (e.job == job.name && (e.kind == EventKind::failure || e.kind == EventKind::planned_stop))
      out.push_back({to_tick(e.at_s), 0, -1, e.kind == EventKind::planned_stop});
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.tick < b.tick; });
  return out;
}

/// Pauses that the scenario plans.
void request_stops(const Scenario& scenario, const std::string& job, workload::JobLife& life) {
  for (const auto& e : scenario.events)
    if (e.kind == EventKind::pause && e.job == job)
      life.request_stop(to_tick(e.at_s - e.notice_s), to_tick(e.at_s + e.duration_s));
}

workload::JobLife life_of(const Scenario& s, const JobSpec& job, double checkpoint_B, std::size_t n_node) {
  const auto domains = domain_layout(s, job);
  workload::JobLife out(job.life, {job.plan.n_gpu, checkpoint_B},
                        failures_of(s, job, to_tick(s.run.duration_s), static_cast<std::int64_t>(n_node), domains),
                        domains);
  request_stops(s, job.name, out);
  return out;
}

}  // namespace

JobPlace place_of(const Scenario& s, const fleet::Fleet& fleet, const JobSpec& spec) {
  JobPlace out{spec.name, 0, 0, 0};
  for (const auto& job : s.jobs) {
    out.n_node = static_cast<std::size_t>(job.plan.n_gpu) / fleet.n_gpu_per_node;
    if (job.name == spec.name) break;
    ++out.lane, out.first_node += out.n_node;
  }
  return out;
}

workload::IterationModel training_model(const Scenario& s, const fleet::Fleet& fleet, const JobSpec& spec,
                                        const JobPlace& place) {
  return {spec.model, spec.plan, s.halls[fleet.node_hall[place.first_node]].compute, network_of(s, spec)};
}

fleet::TrainingTask::Options training_options(const Scenario& s, const JobSpec& spec, const JobPlace& place) {
  const auto seed = static_cast<std::uint64_t>(s.run.seed);
  fleet::TrainingTask::Options out;
  out.replica_groups = s.run.replica_groups;
  out.gating = s.run.gating;
  out.hold = {s.gpu_smoothing, s.ballast};
  out.beat = spec.beat;
  out.jitter.emplace(spec.life.jitter, seed, place.lane, spec.plan.dp());
  out.host_slowness = workload::host_slowness(spec.life.jitter, seed, static_cast<std::int64_t>(place.n_node));
  return out;
}

JobRun::JobRun(const Scenario& scenario, const fleet::Fleet& fleet, const JobSpec* spec, JobPlace place)
    : job_{std::move(place), {}, {}, {}, {}} {
  if (spec == nullptr) return;
  job_.training.emplace(training_model(scenario, fleet, *spec, job_.place), fleet, job_.place.first_node,
                        training_options(scenario, *spec, job_.place));
  job_.life.emplace(life_of(scenario, *spec, job_.training->model().model_checkpoint_bytes(), job_.place.n_node));
}

void JobRun::set_paused(bool paused, StepContext& c) {
  auto& life = *job_.life;
  const Tick now = job_.state.now;
  if (paused == (life.state().held_since != workload::never)) return;
  if (!paused) {
    life.release_stop(now);
  } else {
    life.hold_stop(now);
    // Between two iterations the job stops at once; one that is under way comes to its end.
    if (planner_.begun_frac() == 0.0 && life.state().state == JobState::iterate) life.completed(life.next(now), 0, now);
  }
  disturb();
  report_.events(job_, c);
}

void JobRun::set_power(bool on, StepContext& c) {
  job_.state.dark = !on;
  disturb();
  if (job_.training) job_.training->forget_hold();
  if (!job_.life) return;
  if (on)
    job_.life->power_back(job_.state.now);
  else
    job_.life->power_lost(job_.state.now);
  report_.events(job_, c);
}

}  // namespace TIDEWATT_NAMESPACE::sim
