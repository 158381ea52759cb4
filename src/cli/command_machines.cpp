#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "option_checks.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/catalog/catalog.hpp"
#include "tidewatt/grid/torsional.hpp"
#include "tidewatt/io/durable_file.hpp"
#include "tidewatt/io/export_playback.hpp"
#include "tidewatt/io/read_waveform.hpp"
#include "tidewatt/grid/machine_response.hpp"

namespace {

using namespace tidewatt;

struct Arguments {
  std::string result, grid_case = "kundur_two_area", window, overlay, out;
  double bus = 0.0, damping_percent = -1.0, deadband_mHz = 36.0;
  double swing_MW = 0.0, duty = 0.5, from_s = 0.5, to_s = 6.0;
  std::int64_t points = 120;
  double begin_s = 0.0, length_s = 60.0;
  std::vector<double> shaft_Hz;
  double shaft_damping_percent = 0.1;
  bool json = false;
};

grid::MachineCase read_case(const Arguments& a) {
  std::vector<Finding> findings;
  auto c = grid::read_machine_case(catalog::Catalog(a.overlay).values("grid_case", a.grid_case), a.grid_case, findings);
  if (!findings.empty()) throw InputError(std::move(findings));
  return c;
}

/// The bus with the largest load, unless one is named.
double site_bus(const Arguments& a, const grid::MachineCase& c) {
  if (a.bus > 0.0) return c.bus.number[c.bus_index(a.bus)];
  const auto most = std::max_element(c.bus.load_W.begin(), c.bus.load_W.end()) - c.bus.load_W.begin();
  return c.bus.number[static_cast<std::size_t>(most)];
}

std::filesystem::path out_file(const Arguments& a, const char* suffix) {
  return a.out.empty() ? std::filesystem::path(a.result).replace_extension("").string() + suffix : a.out;
}

std::vector<grid::TorsionalFinding> screen(const Arguments& a, const io::Waveform& w) {
  std::vector<grid::TorsionalMode> modes;
  for (const double f : a.shaft_Hz) modes.push_back({f, a.shaft_damping_percent * 0.01});
  if (modes.empty()) return {};
  grid::TorsionalScreen shafts(modes);
  shafts.begin(0, w.pcc_W.front());
  shafts.push(w.pcc_W);
  return shafts.findings();
}

/// A recorded waveform against a power system.
void respond(const Arguments& a) {
  const auto c = read_case(a);
  const double bus = site_bus(a, c);
  auto w = io::read_waveform(a.result, a.window);
  const double whole_s = static_cast<double>(w.pcc_W.size()) * w.step_s;
  if (a.begin_s >= whole_s) throw InputError(fmt::format("machines: --begin-s {:g} lies behind the window's {:g} s", a.begin_s, whole_s));
  const auto first = static_cast<std::ptrdiff_t>(a.begin_s / w.step_s);
  const auto count = std::min<std::ptrdiff_t>(std::lround(a.length_s / w.step_s), std::ssize(w.pcc_W) - first);
  w.pcc_W = std::vector<double>(w.pcc_W.begin() + first, w.pcc_W.begin() + first + count);
  w.first_s += a.begin_s;
  const auto r = grid::machine_response(c, bus, w.pcc_W, w.step_s);
  const auto shafts = screen(a, w);
  const std::size_t n = r.machines.size();
  std::vector<std::vector<double>> by_machine(n);
  for (std::size_t i = 0; i < r.time_s.size(); ++i)
    for (std::size_t m = 0; m < n; ++m) by_machine[m].push_back(r.frequency_Hz[i * n + m]);
  std::string csv = "time_s";
  for (const auto& m : r.machines) csv += fmt::format(",machine_bus_{:g}_Hz", m.bus);
  csv += "\n";
  for (std::size_t i = 0; i < r.time_s.size(); ++i) {
    csv += fmt::format("{:.6f}", w.first_s + r.time_s[i]);
    for (std::size_t m = 0; m < n; ++m) csv += fmt::format(",{:.9g}", by_machine[m][i]);
    csv += "\n";
  }
  const auto path = out_file(a, ("_" + a.grid_case + ".csv").c_str());
  io::write_durably(path.string(), csv);
  if (a.json) {
    nlohmann::ordered_json o{{"case", a.grid_case}, {"bus", bus}, {"window", w.window}, {"begin_s", w.first_s}, {"length_s", static_cast<double>(w.pcc_W.size()) * w.step_s},
                             {"left_out_slower_s", r.left_out_slower_s}, {"voltage_lowest_pu", r.voltage_lowest_pu},
                             {"voltage_highest_pu", r.voltage_highest_pu}, {"peak_to_peak_deg", r.peak_to_peak_rad * 57.29577951308232}, {"csv", path.string()}};
    for (const auto& m : r.machines)
      o["machines"].push_back({{"bus", m.bus}, {"peak_to_peak_mHz", m.peak_to_peak_Hz * 1e3}, {"lowest_mHz", m.lowest_Hz * 1e3}, {"highest_mHz", m.highest_Hz * 1e3}, {"rms_mHz", m.rms_Hz * 1e3}});
    for (const auto& e : r.modes)
      o["modes"].push_back({{"frequency_Hz", e.mode.frequency_Hz}, {"damping_percent", 100.0 * e.mode.damping_frac}, {"line_Hz", e.line_Hz}, {"line_MW", e.line_W * 1e-6}, {"deviation_mHz", e.deviation_Hz * 1e3}});
    for (const auto& s : shafts)
      o["shafts"].push_back({{"frequency_Hz", s.mode.frequency_Hz}, {"equivalent_MW", s.equivalent_W * 1e-6}, {"at_s", w.first_s + static_cast<double>(s.at_bin) * w.step_s}});
    fmt::print("{}\n", o.dump());
    return;
  }
  fmt::print("{} on bus {:g} of {}, {:.0f} s of window '{}'\n", a.result, bus, a.grid_case, static_cast<double>(w.pcc_W.size()) * w.step_s, w.window);
  for (const auto& m : r.machines)
    fmt::print("  machine at bus {:<4g} {:+8.2f} to {:+8.2f} mHz, rms {:.2f} mHz\n", m.bus, m.lowest_Hz * 1e3, m.highest_Hz * 1e3, m.rms_Hz * 1e3);
  if (r.left_out_slower_s > 0.0) fmt::print("  (no governors in this case: the waveform's moving mean over {:g} s is left out)\n", r.left_out_slower_s);
  fmt::print("rotor angles apart by up to {:.3f} deg, voltage {:.4f} to {:.4f} pu\n", r.peak_to_peak_rad * 57.29577951308232, r.voltage_lowest_pu, r.voltage_highest_pu);
  for (const auto& e : r.modes)
    fmt::print("  mode {:.3f} Hz, damping {:5.1f} %: nearest line {:.3f} Hz, {:.3f} MW; kept up, it moves a machine by +-{:.2f} mHz\n", e.mode.frequency_Hz,
               100.0 * e.mode.damping_frac, e.line_Hz, e.line_W * 1e-6, e.deviation_Hz * 1e3);
  for (const auto& s : shafts)
    fmt::print("  shaft mode {:.2f} Hz: driven like by a lasting sine of {:.3f} MW\n", s.mode.frequency_Hz, s.equivalent_W * 1e-6);
  fmt::print("{}\n", path.string());
}

/// Distance between ticks: 1, 2 or 5 times a power of ten, four to eight of them up to `most`.
double tick_step(double most) {
  const double power = std::pow(10.0, std::floor(std::log10(most)));
  for (const double step : {0.1, 0.2, 0.5, 1.0})
    if (most / (step * power) <= 8.0) return step * power;
  return 2.0 * power;
}

/// Rows of labels above the plot, left to right: each below those it would touch, so that no line runs through a text.
std::vector<std::size_t> label_rows(const std::vector<double>& at, double width) {
  std::vector<std::size_t> out;
  for (std::size_t j = 0; j < at.size(); ++j) {
    out.push_back(0);
    for (std::size_t i = 0; i < j; ++i)
      if (at[i] + width > at[j]) out[j] = std::max(out[j], out[i] + 1);
  }
  return out;
}

std::string svg(const std::vector<double>& period_s, const std::vector<double>& mHz, const std::vector<grid::Mode>& modes, const std::string& title) {
  constexpr double left = 70, width = 760, height = 320, row_height = 16, label_width = 58;
  const double lo = std::log10(period_s.front()), hi = std::log10(period_s.back()), largest = *std::max_element(mHz.begin(), mHz.end());
  const double step = tick_step(std::max(largest, 1e-9)), most = step * std::ceil(1.02 * largest / step);
  const auto x = [&](double s) { return left + width * (std::log10(s) - lo) / (hi - lo); };
  std::vector<double> marked_s, marked_x;
  for (const auto& m : modes)
    if (const double s = 1.0 / m.frequency_Hz; s >= period_s.front() && s <= period_s.back()) marked_s.push_back(s);
  std::sort(marked_s.begin(), marked_s.end());
  for (const double s : marked_s) marked_x.push_back(std::min(x(s), left + width - label_width));
  const auto rows = label_rows(marked_x, label_width);
  const double n_row = rows.empty() ? 0.0 : 1.0 + static_cast<double>(*std::max_element(rows.begin(), rows.end()));
  const double top = 40.0 + row_height * n_row, bottom = top + height;
  const auto y = [&](double v) { return top + height * (1.0 - v / most); };
  std::string out = fmt::format("<svg xmlns='http://www.w3.org/2000/svg' width='870' height='{0}' font-family='sans-serif' font-size='13'>"
                                "<rect width='870' height='{0}' fill='white'/><text x='{1}' y='24' font-size='15'>{2}</text>", bottom + 60.0, left, title);
  for (double v = 0.0; v <= most * (1.0 + 1e-9); v += step)
    out += fmt::format("<line x1='{0}' x2='{1}' y1='{2:.1f}' y2='{2:.1f}' stroke='#ddd'/><text x='{3}' y='{4:.1f}' text-anchor='end'>{5:g}</text>", left, left + width, y(v), left - 6, y(v) + 4, std::round(v / step) * step);
  for (const double decade : {0.1, 1.0, 10.0, 100.0})
    for (const double digit : {1.0, 1.5, 2.0, 3.0, 5.0, 7.0})
      if (const double s = decade * digit; s >= period_s.front() * 0.999 && s <= period_s.back() * 1.001)
        out += fmt::format("<line x1='{0:.1f}' x2='{0:.1f}' y1='{1}' y2='{2}' stroke='#ddd'/><text x='{0:.1f}' y='{3}' text-anchor='middle'>{4:g}</text>", x(s), top, bottom, bottom + 18, s);
  for (std::size_t i = 0; i < marked_s.size(); ++i) {
    const double label_y = 40.0 + row_height * (static_cast<double>(rows[i]) + 0.7);
    out += fmt::format("<line x1='{0:.1f}' x2='{0:.1f}' y1='{1:.1f}' y2='{2}' stroke='#c33' stroke-dasharray='4 4'/><text x='{3:.1f}' y='{1:.1f}' fill='#c33'>{4:.2f} Hz</text>", x(marked_s[i]), label_y, bottom, marked_x[i] + 3, 1.0 / marked_s[i]);
  }
  out += "<polyline fill='none' stroke='#1f5fa8' stroke-width='2' points='";
  for (std::size_t i = 0; i < period_s.size(); ++i) out += fmt::format("{:.1f},{:.1f} ", x(period_s[i]), y(mHz[i]));
  out += fmt::format("'/><text x='{}' y='{}' text-anchor='middle'>iteration period, s</text><text x='18' y='{}' transform='rotate(-90 18 {})' text-anchor='middle'>swing of a machine, mHz</text></svg>\n",
                     left + width / 2, bottom + 40, top + height / 2, top + height / 2);
  return out;
}

/// Square waves of every period at one bus.
void sweep(const Arguments& a) {
  const auto c = read_case(a);
  const double bus = site_bus(a, c), swing_W = a.swing_MW * 1e6;
  grid::LinearSystem linear(grid::MachineSystem(c, bus));
  if (a.damping_percent >= 0.0) linear = linear.with_swing_damping(0.01 * a.damping_percent);
  std::vector<double> period_s, mHz;
  for (std::int64_t i = 0; i < a.points; ++i)
    period_s.push_back(a.from_s * std::pow(a.to_s / a.from_s, static_cast<double>(i) / static_cast<double>(a.points - 1)));
  for (const auto& m : linear.swing_modes())
    if (1.0 / m.frequency_Hz > a.from_s && 1.0 / m.frequency_Hz < a.to_s) period_s.push_back(1.0 / m.frequency_Hz);
  std::sort(period_s.begin(), period_s.end());
  for (const double s : period_s) mHz.push_back(1e3 * grid::forced_oscillation(linear, swing_W, s, a.duty).peak_to_peak_Hz);
  const auto at = static_cast<std::size_t>(std::max_element(mHz.begin(), mHz.end()) - mHz.begin());
  const auto buses = grid::worst_buses(c, swing_W, period_s[at], a.duty, 0.01 * a.damping_percent);
  const std::string stem = a.out.empty() ? a.grid_case + "_sweep" : a.out;
  std::string csv = "period_s,peak_to_peak_mHz\n";
  for (std::size_t i = 0; i < period_s.size(); ++i) csv += fmt::format("{:.6g},{:.6g}\n", period_s[i], mHz[i]);
  io::write_durably(stem + ".csv", csv);
  io::write_durably(stem + ".svg", svg(period_s, mHz, linear.swing_modes(), fmt::format("{:g} MW square wave at bus {:g} of {}", a.swing_MW, bus, a.grid_case)));
  if (a.json) {
    nlohmann::ordered_json o{{"case", a.grid_case}, {"bus", bus}, {"worst_period_s", period_s[at]}, {"worst_mHz", mHz[at]},
                             {"swing_within_deadband_MW", a.swing_MW * 2.0 * a.deadband_mHz / mHz[at]}};
    for (const auto& m : linear.swing_modes()) o["modes"].push_back({{"frequency_Hz", m.frequency_Hz}, {"damping_percent", 100.0 * m.damping_frac}});
    for (const auto& b : buses) o["buses"].push_back({{"bus", b.bus}, {"peak_to_peak_mHz", 1e3 * b.peak_to_peak_Hz}});
    fmt::print("{}\n", o.dump());
    return;
  }
  fmt::print("{:g} MW at bus {:g} of {}: worst at a period of {:.3f} s, {:.2f} mHz peak to peak\n", a.swing_MW, bus, a.grid_case, period_s[at], mHz[at]);
  fmt::print("within +-{:g} mHz there: {:.1f} MW\n", a.deadband_mHz, a.swing_MW * 2.0 * a.deadband_mHz / mHz[at]);
  for (const auto& m : linear.swing_modes()) fmt::print("  mode {:.3f} Hz, damping {:.1f} %\n", m.frequency_Hz, 100.0 * m.damping_frac);
  fmt::print("buses, worst first:");
  for (const auto& b : buses) fmt::print(" {:g} ({:.2f} mHz)", b.bus, 1e3 * b.peak_to_peak_Hz);
  fmt::print("\n{0}.csv\n{0}.svg\n", stem);
}

}  // namespace

void add_machines_command(CLI::App& app, int&) {
  auto a = std::make_shared<Arguments>();
  auto* c = app.add_subcommand("machines", "a run's waveform, or square waves of every period, on a power system of several machines");
  c->add_option("result", a->result, "result file whose recorded window is played; without one: --swing-MW");
  c->add_option("--case", a->grid_case, "catalog entry of kind grid_case: kundur_two_area, ieee9, ieee39, …")->capture_default_str();
  c->add_option("--bus", a->bus, "number of the bus where the site connects; 0: the one with the largest load")->check(within(0, 1e6))->capture_default_str();
  c->add_option("--window", a->window, "recorded window; the first one if there is one only");
  c->add_option("--begin-s", a->begin_s, "where in the window to begin")->check(within(0, 86400))->capture_default_str();
  c->add_option("--length-s", a->length_s, "how much of it to play (a minute takes seconds on Kundur's case, minutes on ieee39)")->check(within(10.0, 86400.0))->capture_default_str();
  c->add_option("--swing-MW", a->swing_MW, "height of the square wave of the sweep")->check(within(0.001, 1e5));
  c->add_option("--from-s", a->from_s, "shortest period of the sweep")->check(within(0.1, 1000.0))->capture_default_str();
  c->add_option("--to-s", a->to_s, "longest period of the sweep")->check(within(0.1, 1000.0))->capture_default_str();
  c->add_option("--points", a->points, "periods of the sweep")->check(within(2, 10000))->capture_default_str();
  c->add_option("--duty", a->duty, "share of the period at the high level")->check(within(0.01, 0.99))->capture_default_str();
  c->add_option("--damping-percent", a->damping_percent, "sweep: damping given to every swing mode; left out: the case's own")->check(within(0.0, 100.0));
  c->add_option("--deadband-mHz", a->deadband_mHz, "sweep: deviation that is allowed")->check(within(0.01, 1e4))->capture_default_str();
  c->add_option("--shaft-Hz", a->shaft_Hz, "shaft modes of turbines nearby, to be screened (repeatable)")->allow_extra_args(false)->check(within(0.5, 200.0));
  c->add_option("--shaft-damping-percent", a->shaft_damping_percent, "damping of these; assumed, 0.01 to 1")->check(within(0.001, 40.0))->capture_default_str();
  c->add_option("--out", a->out, "response: CSV file; sweep: stem of CSV and SVG");
  c->add_option("--catalog", a->overlay, "folder of catalog files that add to or replace the built-in ones");
  c->add_flag("--json", a->json, "print one JSON object");
  c->callback([a] {
    if (a->result.empty() == !(a->swing_MW > 0.0)) throw InputError("machines: name either a result file or --swing-MW");
    if (a->result.empty() && !(a->to_s > a->from_s)) throw InputError("machines: --to-s must be above --from-s");
    a->result.empty() ? sweep(*a) : respond(*a);
  });
}
