#include "machine_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "grid/psse_raw.hpp"
#include "io/read_waveform.hpp"
#include "network_study.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/catalog/catalog.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

/// A catalog entry, or an own network, whose name then is that of its file.
grid::GridCase read_case(MachineOptions& o) {
  std::vector<Finding> findings;
  grid::GridCase c;
  if (o.raw.empty()) {
    c = grid::read_grid_case(catalog::Catalog(o.catalog_overlay).values("grid_case", o.grid_case), o.grid_case,
                             findings);
  } else {
    o.grid_case = std::filesystem::path(o.raw).stem().string();
    c.motion.active = c.motion.reactive = load_shares("loads", o.loads, findings);
    c.shaft = shaft_input(o.shaft, findings);
    c.network = grid::read_raw(o.raw);
    c.records = grid::read_dyr(o.dyr);
  }
  if (!findings.empty()) throw InputError(std::move(findings));
  return c;
}

/// Number of the bus with the largest load, unless one is named.
std::int64_t site_bus(const MachineOptions& o, const grid::PowerNetwork& n) {
  if (o.bus > 0.0) return n.bus[n.bus_index(static_cast<std::int64_t>(o.bus))].number;
  return n.largest_load_bus();
}

/// Collects every option that is out of its range.
struct Ranges {
  std::vector<Finding> findings;
  void check(const char* key, double value, double low, double high) {
    if (!(value >= low && value <= high))
      findings.push_back({{}, key, fmt::format("{:g} is outside of {:g} to {:g}", value, low, high)});
  }
  void done() {
    if (!findings.empty()) throw InputError(std::move(findings));
  }
};

}  // namespace

MachineRun play_waveform(const std::string& result, const MachineOptions& asked) {
  MachineOptions options = asked;
  Ranges ranges;
  ranges.check("begin_s", options.begin_s, 0.0, 1e12);
  ranges.check("length_s", options.length_s, 10.0, 86400.0);
  for (const double f : options.shaft_Hz) ranges.check("shaft_Hz", f, 0.5, 200.0);
  ranges.check("shaft_damping_frac", options.shaft_damping_frac, 1e-5, 0.4);
  ranges.done();
  const auto c = read_case(options);
  const auto w = io::read_waveform(result, options.window);
  const double whole_s = static_cast<double>(w.pcc_W.size()) * w.step_s;
  if (options.begin_s >= whole_s)
    throw InputError(fmt::format("machines: begin_s {:g} lies behind the window's {:g} s", options.begin_s, whole_s));
  const auto first = static_cast<std::ptrdiff_t>(options.begin_s / w.step_s);
  const auto count = std::min<std::ptrdiff_t>(std::lround(options.length_s / w.step_s), std::ssize(w.pcc_W) - first);
  const std::vector<double> pcc_W(w.pcc_W.begin() + first, w.pcc_W.begin() + first + count);
  const std::int64_t bus = site_bus(options, c.network);
  MachineRun out{options,
                 static_cast<double>(bus),
                 w.window,
                 w.first_s + options.begin_s,
                 static_cast<double>(count) * w.step_s,
                 w.step_s,
                 {},
                 {}};
  out.response = grid::machine_response(c, bus, pcc_W, w.step_s);
  if (!options.shaft_Hz.empty()) {
    std::vector<grid::TorsionalMode> modes;
    modes.reserve(options.shaft_Hz.size());
    for (const double f : options.shaft_Hz) modes.push_back({f, options.shaft_damping_frac});
    grid::TorsionalScreen shafts(modes);
    shafts.begin(0, pcc_W.front());
    shafts.push(pcc_W);
    out.shafts = shafts.findings();
  }
  return out;
}

PeriodSweep sweep_periods(const MachineOptions& asked) {
  MachineOptions options = asked;
  Ranges ranges;
  ranges.check("swing_W", options.swing_W, 1e3, 1e11);
  ranges.check("from_s", options.from_s, 0.1, 1000.0);
  ranges.check("to_s", options.to_s, 0.1, 1000.0);
  ranges.check("points", static_cast<double>(options.points), 2.0, 1e4);
  ranges.check("duty_frac", options.duty_frac, 0.01, 0.99);
  ranges.check("damping_frac", options.damping_frac, -1.0, 1.0);
  ranges.check("deadband_Hz", options.deadband_Hz, 1e-5, 10.0);
  ranges.done();
  if (!(options.to_s > options.from_s)) throw InputError("machines: the longest period must be above the shortest");
  const auto c = read_case(options);
  const std::int64_t bus = site_bus(options, c.network);
  PeriodSweep out{options, static_cast<double>(bus), {}, {}, {}, {}, 0.0, 0.0, 0.0};
  grid::LinearGrid linear(c.system(bus));
  if (options.damping_frac >= 0.0) linear = linear.with_swing_damping(options.damping_frac);
  out.modes = linear.swing_modes();
  // Equal steps of the logarithm, and the modes themselves: their peaks are narrow.
  const double last = static_cast<double>(options.points - 1);
  for (std::int64_t i = 0; i < options.points; ++i)
    out.period_s.push_back(options.from_s * std::pow(options.to_s / options.from_s, static_cast<double>(i) / last));
  for (const auto& m : out.modes)
    if (1.0 / m.frequency_Hz > options.from_s && 1.0 / m.frequency_Hz < options.to_s)
      out.period_s.push_back(1.0 / m.frequency_Hz);
  std::sort(out.period_s.begin(), out.period_s.end());
  grid::SquareWave wave{c.network.bus_index(bus), options.swing_W, 0.0, options.duty_frac};
  for (const double s : out.period_s) {
    wave.period_s = s;
    out.peak_to_peak_Hz.push_back(grid::forced_oscillation(linear, wave).peak_to_peak_Hz);
  }
  const auto at = static_cast<std::size_t>(std::max_element(out.peak_to_peak_Hz.begin(), out.peak_to_peak_Hz.end()) -
                                           out.peak_to_peak_Hz.begin());
  out.worst_s = out.period_s[at];
  out.worst_Hz = out.peak_to_peak_Hz[at];
  wave.period_s = out.worst_s;
  out.buses = grid::worst_buses(c.network, linear, wave);
  out.within_deadband_W = options.swing_W * 2.0 * options.deadband_Hz / out.worst_Hz;
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
