#pragma once
#include <vector>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::cooling {

/// A wet cooling tower, all cells together.
struct TIDEWATT_API TowerParams {
  double water_kg_per_s = 0.0;           ///< at design
  double water_air_ratio = 0.0;          ///< kg of water per kg of dry air at design
  double wetbulb_K = 0.0;                ///< entering wet bulb at design
  double water_in_K = 0.0;               ///< entering water at design
  double water_out_K = 0.0;              ///< leaving water at design
  double free_convection_frac = 0.0;     ///< air flow with the fans off, of design
  double fan_W = 0.0;                    ///< at full speed and design
  double fan_exponent_ratio = 0.0;       ///< power ∝ speed^x
  double fan_floor_frac = 0.0;           ///< lowest speed of a running fan
  std::vector<double> ua_wetbulb_ratio;  ///< UA against design minus present wet bulb in K
  std::vector<double> ua_air_ratio;      ///< UA against air flow over design
  std::vector<double> ua_water_ratio;    ///< UA against water flow over design
  void fields(FieldVisitor& v);
};

struct TIDEWATT_API TowerPoint {
  double heat_W = 0.0;         ///< from the water into the air
  double leaving_K = 0.0;      ///< water
  double air_wetbulb_K = 0.0;  ///< of the leaving air
  double evaporated_kg_per_s = 0.0;
};

/// Entering air of a tower, with what depends on it alone: the same for every call within a step.
struct TIDEWATT_API TowerAir {
  double wetbulb_K = 0.0, humidity_ratio = 0.0, pressure_Pa = 0.0;
  double enthalpy_J_per_kg = 0.0;  ///< saturated at the wet bulb
  double UA_ratio = 1.0;           ///< f_wb, see Tower
};

/// Merkel's tower as an exchanger between water and a gas of the heat capacity of saturated air:
///
///     dQ = (UA/c_p) (h_s - h) ,   c_e = (h_s(T_wb,out) - h_s(T_wb,in)) / (T_wb,out - T_wb,in)
///     Q = ε(N, C) C_min (T_in - T_wb),   N = UA c_e / (c_p C_min),   C_air = G c_e,   C_water = L c
///     UA = UA_d f_wb(T_wb,d - T_wb) f_air(G/G_d) f_water(L/L_d)
///
/// counterflow; the three factors are quadratics, constant beyond the ends of their validity (differences -10 to 25 K, air 0.2
/// to 1, water 0.3 to 1). UA_d follows from the design point. Evaporation: leaving air is saturated at its wet bulb,
/// `G (W_s - W)`. Assumptions: Merkel's (Lewis factor 1, water loss small), water at constant heat capacity.
/// Sources: merkel_1925, braun_1988, energyplus_engineering_reference for the factors.
class TIDEWATT_API Tower {
 public:
  /// @throws InputError if the design point cannot be met by any tower
  explicit Tower(TowerParams params);
  /// @param humidity_ratio of the entering air, for the evaporation
  TowerAir air(double wetbulb_K, double humidity_ratio, double pressure_Pa) const;
  /// @param water_kg_per_s >= 0 @param speed_frac 0 to 1; below half the floor only free convection is left
  /// @param cells_frac share of the cells at work: the others have neither water nor fans on
  TowerPoint at(double water_kg_per_s, double inlet_K, const TowerAir& air, double speed_frac,
                double cells_frac = 1.0) const;
  /// The same at air given by its wet bulb, K, humidity ratio, kg/kg, and pressure, Pa.
  TowerPoint at(double water_kg_per_s, double inlet_K, double wetbulb_K, double humidity_ratio, double pressure_Pa,
                double speed_frac, double cells_frac = 1.0) const {
    return at(water_kg_per_s, inlet_K, air(wetbulb_K, humidity_ratio, pressure_Pa), speed_frac, cells_frac);
  }
  double fan_W(double speed_frac) const;  ///< 0 below half the floor; all cells
  /// Conductance required by the design point, on the sensible scale.
  double design_UA_W_per_K() const { return UA_W_per_K_; }
  const TowerParams& params() const { return p_; }

 private:
  TowerParams p_;
  double UA_W_per_K_ = 0.0;  ///< on the sensible scale
  double air_kg_per_s_ = 0.0;
};

}  // namespace TIDEWATT_NAMESPACE::cooling
