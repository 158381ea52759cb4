#include "plant_steps.hpp"

#include <algorithm>

namespace TIDEWATT_NAMESPACE::sim {
namespace {

constexpr Tick longest_plant_step = 900 * ns_per_s;

}  // namespace

std::vector<Tick> plant_steps(Tick t0, Tick t1, bool follows) {
  if (follows) return {t1};
  const std::int64_t n = std::max<std::int64_t>(1, (t1 - t0 + longest_plant_step / 2) / longest_plant_step);
  std::vector<Tick> ends;
  for (std::int64_t i = 1; i <= n; ++i) ends.push_back(t0 + (t1 - t0) * i / n);
  return ends;
}

cooling::PlantStep joined(const cooling::PlantStep& first, const cooling::PlantStep& next, double share) {
  cooling::PlantStep out = next;
  const auto mean = [&](double cooling::PlantStep::* of) { out.*of = first.*of + share * (next.*of - first.*of); };
  const auto sum = [&](double cooling::PlantStep::* of) { out.*of = first.*of + next.*of; };
  using P = cooling::PlantStep;
  for (const auto of : {&P::supply_mean_K, &P::hot_aisle_mean_K, &P::liquid_supply_mean_K,
                        &P::liquid_flow_mean_kg_per_s, &P::other_electric_W})
    mean(of);
  for (const auto of : {&P::fan_J, &P::heat_in_J, &P::heat_out_J, &P::stored_change_J, &P::water_kg, &P::reuse_J})
    sum(of);
  if (first.capacity_margin_frac < next.capacity_margin_frac)
    out.capacity_margin_frac = first.capacity_margin_frac, out.margin_part = first.margin_part;
  out.liquid_warmest_K = std::max(first.liquid_warmest_K, next.liquid_warmest_K);
  return out;
}

EvenCourse course_through(double first_mean_K, double last_mean_K, std::size_t n_step, double step_s) {
  const double between_s = step_s * static_cast<double>(n_step - 1) / static_cast<double>(n_step);
  const double K_per_s = (last_mean_K - first_mean_K) / between_s;
  return {0.5 * (first_mean_K + last_mean_K) - 0.5 * step_s * K_per_s, K_per_s};
}

EvenCourse course_between(double begin_K, double mean_K, double end_K, double step_s) {
  return {mean_K - 0.5 * (end_K - begin_K), (end_K - begin_K) / step_s};
}

}  // namespace TIDEWATT_NAMESPACE::sim
