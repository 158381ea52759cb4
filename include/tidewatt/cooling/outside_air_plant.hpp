#pragma once
#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"
#include "tidewatt/cooling/cooling_plant.hpp"

namespace TIDEWATT_NAMESPACE::cooling {

/// Outside air, return mixing, evaporative media, fan walls; a catalog entry of kind `outside_air_plant`. Extensive
/// values belong to a hall of `reference_it_W`; OutsideAirPlant scales them.
struct TIDEWATT_API OutsideAirParams {
  double reference_it_W = 0.0;  ///< IT heat of the hall for which the sizes below are given
  // set points
  double supply_low_K = 0.0;   ///< kept by mixing in return air
  double supply_high_K = 0.0;  ///< kept by evaporation
  double rh_max_frac = 0.0;    ///< of supply air
  // fan walls
  double design_flow_m3_per_s = 0.0;  ///< largest flow of the fan walls
  double design_pressure_Pa = 0.0;    ///< louvre, filter, media and exhaust at design flow and 1.2 kg/m³
  double aisle_pressure_Pa = 0.0;     ///< kept between cold and hot aisle
  double leakage_frac = 0.0;          ///< of design flow, through gaps at that pressure
  double fan_floor_frac = 0.0;        ///< lowest speed
  double fan_efficiency_frac = 0.0;   ///< fan, motor and drive at design speed
  double fan_droop_frac = 0.0;        ///< efficiency lost towards standstill
  double fan_standby_W = 0.0;         ///< drives and sensors of the fan walls; heats the air
  double controls_W = 0.0;            ///< controls and dampers outside the air
  // evaporative media
  double media_effectiveness_frac = 0.0;  ///< saturation effectiveness at design flow
  double media_exponent_ratio = 0.0;      ///< transfer units ∝ flow^-x
  double pump_W = 0.0;                    ///< pumps of the media, all wetted
  double cycles_ratio = 0.0;              ///< of concentration: bleed = evaporation / (cycles - 1)
  // mixing
  double mix_max_frac = 0.0;  ///< largest share of return air
  // control errors of the dampers, as shares of the air handlers
  double dampers_shut_frac = 0.0;   ///< outside-air dampers that an error holds shut
  double dampers_apart_frac = 0.0;  ///< difference between the dampers of two halves that work against each other
  // storage
  double plenum_J_per_K = 0.0;      ///< heat capacity of air behind the fans
  double cold_aisle_J_per_K = 0.0;  ///< heat capacity of cold aisle air
  double hot_aisle_J_per_K = 0.0;   ///< heat capacity of hot aisle and return air
  double metal_J_per_K = 0.0;       ///< heat capacity of racks, ducts and concrete skin
  double metal_cold_W_per_K = 0.0;  ///< conductance between metal and cold aisle
  double metal_hot_W_per_K = 0.0;   ///< conductance between metal and hot aisle
  // lags and control
  double fan_lag_s = 0.0;        ///< first-order lag of fan speed
  double damper_lag_s = 0.0;     ///< first-order lag of the mixing damper
  double media_lag_s = 0.0;      ///< first-order lag of the wetted share
  double mix_gain_ratio = 0.0;   ///< proportional gain of mixing, 1 = what the error needs
  double mix_reset_s = 0.0;      ///< integral time of mixing
  double evap_gain_ratio = 0.0;  ///< proportional gain of evaporation, 1 = what the error needs
  double evap_reset_s = 0.0;     ///< integral time of evaporation
  void fields(FieldVisitor& v);
};

/// Direct outside air with evaporative stage, the plant of large air-cooled training halls.
///
///     outdoor ─┬─ mix ─ media ─ fan wall ─ plenum ─ cold aisle ─ servers ─ hot aisle ─┬─ exhaust
///              └────────────────── return ◄────────────────────────────────────────────┘
///
/// Storage (energies above 20 °C): `E' = Σ in - Σ out` for plenum, cold aisle, hot aisle and the metal between the
/// aisles; each heat flow is `m c (T_donor - T_ref)` of the air that leaves its donor, one expression for both
/// neighbours and its meter. Fan: `V = n V_d`, `P = V (Δp_d n² ρ/1.2 + Δp_aisle)/η(n) + P_0`, `η = η_d (1 - d (1-n)²)`;
/// speed follows the servers' air flow plus leakage; flow beyond that of the fans recirculates from the hot
/// aisle. Media: `T_out = T_in - ε w (T_in - T_wb)`, w the wetted share, `ε = 1 - (1-ε_d)^(n^-x)`; water from the
/// enthalpy balance with feed at the wet bulb. Pads saturate: `T_out` stays above the wet bulb of the air that enters
/// them, which with return air carries the vapour of earlier passes, `W_in = W_o + r/(1-r) ΔW`. Mixing and evaporation
/// are PI loops on the cold aisle's temperature, with anti-windup, through actuator lags; the lower set point is raised
/// (to the upper one at most) until supply air is below `rh_max_frac`, and evaporation stops where outdoor air would
/// reach it. Control errors: with a share s of the dampers shut and two halves d apart, a commanded m gives
/// `r = (1-s) (clip(m + d/2) + clip(m - d/2))/2 + s r_max`, clipped to 0 … r_max. Failed fan walls (capacity.fan_frac)
/// take their flow away at once, the others speed up; failed media pumps (capacity.pump_frac) their share of
/// evaporation. Assumptions: well mixed zones, humidity without storage, no heat through walls, pressure control faster
/// than a second. Integrated by implicit Runge-Kutta steps [@kennedy_carpenter].
class TIDEWATT_API OutsideAirPlant final : public CoolingPlant {
 public:
  /// @param rated_it_W IT heat of the hall: all extensive values are multiplied by rated / reference
  /// @param rtol relative tolerance of the integrator, 1e-12 to 1e-3
  /// @throws InputError if set points are out of order
  OutsideAirPlant(const OutsideAirParams& params, double rated_it_W, double rtol = 1e-5);
  std::size_t n_state() const override;
  std::vector<std::string> state_names() const override;
  bool follows_weather() const override { return true; }
  std::unique_ptr<PlantWorkspace> make_workspace() const override;
  std::unique_ptr<PlantWorkspace> make_forecast_workspace() const override;
  void initialise(std::span<double> state, const PlantInput& input, Tick t) const override;
  PlantStep advance(std::span<double> state, const PlantInput& input, Tick t0, Tick t1,
                    PlantWorkspace& workspace) const override;
  const OutsideAirParams& params() const { return params_; }  ///< scaled to the hall

 private:
  OutsideAirParams params_;
  double rtol_;
};

}  // namespace TIDEWATT_NAMESPACE::cooling
