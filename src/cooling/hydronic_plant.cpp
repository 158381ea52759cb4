#include "tidewatt/cooling/hydronic_plant.hpp"

#include <algorithm>
#include <array>

#include "hydronic_flows.hpp"
#include "hydronic_margin.hpp"
#include "liquid.hpp"
#include "numerics/esdirk.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/cooling/psychrometrics.hpp"

namespace TIDEWATT_NAMESPACE::cooling {
namespace {

using namespace hydronic;

constexpr std::array<const char*, n_all> names{"cold_aisle_J",
                                               "hot_aisle_J",
                                               "metal_J",
                                               "loop_cold_J",
                                               "loop_hot_J",
                                               "facility_cold_J",
                                               "facility_hot_J",
                                               "reject_cold_J",
                                               "reject_hot_J",
                                               "crah_fan_frac",
                                               "crah_valve_frac",
                                               "crah_integral_frac",
                                               "cdu_valve_frac",
                                               "cdu_integral_frac",
                                               "loop_pump_frac",
                                               "reject_drive_frac",
                                               "reject_integral_frac",
                                               "chiller_drive_frac",
                                               "chiller_integral_frac",
                                               "fan_live_frac",
                                               "cdu_live_frac",
                                               "pump_live_frac",
                                               "tower_live_frac",
                                               "chiller_live_frac",
                                               "n_chiller",
                                               "chiller_since_s",
                                               "heat_in_J",
                                               "fan_J",
                                               "pump_J",
                                               "compressor_J",
                                               "rejected_J",
                                               "reuse_J",
                                               "reject_fan_J",
                                               "evaporated_kg",
                                               "supply_K_s",
                                               "hot_K_s",
                                               "loop_K_s",
                                               "loop_kg",
                                               "chilled_J"};

/// Weather moves through a step, and the tower's air evenly between what the begin and the end give.
struct System final : numerics::OdeSystem {
  const HydronicParams& params;
  const Tower* tower;
  Conditions begin;
  WeatherSample air_per_s;
  TowerAir end_air{};
  double span_s;
  double begins_s = 0.0;  ///< of the part that is integrated now
  System(const HydronicParams& p, const Tower* t, const PlantInput& input, double s)
      : params(p), tower(t), begin{input, {}}, air_per_s(input.outdoor_per_s), span_s(s) {
    begin.input.outdoor = moved(input.outdoor, air_per_s, -0.5 * span_s);
    begin.tower_air = tower_air(begin.input.outdoor);
    if (moves()) end_air = tower_air(moved(input.outdoor, air_per_s, 0.5 * span_s));
  }
  bool moves() const { return !(air_per_s == WeatherSample{}); }
  TowerAir tower_air(const WeatherSample& air) const {
    if (!tower) return {};
    return tower->air(wet_bulb_K(air.drybulb_K, air.humidity_ratio, air.pressure_Pa), air.humidity_ratio,
                      air.pressure_Pa);
  }
  void rhs(double t_s, std::span<const double> y, std::span<double> dydt) const override {
    if (!moves()) return derivatives(params, tower, begin, y, dydt);
    const double s = begins_s + t_s, frac = s / span_s;
    Conditions now = begin;
    now.input.outdoor = moved(begin.input.outdoor, air_per_s, s);
    const auto go = [frac](double& x, double end) { x += frac * (end - x); };
    go(now.tower_air.wetbulb_K, end_air.wetbulb_K), go(now.tower_air.humidity_ratio, end_air.humidity_ratio);
    go(now.tower_air.pressure_Pa, end_air.pressure_Pa), go(now.tower_air.enthalpy_J_per_kg, end_air.enthalpy_J_per_kg);
    go(now.tower_air.UA_ratio, end_air.UA_ratio);
    derivatives(params, tower, now, y, dydt);
  }
};

// What each value is about in size, for the absolute tolerances: 10 K of each store, a minute of rated heat.
std::vector<double> typical_sizes(const HydronicParams& p) {
  std::vector<double> size(n_all, 1.0);
  size[cold_J] = 10.0 * p.cold_aisle_J_per_K;
  size[hot_J] = 10.0 * p.hot_aisle_J_per_K;
  size[metal_J] = 10.0 * p.metal_J_per_K;
  size[loop_cold_J] = size[loop_hot_J] = 5.0 * p.loop_m3 * p.loop_J_per_m3_K;
  size[facility_hot_J] = 5.0 * p.facility_m3 * p.facility_J_per_m3_K;
  size[facility_cold_J] = size[facility_hot_J] + 10.0 * p.facility_tank_m3 * p.facility_J_per_m3_K;
  size[reject_cold_J] = size[reject_hot_J] = 5.0 * p.reject_m3 * p.reject_J_per_m3_K;
  size[chiller_since_s] = 3600.0;
  for (const auto i : {heat_in_J, fan_J, pump_J, compressor_J, rejected_J, reuse_J, reject_fan_J, chilled_J})
    size[i] = 60.0 * p.reference_it_W;
  size[evaporated_kg] = 60.0 * p.reference_it_W / vaporisation_J_per_kg;
  for (const auto i : {supply_K_s, hot_K_s, loop_K_s}) size[i] = 600.0;
  size[loop_kg] = 60.0 * p.loop_flow_kg_per_s;
  return size;
}

struct Workspace final : PlantWorkspace {
  numerics::Esdirk solver;
  std::vector<double> y;
  Workspace(const HydronicParams& p, double rtol)
      : solver({{names.begin(), names.end()}, typical_sizes(p), hydronic::n_state, rtol, 20000}), y(n_all) {}
};

double stored_J(std::span<const double> y) {
  double sum = 0.0;
  for (std::size_t i = cold_J; i <= reject_hot_J; ++i) sum += y[i];
  return sum;
}

constexpr double hold_slack_s = 1e-6;  // rounding of the time since the last start or stop

// Machines that should be on: one more above 90 % of those on, one less when the rest could carry 60 %; as now within the hold time.
double wanted_chillers(const HydronicParams& p, std::span<const double> y) {
  const double on = y[chiller_stage], drive = y[chiller_drive];
  if (!(p.chiller.capacity_W > 0.0) || y[chiller_since_s] < p.chiller_hold_s - hold_slack_s) return on;
  if (on == 1.0 && drive < 0.02) return 0.0;
  if (on > 1.0 && drive * on < 0.6 * (on - 1.0)) return on - 1.0;
  return on < p.n_chiller && drive > (on > 0.0 ? 0.9 : 0.1) ? on + 1.0 : on;
}

void stage_chillers(const HydronicParams& p, std::span<double> y) {
  const double on = y[chiller_stage], next = wanted_chillers(p, y);
  if (next == on) return;
  // The requested cooling is unchanged.
  const double share = next > 0.0 && on > 0.0 ? on / next : 0.0;
  y[chiller_drive] *= share;
  y[chiller_integral] = y[chiller_drive];
  y[chiller_stage] = next;
  y[chiller_since_s] = 0.0;
}

void integrate(Workspace& work, const System& system, double span_s, double time_s) {
  work.solver.advance(system, work.y, span_s, time_s);
  work.y[chiller_since_s] = std::min(work.y[chiller_since_s] + span_s, 1e9);
}

// Integrates up to the end of the span, of the hold time, or of the second in which a chiller starts or stops. Returns the time that passed, s.
double integrate_to_staging(const HydronicParams& p, Workspace& work, const System& system, double span_s,
                            double time_s) {
  constexpr double resolution_s = 1.0;
  const double hold_s = p.chiller_hold_s - work.y[chiller_since_s];
  const bool holds = hold_s > hold_slack_s, chills = p.chiller.capacity_W > 0.0 && system.begin.input.powered;
  if (chills && holds && hold_s < span_s - hold_slack_s) span_s = hold_s;
  const std::vector<double> begin = work.y;
  const auto stages_within = [&](double s) {
    work.y = begin;
    integrate(work, system, s, time_s);
    return wanted_chillers(p, work.y) != work.y[chiller_stage];
  };
  if (!stages_within(span_s) || !chills || holds) return span_s;
  double before_s = 0.0, after_s = span_s;
  while (after_s - before_s > resolution_s) {
    const double middle_s = 0.5 * (before_s + after_s);
    (stages_within(middle_s) ? after_s : before_s) = middle_s;
  }
  stages_within(after_s);
  return after_s;
}

}  // namespace

std::size_t HydronicPlant::n_state() const { return hydronic::n_state; }

std::vector<std::string> HydronicPlant::state_names() const {
  return {names.begin(), names.begin() + hydronic::n_state};
}

std::unique_ptr<PlantWorkspace> HydronicPlant::make_workspace() const {
  return std::make_unique<Workspace>(params_, rtol_);
}

std::unique_ptr<PlantWorkspace> HydronicPlant::make_forecast_workspace() const {
  return std::make_unique<Workspace>(params_, 10.0 * rtol_);
}

void HydronicPlant::initialise(std::span<double> state, const PlantInput& input, Tick t) const {
  check_plant_input(input, t, t + ns_per_s);
  const HydronicParams& p = params_;
  std::fill(state.begin(), state.end(), 0.0);
  const auto put = [&](std::size_t i, double J_per_K, double K) { state[i] = J_per_K * (K - reference_K); };
  put(cold_J, p.cold_aisle_J_per_K, p.air_set_K);
  put(hot_J, p.hot_aisle_J_per_K, p.air_set_K + 10.0);
  put(metal_J, p.metal_J_per_K, p.air_set_K + 8.0);
  put(loop_cold_J, 0.5 * p.loop_m3 * p.loop_J_per_m3_K, p.loop_set_K);
  put(loop_hot_J, 0.5 * p.loop_m3 * p.loop_J_per_m3_K, p.loop_set_K + 8.0);
  put(facility_cold_J, (0.5 * p.facility_m3 + p.facility_tank_m3) * p.facility_J_per_m3_K, p.facility_set_K);
  put(facility_hot_J, 0.5 * p.facility_m3 * p.facility_J_per_m3_K, p.facility_set_K + 6.0);
  put(reject_cold_J, 0.5 * p.reject_m3 * p.reject_J_per_m3_K, p.facility_set_K - 2.0);
  put(reject_hot_J, 0.5 * p.reject_m3 * p.reject_J_per_m3_K, p.facility_set_K + 4.0);
  for (const auto i :
       {crah_fan, crah_valve, crah_integral, cdu_valve, cdu_integral, loop_pump, reject_drive, reject_integral})
    state[i] = 0.5;
  state[fan_live] = input.capacity.fan_frac;
  state[cdu_live] = input.capacity.cdu_frac;
  state[pump_live] = input.capacity.pump_frac;
  state[tower_live] = input.capacity.rejection_frac;
  state[chiller_live] = input.capacity.chiller_frac;
  state[chiller_since_s] = p.chiller_hold_s;
  // Steady operation is where the plant's own equations settle: staging and limits admit no closed form.
  auto workspace = make_workspace();
  for (Tick k = 0; k < 72; ++k) advance(state, input, t + k * 600 * ns_per_s, t + (k + 1) * 600 * ns_per_s, *workspace);
}

PlantStep HydronicPlant::advance(std::span<double> state, const PlantInput& input, Tick t0, Tick t1,
                                 PlantWorkspace& workspace) const {
  check_plant_input(input, t0, t1);
  auto* mine = dynamic_cast<Workspace*>(&workspace);
  if (!mine || state.size() != hydronic::n_state)
    throw InputError("hydronic plant: workspace or state of another plant");
  std::vector<double>& y = mine->y;
  std::copy(state.begin(), state.end(), y.begin());
  std::fill(y.begin() + hydronic::n_state, y.end(), 0.0);
  if (!input.powered) {  // fans, pumps and compressors stop at once; after the loss they start from standstill
    for (const auto i : {fan_live, cdu_live, pump_live, tower_live, chiller_live, chiller_stage, chiller_drive,
                         chiller_integral, chiller_since_s})
      y[i] = 0.0;
  }
  const double span_s = seconds(t1 - t0), stored_before_J = stored_J(y);
  System system(params_, tower(), input, span_s);
  for (double left_s = span_s; left_s > 0.0;) {
    stage_chillers(params_, y);
    system.begins_s = span_s - left_s;
    left_s -= integrate_to_staging(params_, *mine, system, left_s, seconds(t0) + span_s - left_s);
  }

  const HydronicParams& p = params_;
  PlantStep s;
  s.heat_in_J = y[heat_in_J];
  s.fan_J = y[fan_J] + y[pump_J] + p.chiller.motor_frac * y[compressor_J];
  s.reuse_J = y[reuse_J];
  s.heat_out_J = y[rejected_J] + y[reuse_J];
  s.stored_change_J = stored_J(y) - stored_before_J;
  s.supply_mean_K = y[supply_K_s] / span_s;
  s.supply_end_K = reference_K + y[cold_J] / p.cold_aisle_J_per_K;
  s.hot_aisle_mean_K = y[hot_K_s] / span_s;
  s.liquid_supply_mean_K = y[loop_K_s] / span_s;
  s.liquid_supply_end_K = reference_K + y[loop_cold_J] / (0.5 * p.loop_m3 * p.loop_J_per_m3_K);
  s.liquid_flow_mean_kg_per_s = y[loop_kg] / span_s;
  s.fan_mean_W = s.fan_J / span_s;
  s.air_fan_mean_W = y[fan_J] / span_s;
  s.pump_mean_W = y[pump_J] / span_s;
  s.chiller_mean_W = y[compressor_J] / span_s;
  s.rejection_fan_mean_W = y[reject_fan_J] / span_s;
  s.other_electric_W =
      s.rejection_fan_mean_W + (input.powered ? p.controls_W : 0.0) + (1.0 - p.chiller.motor_frac) * s.chiller_mean_W;
  s.evaporated_kg = y[evaporated_kg];
  s.latent_J = s.evaporated_kg * vaporisation_J_per_kg;
  const double rejected_kg = tower_ && input.powered ? p.reject_flow_kg_per_s * span_s : 0.0;
  s.water_kg = s.evaporated_kg * (1.0 + 1.0 / (p.cycles_ratio - 1.0)) + p.drift_frac * rejected_kg;
  s.evaporation_frac = tower_ ? 1.0 : 0.0;
  // The hall's air is dry beyond the coil's dew point: its humidity is not modelled, 40 % at the set point is reported.
  s.supply_rh_frac = 0.4 * saturation_pressure_Pa(p.air_set_K) / saturation_pressure_Pa(s.supply_mean_K);
  const Flows f = flows(p, tower(), system.begin, y);
  const PlantMargin margin = margin_of(p, input, f, y);
  s.capacity_margin_frac = margin.frac, s.margin_part = margin.part;
  constexpr double least_kg_per_s = 1e-9;  // as good as none: 0 means not known
  s.liquid_flow_most_kg_per_s = std::max(y[cdu_live] * p.loop_flow_kg_per_s, least_kg_per_s);
  s.liquid_warmest_K = std::max({f.loop_hot_K, f.loop_cold_K, f.facility_hot_K, f.facility_cold_K, f.reject_hot_K});
  s.chilled_frac = p.chiller.capacity_W > 0.0 ? y[chilled_J] / span_s / p.chiller.capacity_W : 0.0;
  s.supply_over_limit_K = std::max(s.supply_mean_K - p.air_set_K - p.air_band_K, 0.0);
  std::copy_n(y.begin(), hydronic::n_state, state.begin());
  return s;
}

}  // namespace TIDEWATT_NAMESPACE::cooling
