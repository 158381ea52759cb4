#include "tidewatt/cooling/plant_year.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/calendar.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/sum.hpp"
#include "tidewatt/cooling/diurnal.hpp"

namespace TIDEWATT_NAMESPACE::cooling {
namespace {

std::size_t month_of(Tick t) {
  const std::int64_t first = calendar::days_since_1970(calendar::common_year, 1, 1);
  return static_cast<std::size_t>(calendar::month_of(first + t / ns_per_day % 365)) - 1;
}

void add(PlantMonth& m, const PlantStep& s, double span_s) {
  m.span_s += span_s;
  m.it_J += s.heat_in_J;
  m.electric_J += plant_electric_W(s, span_s) * span_s;
  m.water_kg += s.water_kg;
  m.reuse_J += s.reuse_J;
  m.supply_max_K = std::max(m.supply_max_K, s.supply_mean_K);
  m.liquid_supply_max_K = std::max(m.liquid_supply_max_K, s.liquid_supply_mean_K);
  m.capacity_margin_min_frac = std::min(m.capacity_margin_min_frac, s.capacity_margin_frac);
}

void add(PlantMonth& sum, const PlantMonth& m) {
  sum.span_s += m.span_s;
  sum.it_J += m.it_J, sum.electric_J += m.electric_J, sum.water_kg += m.water_kg, sum.reuse_J += m.reuse_J;
  sum.supply_max_K = std::max(sum.supply_max_K, m.supply_max_K);
  sum.liquid_supply_max_K = std::max(sum.liquid_supply_max_K, m.liquid_supply_max_K);
  sum.capacity_margin_min_frac = std::min(sum.capacity_margin_min_frac, m.capacity_margin_min_frac);
}

}  // namespace

PlantYear run_plant(const CoolingPlant& plant, const Weather& weather, const std::function<PlantInput(Tick)>& load,
                    Tick duration, Tick step) {
  if (step <= 0 || duration < ns_per_s || duration > 366 * ns_per_day)
    throw InputError("plant run: the step must be positive and the duration 1 s to 366 days");
  PlantYear year;
  std::vector<double> state(plant.n_state());
  auto workspace = plant.make_workspace();
  PlantInput input = load(0);
  input.outdoor = weather.at(0);
  plant.initialise(state, input, 0);
  CompensatedSum left, given;
  for (Tick t = 0; t < duration; t += step) {
    const Tick end = std::min(t + step, duration);
    input = load(t);
    input.outdoor = weather.mean(t, end);
    const PlantStep s = plant.advance(state, input, t, end, *workspace);
    add(year.months[month_of(t)], s, seconds(end - t));
    const double in_J = s.heat_in_J + s.fan_J, off_J = in_J - s.heat_out_J - s.stored_change_J;
    left.add(off_J), given.add(in_J);
    year.closure_worst_frac = std::max(year.closure_worst_frac, in_J > 0.0 ? std::abs(off_J) / in_J : 0.0);
  }
  for (const PlantMonth& m : year.months) add(year.total, m);
  year.closure_frac = given.value() > 0.0 ? std::abs(left.value()) / given.value() : 0.0;
  return year;
}

}  // namespace TIDEWATT_NAMESPACE::cooling
