#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// Number of GPUs that a connection allows in its design hour, and the limit that binds.
struct GpuCapacity {
  std::int64_t n_gpu = 0;
  std::string binds;
  double connection_W = 0.0;  ///< mean of the design hour with that many
  double peak_W = 0.0;        ///< largest millisecond of the day with that many
  double W_per_gpu = 0.0;     ///< of it
  double pue = 0.0;           ///< of the design hour
  std::int64_t hour = 0;      ///< of the day
  struct Item {
    std::string name;
    std::int64_t n_gpu = 0;  ///< that this item alone would allow
  };
  std::vector<Item> items;  ///< every limit, the tightest first
};

/// The scenario is run through its day (its weather should be an extreme one); the hour with the largest mean gives watts
/// per GPU and the cooling's share. Limits are the feeder's levels as they are built for the scenario's own GPUs, each
/// with one branch out (one that has a single branch to its rating), the contract, and every rule in watts or watts per second (they grow with the GPUs). Assumption:
/// load and auxiliaries go with the number of GPUs.
/// Cooling limits through the share of its capacity that is in use at the worst moment of the same day with one unit of
/// every hall out (chiller, fan wall, or rejection): plants stay as built, what they must carry goes with the GPUs.
/// @param contract_W most that may be drawn at the connection; 0: not limited
/// @param by_peak whether the contract limits the largest millisecond instead of the mean of the design hour
/// @param cooling_unit_frac fraction of fan walls or heat rejection of one unit; 0: ignore cooling
/// @param breaker_frac continuous load that the rows' breakers take over the busway's rating; 0: no breakers
/// @param stop checked between steps: true ends it with a std::runtime_error
/// @throws InputError for a run below a quarter of an hour: it has no hour's mean
GpuCapacity most_gpus(const sim::Scenario& scenario, double contract_W, double breaker_frac, std::size_t n_thread,
                      double cooling_unit_frac = 0.0, bool by_peak = false, const std::function<bool()>& stop = {});

}  // namespace TIDEWATT_NAMESPACE::study
