// The neutral data sheet of a filing: each field with its figure, its method and its input.
#include <fmt/format.h>

#include <cmath>

#include "filing_parts.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

using Rows = std::vector<DataSheetRow>;

constexpr const char* no_run = "needs a result: tidewatt run";

/// A figure of the first result's summary.
void from_run(const Filing& f, Rows& rows, const std::string& field, const char* key, const std::string& unit,
              const std::string& method) {
  const double x = f.results.empty() ? std::nan("") : figure_of(f.results.front(), key);
  rows.push_back({field, number(x), unit, method,
                  f.results.empty() ? no_run : fmt::format("summary {} of result {}", key, f.results.front().name)});
}

/// A table of figures by window or band.
void table_of_run(const Filing& f, Rows& rows, const std::string& field, const char* key, const std::string& unit,
                  double scale, const std::string& method) {
  if (f.results.empty()) return rows.push_back({field, "open", unit, method, no_run});
  const auto& r = f.results.front();
  const auto it = r.summary.find(key);
  if (it == r.summary.end() || !it->is_object())
    return rows.push_back({field, "open", unit, method, fmt::format("result {} has none", r.name)});
  for (const auto& [window, value] : it->items())
    rows.push_back({field + ", " + window,
                    value.is_number() && (field.find("ramp") == std::string::npos || long_enough(r, window))
                        ? number(value.get<double>() * scale)
                        : "open",
                    unit, method, fmt::format("summary {} of result {}", key, r.name)});
}

void power_rows(const Filing& f, Rows& rows) {
  rows.push_back({"design power of the servers", number(f.design_W * 1e-6), "MW",
                  "every GPU at its limit, fans at full speed, at the AC inputs",
                  "hall.*.n_gpu, gpu, server of the scenario"});
  from_run(f, rows, "largest power", "pcc_max_MW", "MW", "1 ms mean at the connection");
  from_run(f, rows, "smallest power", "pcc_min_MW", "MW", "1 ms mean at the connection");
  from_run(f, rows, "mean power", "pcc_mean_MW", "MW", "energy at the connection over the run's length");
  from_run(f, rows, "mean power of the servers", "it_mean_MW", "MW", "energy at the AC inputs over the run's length");
  const double site = f.results.empty() ? std::nan("") : figure_of(f.results.front(), "pcc_mean_MW"),
               servers = f.results.empty() ? std::nan("") : figure_of(f.results.front(), "it_mean_MW");
  rows.push_back({"share of plant and losses", number(100.0 * (1.0 - servers / site), 3), "%",
                  "1 less servers over connection, means",
                  f.results.empty() ? no_run : "summary it_mean_MW, pcc_mean_MW"});
  double P = 0.0, Q = 0.0;
  const bool window = !f.results.empty() && f.results.front().window;
  if (window)
    for (std::size_t i = 0; i < f.results.front().window->pcc_W.size(); ++i)
      P += f.results.front().window->pcc_W[i], Q += f.results.front().window->pcc_var[i];
  rows.push_back({"power factor, mean", window ? number(P / std::hypot(P, Q), 4) : "open", "",
                  "mean P over the apparent power of mean P and Q, fundamental",
                  window ? "recorded window of result " + f.results.front().name : "needs a recorded window"});
}

void swing_rows(const Filing& f, Rows& rows) {
  table_of_run(f, rows, "largest ramp up", "ramp_up_MW_per_s", "MW per min", 60.0,
               "change of means over the window, per time");
  table_of_run(f, rows, "largest ramp down", "ramp_down_MW_per_s", "MW per min", 60.0,
               "change of means over the window, per time");
  from_run(f, rows, "largest change within 1 s", "pcc_step_1s_max_MW", "MW", "|P(t + 1 s) - P(t)|");
  table_of_run(f, rows, "swing in a band, RMS", "band_rms_MW", "MW", 1.0, "band-pass of the power");
  from_run(f, rows, "frequency of the largest line", "pcc_dominant_Hz", "Hz", "Welch, at or above 0.02 Hz");
  rows.push_back(
      {"harmonics to the 50th", "open", "%", "not simulated: fundamental only", "measurement or converter data"});
  for (const char* lamp : {"120V_60Hz", "230V_50Hz"})
    from_run(f, rows, fmt::format("flicker P_st, {}", lamp), fmt::format("flicker_P_st_{}", lamp).c_str(), "",
             "IEC 61000-4-15, worst ten minutes");
}

void connection_rows(const Filing& f, Rows& rows) {
  rows.push_back({"nominal voltage", number(f.s.source.nominal_V * 1e-3), "kV", "stated",
                  "grid.nominal_kV of the scenario or its entry"});
  rows.push_back({"short-circuit power", number(f.s.source.short_circuit_VA * 1e-6), "MVA", "stated",
                  "grid entry of the scenario"});
  rows.push_back({"short-circuit ratio at design power", number(f.s.source.short_circuit_VA / f.design_W, 3), "",
                  "short-circuit power over design power", "the two rows above"});
}

void protection_rows(const Filing& f, Rows& rows) {
  const double all = f.load.site_W;
  double behind = 0.0;
  for (const auto& p : f.load.parts)
    if (p.kind == grid::LoadKind::supply && p.group.returns && p.group.ramp_s + p.group.return_s > 0.0)
      behind += p.group.power_W;
  rows.push_back({"share behind supplies that transfer and return", number(100.0 * behind / all, 3), "%",
                  "parts with a return over the site's mean power", f.load.from});
  for (const auto& p : f.load.parts) {
    const auto& g = p.group;
    const auto row = [&](const std::string& field, std::string value, const char* unit) {
      rows.push_back({g.name + ": " + field, std::move(value), unit, "setting", f.load.from});
    };
    row("power", number(g.power_W * 1e-6), "MW");
    for (const auto& t : g.voltage)
      row(t.below ? "leaves below" : "leaves above", fmt::format("{:g} pu for longer than {:g} s", t.limit, t.after_s),
          "");
    for (const auto& t : g.frequency)
      row(t.below ? "leaves below" : "leaves above", fmt::format("{:g} Hz for longer than {:g} s", t.limit, t.after_s),
          "");
    if (p.low_spread_pu > 0.0) row("spread of the lower limits", number(p.low_spread_pu), "pu");
    row("returns",
        g.returns ? fmt::format("{:g} % by themselves: above {:g} pu for {:g} s, ramp {:g} s", 100.0 * p.returns_frac,
                                g.return_low_pu, g.return_s, g.ramp_s)
                  : "not by itself: its load stopped",
        "");
    row("counter", g.count_limit > 0 ? fmt::format("{} in {:g} s", g.count_limit, g.count_window_s) : "none", "");
    row("input current limit", std::isfinite(g.current_ratio) ? number(g.current_ratio) : "open", "pu");
  }
  rows.push_back(
      {"frequency settings",
       std::any_of(f.load.parts.begin(), f.load.parts.end(), [](const auto& p) { return !p.group.frequency.empty(); })
           ? "as above"
           : "open",
       "", "setting", "not stated by the scenario"});
}

void storage_rows(const Filing& f, Rows& rows) {
  const auto& d = f.s.devices;
  rows.push_back({"site battery",
                  f.s.battery
                      ? fmt::format("{:.4g} MW, {:.4g} MWh", f.s.battery->power_W * 1e-6, f.s.battery->energy_J / 3.6e9)
                      : "none",
                  "", "stated", "mitigation of kind site_battery"});
  rows.push_back({"storage in the racks",
                  d.rack_storage ? fmt::format("{:.4g} kW, {:.4g} kJ per {}", d.rack_storage->store.power_W * 1e-3,
                                               d.rack_storage->store.energy_J * 1e-3, word_of(d.storage_per))
                                 : "none",
                  "", "stated", "site.rack_storage"});
  rows.push_back({"standby generation", d.generators ? "yes" : "none", "", "stated", "site.generators"});
  rows.push_back({"generation in parallel", d.turbines ? number(d.turbines->dispatch_W * 1e-6) + " MW" : "none", "",
                  "stated", "site.turbines"});
}

}  // namespace

std::vector<DataSheetRow> data_sheet(const Filing& f) {
  Rows rows;
  power_rows(f, rows);
  swing_rows(f, rows);
  connection_rows(f, rows);
  protection_rows(f, rows);
  storage_rows(f, rows);
  return rows;
}

}  // namespace TIDEWATT_NAMESPACE::study
