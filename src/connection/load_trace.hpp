#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "load_template.hpp"

namespace TIDEWATT_NAMESPACE::connection {

/// One step's load on its way to the site's stream.
struct LaneLoad {
  std::size_t lane;
  LoadTemplate load;
  std::int64_t repetitions;
  bool iterating;
};

/// The whole load that a run's fleet and plants send to the feeder. Devices between nodes and grid do not act on the fleet, so
/// one trace serves every choice of devices. Replayed through another site's stream, it gives the same result as a run there.
struct LoadTrace {
  struct Flush {
    std::vector<LaneLoad> loads;
    Tick until = 0;
    double auxiliary_W = 0.0;
    std::optional<bool> power = {};  ///< after this step the site's power ended (false) or returned
    double tokens = 0.0;             ///< trained by all jobs from the start to `until`
  };
  std::size_t n_lane = 0;
  double other_W = 0.0;  ///< design power of loads beside the fleet
  double initial_load_W = 0.0, initial_auxiliary_W = 0.0;
  std::vector<Flush> flushes;
};

}  // namespace TIDEWATT_NAMESPACE::connection
