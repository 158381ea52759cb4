#include "task_maps.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/parallel.hpp"
#include "task.hpp"

namespace TIDEWATT_NAMESPACE::fleet {
namespace {

constexpr double kept_within = 0.003;

bool alike(double a, double b) { return std::abs(a - b) <= kept_within * std::abs(a); }

struct Reach {
  RateRange rates;
  const thermal::PackageModes* reference = nullptr;
};

/// Rates between those of the slowest and the fastest fan that can occur in this step.
Reach reach_of(const Fleet& fleet, const FleetState& state, const FleetSignals& signals, const FleetTask& task) {
  Reach out;
  out.rates.lo.fill(1e300);
  out.rates.hi.fill(0.0);
  const auto see = [&](std::size_t n, double fan) {
    const auto& type = fleet.types[fleet.node_hall[n]];
    const auto& modes = type.modes[mode_step(type, std::max(type.air.fan_min_frac, fan),
                                             task.flow_frac.empty() ? 1.0 : task.flow_frac[n],
                                             task.air_J_per_m3_K[fleet.node_hall[n]])];
    if (out.reference == nullptr) out.reference = &modes;
    for (std::size_t m = 0; m < thermal::n_mode; ++m) {
      out.rates.lo[m] = std::min(out.rates.lo[m], modes.rate_per_s[m]);
      out.rates.hi[m] = std::max(out.rates.hi[m], modes.rate_per_s[m]);
    }
  };
  for (std::size_t n = task.first_node; n < task.first_node + n_node_of(task); ++n) {
    const auto guess = signals.guess_K.begin() + static_cast<std::ptrdiff_t>(n * fleet.n_gpu_per_node);
    const double hottest_K = *std::max_element(guess, guess + static_cast<std::ptrdiff_t>(fleet.n_gpu_per_node));
    see(n, state.fan_frac[n]);
    see(n, fan_at_rest_frac(fleet.types[fleet.node_hall[n]], hottest_K, task.inlet_K[n]));
  }
  return out;
}

double pause_s(const FleetTask& task) {
  for (const auto& leg : task.legs)
    if (leg.repetitions == 0) return seconds(leg.duration);
  return 0.0;
}

/// Power of the nominal chip in the task's pauses, in which no rank waits for another's clock.
double pause_W(const FleetTask& task, const NodeType& type, const Controls& controls) {
  FleetTask one;
  one.class_gate_Hz = {0.0};
  one.class_window = {task.kind_mix[task.pause_kind]};
  one.kind_mix = one.class_window;
  one.kind_context = {task.kind_context[task.pause_kind]};
  one.reference_Hz = task.reference_Hz;
  return nominal_kind_W(one, type, controls, 0, nominal_die_K)[0];
}

/// Temperatures of a class's packages over their air for a resistance ratio of 1, and of their dies.
struct ClassStart {
  std::array<double, thermal::n_mode> store_K{};
  double die_K = 0.0, n = 0.0;
};

/// Means over the nodes of each class.
std::vector<ClassStart> class_starts(const Fleet& fleet, const FleetState& state, const FleetTask& task) {
  std::vector<ClassStart> out(task.timeline->classes.size());
  for (std::size_t i = 0; i < n_node_of(task); ++i) {
    const std::size_t n = task.first_node + i;
    const auto& type = fleet.types[fleet.node_hall[n]];
    const double fan_frac = std::max(type.air.fan_min_frac, state.fan_frac[n]);
    // Half of a node's GPUs are in the preheated air.
    const double air_K =
        task.inlet_K[n] + (task.inlet_K_per_s.empty() ? 0.0 : task.inlet_K_per_s[n] * drift_in(task, 0.0).mean_s) +
        0.5 * thermal::rear_preheat_K(type.air, state.front_W[n], fan_frac, task.air_J_per_m3_K[fleet.node_hall[n]]);
    auto& c = out[task.node_class[i]];
    for (std::size_t g = n * fleet.n_gpu_per_node; g < (n + 1) * fleet.n_gpu_per_node; ++g) {
      const double per_r = 1.0 / fleet.resistance_ratio[g];
      c.store_K[0] += (state.die_K[g] - air_K) * per_r;
      c.store_K[1] += (state.base_K[g] - air_K) * per_r;
      c.store_K[2] += (state.sink_K[g] - air_K) * per_r;
      c.die_K += state.die_K[g];
    }
    c.n += static_cast<double>(fleet.n_gpu_per_node);
  }
  for (auto& c : out) {
    if (c.n == 0.0) continue;
    for (double& K : c.store_K) K /= c.n;
    c.die_K /= c.n;
  }
  return out;
}

/// [segment]
std::vector<std::uint32_t> kinds_of(std::span<const workload::Segment> segments) {
  std::vector<std::uint32_t> out;
  out.reserve(segments.size());
  for (const auto& s : segments) out.push_back(s.kind);
  return out;
}

/// [kind] means of what its segments have beyond their kinds, taken from them.
std::vector<double> take_means(ClassMap& map, std::span<const workload::Segment> segments) {
  std::vector<double> mean_W(map.kind_s.size(), 0.0);
  auto& more_W = map.within.more_W;
  for (std::size_t i = 0; i < segments.size(); ++i)
    mean_W[segments[i].kind] += more_W[i] * seconds(segments[i].duration) / map.kind_s[segments[i].kind];
  for (std::size_t i = 0; i < segments.size(); ++i) more_W[i] -= mean_W[segments[i].kind];
  return mean_W;
}

}  // namespace

bool KindTemperatureOffsets::belongs_to(const FleetTask& task, double cap) const {
  return classes.size() == task.timeline->classes.size() && cap == cap_W && task.clock_frac == clock_frac;
}

bool KindTemperatureOffsets::OfClass::holds_for(const FleetTask& task, std::size_t cls) const {
  const auto& segments = task.timeline->classes[cls];
  return !kind.empty() && std::ranges::equal(kind, segments, {}, {}, &workload::Segment::kind) &&
         leakage.rise_K.size() == task.timeline->kinds.size() && alike(period_s, seconds(task.timeline->period)) &&
         alike(gate_Hz, task.class_gate_Hz[cls]);
}

std::vector<ClassMap> make_class_maps(const Fleet& fleet, const FleetState& state, const FleetSignals& signals,
                                      const FleetTask& task, KindTemperatureOffsets* offsets) {
  std::vector<ClassMap> maps;
  make_class_maps(fleet, state, signals, task, offsets, maps);
  return maps;
}

std::span<const ClassMap> make_class_maps(const Fleet& fleet, const FleetState& state, const FleetSignals& signals,
                                          const FleetTask& task, KindTemperatureOffsets* offsets,
                                          std::vector<ClassMap>& rooms) {
  const auto& type = fleet.types[fleet.node_hall[task.first_node]];
  const auto& controls = state.controls[fleet.node_hall[task.first_node]];
  const Reach reach = reach_of(fleet, state, signals, task);
  const std::size_t n_class = task.timeline->classes.size(), n_kind = task.timeline->kinds.size();
  if (offsets != nullptr && !offsets->belongs_to(task, controls.cap_W))
    *offsets = {controls.cap_W, task.clock_frac, std::vector<KindTemperatureOffsets::OfClass>(n_class)};
  const double d = pause_s(task), paused_W = d > 0.0 ? pause_W(task, type, controls) : 0.0;
  const double leakage_per_K = type.gpu.params().leakage_per_K;
  // A single segment has no rise over its own mean.
  const bool one = std::all_of(task.timeline->classes.begin(), task.timeline->classes.end(),
                               [](const auto& segments) { return segments.size() < 2; });
  const auto starts = offsets == nullptr && !one ? class_starts(fleet, state, task) : std::vector<ClassStart>{};
  if (rooms.size() < n_class) rooms.resize(n_class);
  parallel_ranges(n_class, task.n_thread, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      auto& map = rooms[c];
      make_class_map(task.timeline->classes[c], n_kind, reach.rates, map);
      if (!starts.empty()) {
        auto nominal = nominal_powers(task, type, controls, c, starts[c].die_K);
        map.within.more_W = std::move(nominal.more_W);
        if (!map.within.more_W.empty()) map.within.kind_W = take_means(map, task.timeline->classes[c]);
        for (std::size_t k = 0; k < map.within.kind_W.size(); ++k) nominal.kind_W[k] += map.within.kind_W[k];
        add_course(map, task.timeline->classes[c],
                   {*reach.reference, nominal.kind_W, {}, leakage_per_K, map.within.more_W}, starts[c].store_K);
      }
      if (offsets == nullptr) continue;
      auto& kept = offsets->classes[c];
      if (!kept.holds_for(task, c)) {
        const auto nominal = nominal_powers(task, type, controls, c, nominal_die_K);
        const auto& segments = task.timeline->classes[c];
        add_rises(map, segments, {*reach.reference, nominal.kind_W, nominal.leakage_W, leakage_per_K, nominal.more_W});
        kept.leakage = map.leakage;
        kept.peak = map.peak;
        kept.within.more_W = nominal.more_W;
        kept.within.peak_K = map.within.peak_K;
        kept.within.weight_J = map.within.weight_J;
        kept.period_s = seconds(task.timeline->period);
        kept.gate_Hz = task.class_gate_Hz[c];
        kept.kind = kinds_of(segments);
        kept.mean_W = 0.0;
        for (const auto k : map.used) kept.mean_W += nominal.kind_W[k] * map.kind_s[k] / map.period_s;
      }
      map.repeats = true;
      map.leakage = kept.leakage;
      map.peak = kept.peak;
      map.within = kept.within;
      if (d > 0.0) map.pause = pause_rise(*reach.reference, kept.mean_W, paused_W, d);
    }
  });
  return std::span(rooms).first(n_class);
}

}  // namespace TIDEWATT_NAMESPACE::fleet
