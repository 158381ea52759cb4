#include "training_figures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simulation.hpp"
#include "weighted_mean.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Value number(double x) { return std::isfinite(x) ? Value(x) : Value(); }
double known(double x) { return x > 0.0 ? x : nan; }

/// Length of an iteration without scatter whose slowest GPU has a clock.
double period_s(const workload::IterationModel& model, const JobSpec& job, double Hz) {
  const double pace = Hz / model.reference_clock_Hz();
  const double s = seconds(model.iteration({&pace, 1}).period);
  return job.beat ? std::max(s, job.beat->period_s) : s;
}

TrainingFigures of_job(const JobRun& run, const JobSeries& series, const JobSpec& job,
                       const workload::ComputeParams& gpu, bool gating) {
  const auto& sums = run.figures();
  const auto& books = run.life().books();
  const auto& model = run.training().model();
  TrainingFigures f;
  f.n_gpu = static_cast<double>(job.plan.n_gpu);
  f.iterating_s = sums.iterating_s;
  f.iteration_s = sums.iteration_s2 / sums.iterating_s;
  f.tokens_per_s = sums.tokens / sums.iterating_s;
  f.used = workload::utilisation(model, gpu, f.tokens_per_s);
  f.clock_mean_Hz = series.clock_mean_Hz();
  f.clock_slowest_Hz = known(series.clock_slowest_Hz());
  f.clock_alone_Hz = series.alone_mean_Hz();
  f.behind_frac = 1.0 - series.slowest_mean_Hz() / f.clock_alone_Hz;
  f.straggler_loss_frac = nan;
  if (std::isfinite(f.behind_frac))
    f.straggler_loss_frac =
        gating
            ? (period_s(model, job, series.slowest_mean_Hz()) - period_s(model, job, f.clock_alone_Hz)) / f.iteration_s
            : 0.0;
  f.die_mean_K = series.die_mean_K();
  f.memory_mean_K = known(series.memory_mean_K());
  if (sums.iterating_s > 0.0) f.limiter_share = series.limiter_share();
  f.since_start_s = seconds(books.total_ns() - books.in(workload::JobState::queued));
  f.effective_frac = f.since_start_s > 0.0 ? books.effective_frac() : nan;
  f.smoothing = sums.smoothing;
  return f;
}

/// The peak of several jobs is the mean over their GPUs, and its format a list of theirs.
workload::Utilisation site_utilisation(std::span<const TrainingFigures> jobs) {
  WeightedMean model, hardware, peak, bf16;
  std::vector<std::string> formats;
  for (const auto& j : jobs) {
    model.add(j.n_gpu, j.used.tflops_per_gpu), hardware.add(j.n_gpu, j.used.hardware_tflops_per_gpu);
    if (std::find(formats.begin(), formats.end(), j.used.precision) == formats.end())
      formats.push_back(j.used.precision);
    // Utilisations are of the GPUs that iterate.
    if (!std::isfinite(j.used.tflops_per_gpu) && jobs.size() > 1) continue;
    peak.add(j.n_gpu, j.used.peak_TF), bf16.add(j.n_gpu, j.used.bf16_peak_TF);
  }
  workload::Utilisation out;
  for (const auto& format : formats) out.precision += (out.precision.empty() ? "" : ", ") + format;
  out.peak_TF = peak.value(), out.bf16_peak_TF = bf16.value();
  out.tflops_per_gpu = model.value(), out.hardware_tflops_per_gpu = hardware.value();
  return out;
}

}  // namespace

std::vector<TrainingFigures> training_figures(const Simulation& run) {
  const auto& s = run.model.scenario;
  std::vector<TrainingFigures> out;
  for (std::size_t j = 0; j < s.jobs.size(); ++j) {
    const auto& job = run.occupants[j];
    const auto& gpu = s.halls[run.model.fleet.node_hall[job.first_node()]].compute;
    out.push_back(of_job(job, run.recorder.jobs()[j], s.jobs[j], gpu, s.run.gating));
  }
  return out;
}

TrainingFigures site_training(std::span<const TrainingFigures> jobs) {
  TrainingFigures out;
  WeightedMean iterating, iteration, tokens, without, clock, slowest, alone, behind, loss, die, memory, effective;
  double n_gpu = 0.0, since_s = 0.0;
  std::vector<WeightedMean> limiter;
  for (const auto& j : jobs) {
    n_gpu += j.n_gpu;
    const double worked = j.n_gpu * j.iterating_s;
    iterating.add(j.n_gpu, j.iterating_s), iteration.add(worked, j.iteration_s);
    tokens.add(worked, j.tokens_per_s), without.add(worked, j.tokens_per_s / (1.0 - j.straggler_loss_frac));
    clock.add(worked, j.clock_mean_Hz), slowest.add(worked, j.clock_slowest_Hz), alone.add(worked, j.clock_alone_Hz);
    behind.add(worked, j.behind_frac), loss.add(worked, j.straggler_loss_frac);
    die.add(j.n_gpu, j.die_mean_K), memory.add(j.n_gpu, j.memory_mean_K);
    effective.add(j.n_gpu * j.since_start_s, j.effective_frac);
    since_s = std::max(since_s, j.since_start_s);
    limiter.resize(std::max(limiter.size(), j.limiter_share.size()));
    if (out.limiter_share.empty()) out.limiter_share = j.limiter_share;
    for (std::size_t i = 0; i < j.limiter_share.size(); ++i) limiter[i].add(worked, j.limiter_share[i].second);
  }
  for (const auto& j : jobs) out.smoothing.add(j.smoothing, j.n_gpu / n_gpu);
  for (std::size_t i = 0; i < out.limiter_share.size(); ++i) out.limiter_share[i].second = limiter[i].value();
  out.n_gpu = n_gpu, out.iterating_s = iterating.value(), out.iteration_s = iteration.value();
  out.tokens_per_s = tokens.sum();
  out.used = site_utilisation(jobs);
  out.clock_mean_Hz = clock.value(), out.clock_slowest_Hz = slowest.least(), out.clock_alone_Hz = alone.value();
  out.behind_frac = behind.value();
  out.straggler_loss_frac = jobs.size() == 1 ? loss.value() : 1.0 - tokens.sum() / without.sum();
  out.die_mean_K = die.value(), out.memory_mean_K = memory.value();
  out.since_start_s = since_s, out.effective_frac = effective.value();
  return out;
}

std::vector<std::pair<std::string, Value>> training_values(const TrainingFigures& f) {
  return {{"iteration_s", number(f.iteration_s)},        {"tflops_per_gpu", number(f.used.tflops_per_gpu)},
          {"mfu_percent", number(f.used.mfu_percent())}, {"mfu_bf16_percent", number(f.used.mfu_bf16_percent())},
          {"hfu_percent", number(f.used.hfu_percent())}, {"utilisation_peak_TF", number(f.used.peak_TF)},
          {"utilisation_precision", f.used.precision}};
}

std::vector<std::pair<std::string, Value>> clock_values(const TrainingFigures& f) {
  return {{"clock_mean_MHz", number(f.clock_mean_Hz * 1e-6)},
          {"clock_slowest_MHz", number(f.clock_slowest_Hz * 1e-6)},
          {"clock_alone_MHz", number(f.clock_alone_Hz * 1e-6)},
          {"slowest_behind_percent", number(100.0 * f.behind_frac)},
          {"straggler_loss_percent", number(100.0 * f.straggler_loss_frac)}};
}

}  // namespace TIDEWATT_NAMESPACE::sim
