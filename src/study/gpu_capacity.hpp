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
  std::int64_t unit_gpus = 0;  ///< counted in whole units of so many, see sim::gpu_step
  std::int64_t n_rack = 0;     ///< cabinets
  std::string binds;
  double connection_W = 0.0;  ///< mean of the design hour with that many
  double peak_W = 0.0;        ///< largest millisecond of the day with that many
  double W_per_gpu = 0.0;     ///< of it
  double pue = 0.0;           ///< of the design hour
  std::int64_t hour = 0;      ///< of the day
  double supply_max_K = 0.0;  ///< warmest liquid at the servers during the day; 0: no server has plates
  /// Fraction of the cooling's capacity in use at the worst moment of the day with one unit out; 0: not looked at, or no plant limits.
  double cooling_used_frac = 0.0;
  struct Item {
    std::string name;
    std::int64_t n_gpu = 0;  ///< that this item alone would allow
  };
  std::vector<Item> items;  ///< every limit, the tightest first
};

struct CapacityOptions {
  double contract_W = 0.0;    ///< most that may be drawn at the connection; 0: not limited
  double breaker_frac = 0.0;  ///< continuous load that the rows' breakers take over the busway's rating; 0: no breakers
  double cooling_unit_frac = 0.0;  ///< fraction of fan walls or heat rejection of one unit; 0: ignore cooling
  bool by_peak = false;   ///< the contract limits the largest millisecond instead of the mean of the design hour
  bool new_site = false;  ///< feeder and plant are built for the number found: only contract and rules limit it
  std::size_t n_thread = 0;
  std::function<bool()> stop{};  ///< checked between steps: true ends it with a std::runtime_error
};

/// The scenario is run through its day (its weather should be an extreme one); the hour with the largest mean gives watts
/// per GPU and the cooling's share. Limits are the feeder's levels as they are built for the scenario's own GPUs, each
/// with one branch out (one that has a single branch to its rating), the contract, and every rule in watts or watts per second (they grow with the GPUs). Assumption:
/// load and auxiliaries go with the number of GPUs. GPUs count in whole servers, racks and
/// scale-up domains, and with one job on one hall in numbers that its plan can use.
/// Cooling limits through the share of its capacity that is in use at the worst moment of the same day with one unit of
/// every hall out (chiller, fan wall, or rejection): plants stay as built, what they must carry goes with the GPUs.
///
/// A new site is run again with the number found, its feeder and plant sized for it, until the number stays: nothing is scaled then.
/// It has one hall and one job on all its GPUs.
/// @throws InputError for a run below a quarter of an hour: it has no hour's mean; for a new site of several halls or jobs, or
/// without a contract or rule
GpuCapacity most_gpus(const sim::Scenario& scenario, const CapacityOptions& options);

}  // namespace TIDEWATT_NAMESPACE::study
