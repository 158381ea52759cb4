#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "case_list.hpp"
#include "tidewatt/catalog/catalog.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// Cases of a Monte Carlo over all that a scenario assumes, set on the resolved scenario. Columns: every assumed input with a range
/// (`input_draws`: values that belong together are drawn together, and each draw passes the check), `run.seed`, and the instant of each
/// event. All events of a case are later by the same share of one iteration, uniform in 0 to 1, in whole milliseconds: they keep their
/// distances.
/// @param run_seed of the scenario, for `case_seed`; absent: all cases keep it
/// @param notes gets how many draws contradicted themselves and were drawn again
/// @throws InputError if fewer than `spec.n_case` draws pass the check, with the first one's reason
CaseList joint_cases(const sim::Scenario& scenario, const catalog::Catalog& catalog, const SweepSpec& spec,
                     std::optional<std::int64_t> run_seed, std::vector<std::string>& notes);

/// The longest iteration of the scenario's jobs before anything has run, s (`sim::view_iteration`); 0 without a job.
double longest_iteration_s(const sim::Scenario& scenario);

}  // namespace TIDEWATT_NAMESPACE::study
