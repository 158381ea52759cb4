#pragma once
#include <vector>

#include "row.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// D1 to D3: the day of Llama 3 405B on 16,384 H100, and what its swing is without spread, without waiting, without weather.
void day_rows(std::vector<Row>& rows);

/// D4: throughput of unequal chips under a cap, and under a clock lock of the same watts.
void clock_and_cap_rows(std::vector<Row>& rows);

}  // namespace TIDEWATT_NAMESPACE::validate
