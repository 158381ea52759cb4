#include "hall_loop.hpp"

#include <algorithm>
#include <cmath>

#include "tidewatt/cooling/psychrometrics.hpp"

namespace tidewatt::sim {

HallLoop::HallLoop(const Scenario& scenario, const Fleet& fleet, const cooling::Weather& weather)
    : fleet_(fleet), weather_(weather) {
  inlet_K_.resize(fleet.n_node());
  inlet_K_per_s_.assign(fleet.n_node(), 0.0);
  for (const auto& spec : scenario.halls) {
    Hall& h = halls_.emplace_back();
    const double n_node = static_cast<double>(spec.hall.n_gpu / spec.server.n_gpu);
    if (spec.plant_kind == "prescribed_inlet")
      h.plant = std::make_unique<cooling::PrescribedInlet>(spec.prescribed, weather.local_at_start_ns());
    else
      h.plant = std::make_unique<cooling::OutsideAirPlant>(
          spec.outside_air, n_node * design_W(fleet.types[halls_.size() - 1]));
    if (spec.own_plant) h.plant = spec.own_plant;
    h.state.resize(h.plant->n_state());
    const double idle_W = n_node * power::server_power(spec.server, 0.1 * spec.gpu.tdp_W * static_cast<double>(spec.server.n_gpu),
                                                       spec.air.fan_min_frac, false).ac_W;
    h.workspace = h.plant->make_workspace();
    start(h, {idle_W, n_node * spec.air.flow_m3_per_s * spec.air.fan_min_frac, weather.at(0)});
  }
  set_inlets(0);
}

/// Equilibrium, and what one more second of it gives.
void HallLoop::start(Hall& h, const cooling::PlantInput& input) {
  h.plant->initialise(h.state, input, 0);
  auto state = h.state;
  const auto p = h.plant->advance(state, input, 0, ns_per_s, *h.workspace);
  h.supply_K = p.supply_end_K;
  h.hot_aisle_K = p.hot_aisle_mean_K;
  means_.plant_W += p.fan_J + p.other_electric_W;  // of one second
}

void HallLoop::set_inlets(Tick now) {
  macro_begin_ = now;
  for (std::size_t n = 0; n < inlet_K_.size(); ++n) {
    const auto& h = halls_[fleet_.node_hall[n]];
    inlet_K_[n] = h.supply_K + fleet_.node_recirculation[n] * (h.hot_aisle_K - h.supply_K);
    inlet_K_per_s_[n] = (1.0 - fleet_.node_recirculation[n]) * h.supply_K_per_s;
  }
  const auto outdoor = weather_.at(now);
  air_J_per_m3_K_ = cooling::dry_air_density_kg_per_m3(halls_.front().supply_K, outdoor.humidity_ratio, outdoor.pressure_Pa) *
                    (cooling::dry_air_cp_J_per_kg_K + outdoor.humidity_ratio * cooling::vapour_cp_J_per_kg_K);
}

double HallLoop::mean_inlet_K() const {
  double sum = 0.0;
  for (const double K : inlet_K_) sum += K;
  return sum / static_cast<double>(inlet_K_.size());
}

void HallLoop::collect(const FleetSignals& signals, std::size_t first_node, std::size_t n_node, Tick begin, Tick end) {
  for (std::size_t n = first_node; n < first_node + n_node;) {
    Given g{fleet_.node_hall[n], begin, end, 0.0, 0.0};
    for (; n < first_node + n_node && fleet_.node_hall[n] == g.hall; ++n) {
      g.heat_W += signals.node_air_W[n];
      g.flow_m3_per_s += signals.node_flow_m3_per_s[n];
    }
    given_.push_back(g);
  }
}

void HallLoop::settle(const FleetSignals& signals) {
  given_.clear();
  collect(signals, 0, fleet_.n_node(), 0, ns_per_s);
  means_ = {};
  for (std::size_t i = 0; i < halls_.size(); ++i) {
    double heat_W = 0.0, flow = 0.0;
    for (const auto& g : given_)
      if (g.hall == i) heat_W += g.heat_W, flow += g.flow_m3_per_s;
    start(halls_[i], {heat_W, flow, weather_.at(0)});
  }
  given_.clear();
  set_inlets(0);
}

double HallLoop::pending_heat_J(Tick now) const {
  double J = 0.0;
  for (const auto& g : given_) J += g.heat_W * seconds(g.end - std::max(g.begin, now));
  return J;
}

double HallLoop::advance(Tick t0, Tick t1) {
  const auto outdoor = weather_.mean(t0, t1);
  means_ = {};
  means_.inlet_K = mean_inlet_K();
  means_.outdoor_drybulb_K = outdoor.drybulb_K;
  means_.outdoor_wetbulb_K = outdoor.wetbulb_K;
  const double step_s = seconds(t1 - t0);
  std::vector<double> heat_J(halls_.size(), 0.0), flow_m3(halls_.size(), 0.0);
  double all_J = 0.0;
  for (const auto& g : given_) {
    if (g.begin >= t1) continue;  // the last slices of an iteration may all lie beyond
    const double inside_s = seconds(std::min(g.end, t1) - std::max(g.begin, t0));
    heat_J[g.hall] += g.heat_W * inside_s;
    flow_m3[g.hall] += g.flow_m3_per_s * inside_s;
    all_J += g.heat_W * inside_s;
  }
  std::erase_if(given_, [&](const Given& g) { return g.end <= t1; });
  double plant_J = 0.0;
  miss_K_ = 0.0;
  for (std::size_t i = 0; i < halls_.size(); ++i) {
    auto& h = halls_[i];
    const auto p = h.plant->advance(h.state, {heat_J[i] / step_s, flow_m3[i] / step_s, outdoor}, t0, t1, *h.workspace);
    const double share = heat_J[i] / all_J;
    means_.supply_K += share * p.supply_mean_K;
    means_.hot_aisle_K += share * p.hot_aisle_mean_K;
    means_.water_kg_per_s += p.water_kg / step_s;
    means_.capacity_margin_frac += share * p.capacity_margin_frac;
    miss_K_ = std::max(miss_K_, std::abs(p.supply_mean_K - (h.supply_K + 0.5 * step_s * h.supply_K_per_s)));
    h.supply_K_per_s = (p.supply_end_K - h.supply_K) / step_s;
    h.supply_K = p.supply_end_K;
    h.hot_aisle_K = p.hot_aisle_mean_K;
    books_.electric.add(p.fan_J + p.other_electric_W * step_s);
    books_.heat_in.add(p.heat_in_J);
    books_.fan.add(p.fan_J);
    books_.heat_out.add(p.heat_out_J);
    books_.stored.add(p.stored_change_J);
    books_.water_kg.add(p.water_kg);
    plant_J += p.fan_J + p.other_electric_W * step_s;
  }
  means_.plant_W = plant_J / step_s;
  set_inlets(t1);
  return means_.plant_W;
}

}  // namespace tidewatt::sim
