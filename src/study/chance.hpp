#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// A figure of the summary that a planner stakes something on, and that therefore has an interval.
struct Headline {
  const char* key;   ///< of the summary
  const char* unit;  ///< of the key's figure
  const char* text;  ///< what it is, for people
  bool of_fleet;     ///< decided by few chips: its median over fleets is not the run's own value
  bool of_event;     ///< events set it, and their instant within the iteration decides
};
/// All of them, in the order in which they are printed.
std::span<const Headline> headlines();

/// Equally likely values of one source of chance, as logarithms of their ratio to the run's own.
struct ChancePart {
  std::string name;                                 ///< fleet, instant, inputs, weather or model
  std::int64_t n_draw = 0, n_failed = 0;            ///< counts; a draw is a run with all of the part's values drawn
  std::map<std::string, std::vector<double>> logs;  ///< [headline] ln(K_draw / K_run); absent: the part does not move it
  std::map<std::string, double> median_error;       ///< [headline] standard error of the median's logarithm, where known
  std::string note;                                 ///< why the part is empty, what it rests on
};

}  // namespace TIDEWATT_NAMESPACE::study
