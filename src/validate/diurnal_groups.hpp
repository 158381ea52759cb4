#pragma once
#include <vector>

#include "row.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// D1 to D3: the day of Llama 3 405B on 16,384 H100, and what its swing is without spread, without waiting, without weather.
std::vector<Row> day_rows(const Context&);

/// D1/interval: the same over all assumed ranges, 40 draws of 512 GPUs.
std::vector<Row> interval_rows(const Context&);

/// D4: throughput of unequal chips under a cap, and under a clock lock of the same watts.
std::vector<Row> clock_and_cap_rows(const Context&);

}  // namespace TIDEWATT_NAMESPACE::validate
