// The site's power ends inside a macro step: the step is repeated up to that millisecond, and from then on the site has no power.
//
// The connection is computed after the fleet, so a loss of power (an empty battery, a tripped island) is known only once the
// step is taken. As long as one is possible, the connection is settled after every step and the last moments are kept; when power
// ended inside the step, the engine returns to the newest saved state in which no occupant was past that time, and stops at the
// millisecond at which power ended. Nothing depends on threads: saved states depend on the run alone.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/archive.hpp"
#include "simulation.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

// A shorter way to the same millisecond draws a little less or more, so that supplies may be empty a bin sooner on the second try.
constexpr int most_tries = 4;

/// Of all that have a clock of their own.
Tick furthest_clock(const Simulation& s) {
  Tick out = s.state.now;
  for (const auto& u : s.occupants) out = std::max(out, u.now());
  for (const auto& n : s.neighbours) out = std::max(out, n.now());
  return out;
}

/// How long before and after a disturbance a step may reach into it: the longest one and what occupants can be ahead of it. An
/// iteration in which power or heat takes clocks lasts a few times as long as the last; none lasts an hour.
Tick risk_margin(const Simulation& s) {
  const Tick period = longest_period(s), hour = 3600 * ns_per_s;
  if (period == 0) return hour;
  return std::min(hour, to_tick(s.model.scenario.run.macro_step_max_s) + std::max(10 * period, 60 * ns_per_s));
}

}  // namespace

void Rewind::keep(Moment moment, Tick now) {
  kept_.push_back(std::move(moment));
  drop(now);
}

void Rewind::drop(Tick now) {
  while (kept_.size() > 1 && kept_[1].clocks <= now) {
    spare_ = std::move(kept_.front().bytes);
    kept_.pop_front();
  }
}

std::string Rewind::spare(Tick now) {
  drop(now);
  std::string memory = std::exchange(spare_, {});
  const std::size_t last = kept_.empty() ? std::size_t{8} << 20 : kept_.back().bytes.size();
  memory.clear();
  memory.reserve(last + last / 2);
  return memory;
}

const Rewind::Moment& Rewind::back_to(Tick to) {
  while (kept_.size() > 1 && kept_.back().clocks > to) kept_.pop_back();
  return kept_.back();
}

void Simulation::remember() {
  settle();
  ArchiveWriter to(rewind_.spare(state.now));
  archive_moment(to);
  const auto* trace = model.options.trace;
  rewind_.keep(
      {state.now, furthest_clock(*this), to.take(), trace != nullptr ? trace->flushes.size() : 0, scratch.counts},
      state.now);
}

/// Returns to the newest saved state from which every occupant can stop at `to`.
void Simulation::go_back(Tick to) {
  const auto& m = rewind_.back_to(to);
  ArchiveReader from(m.bytes);
  archive_moment(from);
  scratch.counts = m.counts;
  if (model.options.trace != nullptr) model.options.trace->flushes.resize(m.n_flush);
  apply_outside(false);
}

/// Takes the step again until it ends where power changes; `change` moves forward if it turns out to change sooner.
void Simulation::reach(connection::PowerChange& change) {
  const auto last_set = controls.limits();  // by a controller, possibly after the saved state
  const auto last_outside = state.outside;
  for (int tries = 1;; ++tries) {
    const Tick edge = change.bin * ns_per_ms;
    agenda.set_power_edge(edge);
    go_back(edge);
    bool sooner = false;
    while (state.now < edge && !sooner) {
      advance();
      settle();
      const auto other = connection->stream().power_change();
      sooner = tries < most_tries && other && other->on == change.on && other->bin * ns_per_ms < edge;
      if (sooner) change = *other;
    }
    if (!sooner) break;
  }
  agenda.set_power_edge(workload::never);
  controls.set_limits(last_set);
  if (!(state.outside == last_outside)) set_outside(last_outside);
  apply_controls();
}

void Simulation::set_power(const connection::PowerChange& change) {
  state.dark = !change.on;
  connection->stream().set_power(change.on);
  auto* trace = model.options.trace;
  if (trace != nullptr && !trace->flushes.empty()) trace->flushes.back().power = change.on;
  halls.set_power(change.on, state.now);
  recorder.event(
      state.now, change.on ? "power_return" : "power_loss", "site",
      change.on ? "nodes and plants have power again" : fmt::format("{}: jobs, nodes and plants stop", change.why));
  for (auto& occupant : occupants) occupant.set_power(change.on, context_);
}

void Simulation::step() {
  if (!connection->can_lose_power()) return advance();
  // Constants may be read while the connection lags; its state only once it is settled, as it is while states are saved.
  const auto& delivery = *connection->stream().delivery();
  if (!delivery.near_disturbance(state.now / ns_per_ms, risk_margin(*this) / ns_per_ms) &&
      (rewind_.empty() || delivery.at_rest())) {
    rewind_.clear();
    return advance();
  }
  remember();
  advance();
  settle();
  if (auto change = connection->stream().power_change()) {
    reach(*change);
    set_power(*change);
  }
}

}  // namespace TIDEWATT_NAMESPACE::sim
