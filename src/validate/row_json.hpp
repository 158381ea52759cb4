#pragma once
#include <string>
#include <vector>

#include "ledger.hpp"
#include "row.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// The groups of these names, in the order of `groups()`; all of them when none is named.
/// @throws InputError for an unknown name, with the nearest one and all there are
std::vector<NamedGroup> chosen_groups(const std::vector<std::string>& names);

/// All rows of the groups, blind ones with their bands.
std::vector<Row> computed_rows(const std::vector<NamedGroup>& groups, const Context& context);

/// Rows as one JSON object {"rows": [...]}: expected is a number, or [low, high] where an interval is published; error and
/// tolerance are fractions, or in the row's unit where it says so. Skipped rows have null for all numbers. Blind rows have `first_error` and
/// `first_commit` from the ledger, and the ends of their 90 % band. `blind` counts rows of that kind with data and their sources; its errors
/// are fractions of the first computation, `_now` of this one; `outside_tolerance` is by the first error, `outside_band` by this band.
std::string rows_json(const std::vector<Row>& rows, const std::vector<LedgerLine>& lines = ledger());

}  // namespace TIDEWATT_NAMESPACE::validate
