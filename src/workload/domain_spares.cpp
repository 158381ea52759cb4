#include "domain_spares.hpp"

#include <algorithm>
#include <limits>

namespace TIDEWATT_NAMESPACE::workload {

DomainState DomainSpares::begin() const {
  DomainState out;
  if (!any()) return out;
  out.domain.resize(static_cast<std::size_t>(layout_.n_domain + std::max<std::int64_t>(0, spare_domains_)));
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(layout_.n_domain); ++i) out.in_place.push_back(i);
  return out;
}

std::int64_t DomainSpares::lose(DomainState& state, FailedUnit unit, std::int64_t node, Tick back) const {
  const std::int64_t place = std::clamp<std::int64_t>(node / layout_.nodes_needed, 0, layout_.n_domain - 1);
  auto& domain = state.domain[state.in_place[static_cast<std::size_t>(place)]];
  if (unit == FailedUnit::node) {
    domain.nodes_back.push_back(back);
    return 1;
  }
  domain.back = std::max(domain.back, back);
  return layout_.nodes_needed;
}

bool DomainSpares::serves(const DomainState::Domain& domain, Tick now) const {
  return domain.back <= now && std::count_if(domain.nodes_back.begin(), domain.nodes_back.end(),
                                             [now](Tick t) { return t > now; }) <= layout_.spare_nodes;
}

std::int64_t DomainSpares::refill(DomainState& state, Tick now) const {
  for (auto& d : state.domain) std::erase_if(d.nodes_back, [now](Tick t) { return t <= now; });
  std::vector<bool> used(state.domain.size(), false);
  for (const auto i : state.in_place) used[i] = true;
  std::int64_t without = 0;
  std::uint64_t next = 0;
  for (auto& i : state.in_place) {
    if (serves(state.domain[i], now)) continue;
    while (next < state.domain.size() && (used[next] || !serves(state.domain[next], now))) ++next;
    if (next == state.domain.size()) {
      if (spare_domains_ >= 0) {
        ++without;
        continue;
      }
      state.domain.emplace_back();
      used.push_back(false);
    }
    used[i] = false;
    used[next] = true;
    i = next;
  }
  return without;
}

Tick DomainSpares::next_back(const DomainState& state, Tick now) const {
  Tick out = std::numeric_limits<Tick>::max();
  for (const auto& d : state.domain) {
    if (d.back > now) out = std::min(out, d.back);
    for (const Tick t : d.nodes_back)
      if (t > now) out = std::min(out, t);
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::workload
