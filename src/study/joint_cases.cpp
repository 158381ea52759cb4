#include "joint_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "input_draws.hpp"
#include "sampling.hpp"
#include "sim/iteration_view.hpp"
#include "sim/scenario_check.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/tick.hpp"
#include "toml_value.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

void add_column(CaseList& list, const std::string& key, const std::vector<std::string>& values) {
  list.names.push_back(key), list.keys.push_back({key});
  for (std::size_t i = 0; i < values.size(); ++i) list.values[i].push_back(values[i]);
}

/// Draws of the assumed inputs, as many as there are cases; empty ones where nothing has a range.
std::vector<InputDraw> drawn_inputs(const sim::Scenario& scenario, const catalog::Catalog& catalog,
                                    const SweepSpec& spec, std::vector<std::string>& notes) {
  const auto n = static_cast<std::size_t>(spec.n_case);
  ReducedFleet whole;
  whole.scenario = scenario;
  auto drawn = input_draws(whole, catalog, n, static_cast<std::uint64_t>(spec.seed));
  std::replace(drawn.refusal.begin(), drawn.refusal.end(), '\n', ' ');
  const auto n_made = static_cast<std::int64_t>(drawn.draws.size());
  if (n_made < spec.n_case && drawn.n_refused > 0)
    throw InputError(
        fmt::format("only {} of {} cases could be drawn: {} of {} draws contradict themselves, the first: {}", n_made,
                    n, drawn.n_refused, n_made + drawn.n_refused, drawn.refusal));
  if (drawn.n_refused > 0)
    notes.push_back(fmt::format("{} of {} draws contradicted themselves and were drawn again, the first: {}",
                                drawn.n_refused, n_made + drawn.n_refused, drawn.refusal));
  drawn.draws.resize(n);
  return std::move(drawn.draws);
}

void add_events(CaseList& list, const sim::Scenario& scenario, const SweepSpec& spec) {
  const double iteration_s = longest_iteration_s(scenario);
  if (scenario.events.empty() || iteration_s <= 0.0) return;
  const auto shares = sobol_points(list.size(), 1, static_cast<std::uint64_t>(spec.seed));
  for (const auto& event : scenario.events) {
    std::vector<std::string> at_s;
    for (const auto& share : shares)
      at_s.push_back(toml_value(static_cast<double>(std::llround((event.at_s + share[0] * iteration_s) * 1e3)) / 1e3));
    add_column(list, fmt::format("event.{}.at_s", event.name), at_s);
  }
}

}  // namespace

double longest_iteration_s(const sim::Scenario& scenario) {
  double longest_s = 0.0;
  for (const auto& job : scenario.jobs)
    longest_s = std::max(longest_s, seconds(sim::view_iteration(scenario, job).timeline.period));
  return longest_s;
}

CaseList joint_cases(const sim::Scenario& scenario, const catalog::Catalog& catalog, const SweepSpec& spec,
                     std::optional<std::int64_t> run_seed, std::vector<std::string>& notes) {
  CaseList list;
  list.resolved = true;
  const auto draws = drawn_inputs(scenario, catalog, spec, notes);
  const auto whole = sim::whole_numbers(scenario);
  list.values.resize(draws.size());
  for (const auto& a : scenario.assumed)
    if (!a.words.empty()) list.words[a.key] = a;
  for (const auto& [key, first] : draws.front()) {
    const auto input = list.words.find(key);
    std::vector<std::string> values;
    for (const auto& draw : draws) {
      const double x = draw.at(key);
      values.push_back(input != list.words.end() ? toml_value(input->second.text(x))
                       : whole.contains(key)     ? toml_value(static_cast<std::int64_t>(std::llround(x)))
                                                 : toml_value(x));
    }
    add_column(list, key, values);
  }
  if (run_seed) {
    std::vector<std::string> seeds;
    seeds.reserve(draws.size());
    for (std::size_t i = 0; i < draws.size(); ++i) seeds.push_back(toml_value(case_seed(*run_seed, spec.seed, i)));
    add_column(list, seed_key, seeds);
  }
  add_events(list, scenario, spec);
  list.same_as.resize(list.size());
  std::iota(list.same_as.begin(), list.same_as.end(), std::size_t{0});
  return list;
}

}  // namespace TIDEWATT_NAMESPACE::study
