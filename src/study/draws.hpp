#pragma once
#include "base/random.hpp"

/// What the random numbers of a study are for, above the purposes of the models.
namespace TIDEWATT_NAMESPACE::study::draws {

inline constexpr random::Purpose sobol_shift{1001};
inline constexpr random::Purpose hypercube_order{1002};
inline constexpr random::Purpose hypercube_place{1003};
inline constexpr random::Purpose bootstrap{1004};
inline constexpr random::Purpose replayed_host{1005};
inline constexpr random::Purpose joint_parts{1031};
inline constexpr random::Purpose job_phase{1021};
inline constexpr random::Purpose event_order{1022};
inline constexpr random::Purpose phase_window{1023};
inline constexpr random::Purpose other_fleet{1006};
inline constexpr random::Purpose fleet_rest{1007};

}  // namespace TIDEWATT_NAMESPACE::study::draws
