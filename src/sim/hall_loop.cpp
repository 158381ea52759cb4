#include "hall_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "fleet/leakage_gain.hpp"
#include "plant_steps.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/cooling/hydronic_plant.hpp"
#include "tidewatt/cooling/outside_air_plant.hpp"
#include "tidewatt/cooling/psychrometrics.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

/// @param node_W design power of a node
std::shared_ptr<const cooling::CoolingPlant> make_plant(const HallSpec& spec, double node_W, Tick local_at_start_ns) {
  const double rated_W = static_cast<double>(spec.hall.n_gpu / spec.server.n_gpu) * node_W;
  if (spec.own_plant) return spec.own_plant;
  if (spec.plant_kind == PlantKind::prescribed_inlet)
    return std::make_shared<cooling::PrescribedInlet>(spec.prescribed, local_at_start_ns);
  if (spec.plant_kind == PlantKind::hydronic) return std::make_shared<cooling::HydronicPlant>(spec.hydronic, rated_W);
  return std::make_shared<cooling::OutsideAirPlant>(spec.outside_air, rated_W);
}

/// The hall with another set point for what its plant supplies: liquid where servers have cold plates, air otherwise. Outside air
/// is mixed with return air below a band of 2 K around it, and evaporation begins above. A water plant's facility water moves by as much, but
/// water that coils share with the liquid only to colder: warmer, it would not cool the air. A warm loop of the liquid's own follows.
HallSpec with_supply(HallSpec spec, double supply_K) {
  constexpr double half_band_K = 1.0;
  spec.prescribed.min_K = spec.prescribed.max_K = supply_K;
  double& held_K = spec.liquid ? spec.hydronic.loop_set_K : spec.hydronic.air_set_K;
  const double moved_K = supply_K - held_K;
  if (!spec.liquid)
    spec.hydronic.facility_set_K += moved_K;
  else if (spec.hydronic.water_loops == "one")
    spec.hydronic.facility_set_K += std::min(moved_K, 0.0);
  held_K = supply_K;
  spec.outside_air.supply_low_K = supply_K - half_band_K;
  spec.outside_air.supply_high_K = supply_K + half_band_K;
  return spec;
}

double mean_of(const std::vector<double>& x) {
  double sum = 0.0;
  for (const double v : x) sum += v;
  return sum / static_cast<double>(x.size());
}

bool finite(const cooling::PlantStep& p) {
  const std::array all = {p.supply_mean_K,
                          p.supply_end_K,
                          p.hot_aisle_mean_K,
                          p.liquid_supply_mean_K,
                          p.liquid_supply_end_K,
                          p.liquid_flow_mean_kg_per_s,
                          p.fan_J,
                          p.other_electric_W,
                          p.heat_in_J,
                          p.heat_out_J,
                          p.stored_change_J,
                          p.water_kg};
  return std::all_of(all.begin(), all.end(), [](double x) { return std::isfinite(x); });
}

/// [hall] means of what servers give between two moments.
std::vector<PlantDemand> asked(std::span<const HeatPulse> given, std::size_t n_hall, Tick t0, Tick t1) {
  std::vector<PlantDemand> out(n_hall);
  for (const auto& g : given) {
    if (g.begin >= t1) continue;  // the last slices of an iteration may all be after it
    const double inside_s = seconds(std::min(g.end, t1) - std::max(g.begin, t0));
    out[g.hall].heat_W += g.heat_W * inside_s;
    out[g.hall].flow_m3_per_s += g.flow_m3_per_s * inside_s;
    out[g.hall].liquid_W += g.liquid_W * inside_s;
  }
  const double step_s = seconds(t1 - t0);
  for (auto& a : out) a.heat_W /= step_s, a.flow_m3_per_s /= step_s, a.liquid_W /= step_s;
  return out;
}

/// Hall, time, key and the active events, for a message.
std::string where(const std::string& hall, Tick t, const std::string& events) {
  return fmt::format("hall.{}.plant, hall '{}' at {:.3f} s", hall, hall, seconds(t)) + events;
}

/// A plant's own step. @param at says where it is, for a message  @throws SolverError if there is no finite result
template <class Where>
cooling::PlantStep advanced(const cooling::CoolingPlant& plant, std::span<double> state,
                            const cooling::PlantInput& given, Tick t0, Tick t1, cooling::PlantWorkspace& workspace,
                            Where&& at) {
  const auto p = [&] {
    try {
      return plant.advance(state, given, t0, t1, workspace);
    } catch (const InputError& e) {
      throw SolverError(at() + ": " + e.what());
    } catch (const SolverError& e) {
      throw SolverError(at() + ": " + e.what());
    }
  }();
  if (!finite(p))
    throw SolverError(fmt::format("{}: the plant gives {} K of supply air, {} K of liquid and takes {} W", at(),
                                  p.supply_mean_K, p.liquid_supply_mean_K,
                                  cooling::plant_electric_W(p, seconds(t1 - t0))));
  return p;
}

constexpr Tick before_run = -1;  // events at 0 s act on a plant without failures

/// Volumetric heat capacity of supply air, and how it moves per second. @param own false: of air at 20 °C and sea level
std::pair<double, double> volumetric_J_per_m3_K(double supply_K, double supply_K_per_s,
                                                const cooling::WeatherSample& outdoor, bool own) {
  if (!own) return {thermal::air_J_per_m3_K(293.15), 0.0};
  const double J_per_m3_K = thermal::air_J_per_m3_K(supply_K, outdoor.humidity_ratio, outdoor.pressure_Pa);
  return {J_per_m3_K, -J_per_m3_K * supply_K_per_s / supply_K};
}

/// AC power of one server whose GPUs rest and whose fans are at their slowest.
double idle_node_W(const HallSpec& spec) {
  const double gpu_W = 0.1 * spec.gpu.tdp_W * static_cast<double>(spec.server.n_gpu);
  return power::server_power(spec.server, gpu_W, spec.air.fan_min_frac, false).ac_W;
}

}  // namespace

HallLoop::HallLoop(const Scenario& scenario, const fleet::Fleet& fleet, const cooling::Weather& weather)
    : scenario_(scenario),
      base_s_(scenario.run.macro_step_s),
      fleet_(fleet),
      outdoor_(weather),
      outages_(scenario),
      flows_(scenario, fleet) {
  state_.inlet_K.resize(fleet.n_node()), state_.inlet_K_per_s.assign(fleet.n_node(), 0.0);
  for (auto* of_halls : {&state_.air_J_per_m3_K, &state_.air_J_per_m3_K_per_s}) of_halls->resize(scenario.halls.size());
  state_.flow_frac.assign(fleet.n_node(), 1.0);
  for (std::size_t i = 0; i < scenario.halls.size(); ++i) {
    const auto& spec = scenario.halls[i];
    PlantedHall& h = halls_.emplace_back();
    h.name = spec.hall.name;
    const double n_node = static_cast<double>(spec.hall.n_gpu / spec.server.n_gpu);
    h.plant = make_plant(spec, design_W(fleet.types[i]), outdoor_.local_at_start_ns());
    h.state.resize(h.plant->n_state());
    h.liquid_asked_kg_per_s = n_node * fleet::liquid_flow_kg_per_s(fleet.types[i]);
    h.workspace = h.plant->make_workspace(), h.forecast = h.plant->make_forecast_workspace();
    start(i, {n_node * idle_node_W(spec),
              n_node * spec.air.flow_m3_per_s * spec.air.fan_min_frac,
              outdoor_.at(0),
              0.0,
              flows_.asked_frac(i, before_run) * h.liquid_asked_kg_per_s,
              {}});
  }
  set_inlets(0);
}

void HallLoop::set_outside(const Outside& given) {
  for (std::size_t i = 0; i < halls_.size(); ++i) {
    auto& h = halls_[i];
    const auto wanted_K = given.supply_K[i];
    if (h.supply_set_K == wanted_K) continue;
    const auto& spec = scenario_.halls[i];
    h.plant = make_plant(wanted_K ? with_supply(spec, *wanted_K) : spec, design_W(fleet_.types[i]),
                         outdoor_.local_at_start_ns());
    h.workspace = h.plant->make_workspace(), h.forecast = h.plant->make_forecast_workspace();
    h.supply_set_K = wanted_K;
  }
  outdoor_.set(given.outdoor_drybulb_K, given.outdoor_wetbulb_K);
}

void HallLoop::disturb(Tick now) {
  state_.power_changed = now;
  for (std::size_t i = 0; i < halls_.size(); ++i) {
    auto& h = halls_[i];
    if (h.plant->n_state() > 0) continue;
    const auto p = move(i, h.state, input(i, h.given, outdoor_.at(now), now), now, now + ns_per_ms, *h.workspace);
    h.coolant_K = h.liquid_asked_kg_per_s > 0.0 ? p.liquid_supply_mean_K : p.supply_mean_K;
    h.supply_K = h.air_K = p.supply_mean_K;
    h.coolant_K_per_s = h.air_K_per_s = h.last_s = 0.0;
  }
  set_inlets(now);
}

/// Equilibrium, and what one more second of it gives.
void HallLoop::start(std::size_t hall, const cooling::PlantInput& input) {
  auto& h = halls_[hall];
  h.plant->initialise(h.state, input, 0);
  auto state = h.state;
  const auto p = h.plant->advance(state, input, 0, ns_per_s, *h.workspace);
  apply_plant_step(h, p, flows_.asked_frac(hall, before_run));
  state_.means.plant_W += p.fan_J + p.other_electric_W;  // of one second
}

void HallLoop::set_inlets(Tick now) {
  state_.macro_begin = now;
  for (std::size_t n = 0; n < state_.inlet_K.size(); ++n) {
    const auto& h = halls_[fleet_.node_hall[n]];
    const double back = h.liquid_asked_kg_per_s > 0.0 ? 0.0 : fleet_.node_recirculation[n];
    // The hot aisle follows the supply; its rise follows the load and the fans.
    state_.inlet_K[n] = h.coolant_K + back * std::fma(h.rise_K_per_s, 0.5 * h.last_s, h.rise_K);
    state_.inlet_K_per_s[n] = std::fma(back, h.rise_K_per_s, h.coolant_K_per_s);
    state_.flow_frac[n] = h.flow_frac * flows_.open_frac(n, now);
  }
  const auto outdoor = outdoor_.at(now);
  for (std::size_t i = 0; i < halls_.size(); ++i) {
    const auto& h = halls_[i];
    std::tie(state_.air_J_per_m3_K[i], state_.air_J_per_m3_K_per_s[i]) =
        volumetric_J_per_m3_K(h.air_K, h.air_K_per_s, outdoor, scenario_.run.air_density);
  }
}

void HallLoop::collect(const fleet::FleetSignals& signals, std::size_t first_node, std::size_t n_node, Tick begin,
                       Tick end) {
  for (std::size_t n = first_node; n < first_node + n_node;) {
    HeatPulse g{fleet_.node_hall[n], begin, end, 0.0, 0.0, 0.0};
    for (; n < first_node + n_node && fleet_.node_hall[n] == g.hall; ++n) {
      g.heat_W += signals.node_air_W[n];
      g.flow_m3_per_s += signals.node_flow_m3_per_s[n];
      g.liquid_W += signals.node_liquid_W[n];
    }
    if (!std::isfinite(g.heat_W + g.flow_m3_per_s + g.liquid_W))
      throw SolverError(fmt::format("{}: its servers give {} W to the air and {} W to the liquid at {} m3/s: {}",
                                    where(halls_[g.hall].name, begin, outages_.told(g.hall, begin)), g.heat_W,
                                    g.liquid_W, g.flow_m3_per_s,
                                    "the dies run away because the coolant does not take their heat"));
    state_.given.push_back(g);
  }
}

cooling::PlantStep HallLoop::move(std::size_t hall, std::span<double> state, const cooling::PlantInput& given, Tick t0,
                                  Tick t1, cooling::PlantWorkspace& workspace) const {
  return advanced(*halls_[hall].plant, state, given, t0, t1, workspace,
                  [&] { return where(halls_[hall].name, t0, outages_.told(hall, t0)); });
}

cooling::PlantStep HallLoop::move_through(std::size_t hall, const PlantDemand& give, Tick t0, Tick t1) {
  auto& h = halls_[hall];
  cooling::PlantStep out;
  Tick begin = t0;
  for (const Tick end : plant_steps(t0, t1, follows_evenly(h, outdoor_, t0, t1))) {
    const auto p = move(hall, h.state, input(hall, give, begin, end), begin, end, *h.workspace);
    out = begin == t0 ? p : joined(out, p, seconds(end - begin) / seconds(end - t0));
    begin = end;
  }
  return out;
}

void HallLoop::settle(const fleet::FleetSignals& signals) {
  state_.given.clear();
  collect(signals, 0, fleet_.n_node(), 0, ns_per_s);
  state_.means = {};
  const auto give = asked(state_.given, halls_.size(), 0, ns_per_s);
  for (std::size_t i = 0; i < halls_.size(); ++i) {
    start(i, input(i, give[i], outdoor_.at(0), before_run));
    halls_[i].given = give[i];
  }
  state_.given.clear();
  set_inlets(0);
}

double HallLoop::pending_heat_J(Tick now) const {
  double J = 0.0;
  for (const auto& g : state_.given) J += (g.heat_W + g.liquid_W) * seconds(g.end - std::max(g.begin, now));
  return J;
}

cooling::PlantInput HallLoop::input(std::size_t hall, const PlantDemand& give, const cooling::WeatherSample& outdoor,
                                    Tick t) const {
  return {give.heat_W,
          give.flow_m3_per_s,
          outdoor,
          give.liquid_W,
          flows_.asked_frac(hall, t) * halls_[hall].live_frac * halls_[hall].liquid_asked_kg_per_s,
          state_.powered ? outages_.capacity(hall, t) : cooling::no_capacity,
          state_.powered};
}

cooling::PlantInput HallLoop::input(std::size_t hall, const PlantDemand& give, Tick begin, Tick end) const {
  auto out = input(hall, give, outdoor_.mean(begin, end), begin);
  if (halls_[hall].plant->follows_weather()) out.outdoor_per_s = outdoor_.per_s(begin, end);
  return out;
}

HallForecast HallLoop::forecast(Tick t0, Tick t1) const {
  HallForecast out{t0, t1, {}, 0.0};
  const double step_s = seconds(t1 - t0);
  for (std::size_t i = 0; i < halls_.size(); ++i) {
    const auto& h = halls_[i];
    auto state = h.state;
    HallForecast::Hall to{};
    Tick begin = t0;
    for (const Tick end : plant_steps(t0, t1, follows_evenly(h, outdoor_, t0, t1))) {
      const auto p = move(i, state, input(i, h.given, begin, end), begin, end, *h.forecast);
      add_step(to, h, p, seconds(end - begin) / step_s);
      begin = end;
    }
    out.bend_K = std::max(out.bend_K, bend_K(h, to, fleet_.types[i]));
    out.hall.push_back(to);
  }
  return out;
}

void HallLoop::expect(const HallForecast& forecast) {
  const double step_s = seconds(forecast.end - forecast.begin);
  for (std::size_t i = 0; i < halls_.size(); ++i) sim::expect(halls_[i], forecast.hall[i], step_s, base_s_);
  set_inlets(forecast.begin);
  state_.drifts_for_s = 2.0 * step_s;
}

double HallLoop::advance(Tick t0, Tick t1) {
  const auto outdoor = outdoor_.mean(t0, t1);
  state_.means = {};
  state_.means.inlet_K = mean_of(state_.inlet_K);
  state_.means.outdoor_drybulb_K = outdoor.drybulb_K, state_.means.outdoor_wetbulb_K = outdoor.wetbulb_K;
  const double step_s = seconds(t1 - t0);
  const auto give = asked(state_.given, halls_.size(), t0, t1);
  std::erase_if(state_.given, [&](const HeatPulse& g) { return g.end <= t1; });
  double all_W = 0.0;
  for (const auto& g : give) all_W += g.heat_W, state_.means.liquid_W += g.liquid_W;
  const double equal_share = 1.0 / static_cast<double>(halls_.size());  // of a site without power
  double plant_J = 0.0;
  state_.miss_K = 0.0;
  for (std::size_t i = 0; i < halls_.size(); ++i) {
    auto& h = halls_[i];
    const auto p = move_through(i, give[i], t0, t1);
    h.given = give[i];
    const double share = state_.powered && all_W > 0.0 ? give[i].heat_W / all_W : equal_share;
    add(state_.means, p, share, give[i].liquid_W, step_s, state_.powered);
    const double mean_K = h.liquid_asked_kg_per_s > 0.0 ? p.liquid_supply_mean_K : p.supply_mean_K;
    state_.miss_K = std::max(state_.miss_K, missed_K(h, fleet_.types[i], mean_K, step_s));
    const double rise_before_K = h.rise_K;
    apply_plant_step(h, p, flows_.asked_frac(i, t0));
    see_rise(h, rise_before_K, step_s, base_s_);
    h.mean_K = mean_K, h.last_s = step_s;
    book(state_.books, p, step_s, state_.powered);
    watch_range(state_.books, i, fleet_.types[i], p, t0);
    plant_J += p.fan_J + p.other_electric_W * step_s;
  }
  state_.means.plant_W = plant_J / step_s;
  set_inlets(t1);
  return state_.means.plant_W;
}

}  // namespace TIDEWATT_NAMESPACE::sim
