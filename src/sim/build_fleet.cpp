#include "build_fleet.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/random.hpp"
#include "tidewatt/base/math.hpp"

namespace TIDEWATT_NAMESPACE::sim {

namespace {

/// A slot's own ratio is the chassis's, not a spread: it stays where chips are nominal.
double resistance_ratio(bool spread, const HallSpec& spec, std::uint64_t seed, std::size_t node, std::size_t slot) {
  static const power::PositionSpreadParams none{0.0, {}};
  const auto& position = spec.position ? *spec.position : none;
  if (spread)
    return power::draw_resistance_ratio(spec.spread, position, seed, node, slot,
                                        static_cast<std::uint64_t>(spec.server.n_gpu));
  return position.slot_resistance_ratio.empty() ? 1.0 : position.slot_resistance_ratio[slot];
}

std::vector<std::vector<double>> rack_recirculation(const Scenario& scenario, std::uint64_t seed) {
  std::vector<std::vector<double>> out;
  std::uint32_t rack = 0;
  for (const auto& spec : scenario.halls) {
    const std::int64_t n_node = spec.hall.n_gpu / spec.server.n_gpu;
    auto& hall = out.emplace_back();
    for (std::int64_t n = 0; n < n_node; n += spec.hall.servers_per_rack, ++rack) {
      const double z =
          scenario.run.spread ? random::truncated_normal(seed, random::Purpose::recirculation, rack, -2.0, 2.0) : 0.0;
      hall.push_back(spec.hall.recirculation_frac * math::exp(spec.hall.recirculation_sigma_ratio * z));
    }
    if (n_node == 0) ++rack;
  }
  return out;
}

/// Of nodes in their physical order.
FleetDraws draws_as_built(const Scenario& scenario, std::uint64_t seed) {
  FleetDraws out;
  const bool spread = scenario.run.spread;
  const auto recirculation = rack_recirculation(scenario, seed);
  std::size_t node = 0, gpu = 0;
  for (std::size_t h = 0; h < scenario.halls.size(); ++h) {
    const auto& spec = scenario.halls[h];
    const std::int64_t n_node = spec.hall.n_gpu / spec.server.n_gpu;
    for (std::int64_t n = 0; n < n_node; ++n, ++node) {
      out.recirculation.push_back(recirculation[h][static_cast<std::size_t>(n / spec.hall.servers_per_rack)]);
      for (std::size_t g = 0; g < static_cast<std::size_t>(spec.server.n_gpu); ++g, ++gpu) {
        out.chip.push_back(spread ? power::draw_chip(spec.spread, seed, gpu) : power::Chip{});
        out.resistance_ratio.push_back(resistance_ratio(spread, spec, seed, node, g));
      }
    }
  }
  return out;
}

/// Nodes in their physical order: hall by hall, rack by rack.
fleet::Fleet site_as_built(const Scenario& scenario) {
  fleet::Fleet fleet;
  std::uint32_t row = 0, rack = 0;
  for (std::size_t h = 0; h < scenario.halls.size(); ++h) {
    const auto& spec = scenario.halls[h];
    const double cap_W = gpu_limit_W(spec);
    const double lock_Hz = gpu_clock_limit_Hz(spec);
    std::optional<fleet::FanStairs> stairs;
    if (spec.fans && !spec.liquid) stairs.emplace(*spec.fans);
    auto air = spec.air;
    if (stairs) air.fan_min_frac = stairs->least_frac();
    fleet.types.push_back(
        fleet::make_node_type(spec.gpu, spec.governor, spec.server, air, spec.package, cap_W, lock_Hz, spec.liquid));
    fleet.types.back().stairs = std::move(stairs);
    fleet.types.back().own_clocks = scenario.run.own_clocks;
    fleet.types.back().follows_fans = scenario.run.reference;
    fleet.types.back().sampling = spec.sampling;
    if (spec.memory) fleet.types.back().memory = spec.memory->branch;
    fleet.n_gpu_per_node = static_cast<std::size_t>(spec.server.n_gpu);
    const std::int64_t n_node = spec.hall.n_gpu / spec.server.n_gpu;
    const std::int64_t per_row = spec.hall.servers_per_rack * spec.hall.racks_per_row;
    for (std::int64_t n = 0; n < n_node; ++n) {
      if (n > 0 && n % spec.hall.servers_per_rack == 0) ++rack;
      if (n > 0 && n % per_row == 0) ++row;
      fleet.node_hall.push_back(static_cast<std::uint32_t>(h));
      fleet.node_row.push_back(row);
      fleet.node_rack.push_back(rack);
      fleet.node_number.push_back(static_cast<std::uint32_t>(fleet.node_number.size()));
    }
    ++row;
    ++rack;
  }
  return fleet;
}

workload::FleetShape shape_of(const Scenario& s, std::vector<Finding>& findings) {
  const auto& first = s.halls.front().hall;
  workload::FleetShape shape{0, first.servers_per_rack, first.racks_per_row};
  for (const auto& h : s.halls) {
    const std::int64_t per_row = first.servers_per_rack * first.racks_per_row;
    if (h.hall.servers_per_rack != first.servers_per_rack || h.hall.racks_per_row != first.racks_per_row ||
        shape.n_node % per_row != 0)
      findings.push_back({{},
                          "hall." + h.hall.name,
                          "placed jobs need halls of equal racks and rows, all but the last one filled to whole rows"});
    shape.n_node += h.hall.n_gpu / h.server.n_gpu;
  }
  return shape;
}

template <class T>
void reorder(std::vector<T>& of_node, std::span<const std::uint32_t> order, std::size_t per_node) {
  std::vector<T> out;
  out.reserve(of_node.size());
  for (const auto n : order)
    for (std::size_t g = 0; g < per_node; ++g) out.push_back(of_node[n * per_node + g]);
  of_node = std::move(out);
}

}  // namespace

std::vector<std::vector<double>> rack_recirculation(const Scenario& scenario) {
  return rack_recirculation(scenario, static_cast<std::uint64_t>(scenario.run.seed));
}

std::vector<std::uint32_t> node_order(const Scenario& s, std::vector<Finding>& findings) {
  std::vector<std::uint32_t> order;
  std::int64_t n_node = 0;
  for (const auto& h : s.halls) n_node += h.hall.n_gpu / h.server.n_gpu;
  std::vector<std::uint8_t> taken(static_cast<std::size_t>(n_node), 0);
  if (std::any_of(s.jobs.begin(), s.jobs.end(), [](const JobSpec& j) { return j.placement.has_value(); })) {
    const std::size_t before = findings.size();
    std::vector<workload::PlacementRequest> requests;
    requests.reserve(s.jobs.size());
    for (const auto& j : s.jobs)
      requests.push_back(
          {j.name, j.plan.n_gpu / s.halls.front().server.n_gpu, j.placement.value_or(workload::PlacementParams{})});
    const auto placed = workload::place(shape_of(s, findings), requests, findings);
    if (findings.size() != before) return {};
    for (const auto& nodes : placed.nodes)
      for (const auto n : nodes) {
        order.push_back(static_cast<std::uint32_t>(n));
        taken[static_cast<std::size_t>(n)] = 1;
      }
  }
  for (std::uint32_t n = 0; n < taken.size(); ++n)
    if (taken[n] == 0) order.push_back(n);
  return order;
}

FleetDraws draw_fleet(const Scenario& scenario, std::uint64_t seed, std::span<const std::uint32_t> order) {
  auto out = draws_as_built(scenario, seed);
  const auto n_gpu_per_node = static_cast<std::size_t>(scenario.halls.front().server.n_gpu);
  reorder(out.recirculation, order, 1);
  reorder(out.chip, order, n_gpu_per_node);
  reorder(out.resistance_ratio, order, n_gpu_per_node);
  return out;
}

std::vector<std::uint32_t> placed_nodes(const Scenario& scenario) {
  std::vector<Finding> findings;
  auto order = node_order(scenario, findings);
  if (!findings.empty()) throw InputError(std::move(findings));
  return order;
}

fleet::Fleet build_fleet(const Scenario& scenario, const FleetDraws* draws) {
  fleet::Fleet fleet = site_as_built(scenario);
  const auto order = placed_nodes(scenario);
  for (auto* v : {&fleet.node_hall, &fleet.node_row, &fleet.node_rack, &fleet.node_number}) reorder(*v, order, 1);
  const auto own = draws ? *draws : draw_fleet(scenario, static_cast<std::uint64_t>(scenario.run.seed), order);
  fleet.node_recirculation = own.recirculation;
  fleet.chip = own.chip;
  fleet.resistance_ratio = own.resistance_ratio;
  return fleet;
}

fleet::FleetState idle_state(const fleet::Fleet& fleet, std::span<const double> inlet_K) {
  fleet::FleetState s;
  for (const auto& type : fleet.types) s.controls.push_back(type.usual);
  for (std::size_t n = 0; n < fleet.n_node(); ++n) {
    const auto& type = fleet.types[fleet.node_hall[n]];
    s.fan_frac.push_back(type.air.fan_min_frac);
    for (auto* v : {&s.die_K, &s.base_K, &s.sink_K, &s.die_mean_K, &s.die_peak_K})
      v->insert(v->end(), fleet.n_gpu_per_node, inlet_K[n]);
    for (auto* v : {&s.clock_Hz, &s.own_Hz}) v->insert(v->end(), fleet.n_gpu_per_node, type.gpu.clock_max_Hz());
  }
  s.off.assign(fleet.n_node(), 0);
  s.mean_W.assign(fleet.n_gpu(), 0.0);
  s.W_per_K.assign(fleet.n_gpu(), std::numeric_limits<double>::quiet_NaN());
  s.work_W.assign(fleet.n_gpu(), 0.0);
  s.window_W.assign(fleet.n_gpu(), 0.0);
  for (auto& mode : s.ripple_K) mode.assign(fleet.n_gpu(), 0.0);
  s.front_W.assign(fleet.n_node(), 0.0);
  // Which whole degrees a server's fan table holds on to is an accident of its history: half of the servers each [assumed].
  for (std::size_t n = 0; n < fleet.n_node(); ++n)
    s.fan_accepted_K.push_back(2.0 * std::round(0.5 * (inlet_K[n] - 273.15)) +
                               static_cast<double>(fleet.node_number[n] % 2) + 273.15);
  s.fan_term_frac.assign(fleet.n_node(), 0.0);
  return s;
}

fleet::FleetSignals make_signals(const fleet::Fleet& fleet) {
  fleet::FleetSignals s;
  s.guess_K.assign(fleet.n_gpu(), 0.0);
  s.guess_front_W.assign(fleet.n_node(), 0.0);
  for (auto* v : {&s.fan_before_frac, &s.guess_fan_frac, &s.guess_rests_s, &s.guess_accepted_K, &s.fan_low_frac,
                  &s.fan_high_frac})
    v->assign(fleet.n_node(), 0.0);
  s.miss_K.assign(fleet.n_node(), 0.0);
  s.fan_stepped.assign(fleet.n_node(), 0);
  s.limiter.assign(fleet.n_gpu(), dvfs::Limiter::none);
  for (auto* v : {&s.gpu_J, &s.hottest_K}) v->assign(fleet.n_gpu(), 0.0);
  if (std::any_of(fleet.types.begin(), fleet.types.end(),
                  [](const fleet::NodeType& t) { return t.memory.has_value(); }))
    s.memory_K.assign(fleet.n_gpu(), 0.0);
  s.node_air_W.assign(fleet.n_node(), 0.0);
  s.node_liquid_W.assign(fleet.n_node(), 0.0);
  s.node_flow_m3_per_s.assign(fleet.n_node(), 0.0);
  return s;
}

}  // namespace TIDEWATT_NAMESPACE::sim
