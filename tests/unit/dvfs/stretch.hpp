#pragma once
// What the sampled governor comes to where a repetition has stretches longer than the power window: a closed form.
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "tidewatt/base/math.hpp"
#include "tidewatt/dvfs/operating_point.hpp"

namespace stretch {

using namespace tidewatt;
using namespace tidewatt::dvfs;

/// A stretch of a repetition during which a rank does one kind of thing in slices shorter than the power window: all its
/// forward passes, say, or a steady alternation of forward and backward.
struct Stretch {
  PhaseMix mix;          ///< all of its work
  double gate_Hz = 0.0;  ///< clock of the slowest rank in this stretch; 0: this rank gates
  double max_Hz = 0.0;   ///< table's end, user lock or the fast limit's clock (peak_clock_Hz)
};

/// What a GPU does in one stretch of the periodic steady state.
struct StretchPoint {
  double clock_Hz;  ///< time mean
  double duration_s;
  double power_W;  ///< time mean
  double end_Hz;
  Limiter limiter;
};

/// One stretch prepared: where its clock tends to and how fast.
struct Pull {
  double goal_Hz, rate_per_s, lowest_Hz, highest_Hz;
  double matrix_Hz_s, other_s, gate_Hz;  ///< work in cycles, and time that does not scale

  double duration_s(double clock_Hz) const { return matrix_Hz_s / (gate_Hz > 0.0 ? gate_Hz : clock_Hz) + other_s; }
};

inline double mean_W(const power::GpuModel& gpu, const power::Chip& chip, const Stretch& s, double reference_Hz,
                     double factor, double clock_Hz) {
  const auto p = phase_power(gpu, chip, s.mix, reference_Hz, clock_Hz, s.gate_Hz);
  return p.fixed_W + p.leakage_W * factor;
}

inline Pull prepare(const power::GpuModel& gpu, const power::Chip& chip, const Stretch& s, double reference_Hz,
                    double factor, double cap_W, double window_s) {
  Pull p;
  p.lowest_Hz = std::max(gpu.clock_min_Hz(), s.gate_Hz);
  p.highest_Hz = std::max(p.lowest_Hz, s.max_Hz);
  p.gate_Hz = s.gate_Hz;
  p.matrix_Hz_s = s.mix.matrix_s * reference_Hz;
  p.other_s = s.mix.memory_s + s.mix.link_s + s.mix.wait_s;
  const auto own =
      operating_point(gpu, chip, s.mix, reference_Hz, s.gate_Hz, factor, cap_W, p.highest_Hz, p.highest_Hz);
  const double at_Hz = own.clock_Hz, step_Hz = power::GpuModel::bin_Hz;
  // One-sided at the table's end, where a clock above does not exist.
  const double above = std::min(at_Hz + step_Hz, gpu.clock_max_Hz()),
               below = std::max(at_Hz - step_Hz, gpu.clock_min_Hz());
  const double W = mean_W(gpu, chip, s, reference_Hz, factor, at_Hz);
  const double slope =
      (mean_W(gpu, chip, s, reference_Hz, factor, above) - mean_W(gpu, chip, s, reference_Hz, factor, below)) /
      (above - below);
  const auto v = gpu.voltage(at_Hz);
  const double governor_slope = cap_W / at_Hz * (1.0 + 2.0 * at_Hz * v.slope_V_per_Hz / v.V);
  const double bounded = std::max(slope, 1e-3 * governor_slope);
  p.rate_per_s = bounded / (governor_slope * window_s);
  p.goal_Hz = at_Hz + (cap_W - W) / bounded;  // beyond the table where the stretch needs less than the cap
  return p;
}

struct Leg {
  double mean_Hz, end_Hz, duration_s;
};

/// f(t) from start_Hz, held between the ends: towards one goal it reaches an end once and stays.
inline Leg run(const Pull& p, double start_Hz) {
  const double from = std::clamp(start_Hz, p.lowest_Hz, p.highest_Hz);
  const double stop = std::clamp(p.goal_Hz, p.lowest_Hz, p.highest_Hz);
  const double gap = from - p.goal_Hz;
  const double reach_s =
      stop != p.goal_Hz && gap != 0.0 ? math::log(std::max(1.0, gap / (stop - p.goal_Hz))) / p.rate_per_s : -1.0;
  Leg leg{from, from, p.duration_s(from)};
  for (int i = 0; i < 4; ++i) {  // the duration depends on the mean clock, weakly
    const double moving_s = reach_s >= 0.0 ? std::min(reach_s, leg.duration_s) : leg.duration_s;
    const double x = p.rate_per_s * moving_s;
    const double moving_Hz = p.goal_Hz + gap * math::mean_decay(x);
    leg.mean_Hz = (moving_Hz * moving_s + stop * (leg.duration_s - moving_s)) / leg.duration_s;
    leg.end_Hz = moving_s < leg.duration_s ? stop : p.goal_Hz + gap * math::exp(-x);
    leg.duration_s = p.duration_s(leg.mean_Hz);
  }
  return leg;
}

inline double around(std::span<const Pull> pulls, double start_Hz) {
  for (const auto& p : pulls) start_Hz = run(p, start_Hz).end_Hz;
  return start_Hz;
}

/// Clocks of the stretches of a repetition without end, under the 1 s power limit as an exponential window:
///
///     df/dt = (P_cap − P_k(f)) / (g τ)       ⇒  f(t) = f*_k + (f_0 − f*_k) e^{−λ_k t},   λ_k = P_k'(f*)/(g τ)
///
/// f*_k holds the cap in stretch k alone; g = P_cap/f (1 + 2 f V'/V) is the governor's own slope (see SampledGovernor). In a
/// stretch much longer than τ the clock is that stretch's own operating point; in one much shorter it hardly moves, and
/// all together hold the mean: operating_point of the sum is the limit τ → ∞. The start is the fixed point of the
/// repetition's map, which is nearly affine: Aitken's step, a handful of passes.
/// @param out  one per stretch  @returns passes needed
inline int stretch_points(const power::GpuModel& gpu, const power::Chip& chip, std::span<const Stretch> stretches,
                          double reference_Hz, double leakage_temperature_factor, double cap_W, double window_s,
                          std::span<StretchPoint> out) {
  std::vector<Pull> pulls;
  for (const auto& s : stretches)
    pulls.push_back(prepare(gpu, chip, s, reference_Hz, leakage_temperature_factor, cap_W, window_s));
  double start_Hz = std::clamp(pulls.front().goal_Hz, pulls.front().lowest_Hz, pulls.front().highest_Hz);
  int passes = 0;
  for (; passes < 100; passes += 2) {
    const double once = around(pulls, start_Hz), twice = around(pulls, once);
    const double bend = twice - 2.0 * once + start_Hz;
    double next = bend != 0.0 ? start_Hz - (once - start_Hz) * (once - start_Hz) / bend : twice;
    if (!(next >= gpu.clock_min_Hz() && next <= gpu.clock_max_Hz())) next = twice;
    const bool still = std::abs(once - start_Hz) < 1e-9 * once;
    start_Hz = next;
    if (still) break;
  }
  for (std::size_t k = 0; k < pulls.size(); ++k) {
    const Leg leg = run(pulls[k], start_Hz);
    const bool free = leg.end_Hz >= pulls[k].highest_Hz;
    out[k] = {leg.mean_Hz, leg.duration_s,
              mean_W(gpu, chip, stretches[k], reference_Hz, leakage_temperature_factor, leg.mean_Hz), leg.end_Hz,
              !free                                      ? Limiter::power
              : pulls[k].highest_Hz < gpu.clock_max_Hz() ? Limiter::clock
                                                         : Limiter::none};
    start_Hz = leg.end_Hz;
  }
  return passes;
}

/// Highest clock at which `phase` alone stays at or below the fast limit, Hz, at most max_Hz.
inline double peak_clock_Hz(const power::GpuModel& gpu, const power::Chip& chip, const PhaseMix& phase,
                            double reference_Hz, double leakage_temperature_factor, double peak_W, double max_Hz) {
  return operating_point(gpu, chip, phase, reference_Hz, 0.0, leakage_temperature_factor, peak_W, max_Hz, max_Hz)
      .clock_Hz;
}

}  // namespace stretch
