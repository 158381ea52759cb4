#include <fmt/format.h>

#include <utility>

#include "line_plot.hpp"
#include "machine_study.hpp"

namespace TIDEWATT_NAMESPACE::study {

std::string machines_text(const MachineRun& run) {
  const auto& r = run.response;
  std::string out;
  for (const auto& m : r.machines)
    out += fmt::format("  machine at bus {:<4g} {:+8.2f} to {:+8.2f} mHz, rms {:.2f} mHz\n", m.bus, m.lowest_Hz * 1e3,
                       m.highest_Hz * 1e3, m.rms_Hz * 1e3);
  if (r.left_out_slower_s > 0.0)
    out += fmt::format("  (no governors in this case: the waveform's moving mean over {:g} s is left out)\n",
                       r.left_out_slower_s);
  out += fmt::format("rotor angles apart by up to {:.3f} deg, voltage {:.4f} to {:.4f} pu\n",
                     r.peak_to_peak_rad * 57.29577951308232, r.voltage_lowest_pu, r.voltage_highest_pu);
  for (const auto& e : r.modes)
    out += fmt::format(
        "  mode {:.3f} Hz, damping {:5.1f} %: nearest line {:.3f} Hz, {:.3f} MW; if it lasts, it moves a machine by "
        "+-{:.2f} mHz\n",
        e.mode.frequency_Hz, 100.0 * e.mode.damping_frac, e.line_Hz, e.line_W * 1e-6, e.deviation_Hz * 1e3);
  for (const auto& s : run.shafts)
    out += fmt::format("  shaft mode {:.2f} Hz: driven as by a lasting sine of {:.3f} MW\n", s.mode.frequency_Hz,
                       s.equivalent_W * 1e-6);
  return out;
}

std::string machines_csv(const MachineRun& run) {
  const auto& r = run.response;
  const std::size_t n = r.machines.size();
  std::string out = "time_s";
  for (const auto& m : r.machines) out += fmt::format(",machine_bus_{:g}_Hz", m.bus);
  out += "\n";
  for (std::size_t i = 0; i < r.time_s.size(); ++i) {
    out += fmt::format("{:.6f}", run.first_s + r.time_s[i]);
    for (std::size_t m = 0; m < n; ++m) out += fmt::format(",{:.9g}", r.frequency_Hz[i * n + m]);
    out += "\n";
  }
  return out;
}

std::string sweep_text(const PeriodSweep& sweep) {
  const auto& o = sweep.options;
  std::string out = fmt::format("{:g} MW at bus {:g} of {}: worst at a period of {:.3f} s, {:.2f} mHz peak to peak\n",
                                o.swing_W * 1e-6, sweep.bus, o.grid_case, sweep.worst_s, 1e3 * sweep.worst_Hz);
  out += fmt::format("within +-{:g} mHz there: {:.1f} MW\n", o.deadband_Hz * 1e3, sweep.within_deadband_W * 1e-6);
  for (const auto& m : sweep.modes)
    out += fmt::format("  mode {:.3f} Hz, damping {:.1f} %\n", m.frequency_Hz, 100.0 * m.damping_frac);
  out += "buses, worst first:";
  for (const auto& b : sweep.buses) out += fmt::format(" {:g} ({:.2f} mHz)", b.bus, 1e3 * b.peak_to_peak_Hz);
  return out + "\n";
}

std::string sweep_svg(const PeriodSweep& sweep) {
  PlotLine swing{"", sweep.period_s, {}};
  swing.y.reserve(sweep.peak_to_peak_Hz.size());
  for (const double Hz : sweep.peak_to_peak_Hz) swing.y.push_back(1e3 * Hz);
  LinePlot plot;
  plot.title = fmt::format("{:g} MW square wave at bus {:g} of {}", sweep.options.swing_W * 1e-6, sweep.bus,
                           sweep.options.grid_case);
  plot.x_label = "iteration period (s)";
  plot.y_label = "swing of a machine (mHz)";
  plot.log_x = true;
  plot.lines.push_back(std::move(swing));
  for (const auto& m : sweep.modes)
    if (const double s = 1.0 / m.frequency_Hz; s >= sweep.period_s.front() && s <= sweep.period_s.back())
      plot.lines.push_back(
          {fmt::format("mode {:.2f} Hz", m.frequency_Hz), {s, s}, {0.0, 1e3 * sweep.worst_Hz}, "#D55E00", true});
  return plot.svg();
}

std::string sweep_csv(const PeriodSweep& sweep) {
  std::string out = "period_s,peak_to_peak_mHz\n";
  for (std::size_t i = 0; i < sweep.period_s.size(); ++i)
    out += fmt::format("{:.6g},{:.6g}\n", sweep.period_s[i], 1e3 * sweep.peak_to_peak_Hz[i]);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
