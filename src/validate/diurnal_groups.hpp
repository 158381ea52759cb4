#pragma once
#include <vector>

#include "tidewatt/validate/row.hpp"

namespace tidewatt::validate {

/// D4: throughput of unequal chips under a cap, and under a clock lock of the same watts.
void clock_and_cap_rows(std::vector<Row>& rows);

}  // namespace tidewatt::validate
