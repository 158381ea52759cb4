#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "draws.hpp"
#include "event_instants_parts.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/sim/look_up.hpp"
#include "tidewatt/sim/run.hpp"

namespace TIDEWATT_NAMESPACE::study::detail {
namespace {

constexpr double window_s = 150.0;  ///< in which all jobs train

constexpr double in_step_iterations = 15.0;  ///< that show the phase of jobs in step

/// Times of a kind of event in the run's list, s. @param of_job empty: of any
std::vector<double> times_s(const sim::Result& base, const std::string& kind, const std::string& of_job) {
  const auto texts = [&](const char* path) -> const std::vector<std::string>* {
    for (const auto& a : base.arrays)
      if (a.path == path) return std::get_if<std::vector<std::string>>(&a.values);
    return nullptr;
  };
  std::vector<double> out;
  const auto *kinds = texts("/events/kind"), *jobs = texts("/events/entity");
  if (kinds == nullptr || jobs == nullptr) return out;
  const auto at_s = sim::values(base, "/events/time");
  for (std::size_t i = 0; i < kinds->size(); ++i)
    if ((*kinds)[i] == kind && (of_job.empty() || (*jobs)[i] == of_job)) out.push_back(at_s[i]);
  return out;
}

/// Jobs that train beside one another.
struct Together {
  std::vector<std::size_t> jobs;
  double from_s = 0.0;       ///< the last of them begins to iterate
  double longest_s = 0.0;    ///< iteration
  std::int64_t n_again = 0;  ///< interruptions of one of them, each with another phase behind it
};

Together together(const sim::Scenario& s, const sim::Result& base, const std::vector<double>& iteration_s) {
  Together out;
  for (std::size_t j = 0; j < s.jobs.size(); ++j) {
    const auto starts_s = times_s(base, "start", s.jobs[j].name);
    if (starts_s.empty() || !(iteration_s[j] > 0.0)) continue;
    out.jobs.push_back(j);
    out.from_s = std::max(out.from_s, starts_s.front());
    out.longest_s = std::max(out.longest_s, iteration_s[j]);
  }
  for (const char* kind : {"restart", "checkpoint", "evaluation"})
    for (const double at_s : times_s(base, kind, "")) out.n_again += at_s > out.from_s ? 1 : 0;
  return out;
}

/// Iterations by which the two jobs that are closest to a whole ratio drift against each other to the run's end.
double drift(const Together& t, const std::vector<double>& iteration_s, double run_s) {
  double out = std::numeric_limits<double>::infinity();
  for (const std::size_t a : t.jobs)
    for (const std::size_t b : t.jobs) {
      if (a == b || iteration_s[a] > iteration_s[b]) continue;
      const double ratio = iteration_s[b] / iteration_s[a], apart = std::abs(ratio - std::round(ratio));
      out = std::min(out, apart * std::max(0.0, run_s - t.from_s) / iteration_s[b]);
    }
  return out;
}

EdgeFigures run_figures(const sim::Scenario& s) { return summary_figures(sim::run(s, one_thread())); }

/// Each job beside the others at rest: its own edges, and what it adds to their rest.
EdgeFigures sum_of_jobs(const sim::Scenario& s, const std::vector<std::size_t>& jobs) {
  EdgeFigures out{};
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    sim::Scenario alone = s;
    for (const std::size_t other : jobs)
      if (other != jobs[i]) alone.jobs[other].life.start_s = 2.0 * s.run.duration_s;
    const auto result = sim::run(alone, one_thread());
    const EdgeFigures own = summary_figures(result);
    for (std::size_t k = 0; k < own.size(); ++k) out[k] += own[k];
    if (i > 0) out[0] -= sim::figure(result, "pcc_min_MW");  // their rest counts once
  }
  return out;
}

}  // namespace

JobPhases job_phases(const sim::Scenario& scenario, const sim::Result& base, const std::vector<double>& iteration_s,
                     const EdgeFigures& own, std::int64_t n_draw) {
  JobPhases out;
  const auto train = together(scenario, base, iteration_s);
  if (train.jobs.size() < 2) return out;
  sim::Scenario s = scenario;
  s.events.clear(), s.windows.clear(), s.grid_case.reset();
  s.devices.rules.clear(), s.devices.rules_from_s = s.devices.rules_until_s = 0.0;
  const double run_s = s.run.duration_s;
  const double drift_n = drift(train, iteration_s, run_s);
  const double length_s = drift_n < 2.0 ? std::min(window_s, in_step_iterations * train.longest_s) : window_s;
  s.run.duration_s = whole_ms(std::min(run_s, train.from_s + train.longest_s + length_s));
  // Windows with other phases, and what the run met.
  const auto seed = static_cast<std::uint64_t>(s.run.seed);
  std::vector<EdgeFigures> windows;
  for (std::int64_t i = 0; i < n_draw; ++i) {
    sim::Scenario shifted = s;
    for (const std::size_t j : train.jobs)
      shifted.jobs[j].life.start_s +=
          whole_ms(iteration_s[j] * random::uniform(seed, draws::job_phase, j, static_cast<std::uint64_t>(i)));
    const std::string failure = failure_of([&] { windows.push_back(run_figures(shifted)); });
    out.n_failed += failure.empty() ? 0 : 1;
  }
  windows.push_back(own);
  // The run has several of them; each draw takes as many.
  const double most_n = std::max(1.0, std::floor((run_s - train.from_s) / length_s)),
               n_phase = std::clamp(std::floor(drift_n) + static_cast<double>(train.n_again), 1.0, most_n);
  const auto n = static_cast<std::size_t>(n_phase);
  for (std::size_t i = 0; i + 1 < windows.size(); ++i) {
    EdgeFigures most = n == 1 ? windows[i] : EdgeFigures{};
    for (std::size_t w = 0; w < n && n > 1; ++w) {
      const double place = random::uniform(seed, draws::phase_window, i, w) * static_cast<double>(windows.size());
      most = largest(most, windows[static_cast<std::size_t>(place)]);
    }
    out.draws.push_back(most);
  }
  out.bound = sum_of_jobs(s, train.jobs);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study::detail
