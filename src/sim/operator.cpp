#include "operator.hpp"

#include <algorithm>
#include <limits>

#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {
constexpr double margin_frac = 0.01;
}

CapOperator::CapOperator(const Scenario& s) {
  for (const auto& e : s.events)
    if (e.kind == EventKind::curtailment && e.by == OrderMeans::cap)
      orders_.push_back({to_tick(e.at_s - e.notice_s), to_tick(e.at_s), to_tick(e.at_s + e.duration_s), e.limit_W});
}

bool CapOperator::acts(Tick now) const {
  return outside_W_ < std::numeric_limits<double>::infinity() ||
         std::any_of(orders_.begin(), orders_.end(), [&](const Order& o) { return o.given <= now && now < o.end; });
}

Tick CapOperator::next_edge(Tick now) const {
  Tick next = std::numeric_limits<Tick>::max();
  for (const auto& o : orders_)
    for (const Tick edge : {o.given, o.begin, o.end})
      if (edge > now) next = std::min(next, edge);
  return next;
}

PowerBrake::PowerBrake(const Scenario& s) {
  for (const auto& e : s.events) {
    if (e.kind != EventKind::power_brake) continue;
    for (std::size_t h = 0; h < s.halls.size(); ++h) {
      if (!e.hall.empty() && e.hall != s.halls[h].hall.name) continue;
      // On whole milliseconds, as all edges at which halls and waveform meet: their energies are compared there.
      const auto whole_ms = [](Tick t) { return (t + ns_per_ms - 1) / ns_per_ms * ns_per_ms; };
      const Tick seen = to_tick(s.halls[h].sampling.period_s), begin = whole_ms(to_tick(e.at_s) + seen);
      pulls_.push_back(
          {h, begin, e.duration_s > 0.0 ? whole_ms(begin + to_tick(e.duration_s)) : std::numeric_limits<Tick>::max()});
    }
  }
}

bool PowerBrake::pulled(std::size_t hall, Tick now) const {
  return std::any_of(pulls_.begin(), pulls_.end(),
                     [&](const Pull& p) { return p.hall == hall && p.begin <= now && now < p.end; });
}

Tick PowerBrake::next_edge(Tick now) const {
  Tick next = std::numeric_limits<Tick>::max();
  for (const auto& p : pulls_)
    for (const Tick edge : {p.begin, p.end})
      if (edge > now) next = std::min(next, edge);
  return next;
}

void CapOperator::follow(Tick now, double mean_W, double least_share) {
  double limit_W = outside_W_;
  for (const auto& o : orders_)
    if (o.given <= now && now < o.end) limit_W = std::min(limit_W, o.limit_W);
  if (limit_W == std::numeric_limits<double>::infinity())
    share_ = 1.0;
  else if (mean_W > 0.0)
    share_ = std::clamp(share_ * std::clamp(limit_W * (1.0 - margin_frac) / mean_W, 0.8, 1.02),
                        std::min(1.0, least_share), 1.0);
}

}  // namespace TIDEWATT_NAMESPACE::sim
