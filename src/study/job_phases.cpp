#include <algorithm>
#include <cmath>
#include <optional>

#include "draws.hpp"
#include "event_instants_parts.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/sim/look_up.hpp"
#include "tidewatt/sim/run.hpp"

namespace TIDEWATT_NAMESPACE::study::detail {
namespace {

constexpr double window_s = 150.0;  ///< in which all jobs train

/// When a job first trains, s; nothing: it does not.
std::optional<double> first_start_s(const sim::Result& base, const std::string& job) {
  const auto texts = [&](const char* path) -> const std::vector<std::string>* {
    for (const auto& a : base.arrays)
      if (a.path == path) return std::get_if<std::vector<std::string>>(&a.values);
    return nullptr;
  };
  const auto *kind = texts("/events/kind"), *entity = texts("/events/entity");
  if (kind == nullptr || entity == nullptr) return {};
  const auto time_s = sim::values(base, "/events/time");
  for (std::size_t i = 0; i < kind->size(); ++i)
    if ((*kind)[i] == "start" && (*entity)[i] == job) return time_s[i];
  return {};
}

/// A scenario's jobs alone: their starts and first minutes together.
struct Together {
  std::vector<std::size_t> jobs;  ///< that train
  double from_s = 0.0;            ///< the last of them begins to iterate
};

Together together(const sim::Scenario& s, const sim::Result& base, const std::vector<double>& iteration_s) {
  Together out;
  for (std::size_t j = 0; j < s.jobs.size(); ++j) {
    const auto start_s = first_start_s(base, s.jobs[j].name);
    if (!start_s || !(iteration_s[j] > 0.0)) continue;
    out.jobs.push_back(j);
    out.from_s = std::max(out.from_s, *start_s);
  }
  return out;
}

/// Windows that the run has, as many as the phases differ in.
std::size_t n_window(const Together& t, const std::vector<double>& iteration_s, double run_s) {
  const double time_s = std::max(0.0, run_s - t.from_s);
  double n = std::max(1.0, std::floor(time_s / window_s));
  for (const std::size_t a : t.jobs)
    for (const std::size_t b : t.jobs) {
      if (a == b || iteration_s[a] > iteration_s[b]) continue;
      const double ratio = iteration_s[b] / iteration_s[a], apart = std::abs(ratio - std::round(ratio));
      n = std::min(n, std::max(1.0, std::floor(apart * time_s / iteration_s[b])));
    }
  return static_cast<std::size_t>(n);
}

EdgeFigures run_figures(const sim::Scenario& s) { return summary_figures(sim::run(s, one_thread())); }

/// Each job beside the others at rest: its own edges, and what it adds to their rest.
EdgeFigures sum_of_jobs(const sim::Scenario& s, const std::vector<std::size_t>& jobs) {
  EdgeFigures out{};
  for (const std::size_t j : jobs) {
    sim::Scenario alone = s;
    for (const std::size_t other : jobs)
      if (other != j) alone.jobs[other].life.start_s = 2.0 * s.run.duration_s;
    const auto result = sim::run(alone, one_thread());
    const EdgeFigures own = summary_figures(result);
    for (std::size_t k = 0; k < own.size(); ++k) out[k] += own[k];
    if (j != jobs.front()) out[0] -= sim::figure(result, "pcc_min_MW");
  }
  return out;
}

}  // namespace

JobPhases job_phases(const sim::Scenario& scenario, const sim::Result& base, const std::vector<double>& iteration_s,
                     std::int64_t n_draw) {
  JobPhases out;
  const auto train = together(scenario, base, iteration_s);
  if (train.jobs.size() < 2) return out;
  sim::Scenario s = scenario;
  s.events.clear(), s.windows.clear(), s.grid_case.reset();
  s.devices.rules.clear(), s.devices.rules_from_s = s.devices.rules_until_s = 0.0;
  const double run_s = s.run.duration_s;
  s.run.duration_s = whole_ms(std::min(run_s, train.from_s + window_s));
  // Windows with other phases.
  const auto seed = static_cast<std::uint64_t>(s.run.seed);
  std::vector<EdgeFigures> windows;
  for (std::int64_t i = 0; i < n_draw; ++i) {
    sim::Scenario shifted = s;
    for (const std::size_t j : train.jobs)
      shifted.jobs[j].life.start_s +=
          whole_ms(iteration_s[j] * random::uniform(seed, draws::job_phase, j, static_cast<std::uint64_t>(i)));
    try {
      windows.push_back(run_figures(shifted));
      out.largest = largest(out.largest, windows.back());
    } catch (const SolverError&) {
      ++out.n_failed;
    }
  }
  if (windows.empty()) return out;
  // The run has several of them; each draw takes as many.
  const std::size_t n = n_window(train, iteration_s, run_s);
  for (std::size_t i = 0; i < windows.size(); ++i) {
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
