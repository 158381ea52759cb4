#pragma once
// Private to sim: what the halls' plants did.
#include <cstddef>

#include "fleet/site.hpp"
#include "tidewatt/base/sum.hpp"
#include "tidewatt/base/tick.hpp"
#include "tidewatt/cooling/cooling_plant.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Means of the last macro step (heat-weighted over halls where there are several).
struct HallMeans {
  double outdoor_drybulb_K = 0, outdoor_wetbulb_K = 0, supply_K = 0, inlet_K = 0, hot_aisle_K = 0;
  double liquid_supply_K = 0, liquid_W = 0;  ///< weighted with the liquid's heat; its heat
  double plant_W = 0, water_kg_per_s = 0;
  double capacity_margin_frac = 1;  ///< least of the halls
  template <class A>
  void archive(A& a) {
    a(outdoor_drybulb_K, outdoor_wetbulb_K, supply_K, inlet_K, hot_aisle_K, liquid_supply_K, liquid_W, plant_W,
      water_kg_per_s, capacity_margin_frac);
  }
};

/// A fluid beyond its limit, over the run so far: the worst of the halls.
struct FluidRange {
  double warmest_K = 0, limit_K = 0;
  std::size_t hall = 0;
  Tick since = -1;  ///< −1: never beyond
  template <class A>
  void archive(A& a) {
    a(warmest_K, limit_K, hall, since);
  }
};

/// Energies since the start.
struct HallBooks {
  CompensatedSum electric, heat_in, fan, heat_out, stored, water_kg;
  CompensatedSum reuse;  ///< part of heat_out that went to a user
  double capacity_margin_min_frac = 1.0;
  cooling::PlantPart margin_part = cooling::PlantPart::none;  ///< whose margin that is
  FluidRange air, liquid;                                     ///< at the servers' inlets, beyond what the servers take
  FluidRange water;                                           ///< anywhere in the plants, beyond boiling
  template <class A>
  void archive(A& a) {
    a(electric, heat_in, fan, heat_out, stored, water_kg, reuse, capacity_margin_min_frac, margin_part, air, liquid,
      water);
  }
};

/// Adds a hall to the means of a step. @param share of it  @param liquid_W heat of its liquid
void add(HallMeans& means, const cooling::PlantStep& p, double share, double liquid_W, double step_s, bool powered);
/// Adds a plant's step. @param powered the site has power: its margins count
void book(HallBooks& books, const cooling::PlantStep& p, double step_s, bool powered);
/// Looks whether fluids are warmer than servers, or the fluids themselves, take. @param now beginning of the step
void watch_range(HallBooks& books, std::size_t hall, const fleet::NodeType& type, const cooling::PlantStep& p,
                 Tick now);

}  // namespace TIDEWATT_NAMESPACE::sim
