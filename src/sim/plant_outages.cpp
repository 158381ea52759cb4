#include "plant_outages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace TIDEWATT_NAMESPACE::sim {
namespace {

constexpr Tick never = std::numeric_limits<Tick>::max();

cooling::PlantCapacity left_after(const EventParams& e) {
  cooling::PlantCapacity left;
  const double frac = 1.0 - e.out_frac;
  switch (e.kind) {
    case EventKind::fan_wall_out:
      left.fan_frac = frac;
      break;
    case EventKind::cdu_out:
      left.cdu_frac = frac;
      break;
    case EventKind::pump_out:
      left.pump_frac = frac;
      break;
    case EventKind::rejection_out:
      left.rejection_frac = frac;
      break;
    case EventKind::chiller_out:
      left.chiller_frac = frac;
      break;
    case EventKind::filter_blocked:
      break;  // of one rack: RackFlows
    default:
      throw std::logic_error("not an event of a plant");  // excluded by of_plant
  }
  return left;
}

}  // namespace

PlantOutages::PlantOutages(const Scenario& scenario) {
  for (std::size_t h = 0; h < scenario.halls.size(); ++h)
    for (const auto& e : scenario.events)
      if (of_plant(e.kind) && e.hall == scenario.halls[h].hall.name)
        outages_.push_back({h, to_tick(e.at_s), e.duration_s > 0.0 ? to_tick(e.at_s + e.duration_s) : never,
                            left_after(e), e.name, e.kind});
}

cooling::PlantCapacity PlantOutages::capacity(std::size_t hall, Tick t) const {
  cooling::PlantCapacity out;
  for (const auto& o : outages_) {
    if (o.hall != hall || t < o.begin || t >= o.end) continue;
    using C = cooling::PlantCapacity;
    for (const auto part : {&C::fan_frac, &C::cdu_frac, &C::pump_frac, &C::rejection_frac, &C::chiller_frac})
      out.*part = std::min(out.*part, o.left.*part);
  }
  return out;
}

bool PlantOutages::any(std::size_t hall, Tick t) const {
  return std::any_of(outages_.begin(), outages_.end(),
                     [&](const Outage& o) { return o.hall == hall && t >= o.begin && t < o.end; });
}

Tick PlantOutages::next_edge(Tick now) const {
  Tick out = never;
  for (const auto& o : outages_)
    for (const Tick edge : {o.begin, o.end})
      if (edge > now) out = std::min(out, edge);
  return out;
}

Tick PlantOutages::last_edge(Tick now) const {
  Tick out = -1;
  for (const auto& o : outages_)
    for (const Tick edge : {o.begin, o.end})
      if (edge <= now) out = std::max(out, edge);
  return out;
}

std::string PlantOutages::told(std::size_t hall, Tick t) const {
  std::string out;
  for (const auto& o : outages_)
    if (o.hall == hall && o.begin <= t)
      out += fmt::format("{} event.{} ({} from {:g} s on)", out.empty() ? ", after" : " and", o.event, word_of(o.kind),
                         seconds(o.begin));
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::sim
