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

/// Of the state, with and without a warm loop.
constexpr std::array<const char*, n_two_loops> state_name{"cold_aisle_J",
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
                                                          "warm_facility_cold_J",
                                                          "warm_facility_hot_J",
                                                          "warm_reject_cold_J",
                                                          "warm_reject_hot_J",
                                                          "warm_reject_drive_frac",
                                                          "warm_reject_integral_frac",
                                                          "warm_chiller_drive_frac",
                                                          "warm_chiller_integral_frac",
                                                          "n_warm_chiller",
                                                          "warm_chiller_since_s"};
constexpr std::array<const char*, n_meter> meter_name{
    "heat_in_J",     "fan_J",      "pump_J",  "compressor_J", "rejected_J", "reuse_J",  "reject_fan_J",
    "evaporated_kg", "supply_K_s", "hot_K_s", "loop_K_s",     "loop_kg",    "chilled_J"};

std::vector<std::string> all_names(const Waters& waters) {
  std::vector<std::string> out(state_name.begin(), state_name.begin() + static_cast<std::ptrdiff_t>(n_state(waters)));
  out.insert(out.end(), meter_name.begin(), meter_name.end());
  return out;
}

/// Weather moves through a step, and the tower's air evenly between what the begin and the end give.
struct System final : numerics::OdeSystem {
  const HydronicParams& params;
  const Waters& waters;
  Conditions begin;
  WeatherSample air_per_s;
  TowerAir end_air{};
  double span_s;
  double begins_s = 0.0;  ///< of the part that is integrated now
  System(const HydronicParams& p, const Waters& all, const PlantInput& input, double s)
      : params(p), waters(all), begin{input, {}}, air_per_s(input.outdoor_per_s), span_s(s) {
    begin.input.outdoor = moved(input.outdoor, air_per_s, -0.5 * span_s);
    begin.tower_air = tower_air(begin.input.outdoor);
    if (moves()) end_air = tower_air(moved(input.outdoor, air_per_s, 0.5 * span_s));
  }
  bool moves() const { return !(air_per_s == WeatherSample{}); }
  TowerAir tower_air(const WeatherSample& air) const {
    const Tower* tower = waters.front().tower_at();  // all towers are of one design, which is all that their air asks
    if (tower == nullptr) return {};
    return tower->air(wet_bulb_K(air.drybulb_K, air.humidity_ratio, air.pressure_Pa), air.humidity_ratio,
                      air.pressure_Pa);
  }
  void rhs(double t_s, std::span<const double> y, std::span<double> dydt) const override {
    if (!moves()) return derivatives(params, waters, begin, y, dydt);
    const double s = begins_s + t_s, frac = s / span_s;
    Conditions now = begin;
    now.input.outdoor = moved(begin.input.outdoor, air_per_s, s);
    const auto go = [frac](double& x, double end) { x += frac * (end - x); };
    go(now.tower_air.wetbulb_K, end_air.wetbulb_K), go(now.tower_air.humidity_ratio, end_air.humidity_ratio);
    go(now.tower_air.pressure_Pa, end_air.pressure_Pa), go(now.tower_air.enthalpy_J_per_kg, end_air.enthalpy_J_per_kg);
    go(now.tower_air.UA_ratio, end_air.UA_ratio);
    derivatives(params, waters, now, y, dydt);
  }
};

// What each value is about in size, for the absolute tolerances: 10 K of each store, a minute of rated heat.
std::vector<double> typical_sizes(const HydronicParams& p, const Waters& waters) {
  const std::size_t n = n_state(waters);
  std::vector<double> size(n + n_meter, 1.0);
  size[cold_J] = 10.0 * p.cold_aisle_J_per_K;
  size[hot_J] = 10.0 * p.hot_aisle_J_per_K;
  size[metal_J] = 10.0 * p.metal_J_per_K;
  size[loop_cold_J] = size[loop_hot_J] = 5.0 * p.loop_m3 * p.loop_J_per_m3_K;
  for (std::size_t w = 0; w < waters.size(); ++w) {
    const HydronicParams& of = waters[w].params;
    const WaterIndex& at = of_water[w];
    size[at.facility_hot] = 5.0 * of.facility_m3 * of.facility_J_per_m3_K;
    size[at.facility_cold] = size[at.facility_hot] + 10.0 * of.facility_tank_m3 * of.facility_J_per_m3_K;
    size[at.reject_cold] = size[at.reject_hot] = 5.0 * of.reject_m3 * of.reject_J_per_m3_K;
    size[at.since_s] = 3600.0;
  }
  for (const auto i : {heat_in_J, fan_J, pump_J, compressor_J, rejected_J, reuse_J, reject_fan_J, chilled_J})
    size[n + i] = 60.0 * p.reference_it_W;
  size[n + evaporated_kg] = 60.0 * p.reference_it_W / vaporisation_J_per_kg;
  for (const auto i : {supply_K_s, hot_K_s, loop_K_s}) size[n + i] = 600.0;
  size[n + loop_kg] = 60.0 * p.loop_flow_kg_per_s;
  return size;
}

struct Workspace final : PlantWorkspace {
  numerics::Esdirk solver;
  std::vector<double> y;
  Workspace(const HydronicParams& p, const Waters& waters, double rtol)
      : solver({all_names(waters), typical_sizes(p, waters), n_state(waters), rtol, 20000}),
        y(n_state(waters) + n_meter) {}
};

double stored_J(std::span<const double> y, const Waters& waters) {
  double sum = 0.0;
  for (std::size_t i = cold_J; i <= reject_hot_J; ++i) sum += y[i];
  for (std::size_t i = warm_facility_cold_J; waters.size() > 1 && i <= warm_reject_hot_J; ++i) sum += y[i];
  return sum;
}

constexpr double hold_slack_s = 1e-6;  // rounding of the time since the last start or stop

// Machines that should be on: one more above 90 % of those on, one less when the rest could carry 60 %; as now within the hold time.
double wanted_chillers(const HydronicParams& p, const WaterIndex& at, std::span<const double> y) {
  const double on = y[at.stage], drive = y[at.chiller_drive];
  if (!(p.chiller.capacity_W > 0.0) || y[at.since_s] < p.chiller_hold_s - hold_slack_s) return on;
  if (on == 1.0 && drive < 0.02) return 0.0;
  if (on > 1.0 && drive * on < 0.6 * (on - 1.0)) return on - 1.0;
  return on < p.n_chiller && drive > (on > 0.0 ? 0.9 : 0.1) ? on + 1.0 : on;
}

void stage_chillers(const HydronicParams& p, const WaterIndex& at, std::span<double> y) {
  const double on = y[at.stage], next = wanted_chillers(p, at, y);
  if (next == on) return;
  // The requested cooling is unchanged.
  const double share = next > 0.0 && on > 0.0 ? on / next : 0.0;
  y[at.chiller_drive] *= share;
  y[at.chiller_integral] = y[at.chiller_drive];
  y[at.stage] = next;
  y[at.since_s] = 0.0;
}

void integrate(Workspace& work, const System& system, double span_s, double time_s) {
  work.solver.advance(system, work.y, span_s, time_s);
  for (std::size_t w = 0; w < system.waters.size(); ++w) {
    double& since_s = work.y[of_water[w].since_s];
    since_s = std::min(since_s + span_s, 1e9);
  }
}

// Integrates up to the end of the span, of a hold time, or of the second in which a chiller starts or stops. Returns the time that passed, s.
double integrate_to_staging(const HydronicParams& p, Workspace& work, const System& system, double span_s,
                            double time_s) {
  constexpr double resolution_s = 1.0;
  const bool chills = p.chiller.capacity_W > 0.0 && system.begin.input.powered;
  bool all_hold = true;
  for (std::size_t w = 0; w < system.waters.size(); ++w) {
    const double hold_s = p.chiller_hold_s - work.y[of_water[w].since_s];
    const bool holds = hold_s > hold_slack_s;
    if (chills && holds && hold_s < span_s - hold_slack_s) span_s = hold_s;
    all_hold = all_hold && holds;
  }
  const std::vector<double> begin = work.y;
  const auto stages_within = [&](double s) {
    work.y = begin;
    integrate(work, system, s, time_s);
    bool any = false;
    for (std::size_t w = 0; w < system.waters.size(); ++w)
      any = any || wanted_chillers(p, of_water[w], work.y) != work.y[of_water[w].stage];
    return any;
  };
  if (!stages_within(span_s) || !chills || all_hold) return span_s;
  double before_s = 0.0, after_s = span_s;
  while (after_s - before_s > resolution_s) {
    const double middle_s = 0.5 * (before_s + after_s);
    (stages_within(middle_s) ? after_s : before_s) = middle_s;
  }
  stages_within(after_s);
  return after_s;
}

}  // namespace

std::size_t HydronicPlant::n_state() const { return hydronic::n_state(waters_); }

std::vector<std::string> HydronicPlant::state_names() const {
  return {state_name.begin(), state_name.begin() + static_cast<std::ptrdiff_t>(n_state())};
}

std::unique_ptr<PlantWorkspace> HydronicPlant::make_workspace() const {
  return std::make_unique<Workspace>(params_, waters_, rtol_);
}

std::unique_ptr<PlantWorkspace> HydronicPlant::make_forecast_workspace() const {
  return std::make_unique<Workspace>(params_, waters_, 10.0 * rtol_);
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
  for (const auto i : {crah_fan, crah_valve, crah_integral, cdu_valve, cdu_integral, loop_pump}) state[i] = 0.5;
  for (std::size_t w = 0; w < waters_.size(); ++w) {
    const HydronicParams& of = waters_[w].params;
    const WaterIndex& at = of_water[w];
    const double set_K = waters_[w].set_K;
    put(at.facility_cold, (0.5 * of.facility_m3 + of.facility_tank_m3) * of.facility_J_per_m3_K, set_K);
    put(at.facility_hot, 0.5 * of.facility_m3 * of.facility_J_per_m3_K, set_K + 6.0);
    put(at.reject_cold, 0.5 * of.reject_m3 * of.reject_J_per_m3_K, set_K - 2.0);
    put(at.reject_hot, 0.5 * of.reject_m3 * of.reject_J_per_m3_K, set_K + 4.0);
    state[at.reject_drive] = state[at.reject_integral] = 0.5;
    state[at.since_s] = p.chiller_hold_s;
  }
  state[fan_live] = input.capacity.fan_frac;
  state[cdu_live] = input.capacity.cdu_frac;
  state[pump_live] = input.capacity.pump_frac;
  state[tower_live] = input.capacity.rejection_frac;
  state[chiller_live] = input.capacity.chiller_frac;
  // Steady operation is where the plant's own equations settle: staging and limits admit no closed form.
  auto workspace = make_workspace();
  for (Tick k = 0; k < 72; ++k) advance(state, input, t + k * 600 * ns_per_s, t + (k + 1) * 600 * ns_per_s, *workspace);
}

PlantStep HydronicPlant::advance(std::span<double> state, const PlantInput& input, Tick t0, Tick t1,
                                 PlantWorkspace& workspace) const {
  check_plant_input(input, t0, t1);
  auto* mine = dynamic_cast<Workspace*>(&workspace);
  if (!mine || state.size() != n_state()) throw InputError("hydronic plant: workspace or state of another plant");
  std::vector<double>& y = mine->y;
  std::copy(state.begin(), state.end(), y.begin());
  std::fill(y.begin() + static_cast<std::ptrdiff_t>(n_state()), y.end(), 0.0);
  if (!input.powered) {  // fans, pumps and compressors stop at once; after the loss they start from standstill
    for (const auto i : {fan_live, cdu_live, pump_live, tower_live, chiller_live}) y[i] = 0.0;
    for (std::size_t w = 0; w < waters_.size(); ++w)
      for (const auto i :
           {of_water[w].stage, of_water[w].chiller_drive, of_water[w].chiller_integral, of_water[w].since_s})
        y[i] = 0.0;
  }
  const double span_s = seconds(t1 - t0), stored_before_J = stored_J(y, waters_);
  System system(params_, waters_, input, span_s);
  for (double left_s = span_s; left_s > 0.0;) {
    for (std::size_t w = 0; w < waters_.size(); ++w) stage_chillers(params_, of_water[w], y);
    system.begins_s = span_s - left_s;
    left_s -= integrate_to_staging(params_, *mine, system, left_s, seconds(t0) + span_s - left_s);
  }

  const HydronicParams& p = params_;
  const std::span<const double> meter = std::span<const double>(y).subspan(n_state());
  PlantStep s;
  s.heat_in_J = meter[heat_in_J];
  s.fan_J = meter[fan_J] + meter[pump_J] + p.chiller.motor_frac * meter[compressor_J];
  s.reuse_J = meter[reuse_J];
  s.heat_out_J = meter[rejected_J] + meter[reuse_J];
  s.stored_change_J = stored_J(y, waters_) - stored_before_J;
  s.supply_mean_K = meter[supply_K_s] / span_s;
  s.supply_end_K = reference_K + y[cold_J] / p.cold_aisle_J_per_K;
  s.hot_aisle_mean_K = meter[hot_K_s] / span_s;
  s.liquid_supply_mean_K = meter[loop_K_s] / span_s;
  s.liquid_supply_end_K = reference_K + y[loop_cold_J] / (0.5 * p.loop_m3 * p.loop_J_per_m3_K);
  s.liquid_flow_mean_kg_per_s = meter[loop_kg] / span_s;
  s.fan_mean_W = s.fan_J / span_s;
  s.air_fan_mean_W = meter[fan_J] / span_s;
  s.pump_mean_W = meter[pump_J] / span_s;
  s.chiller_mean_W = meter[compressor_J] / span_s;
  s.rejection_fan_mean_W = meter[reject_fan_J] / span_s;
  s.other_electric_W =
      s.rejection_fan_mean_W + (input.powered ? p.controls_W : 0.0) + (1.0 - p.chiller.motor_frac) * s.chiller_mean_W;
  s.evaporated_kg = meter[evaporated_kg];
  s.latent_J = s.evaporated_kg * vaporisation_J_per_kg;
  const double rejected_kg = tower() != nullptr && input.powered ? p.reject_flow_kg_per_s * span_s : 0.0;
  s.water_kg = s.evaporated_kg * (1.0 + 1.0 / (p.cycles_ratio - 1.0)) + p.drift_frac * rejected_kg;
  s.evaporation_frac = tower() != nullptr ? 1.0 : 0.0;
  // The hall's air is dry beyond the coil's dew point: its humidity is not modelled, 40 % at the set point is reported.
  s.supply_rh_frac = 0.4 * saturation_pressure_Pa(p.air_set_K) / saturation_pressure_Pa(s.supply_mean_K);
  const Flows f = flows(p, waters_, system.begin, y);
  const PlantMargin margin = margin_of(p, waters_, input, f, y);
  s.capacity_margin_frac = margin.frac, s.margin_part = margin.part;
  constexpr double least_kg_per_s = 1e-9;  // as good as none: 0 means not known
  s.liquid_flow_most_kg_per_s = std::max(y[cdu_live] * p.loop_flow_kg_per_s, least_kg_per_s);
  s.liquid_warmest_K = std::max(f.loop_hot_K, f.loop_cold_K);
  for (std::size_t w = 0; w < waters_.size(); ++w) {
    const WaterFlows& of = f.water[w];
    s.liquid_warmest_K = std::max({s.liquid_warmest_K, of.facility_hot_K, of.facility_cold_K, of.reject_hot_K});
  }
  s.chilled_frac = p.chiller.capacity_W > 0.0 ? meter[chilled_J] / span_s / p.chiller.capacity_W : 0.0;
  s.supply_over_limit_K = std::max(s.supply_mean_K - p.air_set_K - p.air_band_K, 0.0);
  std::copy_n(y.begin(), n_state(), state.begin());
  return s;
}

}  // namespace TIDEWATT_NAMESPACE::cooling
