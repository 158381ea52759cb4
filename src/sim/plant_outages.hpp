#pragma once
// Private to sim.
#include <string>
#include <vector>

#include "tidewatt/cooling/cooling_plant.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Parts of the halls' plants that fail for a while. Where several outages of one kind of part overlap, they are outages of the same
/// parts: the largest holds.
class PlantOutages {
 public:
  /// Those that the scenario's events name.
  explicit PlantOutages(const Scenario& scenario);
  /// Available capacity of a hall's plant.
  cooling::PlantCapacity capacity(std::size_t hall, Tick t) const;
  /// Whether parts of a hall's plant, or a filter in it, are out.
  bool any(std::size_t hall, Tick t) const;
  /// Next time at which parts fail or return; the largest tick: never.
  Tick next_edge(Tick now) const;
  /// When they last did; −1: never yet.
  Tick last_edge(Tick now) const;
  /// The events that have begun, for a message.
  std::string told(std::size_t hall, Tick t) const;

 private:
  struct Outage {
    std::size_t hall;
    Tick begin, end;
    cooling::PlantCapacity left;
    std::string event;
    EventKind kind;
  };
  std::vector<Outage> outages_;
};

}  // namespace TIDEWATT_NAMESPACE::sim
