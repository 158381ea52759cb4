#pragma once
// One GPU of a task, phase by phase. Private to sim.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "fleet/task.hpp"
#include "tidewatt/base/math.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Its phases and its package.
struct GpuReplay {
  const fleet::NodeType& type;
  power::Chip chip;
  const fleet::FleetTask& task;
  std::uint32_t cls;
  double r, air_K;
  thermal::PackageModes modes;
  bool leads = false;  ///< no GPU is slower: it waits for none, and its own clock sets the length of its phases
  std::array<double, thermal::n_mode> z{};

  /// Clock of the rank that it waits for, in a part of the iteration; none is waited for that is faster than itself.
  double gate_Hz(double ratio, double clock_Hz) const {
    return leads ? 0.0 : std::min(clock_Hz, ratio * task.class_gate_Hz[cls]);
  }
  /// Clock of a phase, which the board's peak may hold below the governor's.
  double phase_Hz(std::uint32_t kind, double governor_Hz) const {
    if (task.kind_context[kind] == 0) return governor_Hz;
    return dvfs::peak_limited_clock_Hz(type.gpu, chip, task.kind_mix[kind], task.reference_Hz,
                                       type.gpu.leakage_temperature_factor(die_K()),
                                       dvfs::peak_W(type.governor, type.gpu.params()), governor_Hz);
  }
  dvfs::PhasePower at(std::uint32_t kind, double clock_Hz, double ratio) const {
    return dvfs::phase_power(type.gpu, chip, task.kind_mix[kind], task.reference_Hz, clock_Hz,
                             gate_Hz(ratio, clock_Hz));
  }
  /// How much faster a phase passes than it would if all of the iteration had one clock.
  double pace(std::uint32_t kind, double clock_Hz, double ratio) const {
    const double gate = task.class_gate_Hz[cls];
    if (!(gate > 0.0)) return 1.0;
    return dvfs::phase_power(type.gpu, chip, task.kind_mix[kind], task.reference_Hz, gate, gate).duration_s /
           at(kind, clock_Hz, ratio).duration_s;
  }
  double die_K() const {
    return air_K + r * (modes.shape[0][0] * z[0] + modes.shape[0][1] * z[1] + modes.shape[0][2] * z[2]);
  }
  double watts(std::uint32_t kind, double clock_Hz, double ratio) const {
    const auto p = at(kind, clock_Hz, ratio);
    return bounded(kind, p.at_W(type.gpu.leakage_temperature_factor(die_K())));
  }
  /// As the run has it: a kind's power at the GPU's mean clock.
  double run_W(std::uint32_t kind, double clock_Hz, double at_K) const {
    const double gate = leads ? 0.0 : std::min(clock_Hz, task.class_gate_Hz[cls]);
    const auto p =
        dvfs::phase_power(type.gpu, chip, task.kind_mix[kind], fleet::kind_course(task, cls, kind).at(clock_Hz),
                          task.reference_Hz, clock_Hz, gate);
    return bounded(kind, p.at_W(type.gpu.leakage_temperature_factor(at_K)));
  }
  double bounded(std::uint32_t kind, double W) const {
    return std::max(task.kind_low_W[kind], std::min(W, task.kind_high_W[kind]));
  }
  void warm(double W) {
    for (std::size_t k = 0; k < thermal::n_mode; ++k) z[k] = modes.gain_K_per_J[k] * W / modes.rate_per_s[k];
  }
  void step(double W, double s) {
    for (std::size_t k = 0; k < thermal::n_mode; ++k) {
      const double x = modes.rate_per_s[k] * s;
      z[k] = z[k] * math::exp(-x) + modes.gain_K_per_J[k] * W * s * math::mean_decay(x);
    }
  }
  /// Mean power over an iteration in the run, at one die temperature.
  double mean_W(double clock_Hz, double at_K) const {
    double J = 0.0;
    for (const auto& s : task.timeline->classes[cls]) J += seconds(s.duration) * run_W(s.kind, clock_Hz, at_K);
    return J / seconds(task.timeline->period);
  }
};

/// Phase at a time of the iteration. Moves forward; restarts with the iteration.
struct PhasePlayer {
  const std::vector<workload::Segment>& segments;
  std::size_t at = 0;
  Tick left = segments.front().duration;
  Tick begun = 0;               ///< of the iteration, on the timeline's clock
  Tick passed = 0;              ///< on the timeline's clock, in the last piece
  std::int64_t iterations = 0;  ///< played to their end
  std::uint32_t kind() const { return segments[at].kind; }
  /// Share of the phase that has passed.
  double frac() const { return 1.0 - static_cast<double>(left) / static_cast<double>(segments[at].duration); }
  /// Simulates at most `most`, not across an edge. @param pace of the phase relative to the timeline's  @returns simulated time
  Tick play(Tick most, double pace) {
    const Tick whole = std::max<Tick>(1, std::llround(static_cast<double>(left) / pace)), d = std::min(most, whole);
    passed = d == whole ? left : std::min<Tick>(left, std::llround(static_cast<double>(d) * pace));
    left -= passed, begun += passed;
    while (left == 0) {
      at = (at + 1) % segments.size();
      left = segments[at].duration;
      if (at == 0) begun = 0, ++iterations;
    }
    return d;
  }
};

}  // namespace TIDEWATT_NAMESPACE::sim
