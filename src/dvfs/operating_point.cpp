#include "tidewatt/dvfs/operating_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "phase_law.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::dvfs {
namespace {

// Excess energy of a window over cap · duration, J, and its slope against the clock, J/Hz.
struct Excess {
  double J, slope_J_per_Hz;
};

struct Window {
  const power::GpuModel& gpu;
  const power::Chip& chip;
  const PhaseMix& mix;
  double reference_Hz, gate_Hz, temperature_factor, cap_W;

  TIDEWATT_INLINE Excess at(double clock_Hz) const {
    const auto& p = gpu.params();
    const ActivityLaw activity(p);
    const power::LeakageLaw leakage = gpu.leakage();
    const auto table = gpu.voltage(clock_Hz);
    const double V = table.V + chip.voltage_offset_V;
    const double leak_W = leakage.ref_W * chip.leakage_ratio * temperature_factor * leakage.voltage_factor(V);
    const double leak_slope = leakage.slope_W_per_V(leak_W) * table.slope_V_per_Hz;
    const double dyn_W = gpu.dynamic_W(V, clock_Hz);
    const double dyn_slope = power::SwitchingLaw::slope_W_per_Hz(dyn_W, V, table.slope_V_per_Hz, clock_Hz);
    const double stretch = reference_Hz / clock_Hz;
    const double busy_s = mix.matrix_s * stretch;
    const double active_s = mix.active_matrix_s * stretch;
    const bool gated = gate_Hz > 0.0;
    const double slack_s = gated ? mix.matrix_s * (reference_Hz / gate_Hz) - busy_s : 0.0;
    const double other_s = mix.memory_s + mix.link_s + mix.wait_s;
    const double duration_s = busy_s + slack_s + other_s;
    const double steady_s =
        activity.memory_s(mix.memory_s) + activity.link_s(mix.link_s) + activity.wait_s(mix.wait_s + slack_s);
    const double d_busy = -busy_s / clock_Hz;
    const double d_duration = gated ? 0.0 : d_busy;
    const double d_equivalent = -active_s / clock_Hz - (gated ? activity.wait_s(d_busy) : 0.0);
    const double base_W = p.board_W + leak_W - cap_W;
    const double equivalent_s = active_s + steady_s;
    return {duration_s * base_W + dyn_W * equivalent_s + p.hbm_W * mix.hbm_s + p.link_W * mix.full_link_s,
            d_duration * base_W + duration_s * leak_slope + dyn_slope * equivalent_s + dyn_W * d_equivalent};
  }
};

}  // namespace

void GovernorParams::fields(FieldVisitor& v) {
  v.number("cap_margin_W", cap_margin_W, {0, 200}, "the power limiter keeps the mean this far below the cap");
  v.number("edp_peak_ratio", edp_peak_ratio, {0, 5},
           "highest measured power of the board ÷ its rating (electrical design peak): the chip stretches its clock "
           "within a phase to stay below. 0: not known, only the sampled limits act",
           Need::optional);
  v.number("thermal_target_degC", thermal_target_K, {40, 120}, "die temperature to which the thermal limiter controls");
  v.number("slowdown_degC", slowdown_K, {40, 125}, "die temperature at which the hardware slows down");
  v.number("slowdown_clock_ratio", slowdown_clock_ratio, {0.05, 1}, "clock during slowdown ÷ highest clock");
  v.number("shutdown_degC", shutdown_K, {40, 130}, "die temperature at which the node switches off");
  v.number("window_s", window_s, {0.01, 60}, "averaging window of the power limiter");
}

double peak_W(const GovernorParams& governor, const power::GpuPowerParams& board) {
  return governor.edp_peak_ratio > 0.0 ? governor.edp_peak_ratio * board.tdp_W
                                       : std::numeric_limits<double>::infinity();
}

TIDEWATT_CLONES
PhasePower phase_power(const power::GpuModel& gpu, const power::Chip& chip, const PhaseMix& mix, double reference_Hz,
                       double clock_Hz, double gate_Hz) {
  const auto& p = gpu.params();
  const double V = gpu.voltage(clock_Hz).V + chip.voltage_offset_V;
  const auto t =
      phase_times(ActivityLaw(p), mix, reference_Hz / clock_Hz, gate_Hz > 0.0 ? reference_Hz / gate_Hz : 0.0);
  const double J = gpu.dynamic_W(V, clock_Hz) * t.equivalent_s + transfer_J(p, mix);
  return {p.board_W + J / t.duration_s, p.leakage_W * chip.leakage_ratio * gpu.leakage_voltage_factor(V), t.duration_s};
}

TIDEWATT_CLONES
OperatingPoint operating_point(const power::GpuModel& gpu, const power::Chip& chip, const PhaseMix& window,
                               double reference_Hz, double gate_Hz, double leakage_temperature_factor, double cap_W,
                               double max_Hz, double start_Hz) {
  const Window w{gpu, chip, window, reference_Hz, gate_Hz, leakage_temperature_factor, cap_W};
  const double lowest_Hz = std::max(gpu.clock_min_Hz(), gate_Hz);
  const double top_Hz = std::max(lowest_Hz, max_Hz);
  if (w.at(top_Hz).J <= 0.0) return {top_Hz, top_Hz < gpu.clock_max_Hz() ? Limiter::clock : Limiter::none};
  // Newton inside a shrinking bracket: the V/f table has kinks, so a step that leaves the bracket halves it instead.
  double lo = lowest_Hz, hi = top_Hz;
  double f = start_Hz > lo && start_Hz < hi ? start_Hz : hi;
  for (int i = 0; i < 60; ++i) {
    const Excess e = w.at(f);
    (e.J > 0.0 ? hi : lo) = f;
    double next = f - e.J / e.slope_J_per_Hz;
    if (!(next > lo && next < hi)) next = 0.5 * (lo + hi);
    const double step = std::abs(next - f);
    f = next;
    if (step <= 1e-9 * f) break;  // a step across a kink of the table leaves as much as it was long
  }
  return {f, Limiter::power};
}

double peak_limited_clock_Hz(const power::GpuModel& gpu, const power::Chip& chip, const PhaseMix& phase,
                             double reference_Hz, double leakage_temperature_factor, double peak_W, double clock_Hz) {
  if (!std::isfinite(peak_W)) return clock_Hz;
  return operating_point(gpu, chip, phase, reference_Hz, 0.0, leakage_temperature_factor, peak_W, clock_Hz, clock_Hz)
      .clock_Hz;
}

}  // namespace TIDEWATT_NAMESPACE::dvfs
