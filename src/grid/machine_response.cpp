#include "machine_response.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

#include "grid_play.hpp"
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

/// The waveform's swing: less what is dispatched and, where no governor acts, what is slow. Fills `left_out_slower_s`.
std::vector<double> swing_of(std::span<const double> load_W, double step_s, bool governed, MachineResponse& out) {
  const auto dispatched = std::min<std::ptrdiff_t>(std::lround(dispatch_s / step_s), std::ssize(load_W));
  const double dispatch_W =
      std::accumulate(load_W.begin(), load_W.begin() + dispatched, 0.0) / static_cast<double>(dispatched);
  std::vector<double> swing_W(load_W.begin(), load_W.end());
  for (double& W : swing_W) W -= dispatch_W;
  if (governed) return swing_W;
  // Once would leave the mean speed where the first seconds of a change brought it; twice takes it back, as governors would.
  out.left_out_slower_s = slow_s;
  return without_slow(without_slow(swing_W, step_s, slow_s), step_s, slow_s);
}

/// Solves the full equations. Fills the series and the largest swing of a rotor.
void play_swing(const GridCase& c, std::int64_t site_bus, std::span<const double> swing_W, double step_s,
                double merge_s, MachineResponse& out) {
  GridSystem system = c.system(site_bus);
  const double length_s = step_s * static_cast<double>(swing_W.size());
  std::vector<SitePoint> site;  // constant within each piece
  for (const SitePoint& piece : site_points(swing_W, step_s, merge_s, 0.0)) {
    const double begin_s = site.empty() ? 0.0 : site.back().at_s;
    site.push_back({begin_s, piece.load_VA});
    site.push_back({begin_s + 2.0 * (piece.at_s - begin_s), piece.load_VA});
  }
  std::vector<std::size_t> unit;
  for (std::size_t u = 0; u < system.n_unit(); ++u)
    if (system.unit(u).inertia_s() > 0.0) {
      unit.push_back(u);
      out.machines.push_back({static_cast<double>(system.network().bus[system.bus_of(u)].number)});
    }
  std::vector<double> site_rad, low_rad(unit.size(), 1e300), high_rad(unit.size(), -1e300), angle_rad(unit.size());
  const double nominal_Hz = system.network().nominal_Hz, stored_J = system.stored_J();
  play(system, site, {}, {length_s, 0.25 * merge_s}, [&](double t_s, const GridState& y) {
    if (t_s < merge_s * static_cast<double>(out.time_s.size() + 1) - 1e-7) return;
    out.time_s.push_back(t_s);
    double mean_rad = 0.0;
    for (std::size_t m = 0; m < unit.size(); ++m) {
      const std::size_t u = unit[m];
      const auto r = system.unit(u).readout(system.part(std::span<const double>(y.x), u), y.v[system.bus_of(u)]);
      out.frequency_Hz.push_back(nominal_Hz * r.speed_pu);
      angle_rad[m] = r.angle_rad;
      mean_rad += system.unit(u).inertia_s() * system.generator(u).rating_VA / stored_J * r.angle_rad;
    }
    for (std::size_t m = 0; m < unit.size(); ++m) {
      low_rad[m] = std::min(low_rad[m], angle_rad[m] - mean_rad);
      high_rad[m] = std::max(high_rad[m], angle_rad[m] - mean_rad);
    }
    out.voltage_pu.push_back(std::abs(y.v[system.site_bus()]));
    site_rad.push_back(std::arg(y.v[system.site_bus()]));
  });
  for (std::size_t m = 0; m < unit.size(); ++m)
    out.peak_to_peak_rad = std::max(out.peak_to_peak_rad, high_rad[m] - low_rad[m]);
  out.bus_frequency_Hz = bus_frequency_Hz(out.time_s, site_rad, std::arg(system.rest().v[system.site_bus()]));
}

/// Extremes of the series.
void sum_up(MachineResponse& out) {
  const std::size_t n = out.machines.size();
  for (std::size_t m = 0; m < n; ++m) {
    auto& machine = out.machines[m];
    double square = 0.0;
    for (std::size_t i = m; i < out.frequency_Hz.size(); i += n) {
      const double f = out.frequency_Hz[i];
      machine.lowest_Hz = std::min(machine.lowest_Hz, f);
      machine.highest_Hz = std::max(machine.highest_Hz, f);
      square += f * f;
    }
    machine.peak_to_peak_Hz = machine.highest_Hz - machine.lowest_Hz;
    machine.rms_Hz = std::sqrt(square / static_cast<double>(out.time_s.size()));
  }
  const auto [low_pu, high_pu] = std::minmax_element(out.voltage_pu.begin(), out.voltage_pu.end());
  out.voltage_lowest_pu = *low_pu;
  out.voltage_highest_pu = *high_pu;
  const auto [low_Hz, high_Hz] = std::minmax_element(out.bus_frequency_Hz.begin(), out.bus_frequency_Hz.end());
  out.bus_lowest_Hz = *low_Hz;
  out.bus_highest_Hz = *high_Hz;
}

/// A mode and the strongest line of the swing near it.
MachineResponse::Excited excited(const GridMode& mode, const LinearGrid& linear, std::size_t bus,
                                 std::span<const double> swing_W, double step_s) {
  MachineResponse::Excited e{mode, 0.0, 0.0, 0.0};
  // Lines stand one over the length apart; half of that is fine enough not to miss one.
  const double between_Hz = 0.5 / (step_s * static_cast<double>(swing_W.size()));
  for (double f_Hz = 0.75 * mode.frequency_Hz; f_Hz <= 1.25 * mode.frequency_Hz; f_Hz += between_Hz)
    if (const double W = amplitude_at(swing_W, step_s, f_Hz); W > e.line_W) e.line_W = W, e.line_Hz = f_Hz;
  for (const auto& gain : linear.gain(bus, e.line_Hz).frequency_Hz)
    e.deviation_Hz = std::max(e.deviation_Hz, e.line_W * std::abs(gain));
  return e;
}

}  // namespace

MachineResponse machine_response(const GridCase& c, std::int64_t site_bus, std::span<const double> load_W,
                                 double step_s, double merge_s) {
  if (!(step_s > 0.0) || step_s * static_cast<double>(load_W.size()) < 10.0)
    throw InputError("machine response: needs a waveform of 10 s at least");
  MachineResponse out;
  const auto swing_W = swing_of(load_W, step_s, c.governed(), out);
  play_swing(c, site_bus, swing_W, step_s, merge_s, out);
  sum_up(out);
  const LinearGrid linear(c.system(site_bus));
  for (const auto& mode : linear.swing_modes())
    out.modes.push_back(excited(mode, linear, c.network.bus_index(site_bus), swing_W, step_s));
  return out;
}

std::vector<WorstBus> worst_buses(const PowerNetwork& n, const LinearGrid& linear, SquareWave wave) {
  const std::vector<double> load_W = n.bus_load_W();
  std::vector<WorstBus> out;
  for (wave.bus = 0; wave.bus < n.bus.size(); ++wave.bus)
    if (load_W[wave.bus] > 0.0)
      out.push_back({static_cast<double>(n.bus[wave.bus].number), forced_oscillation(linear, wave).peak_to_peak_Hz});
  std::stable_sort(out.begin(), out.end(),
                   [](const WorstBus& a, const WorstBus& b) { return a.peak_to_peak_Hz > b.peak_to_peak_Hz; });
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::grid
