#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"
#include "tidewatt/cooling/chiller.hpp"
#include "tidewatt/cooling/cooling_plant.hpp"
#include "tidewatt/cooling/tower.hpp"

namespace TIDEWATT_NAMESPACE::cooling {

/// Water plant of a hall: CRAH for the air, CDU for the liquid, economiser, chiller trim, tower or dry cooler, heat
/// reuse. Extensive values belong to a hall of `reference_it_W`; HydronicPlant scales them.
struct TIDEWATT_API HydronicParams {
  double reference_it_W = 0.0;  ///< IT heat of the hall for which the sizes below are given
  double liquid_frac = 0.0;  ///< of the heat, by design; with two water loops it divides what rejects heat between them
  std::string water_loops = "one";  ///< "one" for coils and CDUs, or "two": the CDUs have a warm one of their own
  double cdu_approach_K = 0.0;      ///< two loops: the warm one's set point lies so far below loop_set; 0: one loop
  // set points
  double air_set_K = 0.0;   ///< air at the servers' inlets
  double loop_set_K = 0.0;  ///< liquid at the servers' inlets
  double facility_set_K =
      0.0;  ///< set point of the facility water supply (two loops: the coils'), kept by the heat rejection
  double chiller_above_K = 0.0;  ///< the chillers control to facility_set + this
  // CRAH
  double air_flow_m3_per_s = 0.0;       ///< largest flow of the CRAH fans
  double air_leakage_frac = 0.0;        ///< flow that bypasses the servers, as a fraction of the largest flow
  double air_fan_W = 0.0;               ///< CRAH fans at largest flow
  double air_fan_exponent_ratio = 0.0;  ///< x in fan power proportional to speed^x
  double air_fan_floor_frac = 0.0;      ///< lowest speed of CRAH fans
  double coil_W_per_K = 0.0;            ///< CRAH coils at design flows
  double coil_flow_kg_per_s = 0.0;      ///< water through all coils, valves open
  // CDU and technology loop
  double loop_flow_kg_per_s = 0.0;    ///< technology loop at full pump speed
  double loop_pump_W = 0.0;           ///< pumps of the technology loop at full speed
  double loop_pump_floor_frac = 0.0;  ///< lowest speed of these pumps, as a fraction of full speed
  double loop_glycol_frac = 0.0;      ///< propylene glycol in the technology loop, by mass
  double cdu_W_per_K = 0.0;           ///< CDU exchangers at design flows
  double cdu_flow_kg_per_s = 0.0;     ///< facility water through all CDUs, valves open
  // facility water
  double facility_pump_W = 0.0;      ///< facility pumps, all valves open
  double pump_exponent_ratio = 0.0;  ///< x in pump power proportional to flow^x
  double valve_floor_frac = 0.0;     ///< smallest opening of coil and CDU valves
  // Heat reuse: exchanger, the user's temperature, demand.
  double reuse_W_per_K = 0.0;  ///< exchanger of a heat user on the facility return
  double reuse_K = 0.0;        ///< temperature at which the user takes heat
  double reuse_max_W = 0.0;    ///< largest heat that the user takes
  // rejection
  double economiser_W_per_K = 0.0;      ///< exchanger to the rejection loop
  double reject_flow_kg_per_s = 0.0;    ///< water or glycol through the rejection loop
  double reject_pump_W = 0.0;           ///< pumps of the rejection loop
  double reject_glycol_frac = 0.0;      ///< propylene glycol in the rejection loop, by mass
  std::string rejection;                ///< "tower" or "dry_cooler"
  TowerParams tower;                    ///< used if `rejection` is "tower"
  double dry_W_per_K = 0.0;             ///< dry coolers at design flows
  double dry_air_kg_per_s = 0.0;        ///< air through the dry coolers at full speed and sea level
  double dry_fan_W = 0.0;               ///< fans of the dry coolers at full speed
  double dry_fan_exponent_ratio = 0.0;  ///< x in fan power proportional to speed^x
  double cycles_ratio = 0.0;            ///< cycles of concentration of the tower water
  double drift_frac = 0.0;              ///< water carried away as droplets, of the circulation
  ChillerParams chiller;                ///< curves and rating of one chiller
  double n_chiller = 0.0;               ///< chillers of equal size
  double chiller_hold_s = 0.0;          ///< shortest time between two changes of the number of running chillers
  double controls_W = 0.0;              ///< controls and water treatment
  // storage
  double cold_aisle_J_per_K = 0.0;  ///< heat capacity of cold aisle air and metal with it
  double hot_aisle_J_per_K = 0.0;   ///< heat capacity of hot aisle and return air
  double metal_J_per_K = 0.0;       ///< heat capacity of racks, ducts and concrete skin
  double metal_cold_W_per_K = 0.0;  ///< conductance between metal and cold aisle
  double metal_hot_W_per_K = 0.0;   ///< conductance between metal and hot aisle
  double loop_m3 = 0.0;             ///< liquid in the technology loop
  double facility_m3 = 0.0;         ///< water in the facility loop
  double facility_tank_m3 = 0.0;    ///< buffer tank in the facility supply
  double reject_m3 = 0.0;           ///< liquid in the rejection loop and basins
  // lags, control, failures
  double fan_lag_s = 0.0;          ///< first-order lag of CRAH fan speed
  double valve_lag_s = 0.0;        ///< first-order lag of valves
  double pump_lag_s = 0.0;         ///< first-order lag of pump speed
  double reject_lag_s = 0.0;       ///< first-order lag of tower or dry cooler fans
  double chiller_lag_s = 0.0;      ///< first-order lag of chiller load
  double trip_s = 0.0;             ///< time in which a failed part stops
  double restart_s = 0.0;          ///< time in which repaired fans, pumps, CDUs and cells return to service
  double chiller_restart_s = 0.0;  ///< time in which repaired chillers return to service
  double air_band_K = 0.0;         ///< proportional band of the CRAH valve
  double loop_band_K = 0.0;        ///< proportional band of the CDU valve
  double reject_band_K = 0.0;      ///< proportional band of the rejection
  double chiller_band_K = 0.0;     ///< proportional band of the chillers
  double air_reset_s = 0.0;        ///< integral time of the CRAH valve
  double loop_reset_s = 0.0;       ///< integral time of the CDU valve
  double reject_reset_s = 0.0;     ///< integral time of the rejection
  double chiller_reset_s = 0.0;    ///< integral time of the chillers
  // Derived by HydronicPlant from the glycol shares, at 20 °C.
  double loop_J_per_kg_K = 0.0;      ///< specific heat of the technology loop
  double facility_J_per_kg_K = 0.0;  ///< specific heat of the facility water
  double reject_J_per_kg_K = 0.0;    ///< specific heat of the rejection loop
  double loop_J_per_m3_K = 0.0;      ///< volumetric heat capacity of the technology loop
  double facility_J_per_m3_K = 0.0;  ///< volumetric heat capacity of the facility water
  double reject_J_per_m3_K = 0.0;    ///< volumetric heat capacity of the rejection loop
  void fields(FieldVisitor& v);
};

/// What the set points must agree on besides the ranges of their fields: findings by key, without its place.
TIDEWATT_API std::vector<Finding> check_set_points(const HydronicParams& params);

/// IT heat, W, that the chillers of the air's own water take, at their reference point, beside that loop's fans and
/// pumps; with one water loop, or without chillers, the whole design heat.
TIDEWATT_API double air_heat_max_W(const HydronicParams& params);

/// Chilled or warm water plant for air, liquid and mixed halls.
///
///     servers ── liquid ── CDU ──┐                    ┌─ economiser ─ chiller ─┐
///        └───── air ──── CRAH ───┴─ facility return ──┤                        ├─ facility supply
///                                     └ heat reuse    └── rejection loop ── tower or dry cooler
///
/// With two water loops the picture stands twice: CRAH coils on a cold loop with chillers, CDUs on a warm one that its own dry coolers
/// or towers hold, `cdu_approach_K` below the servers' liquid. Its chillers start only where outdoor air cannot do that: they
/// make water of at most `leaving_high_K`, which is blended. Economisers, rejection and chillers are divided by the design heat of each
/// loop (liquid_frac, with its pumps and fans), facility pumps and water by its flow.
///
/// Storage (energies above 20 °C): `E' = Σ in - Σ out` for cold and hot aisle, metal, and the cold and the hot side of
/// technology loop, facility water and rejection loop; a stream carries `m c (T_donor - T_ref)`, one expression for both
/// neighbours. Exchangers by counterflow effectiveness with flow-scaled conductance; coils are dry. Fans and pumps:
/// `P = P_d x^n` with floors; their heat enters the stream they move. The rejection loop cools the economiser, then the
/// condensers. One PI loop each on server air (CRAH valve), server liquid (CDU valve), facility supply (rejection:
/// bypass, then fan speed; and, above it, chiller load), with back-calculation against wind-up and actuator lags.
/// Chillers start and stop within a second of when they should, at most once in `chiller_hold_s`. Part failures (PlantInput::capacity) act
/// through availabilities that fall in `trip_s` and return in `restart_s` (chillers: `chiller_restart_s`). Assumptions: well mixed volumes, no
/// heat through walls, make-up water at basin temperature, fluid properties at 20 °C (air at its state). Integrated by
/// implicit Runge-Kutta steps [@kennedy_carpenter].
class TIDEWATT_API HydronicPlant final : public CoolingPlant {
 public:
  /// @param rated_it_W IT heat of the hall: all extensive values are multiplied by rated / reference
  /// @param rtol relative tolerance of the integrator, 1e-12 to 1e-3
  /// @throws InputError if curves, set points or the tower's design point do not fit together
  HydronicPlant(const HydronicParams& params, double rated_it_W, double rtol = 1e-5);
  std::size_t n_state() const override;
  std::vector<std::string> state_names() const override;
  bool follows_weather() const override { return true; }
  std::unique_ptr<PlantWorkspace> make_workspace() const override;
  std::unique_ptr<PlantWorkspace> make_forecast_workspace() const override;
  void initialise(std::span<double> state, const PlantInput& input, Tick t) const override;
  PlantStep advance(std::span<double> state, const PlantInput& input, Tick t0, Tick t1,
                    PlantWorkspace& workspace) const override;
  const HydronicParams& params() const { return params_; }  ///< scaled to the hall
  /// One water loop. Its parameters are the hall's, with economiser, rejection and chillers reduced to this loop's share.
  struct Water {
    HydronicParams params;
    std::optional<Tower> tower;
    double set_K = 0.0;                        ///< set point of its supply
    double coil_share = 1.0, cdu_share = 1.0;  ///< 1 if it serves coils; CDUs
    const Tower* tower_at() const { return tower ? &*tower : nullptr; }
  };
  const std::vector<Water>& waters() const { return waters_; }  ///< one, or the cold and the warm one
  const Tower* tower() const { return waters_.front().tower_at(); }

 private:
  HydronicParams params_;
  std::vector<Water> waters_;
  double rtol_;
};

}  // namespace TIDEWATT_NAMESPACE::cooling
