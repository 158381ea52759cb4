#pragma once
#include <vector>

#include "row.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// E7: one H100 as our own recorder saw it (docs/records) beside the entry that was frozen before.
std::vector<Row> evidence_record_rows(const Context&);

}  // namespace TIDEWATT_NAMESPACE::validate
