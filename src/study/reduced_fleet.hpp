#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// A scenario on fewer GPUs, whose every replica keeps its work.
struct ReducedFleet {
  sim::Scenario scenario;
  std::int64_t n_gpu = 0;  ///< of its halls, a count
  double share = 1.0;      ///< its GPUs over the site's
  std::map<std::string, double>
      scaled;         ///< factors of assumed inputs: sizes of a site battery, rates of loading and saving, batches
  std::string whole;  ///< why it is the whole fleet; empty: it is not, or the fleet is small
};

inline constexpr std::int64_t reduced_gpus = 512;        ///< GPUs that a reduced fleet has, if whole parts allow
inline constexpr std::int64_t reduced_gpus_most = 2048;  ///< GPUs that it may have for the sake of whole parts

/// Jobs and halls in proportion, in whole replicas, groups of experts, servers, and racks with a scale-up domain; a site battery and
/// orders in watts with them. Windows that are only recorded and rule sets are left out: no headline comes from them.
/// Where a device has a size of its own (generators, a number of supplies, neighbours, a power system of several machines, a blocked
/// rack), where jobs are placed on named racks or rows, or where no whole parts fit, the fleet stays whole.
ReducedFleet reduced_fleet(const sim::Scenario& scenario);

}  // namespace TIDEWATT_NAMESPACE::study
