// Dies that no limiter keeps below their shutdown temperature: their nodes switch themselves off.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

#include "job_run.hpp"
#include "tidewatt/numerics/block.hpp"

namespace tidewatt::sim {
namespace {

// Operators start nodes again once the alarm of low flow is gone [assumed]: pumps come back to their full flow by and by.
constexpr double enough_flow_frac = 0.95;

/// How far the hottest die of a range is below its shutdown temperature, and who is beyond it.
struct Heat {
  double margin_K = 1e300;
  std::size_t n_gpu = 0;
  std::vector<std::size_t> nodes;
};

Heat heat_of(const Fleet& fleet, const FleetState& state, std::size_t first_node, std::size_t n_node) {
  Heat out;
  const std::size_t n_gpu = fleet.n_gpu_per_node;
  for (std::size_t n = first_node; n < first_node + n_node; ++n) {
    if (state.off[n] != 0) continue;
    const double limit_K = fleet.types[fleet.node_hall[n]].governor.shutdown_K;
    const auto peak = std::span(state.die_peak_K).subspan(n * n_gpu, n_gpu), now = std::span(state.die_K).subspan(n * n_gpu, n_gpu);
    out.margin_K = std::min(out.margin_K, limit_K - std::max(numerics::lane_max(peak), numerics::lane_max(now)));
    if (out.margin_K >= 0.0) continue;
    std::size_t hot = 0;
    for (std::size_t i = 0; i < n_gpu; ++i) hot += std::max(peak[i], now[i]) > limit_K ? 1u : 0u;
    if (hot == 0) continue;
    out.nodes.push_back(n);
    out.n_gpu += hot;
  }
  return out;
}

}  // namespace

bool JobRun::hot() const {
  const bool short_of_flow = !task_.flow_frac.empty() && task_.flow_frac[first_node_] < 1.0;
  return margin_K_ <= (short_of_flow ? 40.0 : 8.0);
}

/// Until the hottest die would be shut down if it went on as in the last step. Far from there nothing asks, since starts are
/// steep, but plates that miss their flow warm by several kelvins a second, whatever the clock.
double JobRun::heat_near_s() const {
  return !hot() || approach_K_per_s_ <= 0.0 ? std::numeric_limits<double>::infinity() : std::max(0.0, margin_K_) / approach_K_per_s_;
}

/// When the first die of the coming iteration passes its shutdown temperature, from now; 0: not within `most`. The iteration
/// is played ahead in slices on copies, so that it can be cut there.
Tick JobRun::heat_end(Tick most, const Hands& hands) const {
  FleetState state = hands.state;
  FleetSignals signals = hands.signals;
  FleetMeters meters;
  FleetTask task = task_;
  const workload::Timeline& whole = *task_.timeline;
  const Tick begin = to_tick(begun_frac_ * seconds(whole.period));
  constexpr Tick step = ns_per_s / 4;
  task.slice = true;
  task.repetitions = 1;
  for (Tick at = 0; at < most;) {
    const Tick stop = std::min(most, at + step);
    const auto piece = slice(whole, begin + at, begin + stop);
    task.timeline = &piece;
    task.since_macro_s = seconds(now_ + at - hands.halls.macro_begin());
    advance_periodic(hands.fleet, state, signals, meters, task, make_class_maps(hands.fleet, state, signals, task, nullptr));
    if (heat_of(hands.fleet, state, first_node_, n_node_).margin_K < 0.0) return stop;
    task.before_s = seconds(stop - at);
    at = stop;
  }
  return 0;
}

/// Who has switched himself off can be started again once he is below the slowdown temperature.
void JobRun::reset_nodes(Hands& hands) {
  const auto& fleet = hands.fleet;
  for (std::size_t n = first_node_; n < first_node_ + n_node_; ++n) {
    if (hands.state.off[n] == 0) continue;
    const auto first = hands.state.die_K.begin() + static_cast<std::ptrdiff_t>(n * fleet.n_gpu_per_node);
    const double hottest_K = *std::max_element(first, first + static_cast<std::ptrdiff_t>(fleet.n_gpu_per_node));
    if (hottest_K < fleet.types[fleet.node_hall[n]].governor.slowdown_K) hands.state.off[n] = 0;
  }
}

/// Whether nodes that fell by heat cannot be started yet: too hot, or plates that miss their flow.
bool JobRun::cannot_start(const Hands& hands) const {
  const std::size_t n_gpu = hands.fleet.n_gpu_per_node;
  for (std::size_t n = first_node_; n < first_node_ + n_node_; ++n) {
    if (hands.state.off[n] == 0) continue;
    if (!task_.flow_frac.empty() && task_.flow_frac[n] < enough_flow_frac) return true;
    const auto die_K = std::span(hands.state.die_K).subspan(n * n_gpu, n_gpu);
    if (numerics::lane_max(die_K) >= hands.fleet.types[hands.fleet.node_hall[n]].governor.slowdown_K) return true;
  }
  return false;
}

/// Nodes with a GPU beyond its shutdown temperature switch themselves off, whatever they were doing, and take their job with
/// them. It starts again when all of them can.
void JobRun::watch_heat(Hands& hands) {
  const Heat heat = heat_of(hands.fleet, hands.state, first_node_, n_node_);
  approach_K_per_s_ = last_step_s_ > 0.0 && margin_K_ < 1e299 ? std::max(0.0, (margin_K_ - heat.margin_K) / last_step_s_) : 0.0;
  margin_K_ = heat.margin_K;
  if (!heat.nodes.empty()) {
    for (const auto n : heat.nodes) hands.state.off[n] = 1;
    margin_K_ = heat_of(hands.fleet, hands.state, first_node_, n_node_).margin_K;  // of those that go on warming
    // Those that follow within a minute are the same wave.
    if (now_ - last_off_ > 60 * ns_per_s)
      hands.recorder.event(now_, "over_shutdown_temperature", name_,
                           fmt::format("{} GPUs of {} nodes, node {} first", heat.n_gpu, heat.nodes.size(), hands.fleet.node_number[heat.nodes.front()]));
    last_off_ = now_;
  }
  if (!life_ || !runs(last_state_)) return;
  const auto first = hands.state.off.begin() + static_cast<std::ptrdiff_t>(first_node_), last = first + static_cast<std::ptrdiff_t>(n_node_);
  const auto n_off = std::count(first, last, std::uint8_t{1});
  if (n_off > 0) life_->switched_off(now_, n_off, std::find(first, last, std::uint8_t{1}) - first, cannot_start(hands));
}

}  // namespace tidewatt::sim
