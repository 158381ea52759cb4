#pragma once
#include <string>
#include <vector>

#include "tidewatt/base/version.hpp"
#include "tidewatt/catalog/catalog.hpp"

namespace TIDEWATT_NAMESPACE::catalog {

/// Names of catalog entries to combine; an empty name is absent and not checked. A rack
/// brings its GPU, server and network where these are not named.
struct TIDEWATT_API Hardware {
  std::string gpu, server, rack, network, plant, feeder;
};

/// What does not fit together, with the numbers and the nearest entry that does; empty: all fits. Keys are the names of
/// Hardware's members. Asked are, pair by pair:
///
///  gpu and server      plates or sinks in both; the supplies' rating over n P_tdp/η + host + fans; the board (kind boards)
///  server and network  GPUs per node
///  rack                its own GPU, server, network; limit of its GPU; GPUs of its trays and of the scale-up domain
///  server and plant    a liquid loop for plates; an air path that takes the air's share of heat at 15 K
///  rack and plant      the same; loop supply below the rack's limit; flow for the rack's heat below its highest rise
///  feeder              direct or alternating current; rating of a rack's branch over the cabinet's (or server's) input
///
/// @throws InputError for a name that is not in the catalog
TIDEWATT_API std::vector<Finding> misfits(const Catalog& catalog, const Hardware& hardware);

}  // namespace TIDEWATT_NAMESPACE::catalog
