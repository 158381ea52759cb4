// What every job did, by itself: rows of `jobs`, and the group /jobs.
#include <algorithm>
#include <cmath>

#include "figure_list.hpp"
#include "run_result.hpp"
#include "scenario_rack.hpp"
#include "training_figures.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

using Figures = std::vector<std::pair<std::string, Value>>;

Value number(double x) { return std::isfinite(x) ? Value(x) : Value(); }

/// @param total_s length of the run  @param lost_power the site had none for a while  @param racks domains of a job have several nodes
Figures figures_of(const JobRun& run, const JobSpec& spec, const TrainingFigures& trained, double total_s,
                   bool lost_power, bool racks) {
  const auto& f = run.figures();
  const auto& books = run.life().books();
  Figures out = {{"name", spec.name}, {"n_gpu", spec.plan.n_gpu}};
  for (auto& figure : training_values(trained)) out.push_back(std::move(figure));
  for (auto&& figure : Figures{{"tokens", f.tokens},
                               {"tokens_per_s_mean", number(trained.tokens_per_s)},
                               {"iterating_s", f.iterating_s},
                               {"n_iterations", books.iterations_run},
                               {"n_iterations_lost", books.iterations_lost},
                               {"n_interruptions_unexpected", books.unexpected},
                               {"n_interruptions_thermal", books.thermal},
                               {"n_interruptions_planned", books.planned},
                               {"n_checkpoints", books.checkpoints},
                               {"n_nodes_replaced", books.replaced_nodes},
                               {"effective_time_percent", number(100.0 * trained.effective_frac)},
                               {"it_mean_MW", f.load_J / total_s * 1e-6},
                               {"die_mean_degC", number(trained.die_mean_K - 273.15)}})
    out.push_back(std::move(figure));
  for (auto& figure : clock_values(trained)) out.push_back(std::move(figure));
  if (racks) {
    out.emplace_back("n_interruptions_tray", books.by_node());
    out.emplace_back("n_interruptions_switch_tray", books.by_switch_tray);
    out.emplace_back("n_interruptions_rack", books.by_rack);
  }
  if (lost_power) out.emplace_back("n_interruptions_power", books.power);
  return out;
}

/// One array per figure, and the time of every job in every state.
void add_arrays(Result& result, const std::vector<double>& state_s) {
  const std::uint64_t n = result.jobs.size();
  std::size_t i = 0;
  for (const auto& [key, first] : result.jobs.front()) {
    const Figure& figure = *find_figure(key);
    NamedArray a{"/jobs/" + key, {"job"}, {n}, std::vector<double>{}, std::string(file_unit(figure.unit)),
                 figure.words};
    if (std::holds_alternative<std::string>(first)) a.values = std::vector<std::string>{};
    if (std::holds_alternative<std::int64_t>(first)) a.values = std::vector<std::int64_t>{};
    for (const auto& job : result.jobs) {
      const Value& v = job[i].second;
      if (auto* text = std::get_if<std::vector<std::string>>(&a.values)) text->push_back(std::get<std::string>(v));
      if (auto* whole = std::get_if<std::vector<std::int64_t>>(&a.values)) whole->push_back(std::get<std::int64_t>(v));
      if (auto* real = std::get_if<std::vector<double>>(&a.values))
        real->push_back(std::holds_alternative<double>(v) ? std::get<double>(v) : std::nan(""));
    }
    result.arrays.push_back(std::move(a));
    ++i;
  }
  std::vector<std::string> names;
  names.reserve(workload::n_job_state);
  for (std::size_t s = 0; s < workload::n_job_state; ++s)
    names.emplace_back(name_of(static_cast<workload::JobState>(s)));
  result.arrays.push_back(
      {"/jobs/state_name", {"state"}, {workload::n_job_state}, std::move(names), "1", "states of a job"});
  result.arrays.push_back(
      {"/jobs/state_s", {"job", "state"}, {n, workload::n_job_state}, state_s, "s", "time spent in each state"});
}

}  // namespace

void add_jobs(const Simulation& run, Result& result) {
  const auto& scenario = run.model.scenario;
  const auto& occupants = run.occupants;
  const auto& neighbours = run.neighbours;
  std::vector<double> state_s;
  const bool racks = std::any_of(scenario.jobs.begin(), scenario.jobs.end(),
                                 [&](const JobSpec& j) { return domain_layout(scenario, j).n_domain > 0; });
  const auto trained = training_figures(run);
  for (std::size_t i = 0; i < scenario.jobs.size(); ++i) {
    result.jobs.push_back(
        figures_of(occupants[i], scenario.jobs[i], trained[i], seconds(run.model.end), run.state.dark_ns > 0, racks));
    for (const Tick t : occupants[i].life().books().state_ns) state_s.push_back(seconds(t));
  }
  add_arrays(result, state_s);
  if (neighbours.empty()) return;
  std::vector<std::string> name;
  std::vector<double> J, max_W;
  for (const auto& n : neighbours) {
    name.push_back(n.name());
    J.push_back(n.J());
    max_W.push_back(n.max_W());
  }
  const std::uint64_t n = name.size();
  result.arrays.push_back(
      {"/neighbours/name", {"neighbour"}, {n}, std::move(name), "1", "neighbours on the same feeders"});
  result.arrays.push_back(column("/neighbours/load_J", "neighbour", J, "J", "energy that each drew"));
  result.arrays.push_back(column("/neighbours/max_W", "neighbour", max_W, "W", "highest power of each"));
}

}  // namespace TIDEWATT_NAMESPACE::sim
