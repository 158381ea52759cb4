#pragma once
#include <string>
#include <vector>

#include "tidewatt/workload/trace.hpp"

namespace TIDEWATT_NAMESPACE::workload {

/// One line of an MLPerf training log.
struct MlperfEvent {
  Tick at = 0;       ///< from the first power sample; before it: negative
  std::string type;  ///< INTERVAL_START, INTERVAL_END, POINT_IN_TIME; empty where the file has none
  std::string key, value, metadata;
};

/// Node power and events of one MLPerf training run, as in the results that MLCommons publishes.
struct MlperfLog {
  struct Step {
    Tick end = 0;           ///< when it was logged
    double duration_s = 0;  ///< as it was logged
  };
  Trace power;  ///< one channel per node
  std::vector<MlperfEvent> events;

  /// Training steps with a logged duration.
  std::vector<Step> steps() const;
};

/// @param power_csv   time_ms and one column of watts per node (`node7_W`, `power_W`), Unix milliseconds
/// @param events_csv  time_ms,event_type,key,value,metadata under that header; or, without one, time_ms,key,value
/// Power samples are valid until the next; gaps longer than `gap_s` are listed in `power.gaps`.
/// @throws InputError with every defect
MlperfLog read_mlperf_log(const std::string& power_csv, const std::string& events_csv, double gap_s = 10.0);
/// Power alone, from a file as above.
Trace read_mlperf_power(const std::string& power_csv, double gap_s = 10.0);
/// Events alone; `at` counts from `origin_unix_ns`.
std::vector<MlperfEvent> read_mlperf_events(const std::string& events_csv, std::int64_t origin_unix_ns);

}  // namespace TIDEWATT_NAMESPACE::workload
