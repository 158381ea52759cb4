#include <algorithm>
#include <optional>

#include "draws.hpp"
#include "event_instants_parts.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/sim/look_up.hpp"
#include "tidewatt/sim/run.hpp"

namespace TIDEWATT_NAMESPACE::study::detail {
namespace {

constexpr double together_s = 300.0;  ///< in which all jobs train

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

}  // namespace

JobPhases job_phases(const sim::Scenario& scenario, const sim::Result& base, const std::vector<double>& iteration_s,
                     std::int64_t n_draw) {
  JobPhases out;
  double joint_s = 0.0, longest_s = 0.0;
  std::vector<std::size_t> trains;
  for (std::size_t j = 0; j < scenario.jobs.size(); ++j) {
    const auto start_s = first_start_s(base, scenario.jobs[j].name);
    if (!start_s || !(iteration_s[j] > 0.0)) continue;
    trains.push_back(j);
    joint_s = std::max(joint_s, *start_s);
    longest_s = std::max(longest_s, iteration_s[j]);
  }
  if (trains.size() < 2) return out;
  // The start and the first minutes of all jobs, without events.
  sim::Scenario s = scenario;
  s.events.clear(), s.windows.clear(), s.grid_case.reset();
  s.devices.rules.clear(), s.devices.rules_from_s = s.devices.rules_until_s = 0.0;
  s.run.duration_s = whole_ms(std::min(s.run.duration_s, joint_s + longest_s + together_s));
  const auto figures = [](const sim::Scenario& changed) { return summary_figures(sim::run(changed, one_thread())); };
  const EdgeFigures own = figures(s);
  for (std::int64_t i = 0; i < n_draw; ++i) {
    sim::Scenario shifted = s;
    for (const std::size_t j : trains)
      shifted.jobs[j].life.start_s =
          whole_ms(s.jobs[j].life.start_s + iteration_s[j] * random::uniform(static_cast<std::uint64_t>(s.run.seed),
                                                                             draws::job_phase, j,
                                                                             static_cast<std::uint64_t>(i)));
    try {
      EdgeFigures ratio = figures(shifted);std::fprintf(stderr,"short %.4f %.4f %.4f %.4f own %.4f %.4f %.4f %.4f\n",ratio[0],ratio[1],ratio[2],ratio[3],own[0],own[1],own[2],own[3]);
      for (std::size_t k = 0; k < ratio.size(); ++k) ratio[k] /= own[k];
      out.ratio.push_back(ratio);
    } catch (const SolverError&) {
      ++out.n_failed;
    }
  }
  // Each job beside the others at rest: what it adds to their rest, and its own edges.
  double rest_MW = 0.0;
  for (const std::size_t j : trains) {
    sim::Scenario alone = s;
    for (const std::size_t other : trains)
      if (other != j) alone.jobs[other].life.start_s = 2.0 * s.run.duration_s;
    const auto result = sim::run(alone, one_thread());
    const EdgeFigures added = summary_figures(result);
    for (std::size_t k = 0; k < added.size(); ++k) out.bound[k] += added[k];
    rest_MW = sim::figure(result, "pcc_min_MW");
    if (j != trains.front()) out.bound[0] -= rest_MW;
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study::detail
