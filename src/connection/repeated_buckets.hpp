#pragma once
#include <cstdint>
#include <vector>

#include "stream_stages.hpp"

namespace TIDEWATT_NAMESPACE::connection {

/// Where repetitions begin and end: `n_bin` bins from `bin` on, `phase` into a period.
struct RepeatedBins {
  std::int64_t bin, n_bin;
  Tick phase;
};

/// Shows repetitions to the meters of means: means from the repeated template's integral, extremes from its bins. Whole seconds where
/// nobody looks at the extremes of 100 ms, buckets of 100 ms before and behind them.
/// @param pcc_W bins of a period at the connection, of which the last may be shorter  @param period its length
void push_repeated(ConnectionMeters& to, const std::vector<double>& pcc_W, Tick period, const RepeatedBins& bins);

}  // namespace TIDEWATT_NAMESPACE::connection
