#include "straddling.hpp"

namespace TIDEWATT_NAMESPACE::workload {

std::optional<StraddlingGroup> straddling_group(const ParallelPlan& p, const NetworkParams& network,
                                                std::int64_t used) {
  if (network.domain_gpus() <= network.gpus_per_node || p.n_gpu <= used) return std::nullopt;
  for (const auto& group : {StraddlingGroup{"tensor", p.tp}, {"tensor and context", p.tp * p.cp}, {"expert", p.ep}})
    if (group.ranks > 1 && group.ranks <= used && used % group.ranks != 0) return group;
  return std::nullopt;
}

}  // namespace TIDEWATT_NAMESPACE::workload
