#pragma once
// Private to io: why throughput swings, as far as a run's own columns show it.
#include <string>

#include "summary_figures.hpp"

namespace TIDEWATT_NAMESPACE::io {

/// A sentence on what cooling has to do with the swing of hourly throughput; empty where the run does not show it.
///
/// Cooling is named as the cause if the columns of /day show each link of the chain: the supply varies, dies follow it, the slowest
/// clock falls with the dies, throughput falls with the clock, and the line through them covers at least half of a swing that is above its
/// own floor. The medium is the liquid at the cold plates where there is one, else the air at the servers' fronts. It is not named if an
/// order, a power brake or a write from outside moves the limits of the GPUs.
/// @param limiter that holds for most of the compute time
std::string swing_cause(const Figures& figures, const std::string& limiter);

}  // namespace TIDEWATT_NAMESPACE::io
