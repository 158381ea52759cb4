#include "hall_books.hpp"

#include <algorithm>

namespace TIDEWATT_NAMESPACE::sim {
namespace {

constexpr double boiling_K = 373.15;  // water at sea level; loops under pressure boil a little later

/// The warmest that a fluid has been, where servers or the fluid itself have a limit.
void watch(FluidRange& range, double K, double limit_K, std::size_t hall, Tick now) {
  if (!(limit_K > 0.0) || K <= limit_K) return;
  if (range.since < 0) range.since = now;
  if (K - limit_K > range.warmest_K - range.limit_K) range.warmest_K = K, range.limit_K = limit_K, range.hall = hall;
}

}  // namespace

void add(HallMeans& means, const cooling::PlantStep& p, double share, double liquid_W, double step_s, bool powered) {
  means.supply_K += share * p.supply_mean_K;
  means.hot_aisle_K += share * p.hot_aisle_mean_K;
  if (means.liquid_W > 0.0) means.liquid_supply_K += liquid_W / means.liquid_W * p.liquid_supply_mean_K;
  means.water_kg_per_s += p.water_kg / step_s;
  if (powered) means.capacity_margin_frac = std::min(means.capacity_margin_frac, p.capacity_margin_frac);
}

void book(HallBooks& books, const cooling::PlantStep& p, double step_s, bool powered) {
  books.electric.add(p.fan_J + p.other_electric_W * step_s);
  books.heat_in.add(p.heat_in_J);
  books.fan.add(p.fan_J);
  books.heat_out.add(p.heat_out_J);
  books.stored.add(p.stored_change_J);
  books.water_kg.add(p.water_kg);
  books.reuse.add(p.reuse_J);
  if (!powered || !(p.capacity_margin_frac < books.capacity_margin_min_frac)) return;
  books.capacity_margin_min_frac = p.capacity_margin_frac;
  books.margin_part = p.margin_part;
}

void watch_range(HallBooks& books, std::size_t hall, const fleet::NodeType& type, const cooling::PlantStep& p,
                 Tick now) {
  watch(books.air, std::max(p.supply_mean_K, p.supply_end_K), type.air.inlet_max_K, hall, now);
  if (type.liquid)
    watch(books.liquid, std::max(p.liquid_supply_mean_K, p.liquid_supply_end_K), type.liquid->capture.liquid_max_K,
          hall, now);
  watch(books.water, p.liquid_warmest_K, boiling_K, hall, now);
}

}  // namespace TIDEWATT_NAMESPACE::sim
