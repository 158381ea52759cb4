#include "rack_flows.hpp"

#include <algorithm>
#include <limits>

#include "scenario_rack.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

constexpr Tick never = std::numeric_limits<Tick>::max();

/// What a rack's flow is to its plates' reference flow, 1 where it is enough or not given.
double whole_frac(const HallSpec& h, const fleet::NodeType& type) {
  const double node_kg_per_s = fleet::liquid_flow_kg_per_s(type);
  if (!h.rack || !(node_kg_per_s > 0.0)) return 1.0;
  const double plates_kg_per_s = node_kg_per_s * static_cast<double>(h.rack->power.n_compute_tray);
  return std::min(1.0, cooling::rack_flow_kg_per_s(h.rack->loop, coolant_supply_K(h)) / plates_kg_per_s);
}

}  // namespace

RackFlows::RackFlows(const Scenario& s, const fleet::Fleet& fleet) : fleet_(fleet) {
  std::vector<std::uint32_t> first_rack(s.halls.size(), std::numeric_limits<std::uint32_t>::max());
  for (std::size_t n = 0; n < fleet.n_node(); ++n)
    first_rack[fleet.node_hall[n]] = std::min(first_rack[fleet.node_hall[n]], fleet.node_rack[n]);
  for (std::size_t h = 0; h < s.halls.size(); ++h) {
    whole_frac_.push_back(whole_frac(s.halls[h], fleet.types[h]));
    for (const auto& e : s.events) {
      if (e.kind != EventKind::filter_blocked || e.hall != s.halls[h].hall.name) continue;
      const auto rack = first_rack[h] + static_cast<std::uint32_t>(e.rack);
      const auto in_rack = std::count(fleet.node_rack.begin(), fleet.node_rack.end(), rack),
                 in_hall = std::count(fleet.node_hall.begin(), fleet.node_hall.end(), static_cast<std::uint32_t>(h));
      blocked_.push_back({h, rack, static_cast<double>(in_rack) / static_cast<double>(in_hall), to_tick(e.at_s),
                          e.duration_s > 0.0 ? to_tick(e.at_s + e.duration_s) : never, 1.0 - e.out_frac});
    }
  }
}

double RackFlows::open_frac(std::size_t node, Tick t) const {
  double left = 1.0;
  for (const auto& b : blocked_)
    if (b.rack == fleet_.node_rack[node] && t >= b.begin && t < b.end) left = std::min(left, b.left_frac);
  return whole_frac_[fleet_.node_hall[node]] * left;
}

double RackFlows::asked_frac(std::size_t hall, Tick t) const {
  // Each rack has one filter and is counted once: of several blockages the largest holds.
  double less = 0.0;
  for (std::size_t i = 0; i < blocked_.size(); ++i) {
    const auto acts = [&](const Blocked& b) { return b.hall == hall && t >= b.begin && t < b.end; };
    const auto same = [&](const Blocked& b) { return acts(b) && b.rack == blocked_[i].rack; };
    if (!acts(blocked_[i]) || std::any_of(blocked_.begin(), blocked_.begin() + static_cast<std::ptrdiff_t>(i), same))
      continue;
    double left = 1.0;
    for (const auto& b : blocked_)
      if (same(b)) left = std::min(left, b.left_frac);
    less += blocked_[i].share * (1.0 - left);
  }
  return whole_frac_[hall] * (1.0 - less);
}

}  // namespace TIDEWATT_NAMESPACE::sim
