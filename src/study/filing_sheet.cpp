// The neutral data sheet of a filing: each field with its figure, its method and its input.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <string_view>

#include "filing_parts.hpp"
#include "grid/power_line.hpp"
#include "sim/figure_list.hpp"
#include "sim/iteration_view.hpp"
#include "sim/site_params.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

using Rows = std::vector<DataSheetRow>;

constexpr const char* no_run = "needs a result: tidewatt run";

/// The part of the run that a figure is taken from.
enum class Span : std::uint8_t { whole, rated, window };

std::string words(const Filing& f, Span span) {
  const auto word = [&](const FiledResult& r) {
    return span == Span::whole ? r.whole_words() : span == Span::rated ? r.rated_words() : r.window_words();
  };
  return f.results.empty() ? "of a run" : word(f.results.front());
}

/// Utilities ask for ramps per minute.
double sheet_scale(const sim::Figure& figure) { return figure.unit == std::string_view("MW/s") ? 60.0 : 1.0; }
std::string sheet_unit(const sim::Figure& figure) { return sheet_scale(figure) == 60.0 ? "MW per min" : figure.unit; }

/// A figure of the first result's summary.
void from_run(const Filing& f, Rows& rows, Span span, const char* key, const std::string& method) {
  const auto& figure = *sim::find_figure(key);
  const double x = f.results.empty() ? std::nan("") : figure_of(f.results.front(), key);
  rows.push_back({figure.words, number(x * sheet_scale(figure), figure.traits.digits), sheet_unit(figure), method,
                  f.results.empty() ? no_run : fmt::format("summary {} of result {}", key, f.results.front().name),
                  words(f, span)});
}

/// A table of figures by window or band.
void table_of_run(const Filing& f, Rows& rows, const char* key, const std::string& method) {
  const auto& figure = *sim::find_figure(key);
  const std::string span = words(f, Span::rated), unit = sheet_unit(figure);
  if (f.results.empty()) return rows.push_back({figure.words, "open", unit, method, no_run, span});
  const auto& r = f.results.front();
  const auto it = r.summary.find(key);
  if (it == r.summary.end() || !it->is_object())
    return rows.push_back({figure.words, "open", unit, method, fmt::format("result {} has none", r.name), span});
  const bool ramp = unit != figure.unit;
  for (const auto& [window, value] : it->items()) {
    const bool fits = !ramp || long_enough(r, window);
    rows.push_back(
        {fmt::format("{}, {}", figure.words, spaced(window)),
         value.is_number() && fits ? number(value.get<double>() * sheet_scale(figure), figure.traits.digits) : "open",
         unit, method,
         fits ? fmt::format("summary {} of result {}", key, r.name) : "the rated part is too short, below two windows",
         span});
  }
}

/// A figure of the first result's recorded window; open without one.
/// What reactive power follows from beside the load.
constexpr const char* reactive = "; power factors, reactances and magnetising currents of site.feeder";

void from_window(const Filing& f, Rows& rows, const std::string& field, const std::string& unit,
                 const std::string& method, const std::function<std::string(const io::Waveform&)>& value,
                 const char* more = "") {
  const bool window = !f.results.empty() && f.results.front().window;
  rows.push_back({field, window ? value(*f.results.front().window) : "open", unit, method,
                  window ? "recorded window of result " + f.results.front().name + more : "needs a recorded window",
                  words(f, Span::window)});
}

double sum(const std::vector<double>& x) { return std::accumulate(x.begin(), x.end(), 0.0); }

/// Mean power factor, and whether the current lags (the site takes reactive power) or leads.
std::string power_factor(const io::Waveform& w) {
  const double P = sum(w.pcc_W), Q = sum(w.pcc_var);
  return fmt::format("{}{}", number(P / std::hypot(P, Q), 4), Q > 0.0 ? " lagging" : Q < 0.0 ? " leading" : "");
}

void power_rows(const Filing& f, Rows& rows) {
  rows.push_back({"design power of the servers", number(f.design_W * 1e-6), "MW",
                  "every GPU at its limit, fans at full speed, at the AC inputs",
                  "hall.*.n_gpu, gpu, server of the scenario"});
  from_run(f, rows, Span::whole, "pcc_max_MW", "1 ms mean at the connection");
  from_run(f, rows, Span::whole, "pcc_min_MW", "1 ms mean at the connection");
  from_run(f, rows, Span::whole, "pcc_mean_MW", "energy at the connection over the run's length");
  from_run(f, rows, Span::whole, "it_mean_MW", "energy at the AC inputs over the run's length");
  const double site = f.results.empty() ? std::nan("") : figure_of(f.results.front(), "pcc_mean_MW"),
               servers = f.results.empty() ? std::nan("") : figure_of(f.results.front(), "it_mean_MW");
  rows.push_back({"share of plant and losses", number(100.0 * (1.0 - servers / site), 3), "%",
                  "1 less servers over connection, means",
                  f.results.empty() ? no_run : "summary it_mean_MW, pcc_mean_MW", words(f, Span::whole)});
  from_window(f, rows, "largest power in the window", "MW", "1 ms mean at the connection",
              [](const auto& w) { return number(1e-6 * *std::max_element(w.pcc_W.begin(), w.pcc_W.end())); });
  from_window(f, rows, "smallest power in the window", "MW", "1 ms mean at the connection",
              [](const auto& w) { return number(1e-6 * *std::min_element(w.pcc_W.begin(), w.pcc_W.end())); });
  from_window(
      f, rows, "largest reactive power", "Mvar", "1 ms mean, positive: taken from the grid",
      [](const auto& w) { return number(1e-6 * *std::max_element(w.pcc_var.begin(), w.pcc_var.end())); }, reactive);
  from_window(
      f, rows, "smallest reactive power", "Mvar", "1 ms mean, positive: taken from the grid",
      [](const auto& w) { return number(1e-6 * *std::min_element(w.pcc_var.begin(), w.pcc_var.end())); }, reactive);
  from_window(f, rows, "power factor, mean", "",
              "mean P over the apparent power of mean P and Q, fundamental; lagging: reactive power is taken",
              power_factor, reactive);
  from_window(
      f, rows, "power factor at the largest power", "", "that millisecond's P over its apparent power, fundamental",
      [](const auto& w) {
        const auto at = std::max_element(w.pcc_W.begin(), w.pcc_W.end()) - w.pcc_W.begin();
        const double P = w.pcc_W[static_cast<std::size_t>(at)], Q = w.pcc_var[static_cast<std::size_t>(at)];
        return fmt::format("{}{}", number(P / std::hypot(P, Q), 4), Q > 0.0 ? " lagging" : Q < 0.0 ? " leading" : "");
      },
      reactive);
}

/// As in the spectrum of the report and the LINJBL record.
void line_rows(const Filing& f, Rows& rows) {
  grid::PowerLine line;
  if (!f.results.empty() && f.results.front().window) {
    const auto& w = *f.results.front().window;
    line = grid::largest_line(grid::power_spectrum(w.pcc_W, w.step_s));
  }
  const std::string method = line.segment_s > 0.0
                                 ? fmt::format("Welch, Hann window, segments of {:.4g} s; at or above {:.3g} Hz",
                                               line.segment_s, line.lowest_Hz)
                                 : "Welch, Hann window";
  const bool found = line.amplitude_W > 0.0;
  from_window(f, rows, "frequency of the largest line", "Hz", method,
              [&](const auto&) { return found ? number(line.frequency_Hz) : "open"; });
  from_window(f, rows, "amplitude of the largest line", "MW", method + "; half of peak to peak",
              [&](const auto&) { return found ? number(line.amplitude_W * 1e-6) : "open"; });
}

void swing_rows(const Filing& f, Rows& rows) {
  const std::string ramps = "change of means over the window, per time";
  from_run(f, rows, Span::whole, "pcc_ramp_up_max_MW_per_s", ramps);
  from_run(f, rows, Span::whole, "pcc_ramp_down_max_MW_per_s", ramps);
  from_run(f, rows, Span::whole, "pcc_step_1s_max_MW", "|P(t + 1 s) - P(t)|");
  table_of_run(f, rows, "ramp_up_MW_per_s", ramps);
  table_of_run(f, rows, "ramp_down_MW_per_s", ramps);
  table_of_run(f, rows, "band_rms_MW", "band-pass of the power");
  line_rows(f, rows);
  rows.push_back({"harmonics to the 50th", "open", "%", "not simulated: fundamental only",
                  "measurement or converter data", "of a run"});
  from_run(f, rows, Span::whole, "volt_deviation_max_percent",
           "from the voltage at the run's first power, caused by the site behind the short-circuit power below");
  for (const char* key : {"flicker_P_st_120V_60Hz", "flicker_P_st_230V_50Hz"})
    from_run(f, rows, Span::rated, key, "IEC 61000-4-15, worst ten minutes");
}

/// "stated", or the range of an assumed value.
std::string stated(const Filing& f, const std::string& key, const char* unit) {
  const auto* a = assumed(f, key);
  return a ? fmt::format("assumed, range {:g} to {:g} {}", a->low, a->high, unit) : "stated";
}

void connection_rows(const Filing& f, Rows& rows) {
  const std::string MVA = "grid.source.short_circuit_MVA";
  rows.push_back({"nominal voltage", number(f.s.source.nominal_V * 1e-3), "kV",
                  stated(f, "grid.source.nominal_kV", "kV"), "grid.source.nominal_kV"});
  rows.push_back(
      {"short-circuit power", number(f.s.source.short_circuit_VA * 1e-6), "MVA", stated(f, MVA, "MVA"), MVA});
  const auto* a = assumed(f, MVA);
  rows.push_back({"short-circuit ratio at design power", number(f.s.source.short_circuit_VA / f.design_W, 3), "",
                  a ? fmt::format("short-circuit power over design power; with the range assumed {} to {}",
                                  number(a->low * 1e6 / f.design_W, 3), number(a->high * 1e6 / f.design_W, 3))
                    : "short-circuit power over design power",
                  "the row above and the design power"});
}

/// "setting", and the ranges of those of a part's keys that nobody has stated.
std::string setting(const Filing& f, const std::string& part, std::initializer_list<const char*> keys) {
  const auto& name = f.o.source.settings;
  const std::string group = (name.empty() ? "site.load_settings" : "load_settings." + name) + ".group." + part + ".";
  std::string out = "setting";
  for (const auto& a : f.assumed)
    for (const char* key : keys)
      if (a.key.starts_with(group + key) && (a.key.size() == group.size() + std::strlen(key) || a.key.ends_with("[0]")))
        out += fmt::format("; assumed {}, range {:g} to {:g}", key, a.low, a.high);
  return out;
}

/// Limits of one part on one side, in words: a part without one never leaves.
void limit_rows(const Filing& f, Rows& rows, const grid::LoadGroup& g) {
  const auto row = [&](const std::string& field, std::string value, const std::string& method = "setting") {
    rows.push_back({g.name + ": " + field, std::move(value), "", method, f.load.from});
  };
  const std::string low = setting(f, g.name, {"low_pu", "low_after_s"}),
                    high = setting(f, g.name, {"high_pu", "high_after_s"});
  const auto side = [&](const std::vector<grid::Trip>& trips, bool below, const char* unit) {
    bool any = false;
    for (const auto& t : trips) {
      if (t.below != below || (below && !(t.limit > 0.0))) continue;
      any = true;
      row(below ? "leaves below" : "leaves above",
          fmt::format("{:g} {} for longer than {:g} s", t.limit, unit, t.after_s),
          unit != std::string_view("pu") ? "setting"
          : below                        ? low
                                         : high);
    }
    return any;
  };
  // A limit of 0 pu is stated and never reached; a side without any limit is not stated.
  const bool set = std::any_of(g.voltage.begin(), g.voltage.end(), [](const auto& v) { return v.below; });
  if (!side(g.voltage, true, "pu"))
    row("leaves below", set ? "never leaves by low voltage" : "no limit is set: never leaves by low voltage");
  if (!side(g.voltage, false, "pu")) row("leaves above", "no limit is set: never leaves by high voltage");
  side(g.frequency, true, "Hz");
  side(g.frequency, false, "Hz");
}

void protection_rows(const Filing& f, Rows& rows) {
  const double all = f.load.site_W;
  double behind = 0.0;
  for (const auto& p : f.load.parts)
    if (p.kind == grid::LoadKind::supply && p.group.returns && p.group.ramp_s + p.group.return_s > 0.0)
      behind += p.group.power_W;
  rows.push_back({"settings of the load", f.load.from, "", "by these every part below is filed",
                  f.o.source.settings.empty() ? "scenario" : "option --settings"});
  rows.push_back({"share behind supplies that transfer and return", number(100.0 * behind / all, 3), "%",
                  "parts with a return over the site's mean power", f.load.from});
  for (const auto& p : f.load.parts) {
    const auto& g = p.group;
    const auto row = [&](const std::string& field, std::string value, const char* unit,
                         const std::string& method = "setting") {
      rows.push_back({g.name + ": " + field, std::move(value), unit, method, f.load.from});
    };
    row("power", number(g.power_W * 1e-6), "MW",
        f.results.empty() ? "share of the design power" : "share of the run's mean power");
    limit_rows(f, rows, g);
    if (p.low_spread_pu > 0.0)
      row("spread of the lower limits", number(p.low_spread_pu), "pu", setting(f, g.name, {"low_spread_pu"}));
    row("returns",
        g.returns ? fmt::format("{:g} % by themselves: above {:g} pu for {:g} s{}, ramp {:g} s", 100.0 * p.returns_frac,
                                g.return_low_pu, g.return_s,
                                p.return_spread_s > 0.0 ? fmt::format(" ± {:g} s over units", p.return_spread_s) : "",
                                g.ramp_s)
                  : "not by itself: its load stopped",
        "", setting(f, g.name, {"return_low_pu", "return_high_pu", "return_s", "return_spread_s", "ramp_s"}));
    row("counter", g.count_limit > 0 ? fmt::format("{} in {:g} s", g.count_limit, g.count_window_s) : "none", "",
        setting(f, g.name, {"lockout_below_pu"}));
    row("input current limit", std::isfinite(g.current_ratio) ? number(g.current_ratio) : "open", "pu",
        std::isfinite(g.current_ratio) ? "setting" : "not stated: current_limit_pu of the part, from its maker");
  }
  rows.push_back(
      {"frequency settings",
       std::any_of(f.load.parts.begin(), f.load.parts.end(), [](const auto& p) { return !p.group.frequency.empty(); })
           ? "as above"
           : "open",
       "", "setting", "low_Hz, high_Hz of the parts, from the relays' setting sheet"});
}

/// What the servers draw while a job does not compute, and for how long.
void job_rows(const Filing& f, Rows& rows) {
  const char* method = "nominal chips at 65 °C, fans at full speed, before any run";
  for (const auto& job : f.s.jobs) {
    const auto w = sim::job_watts(f.s, job);
    const auto row = [&](const char* field, double value, const char* unit, const std::string& how, const char* keys) {
      rows.push_back(
          {fmt::format("job {}: {}", w.job, field), number(value), unit, how, fmt::format("job.{}{}", w.job, keys)});
    };
    row("its servers in an iteration, mean", w.mean_W * 1e-6, "MW", method, ".plan, model, GPU and server of the hall");
    row("its servers while all wait for others", w.waiting_W * 1e-6, "MW", method, ", GPU and server of the hall");
    row("its servers after it stopped", w.idle_W * 1e-6, "MW", method, ", GPU and server of the hall");
    row("waits from a drop of servers to its end", w.detect_s, "s", "watchdog", ".life.detect_s");
    row("from a stop to iterations again", w.detect_s + w.replace_s + w.initialise_s + w.load_s + w.warm_up_s, "s",
        "watchdog, restart of processes, set-up, load, warm-up", ".life");
  }
}

/// Inputs below a key without a stated value, with their ranges.
std::string stated_below(const Filing& f, const std::string& prefix, std::initializer_list<const char*> keys) {
  std::string out;
  for (const auto& a : f.assumed)
    for (const char* key : keys)
      if (a.key.starts_with(prefix) && a.key.ends_with(key))
        out += fmt::format("{}assumed {}, range {:g} to {:g}", out.empty() ? "" : "; ", key, a.low, a.high);
  return out.empty() ? "stated" : out;
}

void storage_rows(const Filing& f, Rows& rows) {
  const auto& d = f.s.devices;
  const auto named = [](bool any, std::string how) {
    return any ? std::move(how) : std::string("the scenario names none");
  };
  rows.push_back({"site battery",
                  f.s.battery
                      ? fmt::format("{:.4g} MW, {:.4g} MWh", f.s.battery->power_W * 1e-6, f.s.battery->energy_J / 3.6e9)
                      : "none",
                  "", named(f.s.battery.has_value(), stated_below(f, "mitigation.", {"power_MW", "energy_MWh"})),
                  "mitigation of kind site_battery"});
  std::string racks = "none";
  if (d.rack_storage) {
    const auto& store = d.rack_storage->store;
    const double n = sim::n_rack_storage(f.s);
    racks = fmt::format("{:.4g} kW, {:.4g} kJ per {}; {:.0f} of them: {:.4g} MW, {:.4g} MWh", store.power_W * 1e-3,
                        store.energy_J * 1e-3, word_of(d.storage_per), n, n * store.power_W * 1e-6,
                        n * store.energy_J / 3.6e9);
  }
  rows.push_back(
      {"storage in the racks", racks, "",
       named(d.rack_storage.has_value(), stated_below(f, "site.rack_storage.", {"store_power_kW", "store_energy_kJ"})),
       "site.rack_storage"});
  rows.push_back({"standby generation", d.generators ? "yes" : "none", "", named(d.generators.has_value(), "stated"),
                  "site.generators"});
  rows.push_back({"generation in parallel", d.turbines ? number(d.turbines->dispatch_W * 1e-6) + " MW" : "none", "",
                  named(d.turbines.has_value(), "stated"), "site.turbines"});
}

}  // namespace

std::vector<DataSheetRow> data_sheet(const Filing& f) {
  Rows rows;
  power_rows(f, rows);
  swing_rows(f, rows);
  connection_rows(f, rows);
  protection_rows(f, rows);
  job_rows(f, rows);
  storage_rows(f, rows);
  return rows;
}

}  // namespace TIDEWATT_NAMESPACE::study
