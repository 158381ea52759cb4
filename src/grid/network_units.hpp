#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "grid_unit.hpp"
#include "power_network.hpp"
#include "psse_dyr.hpp"
#include "synchronous_unit.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// The dynamic model of one generator of a network.
struct NetworkUnit {
  std::size_t generator = 0;  ///< in PowerNetwork::generator
  std::unique_ptr<GridUnit> model;
};

/// One unit per generator in service, from the records of its bus and id.
///
/// @throws InputError with every finding: a model that is not known (with its line), values out of
/// range, a generator without a machine or converter, a record without a generator, two models of one kind.
std::vector<NetworkUnit> make_units(const PowerNetwork& network, const std::vector<DyrRecord>& records,
                                    ShaftInput shaft);

}  // namespace TIDEWATT_NAMESPACE::grid
