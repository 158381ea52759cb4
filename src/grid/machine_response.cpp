#include "machine_response.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

/// Amplitude of a sine at `f_Hz` in the samples, Hann window.
double amplitude_at(std::span<const double> x, double step_s, double f_Hz) {
  const auto n = static_cast<double>(x.size());
  std::complex<double> sum = 0.0;
  double weight = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double w = 0.5 - 0.5 * std::cos(2.0 * std::numbers::pi * (static_cast<double>(i) + 0.5) / n);
    sum += w * x[i] * std::polar(1.0, -2.0 * std::numbers::pi * f_Hz * (static_cast<double>(i) + 0.5) * step_s);
    weight += w;
  }
  return 2.0 * std::abs(sum) / weight;
}

constexpr double slow_s = 20.0, dispatch_s = 10.0;

bool governed(const MachineCase& c) {
  return std::any_of(c.governor.droop_pu.begin(), c.governor.droop_pu.end(), [](double r) { return r > 0.0; });
}

/// Less the mean over the `window_s` before each sample's end; before the record it is 0. Causal: later samples have no effect.
std::vector<double> without_slow(std::span<const double> x, double step_s, double window_s) {
  std::vector<double> sum(x.size() + 1, 0.0), out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) sum[i + 1] = sum[i] + x[i];
  const auto window = std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(window_s / step_s)));
  for (std::size_t i = 0; i < x.size(); ++i)
    out[i] = x[i] - (sum[i + 1] - sum[i + 1 > window ? i + 1 - window : 0]) / static_cast<double>(window);
  return out;
}

/// Frequency of a voltage from its angle over the last 100 ms, as in a relay. @param before_rad its angle at time 0
std::vector<double> bus_frequency_Hz(std::span<const double> time_s, std::span<const double> angle_rad,
                                     double before_rad) {
  constexpr double two_pi = 2.0 * std::numbers::pi, look_back_s = 0.1;
  std::vector<double> at_s = {0.0}, whole_rad = {before_rad}, out;
  for (std::size_t i = 0; i < time_s.size(); ++i) {
    at_s.push_back(time_s[i]);
    whole_rad.push_back(whole_rad.back() + std::remainder(angle_rad[i] - whole_rad.back(), two_pi));
  }
  std::size_t from = 0;
  for (std::size_t i = 1; i < at_s.size(); ++i) {
    while (from + 1 < i && at_s[from + 1] <= at_s[i] - look_back_s + 1e-9) ++from;
    // At the start the angle was constant before.
    const double span_s = std::max(look_back_s, at_s[i] - at_s[from]);
    out.push_back((whole_rad[i] - whole_rad[from]) / (two_pi * span_s));
  }
  return out;
}

}  // namespace

MachineResponse machine_response(const MachineCase& c, double site_bus, std::span<const double> load_W, double step_s,
                                 double merge_s) {
  const double length_s = step_s * static_cast<double>(load_W.size());
  if (!(step_s > 0.0) || length_s < 10.0) throw InputError("machine response: needs a waveform of 10 s at least");
  const auto dispatched = std::min<std::ptrdiff_t>(std::lround(dispatch_s / step_s), std::ssize(load_W));
  const double dispatch_W =
      std::accumulate(load_W.begin(), load_W.begin() + dispatched, 0.0) / static_cast<double>(dispatched);
  std::vector<double> swing_W(load_W.begin(), load_W.end());
  for (double& W : swing_W) W -= dispatch_W;
  MachineResponse out;
  if (!governed(c)) {
    // Once would leave the mean speed where the first seconds of a change brought it; twice takes it back, as governors would.
    swing_W = without_slow(without_slow(swing_W, step_s, slow_s), step_s, slow_s);
    out.left_out_slower_s = slow_s;
  }
  std::vector<SiteSegment> segments;
  segments.reserve(swing_W.size());
  for (const double W : swing_W) segments.push_back({step_s, W, 0.0});
  const MachineSystem system(c, site_bus);
  // Without governors nothing takes an error of the mean speed back: it must stay below the millihertz that matter.
  const auto run = system.run(merge_edges(segments, merge_s), 1e-8);
  const LinearSystem linear(system);
  const std::size_t n = system.n_machine();
  out.machines.resize(n);
  out.time_s = run.time_s;
  out.frequency_Hz = run.frequency_Hz;
  for (std::size_t m = 0; m < n; ++m) {
    auto& machine = out.machines[m];
    machine.bus = c.machine.bus[m];
    double lo_rad = 1e300, hi_rad = -1e300, square = 0.0;
    for (std::size_t i = 0; i < run.time_s.size(); ++i) {
      const double f = run.frequency_Hz[i * n + m], a = run.angle_rad[i * n + m];
      machine.lowest_Hz = std::min(machine.lowest_Hz, f);
      machine.highest_Hz = std::max(machine.highest_Hz, f);
      lo_rad = std::min(lo_rad, a);
      hi_rad = std::max(hi_rad, a);
      square += f * f;
    }
    machine.peak_to_peak_Hz = machine.highest_Hz - machine.lowest_Hz;
    machine.rms_Hz = std::sqrt(square / static_cast<double>(run.time_s.size()));
    out.peak_to_peak_rad = std::max(out.peak_to_peak_rad, hi_rad - lo_rad);
  }
  const auto [lo, hi] = std::minmax_element(run.voltage_pu.begin(), run.voltage_pu.end());
  out.voltage_lowest_pu = *lo;
  out.voltage_highest_pu = *hi;
  out.voltage_pu = run.voltage_pu;
  const auto& rest = system.rest();
  const std::size_t at = system.site_voltage_at();
  out.bus_frequency_Hz = bus_frequency_Hz(run.time_s, run.voltage_rad, std::atan2(rest[at + 1], rest[at]));
  const auto [slow, fast] = std::minmax_element(out.bus_frequency_Hz.begin(), out.bus_frequency_Hz.end());
  out.bus_lowest_Hz = *slow;
  out.bus_highest_Hz = *fast;
  for (const auto& mode : linear.swing_modes()) {
    MachineResponse::Excited e{mode, 0.0, 0.0, 0.0};
    // Lines stand one over the length apart; half of that is fine enough not to miss one.
    double f_Hz = 0.75 * mode.frequency_Hz;
    while (f_Hz <= 1.25 * mode.frequency_Hz) {
      const double a = amplitude_at(swing_W, step_s, f_Hz);
      if (a > e.line_W) e.line_W = a, e.line_Hz = f_Hz;
      f_Hz += 0.5 / length_s;
    }
    for (const auto& gain : linear.gain(e.line_Hz).frequency_Hz)
      e.deviation_Hz = std::max(e.deviation_Hz, e.line_W * std::abs(gain));
    out.modes.push_back(std::move(e));
  }
  return out;
}

std::vector<WorstBus> worst_buses(const MachineCase& c, double swing_W, double period_s, double duty_frac,
                                  double damping_frac) {
  std::vector<WorstBus> out;
  for (std::size_t i = 0; i < c.bus.number.size(); ++i) {
    if (!(c.bus.load_W[i] > 0.0)) continue;
    LinearSystem linear(MachineSystem(c, c.bus.number[i]));
    if (damping_frac >= 0.0) linear = linear.with_swing_damping(damping_frac);
    out.push_back({c.bus.number[i], forced_oscillation(linear, swing_W, period_s, duty_frac).peak_to_peak_Hz});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const WorstBus& a, const WorstBus& b) { return a.peak_to_peak_Hz > b.peak_to_peak_Hz; });
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::grid
