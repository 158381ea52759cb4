#pragma once
// Private to sim: defaults of a scenario.
#include "scenario_reading.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Names the only hall `a` and the only job `main` where they have no name.
void name_only_items(Node& root);

/// Puts the stated defaults (catalog entry defaults/scenario) where a scenario leaves a key out, and notes each in
/// `s.defaults`: time, weather, feeder, grid, server and plant of a GPU, network of a server, settings of the plan, required
/// keys of a job's life. Replaces `n_gpu = "all"` and `replica_batch_sequences` in plans by counts.
void fill_defaults(Reading& reading, Node& root, const LoadOptions& options, Scenario& s);

/// Takes out what only follows from another finding: a default that could not be chosen because a GPU or server has no such
/// name, a count of "all" where a hall's own count is wrong.
void drop_consequences(Reading& reading);

}  // namespace TIDEWATT_NAMESPACE::sim
