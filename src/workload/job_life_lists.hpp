#pragma once
#include <cstdint>
#include <vector>

#include "job_state.hpp"
#include "tidewatt/workload/failures.hpp"

namespace TIDEWATT_NAMESPACE::workload::failure_list {

/// First failure from `at` on of the wanted kind.
inline std::size_t find(const std::vector<Failure>& failures, std::size_t at, bool planned) {
  while (at < failures.size() && failures[at].planned != planned) ++at;
  return at;
}

inline Tick tick_of(const std::vector<Failure>& failures, std::size_t at) {
  return at < failures.size() ? failures[at].tick : never;
}

inline bool is_down(JobState s) {
  return s == JobState::detect || s == JobState::wait_for_spare || s == JobState::replace ||
         s == JobState::maintenance || s == JobState::run_out || s == JobState::tear_down;
}

}  // namespace TIDEWATT_NAMESPACE::workload::failure_list
