#include "schedule_audit.hpp"

#include <cmath>

namespace TIDEWATT_NAMESPACE::fleet {

void ScheduleAudit::add(const FleetTask& task) {
  std::vector<std::uint64_t> nodes(task.timeline->classes.size(), 0);
  for (const auto cls : task.node_class) ++nodes[cls];
  for (std::size_t c = 0; c < nodes.size(); ++c) {
    Wide once = 0;
    for (const auto& s : task.timeline->classes[c])
      once += static_cast<Wide>(s.duration) * static_cast<Wide>(std::llround(task.kind_reference_W[s.kind] * 1e3));
    total_ns_mW_ += once * static_cast<Wide>(task.repetitions) * nodes[c];
  }
  if (const Tick pause = pause_of(task); pause > 0)
    total_ns_mW_ += static_cast<Wide>(pause) *
                    static_cast<Wide>(std::llround(task.kind_reference_W[task.pause_kind] * 1e3)) * n_node_of(task);
}

double ScheduleAudit::J() const {
  // 1e12 ns·mW = 1 J; whole joules and the remainder keep all digits of a double.
  constexpr std::uint64_t unit = 1'000'000'000'000u;
  return static_cast<double>(static_cast<std::uint64_t>(total_ns_mW_ / unit)) +
         static_cast<double>(static_cast<std::uint64_t>(total_ns_mW_ % unit)) * 1e-12;
}

}  // namespace TIDEWATT_NAMESPACE::fleet
