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
    return bounded(kind, p.fixed_W + p.leakage_W * type.gpu.leakage_temperature_factor(die_K()));
  }
  /// As the run has it: a kind's power at the GPU's mean clock.
  double run_W(std::uint32_t kind, double clock_Hz, double at_K) const {
    const double gate = leads ? 0.0 : std::min(clock_Hz, task.class_gate_Hz[cls]);
    const auto p =
        dvfs::phase_power(type.gpu, chip, task.kind_mix[kind], fleet::kind_course(task, cls, kind).at(clock_Hz),
                          task.reference_Hz, clock_Hz, gate);
    return bounded(kind, p.fixed_W + p.leakage_W * type.gpu.leakage_temperature_factor(at_K));
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

/// Mean power by place in the iteration, over many iterations whose samples fall on other places: what many GPUs draw together.
class FoldedPower {
 public:
  explicit FoldedPower(Tick period)
      : period_(period), J_(static_cast<std::size_t>(std::max<Tick>(1, period / part)), 0.0), s_(J_.size(), 0.0) {}
  /// A piece of constant power counts in each part by its share there: counted where it begins, an edge would move by up to a piece.
  /// @param begin, end on the timeline's clock
  void add(Tick begin, Tick end, double W, double s) {
    if (end <= begin) return;
    const double per_tick = static_cast<double>(J_.size()) / static_cast<double>(period_);
    double at = static_cast<double>(begin) * per_tick;
    const double until = static_cast<double>(end) * per_tick, s_per_part = s / (until - at);
    while (at < until) {
      const auto i = std::min(static_cast<std::size_t>(at), J_.size() - 1);
      const double to = i + 1 < J_.size() ? std::min(until, static_cast<double>(i + 1)) : until;
      J_[i] += W * s_per_part * (to - at), s_[i] += s_per_part * (to - at);
      at = to;
    }
  }
  /// Largest |P(t + 1 s) − P(t)|, of means over 20 ms.
  double largest_step_W() const {
    const std::size_t n = J_.size();
    const double part_s = seconds(period_) / static_cast<double>(n);
    const auto apart = static_cast<std::size_t>(std::lround(1.0 / part_s));
    const auto mean_W = [&](std::size_t from) {
      double J = 0.0, s = 0.0;
      for (std::size_t i = from; i < from + n_mean; ++i) J += J_[i % n], s += s_[i % n];
      return s > 0.0 ? J / s : 0.0;
    };
    double most_W = 0.0;
    for (std::size_t i = 0; i < n; ++i) most_W = std::max(most_W, std::abs(mean_W(i + apart) - mean_W(i)));
    return most_W;
  }

 private:
  static constexpr Tick part = 5 * ns_per_ms;
  static constexpr std::size_t n_mean = 4;
  Tick period_;
  std::vector<double> J_, s_;  ///< [part of the iteration]
};

}  // namespace TIDEWATT_NAMESPACE::sim
