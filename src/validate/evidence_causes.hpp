#pragma once
#include <string>
#include <string_view>

#include "evidence_runs.hpp"
#include "row.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// Why an evidence row likely misses, and what would mend it; empty if nothing is known.
std::string_view likely_cause(std::string_view id);
/// A published figure beside the model's, in its unit; where it misses, with the likely cause.
Row judged(const EvidenceRow& row, std::string what, std::string unit, double got);

}  // namespace TIDEWATT_NAMESPACE::validate
