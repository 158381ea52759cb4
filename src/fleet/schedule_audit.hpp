#pragma once
#include <cstdint>
#include <vector>

#include "fleet_step.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

/// Second, independent sum of the schedule: Σ duration × reference power over nodes, in whole nanosecond ×
/// milliwatt units of 128 bits, from the emitted segments alone. The engine's own sum (FleetMeters::input_reference)
/// is compared with it; a dropped, doubled or mistimed segment shows.
class ScheduleAudit {
 public:
  void add(const FleetTask& task);  ///< its repetitions and its pauses
  double J() const;                 ///< exact total, J, rounded once
  template <class A>
  void archive(A& a) {
    a(total_ns_mW_);
  }

 private:
  __extension__ using Wide = unsigned __int128;
  Wide total_ns_mW_ = 0;
};

}  // namespace TIDEWATT_NAMESPACE::fleet
