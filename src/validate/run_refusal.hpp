#pragma once
#include <string>

#include "evidence_runs.hpp"
#include "racks_runs.hpp"
#include "row.hpp"
#include "training_runs.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// Why `run` refuses the plan of a published run: what the scenario's check (workload::check_plan_on_servers) finds with the catalog's
/// memory and servers of the network's nodes, in one line. Empty: `run` takes it.
std::string run_refusal(const TrainingRun& run);
std::string run_refusal(const RackRun& run);      ///< the same of a rack's row
std::string run_refusal(const EvidenceRun& run);  ///< the same of a row of evidence_training.toml

/// A row whose plan `run` refuses does not pass, whatever its error: nobody can run it as a scenario. Its note says so first. Error and
/// figure stay; a row that set a parameter stays calibrated.
Row held_to_run(Row row, const std::string& refusal);

}  // namespace TIDEWATT_NAMESPACE::validate
