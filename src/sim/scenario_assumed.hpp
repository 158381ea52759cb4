#pragma once
// Private to sim: what a scenario itself assumes.
#include <string>
#include <vector>

#include "scenario_reading.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// The tables [[assumed]], in their order. @param r reader of the scenario's top level; findings go to `reading`
std::vector<AssumedParams> read_assumed(Reading& reading, TableReader& r);

/// What only a power brake uses, where there is one, and the scenario's own ranges join the catalog's; an own range of a key takes the
/// place of the catalog's. Each end and each value must give a scenario that passes the check; what is wrong is a finding. Words that
/// do not are left out with a note, for other draws may need them; an input with one word left is none.
/// @throws RefusedError for what the scenario is refused for without them
/// @param set overrides, `key=value`: a key that is set is known, and its own range is left out
/// @param s whose notes name the words that are left out
void add_assumed(const std::vector<AssumedParams>& own, const std::vector<std::string>& set, Scenario& s,
                 Reading& reading);

}  // namespace TIDEWATT_NAMESPACE::sim
