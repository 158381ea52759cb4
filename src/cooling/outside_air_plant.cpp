#include "tidewatt/cooling/outside_air_plant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "numerics/esdirk.hpp"
#include "outside_air_flows.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/cooling/psychrometrics.hpp"

namespace TIDEWATT_NAMESPACE::cooling {
namespace {

using namespace outside_air;

constexpr std::array<const char*, n_all> names{
    "plenum_J",        "cold_aisle_J",      "hot_aisle_J",   "metal_J",
    "return_mix_frac", "mix_integral_frac", "wetted_frac",   "wet_integral_frac",
    "fan_speed_frac",  "heat_in_J",         "fan_J",         "intake_J",
    "exhaust_J",       "latent_J",          "evaporated_kg", "supply_K_s",
    "hot_aisle_K_s",   "humidity_s",        "mix_s",         "wet_s",
    "needed_speed_s"};

OutsideAirParams scaled(OutsideAirParams p, double factor) {
  for (double* extensive :
       {&p.reference_it_W, &p.design_flow_m3_per_s, &p.fan_standby_W, &p.controls_W, &p.pump_W, &p.plenum_J_per_K,
        &p.cold_aisle_J_per_K, &p.hot_aisle_J_per_K, &p.metal_J_per_K, &p.metal_cold_W_per_K, &p.metal_hot_W_per_K})
    *extensive *= factor;
  return p;
}

/// Weather moves through a step, and with it what follows from it: evenly between what the begin and the end give.
struct System final : numerics::OdeSystem {
  const OutsideAirParams& params;
  Conditions begin;
  WeatherSample air_per_s;
  double wetbulb_per_s = 0.0, low_per_s = 0.0, high_per_s = 0.0;
  System(const OutsideAirParams& p, const PlantInput& input, double span_s)
      : params(p), begin(conditions(p, input)), air_per_s(input.outdoor_per_s) {
    if (!moves()) return;
    const auto at = [&](double s) {
      PlantInput then = input;
      then.outdoor = moved(input.outdoor, air_per_s, s);
      return conditions(p, then);
    };
    begin = at(-0.5 * span_s);
    const Conditions end = at(0.5 * span_s);
    wetbulb_per_s = (end.wetbulb_K - begin.wetbulb_K) / span_s;
    low_per_s = (end.low_K - begin.low_K) / span_s, high_per_s = (end.high_K - begin.high_K) / span_s;
  }
  bool moves() const { return !(air_per_s == WeatherSample{}); }
  void rhs(double t_s, std::span<const double> y, std::span<double> dydt) const override {
    if (!moves()) return derivatives(params, begin, y, dydt);
    Conditions now = begin;
    now.input.outdoor = moved(begin.input.outdoor, air_per_s, t_s);
    now.wetbulb_K += t_s * wetbulb_per_s, now.low_K += t_s * low_per_s, now.high_K += t_s * high_per_s;
    derivatives(params, now, y, dydt);
  }
};

// What each value is about in size, for the absolute tolerances: 10 K of each store, a minute of rated heat in each
// meter.
std::vector<double> typical_sizes(const OutsideAirParams& p) {
  std::vector<double> size(n_all, 1.0);
  size[plenum_J] = 10.0 * p.plenum_J_per_K;
  size[cold_J] = 10.0 * p.cold_aisle_J_per_K;
  size[hot_J] = 10.0 * p.hot_aisle_J_per_K;
  size[metal_J] = 10.0 * p.metal_J_per_K;
  for (const auto i : {heat_in_J, fan_J, intake_J, exhaust_J, latent_J}) size[i] = 60.0 * p.reference_it_W;
  size[evaporated_kg] = 60.0 * p.reference_it_W / vaporisation_J_per_kg;
  for (const auto i : {supply_K_s, hot_K_s}) size[i] = 600.0;
  return size;
}

struct Workspace final : PlantWorkspace {
  numerics::Esdirk solver;
  std::vector<double> y;
  Workspace(const OutsideAirParams& p, double rtol)
      : solver({{names.begin(), names.end()}, typical_sizes(p), n_state, rtol, 20000}), y(n_all) {}
};

double stored_J(std::span<const double> y) { return y[plenum_J] + y[cold_J] + y[hot_J] + y[metal_J]; }

}  // namespace

OutsideAirPlant::OutsideAirPlant(const OutsideAirParams& params, double rated_it_W, double rtol)
    : params_(scaled(params, rated_it_W / params.reference_it_W)), rtol_(rtol) {
  if (!(rated_it_W > 0.0 && params.reference_it_W > 0.0))
    throw InputError("outside air plant: IT heat must be positive");
  if (!(params.supply_high_K >= params.supply_low_K + 2.0))
    throw InputError("outside air plant: supply_high_degC must be at least 2 K above supply_low_degC");
}

std::size_t OutsideAirPlant::n_state() const { return outside_air::n_state; }

std::vector<std::string> OutsideAirPlant::state_names() const {
  return {names.begin(), names.begin() + outside_air::n_state};
}

std::unique_ptr<PlantWorkspace> OutsideAirPlant::make_workspace() const {
  return std::make_unique<Workspace>(params_, rtol_);
}

std::unique_ptr<PlantWorkspace> OutsideAirPlant::make_forecast_workspace() const {
  return std::make_unique<Workspace>(params_, 10.0 * rtol_);
}

void OutsideAirPlant::initialise(std::span<double> state, const PlantInput& input, Tick t) const {
  check_plant_input(input, t, t + ns_per_s);
  const OutsideAirParams& p = params_;
  const Conditions c = conditions(p, input);
  const double outdoor_K = input.outdoor.drybulb_K;
  const double cp = moist_air_cp_J_per_kg_K(input.outdoor.humidity_ratio);
  const double density =
      dry_air_density_kg_per_m3(std::max(outdoor_K, c.low_K), input.outdoor.humidity_ratio, input.outdoor.pressure_Pa);
  const double speed =
      std::clamp(input.server_flow_m3_per_s / p.design_flow_m3_per_s + p.leakage_frac, p.fan_floor_frac, 1.0);
  const double capacity = speed * p.design_flow_m3_per_s * density * cp;
  const double fan_rise_K = fan_power_W(p, speed, density) / capacity, it_rise_K = input.it_heat_W / capacity;
  // Mixing: T = (1-r) T_o + r (T + ΔT_it) + ΔT_fan at T = set point. Evaporation: T_o - ε w (T_o - T_wb) + ΔT_fan.
  const double short_K = c.low_K - outdoor_K - fan_rise_K, over_K = outdoor_K + fan_rise_K - c.high_K;
  const double r = short_K > 0.0 ? std::min(short_K / (short_K + fan_rise_K + it_rise_K), p.mix_max_frac) : 0.0;
  const double reach_K = media_effectiveness(p, speed) * (outdoor_K - c.wetbulb_K);
  const double w = over_K > 0.0 && reach_K > 0.0 ? std::min(over_K / reach_K, 1.0) : 0.0;
  const double supply_K = outdoor_K + fan_rise_K - w * reach_K + r / (1.0 - r) * (it_rise_K + fan_rise_K);
  const double hot_K = supply_K + it_rise_K;
  const double metal_K = p.metal_cold_W_per_K + p.metal_hot_W_per_K > 0.0
                             ? (p.metal_cold_W_per_K * supply_K + p.metal_hot_W_per_K * hot_K) /
                                   (p.metal_cold_W_per_K + p.metal_hot_W_per_K)
                             : supply_K;
  state[plenum_J] = p.plenum_J_per_K * (supply_K - reference_K);
  state[cold_J] = p.cold_aisle_J_per_K * (supply_K - reference_K);
  state[hot_J] = p.hot_aisle_J_per_K * (hot_K - reference_K);
  state[metal_J] = p.metal_J_per_K * (metal_K - reference_K);
  state[mix] = state[mix_integral] = r;
  state[wet] = state[wet_integral] = w;
  state[fan_speed] = speed;
}

PlantStep OutsideAirPlant::advance(std::span<double> state, const PlantInput& input, Tick t0, Tick t1,
                                   PlantWorkspace& workspace) const {
  check_plant_input(input, t0, t1);
  auto* mine = dynamic_cast<Workspace*>(&workspace);
  if (!mine || state.size() != outside_air::n_state)
    throw InputError("outside air plant: workspace or state of another plant");
  std::vector<double>& y = mine->y;
  std::copy(state.begin(), state.end(), y.begin());
  std::fill(y.begin() + outside_air::n_state, y.end(), 0.0);
  const double span_s = seconds(t1 - t0);
  const System system(params_, input, span_s);
  const double stored_before_J = stored_J(y);
  mine->solver.advance(system, y, span_s, seconds(t0));

  PlantStep s;
  s.heat_in_J = y[heat_in_J];
  s.fan_J = y[fan_J];
  s.latent_J = y[latent_J];
  s.heat_out_J = y[exhaust_J] - y[intake_J] + y[latent_J];
  s.stored_change_J = stored_J(y) - stored_before_J;
  s.supply_mean_K = y[supply_K_s] / span_s;
  s.supply_end_K = reference_K + y[cold_J] / params_.cold_aisle_J_per_K;
  s.hot_aisle_mean_K = y[hot_K_s] / span_s;
  s.supply_rh_frac = relative_humidity_frac(s.supply_mean_K, y[humidity_s] / span_s, input.outdoor.pressure_Pa);
  s.fan_mean_W = y[fan_J] / span_s;
  s.return_mix_frac = y[mix_s] / span_s;
  s.evaporation_frac = y[wet_s] / span_s;
  s.other_electric_W = input.powered ? params_.controls_W + params_.pump_W * s.evaporation_frac : 0.0;
  s.evaporated_kg = y[evaporated_kg];
  s.water_kg = s.evaporated_kg * (1.0 + 1.0 / (params_.cycles_ratio - 1.0));
  s.capacity_margin_frac = 1.0 - y[needed_s] / span_s;
  s.margin_part = PlantPart::fans;
  s.supply_over_limit_K = std::max(s.supply_mean_K - params_.supply_high_K, 0.0);
  std::copy_n(y.begin(), outside_air::n_state, state.begin());
  return s;
}

}  // namespace TIDEWATT_NAMESPACE::cooling
