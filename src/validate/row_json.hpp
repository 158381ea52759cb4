#pragma once
#include <string>
#include <vector>

#include "row.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// The groups of these names, in the order of `groups()`; all of them when none is named.
/// @throws InputError for an unknown name, with the nearest one and all there are
std::vector<NamedGroup> chosen_groups(const std::vector<std::string>& names);

/// Rows as one JSON object {"rows": [...]}: expected is a number, or [low, high] where an interval is published; error and
/// tolerance are fractions, or in the row's unit where it says so. Skipped rows have null for all numbers. `blind` counts the rows of
/// that kind that have data, their sources, their median and 90th-percentile error (fractions) and how many lie outside their tolerance.
std::string rows_json(const std::vector<Row>& rows);

}  // namespace TIDEWATT_NAMESPACE::validate
