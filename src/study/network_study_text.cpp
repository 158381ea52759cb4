#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "network_study.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

struct Extremes {
  double low = 1e300, high = -1e300;
  void take(double x) { low = std::min(low, x), high = std::max(high, x); }
};

Extremes of_unit(const grid::GridTrace& t, std::size_t u) {
  Extremes out;
  for (std::size_t r = 0; r < t.time_s.size(); ++r) out.take(t.speed_Hz[r * t.unit.size() + u]);
  return out;
}

Extremes site_voltage(const grid::GridTrace& t) {
  const std::size_t n = t.voltage_pu.size() / t.time_s.size();
  Extremes out;
  for (std::size_t r = 0; r < t.time_s.size(); ++r) out.take(t.voltage_pu[r * n + t.site_bus]);
  return out;
}

std::string event(const NetworkRun& run) {
  const auto& o = run.options;
  const std::string network = std::filesystem::path(o.raw).filename().string();
  if (!o.result.empty())
    return fmt::format("{} on bus {} of {}, less the {:.2f} MW that were dispatched", o.result, run.bus, network,
                       run.dispatch_W * 1e-6);
  if (!o.trip.empty()) return fmt::format("unit {} of {} is switched off at {:g} s", o.trip, network, o.at_s);
  const std::string how =
      o.ramp_s > 0.0 ? fmt::format("within {:g} s from {:g} s on", o.ramp_s, o.at_s) : fmt::format("at {:g} s", o.at_s);
  return fmt::format("{:g} MW {} at bus {} of {} {}", std::abs(o.step_W) * 1e-6,
                     o.step_W < 0.0 ? "of load lost" : "of load gained", run.bus, network, how);
}

}  // namespace

std::string network_text(const NetworkRun& run) {
  const auto& t = run.trace;
  std::string out = event(run) + "\n";
  if (run.has_answer) {
    const auto& a = run.answer;
    if (run.options.ramp_s == 0.0 && run.options.site != "supplies")  // supplies follow a step with their loops
      out += fmt::format(
          "the machines' power steps by {:+.2f} MW; the mean frequency starts at {:+.4f} Hz/s (f0 dP/(2 sum HS): "
          "{:+.4f})\n",
          a.power_step_W * 1e-6, a.rocof_Hz_per_s, a.expected_rocof_Hz_per_s);
    out += fmt::format("mean frequency: {:+.1f} mHz at most, {:.2f} s after the event; {:+.1f} mHz at the end\n",
                       1e3 * a.extremum_Hz, a.extremum_s, 1e3 * a.settled_Hz);
  }
  for (std::size_t u = 0; u < t.unit.size(); ++u) {
    if (!t.machine[u]) continue;
    const Extremes e = of_unit(t, u);
    out += fmt::format("  machine {:<8} {:+9.2f} to {:+9.2f} mHz", t.unit[u], 1e3 * e.low, 1e3 * e.high);
    if (run.has_answer)
      out += fmt::format(", {:+9.2f} mHz in the mean of the first 2 s", 1e3 * run.answer.machine_first_Hz[u]);
    out += "\n";
  }
  if (!run.modes.empty()) {
    // Only of modes that swing: a slow drift of a control does not depend on the site.
    const auto damping = [](const grid::GridMode& x) { return x.frequency_Hz > 0.02 ? x.damping_frac : 2.0; };
    const auto& m = *std::min_element(run.modes.begin(), run.modes.end(),
                                      [&](const auto& x, const auto& y) { return damping(x) < damping(y); });
    out += fmt::format("least damped swing with the site's supplies: {:.3f} Hz, damping {:+.2f} % ({}, {}){}\n",
                       m.frequency_Hz, 100.0 * m.damping_frac, m.parts[0].state, m.parts[1].state,
                       m.damping_frac < 0.0 ? "; it grows: the network with this site is unstable" : "");
  }
  const Extremes v = site_voltage(t);
  return out + fmt::format("voltage at bus {}: {:.4f} to {:.4f} pu\n", run.bus, v.low, v.high);
}

std::string network_json(const NetworkRun& run) {
  const auto& t = run.trace;
  const Extremes v = site_voltage(t);
  nlohmann::ordered_json o{{"network", run.options.raw},  {"bus", run.bus},
                           {"length_s", t.time_s.back()}, {"stored_MJ", t.stored_J * 1e-6},
                           {"voltage_lowest_pu", v.low},  {"voltage_highest_pu", v.high}};
  if (run.has_answer) {
    const auto& a = run.answer;
    o.update({{"event_s", a.event_s},
              {"before_mHz", 1e3 * a.before_Hz},
              {"power_step_MW", a.power_step_W * 1e-6},
              {"rocof_Hz_per_s", a.rocof_Hz_per_s},
              {"expected_rocof_Hz_per_s", a.expected_rocof_Hz_per_s},
              {"extremum_mHz", 1e3 * a.extremum_Hz},
              {"extremum_s", a.extremum_s},
              {"settled_mHz", 1e3 * a.settled_Hz},
              {"first_2s_mHz", 1e3 * a.first_mean_Hz}});
  } else {
    o["dispatch_MW"] = run.dispatch_W * 1e-6;
  }
  for (const auto& m : run.modes)
    o["modes"].push_back({{"real_per_s", m.s.real()},
                          {"frequency_Hz", m.frequency_Hz},
                          {"damping_percent", 100.0 * m.damping_frac},
                          {"state", m.parts[0].state}});
  for (std::size_t u = 0; u < t.unit.size(); ++u) {
    if (!t.machine[u]) continue;
    const Extremes e = of_unit(t, u);
    nlohmann::ordered_json m{{"name", t.unit[u]}, {"lowest_mHz", 1e3 * e.low}, {"highest_mHz", 1e3 * e.high}};
    if (run.has_answer) m["first_2s_mHz"] = 1e3 * run.answer.machine_first_Hz[u];
    o["machines"].push_back(std::move(m));
  }
  return o.dump();
}

std::string network_csv(const NetworkRun& run) {
  const auto& t = run.trace;
  const std::size_t n = t.unit.size(), n_bus = run.bus_number.size();
  std::string out = "time_s,mean_Hz";
  for (std::size_t u = 0; u < n; ++u)
    if (t.machine[u]) out += fmt::format(",unit_{}_Hz,unit_{}_MW", t.unit[u], t.unit[u]);
  out += fmt::format(",bus_{}_pu\n", run.bus);
  for (std::size_t r = 0; r < t.time_s.size(); ++r) {
    out += fmt::format("{:.6f},{:.9g}", t.time_s[r], t.mean_Hz[r]);
    for (std::size_t u = 0; u < n; ++u)
      if (t.machine[u]) out += fmt::format(",{:.9g},{:.9g}", t.speed_Hz[r * n + u], 1e-6 * t.power_W[r * n + u]);
    out += fmt::format(",{:.9g}\n", t.voltage_pu[r * n_bus + t.site_bus]);
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
