#pragma once
#include <string>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// A quantity of a running engine that a controller outside reads, or reads and sets, by name.
///
/// Watts and tokens per second are means since the previous `Engine::advance_to`; counters run from the start of the run;
/// names that end in `_now_W` are means of the millisecond before the engine's time.
struct TIDEWATT_API Port {
  enum class Direction { read, read_write };
  std::string name;  ///< `hall.a.cap_W`: the unit is its suffix
  std::string unit;  ///< "1" for ratios, empty for text
  Direction direction = Direction::read;
  std::string place;             ///< "site", "hall a" or "job main"
  std::string doc;               ///< one sentence
  double low = 0.0, high = 0.0;  ///< allowed values, in the unit; of `read_write` ports only
};

}  // namespace TIDEWATT_NAMESPACE::sim
