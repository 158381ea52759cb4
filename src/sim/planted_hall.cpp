#include "planted_hall.hpp"

#include <algorithm>
#include <cmath>

#include "fleet/leakage_gain.hpp"
#include "plant_steps.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

/// How a hall's coolant is expected to move in a step of `step_s`. A plant that follows its weather begins and ends the step where the
/// coolant is then; another one is known by its means.
void expect_coolant(PlantedHall& h, const HallForecast::Hall& to, double step_s, double base_s) {
  if (h.plant->follows_weather() || to.n_step > 1) {
    const auto course = h.plant->follows_weather() ? course_between(h.coolant_K, to.mean_K, to.end_K, step_s)
                                                   : course_through(to.first_K, to.last_K, to.n_step, step_s);
    h.coolant_K = course.start_K;
    h.coolant_K_per_s = course.K_per_s;
    return;
  }
  const double mean_K = to.mean_K;
  // After long steps of constant weather a plant is in the state of the last step's middle. A line through two means gives the
  // course between them.
  if (h.last_s > 0.0 && std::max(h.last_s, step_s) > 1.5 * base_s)
    h.coolant_K = (h.mean_K * step_s + mean_K * h.last_s) / (step_s + h.last_s);
  h.coolant_K_per_s = 2.0 * (mean_K - h.coolant_K) / step_s;
}

/// The supply air, of which servers take a volume: where it is the GPUs' coolant, as that; else evenly to its forecast mean.
void expect_air(PlantedHall& h, double mean_K, double step_s) {
  const bool liquid = h.liquid_asked_kg_per_s > 0.0;
  h.air_K = liquid ? h.supply_K : h.coolant_K;
  h.air_K_per_s = liquid ? 2.0 * (mean_K - h.supply_K) / step_s : h.coolant_K_per_s;
}

/// Where leakage answers more to the dies, their coolant has to be known better.
double answering(const fleet::NodeType& type) {
  constexpr double usual_fan_frac = 0.75;
  return fleet::leakage_loop_gain(type, usual_fan_frac) / fleet::gentle_loop_gain;
}

}  // namespace

void set_live(std::vector<PlantedHall>& halls, const fleet::Fleet& fleet, std::span<const std::uint8_t> off) {
  std::vector<std::size_t> n(halls.size(), 0), n_off(halls.size(), 0);
  for (std::size_t i = 0; i < off.size(); ++i) ++n[fleet.node_hall[i]], n_off[fleet.node_hall[i]] += off[i] != 0;
  constexpr double bypass_frac = 1e-3;  // what the header's bypass takes where no plates do
  for (std::size_t i = 0; i < halls.size(); ++i)
    halls[i].live_frac =
        n_off[i] == 0 ? 1.0 : std::max(bypass_frac, 1.0 - static_cast<double>(n_off[i]) / static_cast<double>(n[i]));
}

void apply_plant_step(PlantedHall& h, const cooling::PlantStep& p, double asked_frac) {
  h.supply_K = h.air_K = p.supply_end_K;
  h.air_K_per_s = 0.0;
  h.rise_K = p.hot_aisle_mean_K - p.supply_mean_K;
  const bool liquid = h.liquid_asked_kg_per_s > 0.0;
  h.coolant_K = liquid ? p.liquid_supply_end_K : p.supply_end_K;
  // Regulators at the servers let no more than the reference flow through; what the pumps move beyond it passes by.
  const double all_kg_per_s = asked_frac * h.liquid_asked_kg_per_s, asked_kg_per_s = h.live_frac * all_kg_per_s;
  const double most_kg_per_s =
      p.liquid_flow_most_kg_per_s > 0.0 ? p.liquid_flow_most_kg_per_s : p.liquid_flow_mean_kg_per_s / h.live_frac;
  h.most_flow_frac = liquid && all_kg_per_s > 0.0 ? std::min(1.0, most_kg_per_s / all_kg_per_s) : 1.0;
  h.flow_frac = liquid && asked_kg_per_s > 0.0 ? std::min(1.0, p.liquid_flow_mean_kg_per_s / asked_kg_per_s) : 1.0;
}

void see_rise(PlantedHall& h, double before_K, double step_s, double base_s) {
  constexpr double settled = 4.5;  // base steps; after a change, steps are shorter
  const bool long_steps = std::min(h.last_s, step_s) > settled * base_s;
  h.rise_moved_K = long_steps ? h.rise_K - before_K : 0.0;
  h.rise_moved_s = 0.5 * (h.last_s + step_s);
  h.rise_K_per_s = 0.0;
}

bool follows_evenly(const PlantedHall& h, const OutdoorAir& outdoor, Tick t0, Tick t1) {
  return h.plant->follows_weather() && outdoor.even(t0, t1);
}

void add_step(HallForecast::Hall& to, const PlantedHall& h, const cooling::PlantStep& p, double share) {
  const bool liquid = h.liquid_asked_kg_per_s > 0.0;
  to.last_K = liquid ? p.liquid_supply_mean_K : p.supply_mean_K;
  to.end_K = liquid ? p.liquid_supply_end_K : p.supply_end_K;
  if (to.n_step++ == 0) to.first_K = to.last_K;
  to.mean_K += share * to.last_K;
  to.air_mean_K += share * p.supply_mean_K;
}

void expect(PlantedHall& h, const HallForecast::Hall& to, double step_s, double base_s) {
  // No further than it moved before: what settles moves less and less.
  if (h.rise_moved_s > 0.0) h.rise_K_per_s = h.rise_moved_K / std::max(h.rise_moved_s, 0.5 * (h.last_s + step_s));
  expect_coolant(h, to, step_s, base_s);
  expect_air(h, to.air_mean_K, step_s);
}

double bend_K(const PlantedHall& h, const HallForecast::Hall& to, const fleet::NodeType& type) {
  if (!h.plant->follows_weather()) return 0.0;
  return answering(type) * std::abs(to.mean_K - 0.5 * (h.coolant_K + to.end_K));
}

double missed_K(const PlantedHall& h, const fleet::NodeType& type, double mean_K, double step_s) {
  return answering(type) * std::abs(mean_K - (h.coolant_K + 0.5 * step_s * h.coolant_K_per_s));
}

}  // namespace TIDEWATT_NAMESPACE::sim
