#pragma once
#include <string>
#include <vector>

#include "replay_player.hpp"

namespace TIDEWATT_NAMESPACE::study::log_replay {

/// The hall of ReplayHallOptions around the log's servers; the compared server is the first host, noted in `compared`.
/// @param from_s, to_s  of the log  @param findings receives its assumptions
/// @throws InputError for options out of range and for plants without machines or with liquid
ReplayedHall play_hall(const ReplayOptions& o, const Hardware& h, const std::vector<Slots>& hosts,
                       const std::vector<SlotWatts>& watts, double from_s, double to_s, Played& compared,
                       std::vector<std::string>& findings);

}  // namespace TIDEWATT_NAMESPACE::study::log_replay
