#include "heat_guard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "numerics/block.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

// Operators restart nodes once the alarm of low flow has ended [assumed]: pumps return to full flow gradually.
constexpr double enough_flow_frac = 0.95;
constexpr double forgets_s = 5.0;  // about a plate's time constant

/// Margin of the hottest die of a range to its shutdown temperature, and the nodes beyond it.
struct Heat {
  double margin_K = 1e300;
  std::size_t n_gpu = 0;
  std::vector<std::size_t> nodes;
};

Heat heat_of(const fleet::Fleet& fleet, const fleet::FleetState& state, const JobPlace& place) {
  Heat out;
  const std::size_t n_gpu = fleet.n_gpu_per_node;
  const auto hottest_K = [&](std::size_t first_node, std::size_t n_node) {
    const std::size_t first = first_node * n_gpu, n = n_node * n_gpu;
    const auto peak = std::span(state.die_peak_K).subspan(first, n), now = std::span(state.die_K).subspan(first, n);
    return std::max(numerics::lane_max(peak), numerics::lane_max(now));
  };
  const std::size_t end = place.first_node + place.n_node;
  for (std::size_t n = place.first_node, alike = n; n < end; ++n) {
    if (state.off[n] != 0) continue;
    const std::size_t hall = fleet.node_hall[n];
    const double limit_K = fleet.types[hall].governor.shutdown_K;
    if (n >= alike) {  // the nodes from here to the next one that is off or elsewhere: mostly, none is too hot
      for (alike = n + 1; alike < end && state.off[alike] == 0 && fleet.node_hall[alike] == hall;) ++alike;
      const double margin_K = limit_K - hottest_K(n, alike - n);
      out.margin_K = std::min(out.margin_K, margin_K);
      if (margin_K >= 0.0) {
        n = alike - 1;
        continue;
      }
    }
    if (limit_K - hottest_K(n, 1) >= 0.0) continue;
    const auto peak = std::span(state.die_peak_K).subspan(n * n_gpu, n_gpu),
               now = std::span(state.die_K).subspan(n * n_gpu, n_gpu);
    std::size_t hot = 0;
    for (std::size_t i = 0; i < n_gpu; ++i) hot += std::max(peak[i], now[i]) > limit_K ? 1u : 0u;
    if (hot == 0) continue;
    out.nodes.push_back(n);
    out.n_gpu += hot;
  }
  return out;
}

/// Whether a die that is short of flow would rest above its limit at the power of its last step. Where flow has just fallen, that step's
/// rate says nothing.
bool rests_too_hot(const Job& job, const StepContext& c) {
  const auto& task = job.scratch.task;
  const auto& place = job.place;
  const std::size_t n_gpu = c.fleet.n_gpu_per_node, n_node = task.flow_frac.empty() ? 0 : place.n_node;
  for (std::size_t n = place.first_node; n < place.first_node + n_node; ++n) {
    const double flow_frac = task.flow_frac[n];
    if (!(flow_frac < 1.0) || c.state.off[n] != 0) continue;
    const auto& type = c.fleet.types[c.fleet.node_hall[n]];
    const double K_per_W = type.modes[fleet::mode_step(type, c.state.fan_frac[n], flow_frac)].steady_K_per_W;
    for (std::size_t g = n * n_gpu; g < (n + 1) * n_gpu; ++g)
      if (!(task.inlet_K[n] + c.fleet.resistance_ratio[g] * K_per_W * c.state.mean_W[g] <= type.governor.shutdown_K))
        return true;  // without any flow there is no rest
  }
  return false;
}

/// Air at a server's front, K.
double front_air_K(std::size_t node, const StepContext& c) {
  const bool liquid = c.fleet.types[c.fleet.node_hall[node]].liquid.has_value();
  return liquid ? c.halls.of_node(node).supply_K : c.halls.inlet_K()[node];
}

/// Whether air or liquid at a server's inlet are warmer than it may start in.
bool too_warm_to_start(std::size_t node, const StepContext& c) {
  const auto& type = c.fleet.types[c.fleet.node_hall[node]];
  const auto above = [](double K, double limit_K) { return limit_K > 0.0 && K > limit_K; };
  return above(front_air_K(node, c), type.air.inlet_max_K) ||
         (type.liquid && above(c.halls.inlet_K()[node], type.liquid->capture.liquid_max_K));
}

/// Nodes whose own protection switches them off on hot air.
std::vector<std::size_t> in_hot_air(const JobPlace& place, const StepContext& c) {
  std::vector<std::size_t> out;
  for (std::size_t n = place.first_node; n < place.first_node + place.n_node; ++n) {
    const auto& protection = c.scenario.halls[c.fleet.node_hall[n]].protection;
    if (protection && c.state.off[n] == 0 && front_air_K(n, c) > protection->air_off_K) out.push_back(n);
  }
  return out;
}

/// Whether parts are out of a plant that cools some of the nodes.
bool parts_out(const JobPlace& place, Tick now, const StepContext& c) {
  for (std::size_t n = place.first_node; n < place.first_node + place.n_node; ++n)
    if (c.halls.parts_out(n, now)) return true;
  return false;
}

}  // namespace

bool HeatGuard::hot(const Job& job) const {
  const auto& flow_frac = job.scratch.task.flow_frac;
  const auto own = flow_frac.empty() ? flow_frac : flow_frac.subspan(job.place.first_node, job.place.n_node);
  const bool short_of_flow = std::any_of(own.begin(), own.end(), [](double frac) { return frac < 1.0; });
  return state_.margin_K <= (short_of_flow ? 40.0 : 8.0);
}

double HeatGuard::near_s(const Job& job) const {
  if (hot(job) && state_.approach_K_per_s > 0.0) return std::max(0.0, state_.margin_K) / state_.approach_K_per_s;
  return std::numeric_limits<double>::infinity();
}

double HeatGuard::coolant_s(const Job& job) const {
  const auto& K_per_s = job.scratch.task.inlet_K_per_s;
  const auto own = K_per_s.empty() ? K_per_s : K_per_s.subspan(job.place.first_node, job.place.n_node);
  const double most_K_per_s = own.empty() ? 0.0 : *std::max_element(own.begin(), own.end());
  return most_K_per_s > 0.0 ? std::max(0.0, state_.margin_K) / most_K_per_s : std::numeric_limits<double>::infinity();
}

double HeatGuard::longest_hold_s(const Job& job) const {
  return std::clamp(std::min(0.5 * near_s(job), 0.75 * coolant_s(job)), 0.25, 1e4);
}

bool HeatGuard::may_end_work(const Job& job, double within_s, const StepContext& c) const {
  // Limiters keep dies further away; where clocks are at their lowest, the last step's rate says nothing.
  constexpr double out_of_hand_K = 4.0;
  return hot(job) && (state_.margin_K < out_of_hand_K || near_s(job) < within_s || rests_too_hot(job, c));
}

/// The iteration is computed ahead in slices on copies. The slice in which the first die passes its limit is repeated in eighths
/// until it is as short as `within`.
Tick HeatGuard::end(const Job& job, double begun_frac, Tick most, Search search, const StepContext& c) const {
  fleet::FleetState state = c.state, next = c.state;
  fleet::FleetSignals signals = c.signals, next_signals = c.signals;
  fleet::FleetMeters meters;
  fleet::FleetTask task = job.scratch.task;
  const workload::Timeline& whole = *job.scratch.task.timeline;
  const Tick begin = to_tick(begun_frac * seconds(whole.period));
  task.slice = true;
  task.repetitions = 1;
  Tick stride = search.stride;
  for (Tick at = 0; at < most;) {
    const Tick stop = std::min(most, at + stride);
    const auto piece = fleet::slice(whole, begin + at, begin + stop);
    task.timeline = &piece;
    task.since_macro_s = seconds(job.state.now + at - c.halls.macro_begin());
    fleet::advance_periodic(c.fleet, next, next_signals, meters, task,
                            fleet::make_class_maps(c.fleet, next, next_signals, task, nullptr));
    if (heat_of(c.fleet, next, job.place).margin_K < 0.0) {
      if (stop - at <= search.within) return stop;
      next = state, next_signals = signals;
      stride = std::max((stop - at) / 8, search.within);
      continue;
    }
    state = next, signals = next_signals;
    task.before_s = seconds(stop - at);
    at = stop;
  }
  return 0;
}

void HeatGuard::reset_nodes(const Job& job, const StepContext& c) const {
  const auto& fleet = c.fleet;
  for (std::size_t n = job.place.first_node; n < job.place.first_node + job.place.n_node; ++n) {
    if (c.state.off[n] == 0) continue;
    const auto first = c.state.die_K.begin() + static_cast<std::ptrdiff_t>(n * fleet.n_gpu_per_node);
    const double hottest_K = *std::max_element(first, first + static_cast<std::ptrdiff_t>(fleet.n_gpu_per_node));
    if (hottest_K < fleet.types[fleet.node_hall[n]].governor.slowdown_K) c.state.off[n] = 0;
  }
}

bool HeatGuard::cannot_start(const Job& job, const StepContext& c) const {
  const std::size_t n_gpu = c.fleet.n_gpu_per_node;
  const Tick now = job.state.now;
  for (std::size_t n = job.place.first_node; n < job.place.first_node + job.place.n_node; ++n) {
    if (c.state.off[n] == 0) continue;
    if (c.halls.of_node(n).most_flow_frac * c.halls.open_frac(n, now) < enough_flow_frac) return true;
    if (too_warm_to_start(n, c)) return true;
    if (job.life && state_.n_fall > job.life->params().thermal_restarts && c.halls.parts_out(n, now)) return true;
    const auto die_K = std::span(c.state.die_K).subspan(n * n_gpu, n_gpu);
    if (numerics::lane_max(die_K) >= c.fleet.types[c.fleet.node_hall[n]].governor.slowdown_K) return true;
  }
  return false;
}

void HeatGuard::watch(Job& job, Tick run_out, StepContext& c) {
  const auto& place = job.place;
  const Tick now = job.state.now;
  const Heat heat = heat_of(c.fleet, c.state, place);
  const auto by_air = in_hot_air(place, c);
  const double last_step_s = job.state.last_step_s;
  // A die that cools when its work ends is soon as warm again as its plate makes it: a rate is forgotten only slowly.
  const double known_K_per_s = state_.approach_K_per_s * std::exp(-last_step_s / forgets_s);
  state_.approach_K_per_s = last_step_s > 0.0 && state_.margin_K < 1e299
                                ? std::max(known_K_per_s, (state_.margin_K - heat.margin_K) / last_step_s)
                                : 0.0;
  state_.margin_K = heat.margin_K;
  if (!heat.nodes.empty() || !by_air.empty()) {
    for (const auto n : heat.nodes) c.state.off[n] = 1;
    for (const auto n : by_air) c.state.off[n] = 1;
    state_.margin_K = heat_of(c.fleet, c.state, place).margin_K;  // of those that continue to warm
    // Those that follow within a minute are the same wave.
    if (now - state_.last_off > 60 * ns_per_s)
      c.recorder.event(now, "over_shutdown_temperature", place.name,
                       heat.nodes.empty() ? fmt::format("hot air at {} nodes, node {} first", by_air.size(),
                                                        c.fleet.node_number[by_air.front()])
                                          : fmt::format("{} GPUs of {} nodes, node {} first", heat.n_gpu,
                                                        heat.nodes.size(), c.fleet.node_number[heat.nodes.front()]));
    state_.last_off = now;
  }
  if (state_.n_fall > 0 && !parts_out(place, now, c)) state_.n_fall = 0;
  if (!job.life || !runs(job.state.doing)) return;
  const auto first = c.state.off.begin() + static_cast<std::ptrdiff_t>(place.first_node),
             last = first + static_cast<std::ptrdiff_t>(place.n_node);
  const auto n_off = std::count(first, last, std::uint8_t{1});
  if (n_off == 0) return;
  const auto n_before = job.life->books().thermal;
  job.life->switched_off(now, n_off, std::find(first, last, std::uint8_t{1}) - first, cannot_start(job, c), run_out);
  state_.n_fall += job.life->books().thermal - n_before;
}

}  // namespace TIDEWATT_NAMESPACE::sim
