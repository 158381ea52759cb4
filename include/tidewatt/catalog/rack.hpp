#pragma once
#include <string>

#include "tidewatt/base/version.hpp"
#include "tidewatt/catalog/catalog.hpp"
#include "tidewatt/cooling/rack_loop.hpp"
#include "tidewatt/power/rack.hpp"
#include "tidewatt/power/supply_chain.hpp"

namespace TIDEWATT_NAMESPACE::catalog {

/// An entry of kind rack: the entries it is made of, its electrical parts and its liquid loop.
struct TIDEWATT_API RackEntry {
  std::string name;
  std::string gpu, server, network;  ///< names of entries of these kinds; the server is one compute tray
  power::RackParams power;
  cooling::RackLoopParams loop;
};

/// @throws InputError for an unknown name, or with everything wrong in the entry
TIDEWATT_API RackEntry read_rack(const Catalog& catalog, const std::string& name);

/// Rated power of a rack with its assumed parts as given, and with all of them at the end of their range that lowers or
/// raises the sum.
struct TIDEWATT_API RackSpread {
  power::RackPower nominal, low, high;
};
/// @throws InputError as read_rack
TIDEWATT_API RackSpread rack_spread(const Catalog& catalog, const std::string& name);

/// An entry of kind supply_chain, connection first. @throws InputError for an unknown name, or with everything wrong in it
TIDEWATT_API power::SupplyChainParams read_supply_chain(const Catalog& catalog, const std::string& name);

}  // namespace TIDEWATT_NAMESPACE::catalog
