// The site's power ends inside a macro step: the step is taken again up to that millisecond, and from there on the site is dark.
//
// The connection is computed behind the fleet, so that a loss of power (an empty battery, a tripped island) is known only once the
// step is taken. As long as one is possible, the connection is settled after every step and the last moments are kept; when power
// turns out to have ended inside the step, the engine goes back to the newest kept moment that no user's clock was beyond, and
// comes to rest at the millisecond at which power ended. Nothing depends on threads: what is kept is a function of the run alone.
#include <fmt/format.h>

#include <algorithm>

#include "engine.hpp"
#include "tidewatt/base/archive.hpp"

namespace tidewatt::sim {
namespace {

// A shorter way to the same millisecond draws a little less or more, so that supplies may be empty a bin sooner on the second try.
constexpr int most_tries = 4;
constexpr Tick risk_margin = 3600 * ns_per_s;  ///< before and after a disturbance; no iteration lasts so long

}  // namespace

Tick Engine::Impl::furthest_clock() const {
  Tick out = now;
  for (const auto& u : occupants) out = std::max(out, u.now());
  for (const auto& n : neighbours) out = std::max(out, n.now());
  return out;
}

void Engine::Impl::remember() {
  settle();
  ArchiveWriter to;
  archive_moment(to);
  kept.push_back({now, furthest_clock(), to.take(), options.tape != nullptr ? options.tape->flushes.size() : 0, counts});
  // Power ends after `now`: of the moments that serve for all that is to come, the newest is enough.
  while (kept.size() > 1 && kept[1].clocks <= now) kept.pop_front();
}

/// To the newest kept moment from which every user can come to rest at `to`.
void Engine::Impl::go_back(Tick to) {
  while (kept.size() > 1 && kept.back().clocks > to) kept.pop_back();
  const Moment& m = kept.back();
  ArchiveReader from(m.bytes);
  archive_moment(from);
  counts = m.counts;
  if (options.tape != nullptr) options.tape->flushes.resize(m.n_flush);
}

/// Takes the step again until it ends where power changes; `change` moves forward if it turns out to change sooner.
void Engine::Impl::reach(PowerChange& change) {
  const auto last_set = controls.limits();  // by a controller, perhaps after the moment that is gone back to
  for (int tries = 1;; ++tries) {
    const Tick edge = change.bin * ns_per_ms;
    agenda.set_power_edge(edge);
    go_back(edge);
    bool sooner = false;
    while (now < edge && !sooner) {
      advance();
      settle();
      const auto other = stream->power_change();
      sooner = tries < most_tries && other && other->on == change.on && other->bin * ns_per_ms < edge;
      if (sooner) change = *other;
    }
    if (!sooner) break;
  }
  agenda.set_power_edge(workload::never);
  controls.set_limits(last_set);
  apply_controls();
}

void Engine::Impl::set_power(const PowerChange& change) {
  dark = !change.on;
  stream->set_power(change.on);
  if (options.tape != nullptr && !options.tape->flushes.empty()) options.tape->flushes.back().power = change.on;
  halls.set_power(change.on, now);
  recorder.event(now, change.on ? "power_return" : "power_loss", "site",
                 change.on ? "nodes and plants have power again" : fmt::format("{}: jobs, nodes and plants stop", change.why));
  for (auto& user : occupants) user.set_power(change.on, context);
}

void Engine::Impl::step() {
  if (!can_lose_power) return advance();
  // Constants may be read while the connection is still behind; its state only once it is settled, as it is while moments are kept.
  const auto& delivery = *stream->delivery();
  if (!delivery.near_disturbance(now / ns_per_ms, risk_margin / ns_per_ms) && (kept.empty() || delivery.at_rest())) {
    kept.clear();
    return advance();
  }
  remember();
  advance();
  settle();
  if (auto change = stream->power_change()) {
    reach(*change);
    set_power(*change);
  }
}

}  // namespace tidewatt::sim
