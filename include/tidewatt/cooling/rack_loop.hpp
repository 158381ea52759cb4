#pragma once
#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::cooling {

/// Liquid loop of one rack behind its coolant distribution unit (CDU).
struct TIDEWATT_API RackLoopParams {
  double flow_m3_per_s = 0.0;   ///< through the rack
  double glycol_frac = 0.0;     ///< propylene glycol by mass; 0: water
  double liquid_frac = 0.0;     ///< of the rack's input power that the liquid takes; the rest heats air
  double supply_max_K = 0.0;    ///< highest supply temperature that the vendor allows
  double rise_max_K = 0.0;      ///< highest rise from supply to return
  double return_max_K = 0.0;    ///< highest return temperature
  double cdu_approach_K = 0.0;  ///< supply to the rack over supply of facility water, at design load
  double drop_Pa = 0.0;         ///< pressure drop of the rack at that flow
  void fields(FieldVisitor& v);
};

/// Flow through a rack by mass, with the density at its supply, kg/s.
TIDEWATT_API double rack_flow_kg_per_s(const RackLoopParams& loop, double supply_K);
/// Rise of the coolant through a rack: ΔT = Q/(ρ c V̇), with ρ of the supply (where flow is metered) and c of the mean
/// temperature. Assumption: steady; every tray has its share of the flow. Source: properties of water and glycol as in plants.
/// @param heat_W into the liquid, >= 0  @param supply_K  @returns K  @throws InputError for a flow that is not above 0
TIDEWATT_API double rack_rise_K(const RackLoopParams& loop, double heat_W, double supply_K);
/// Smallest flow at which both the rise and the return temperature are within their limits.
/// @param heat_W >= 0  @param supply_K below return_max_K  @returns m³/s  @throws InputError if the supply is too warm
TIDEWATT_API double rack_flow_needed_m3_per_s(const RackLoopParams& loop, double heat_W, double supply_K);

}  // namespace TIDEWATT_NAMESPACE::cooling
