#pragma once
#include "row.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// P5: 64 nodes training GPT-3, fitted on the first half and predicted on the second; and fits of one run held against another.
void node_power_rows(const Context& context, std::vector<Row>& rows);

}  // namespace TIDEWATT_NAMESPACE::validate
