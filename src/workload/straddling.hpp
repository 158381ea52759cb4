#pragma once
#include <cstdint>
#include <optional>

#include "tidewatt/workload/plan.hpp"

namespace TIDEWATT_NAMESPACE::workload {

/// A group of neighbouring ranks of which some lie across two scale-up domains.
struct StraddlingGroup {
  const char* what;    ///< tensor | tensor and context | expert
  std::int64_t ranks;  ///< count
};

/// The first group that does not divide the GPUs of a domain; nothing where a domain is one node, where the job fits one domain, and
/// for groups that are larger than a domain.
/// @param used GPUs of each domain that work, count
std::optional<StraddlingGroup> straddling_group(const ParallelPlan& plan, const NetworkParams& network,
                                                std::int64_t used);

}  // namespace TIDEWATT_NAMESPACE::workload
