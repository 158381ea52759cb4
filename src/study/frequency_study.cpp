#include "frequency_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/read_waveform.hpp"
#include "say.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/reader.hpp"
#include "tidewatt/catalog/catalog.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

using Json = nlohmann::ordered_json;

template <class Params>
Params read(const Node& node, const std::string& path, std::vector<Finding>& findings) {
  Params out{};
  TableReader t(node, path, findings);
  out.fields(t);
  t.finish();
  return out;
}

void check(const FrequencyOptions& o, std::vector<Finding>& findings) {
  const auto range = [&](const char* key, double value, double low, double high) {
    if (!(value >= low && value <= high))
      findings.push_back({{}, key, fmt::format("{:g} is outside of {:g} to {:g}", value, low, high)});
  };
  range("step_MW", o.step_W * 1e-6, -1e6, 1e6);
  range("at_s", o.at_s, 0.001, 3600.0);
  range("length_s", o.length_s, 0.01, 86400.0);
  if ((o.step_W != 0.0) == !o.result.empty()) findings.push_back({{}, "step_MW, result", "one of them is expected"});
  if (o.result.empty() && !(o.at_s < o.length_s)) findings.push_back({{}, "length_s", "must be above at_s"});
}

std::vector<double> load_of(const FrequencyOptions& o) {
  if (o.result.empty()) {
    std::vector<double> load_W(static_cast<std::size_t>(std::lround(o.length_s * 1000.0)), 0.0);
    std::fill(load_W.begin() + std::lround(o.at_s * 1000.0), load_W.end(), o.step_W);
    return load_W;
  }
  auto load_W = io::read_waveform(o.result, o.window).pcc_W;
  load_W.resize(std::min(load_W.size(), static_cast<std::size_t>(std::lround(o.length_s * 1000.0))));
  return load_W;
}

struct Turn {
  double deviation_Hz = 0.0, at_s = 0.0;
};
Turn furthest(const FrequencyRun& run) {
  const auto at = std::max_element(run.deviation_Hz.begin(), run.deviation_Hz.end(),
                                   [](double a, double b) { return std::abs(a) < std::abs(b); });
  return {*at, 1e-3 * static_cast<double>(at - run.deviation_Hz.begin() + 1) - run.event_s};
}

double settled(const FrequencyRun& run) {
  const std::size_t n = std::max<std::size_t>(1, run.deviation_Hz.size() / 10);
  double sum = 0.0;
  for (std::size_t i = run.deviation_Hz.size() - n; i < run.deviation_Hz.size(); ++i) sum += run.deviation_Hz[i];
  return sum / static_cast<double>(n);
}

}  // namespace

FrequencyRun play_frequency(const FrequencyOptions& o) {
  std::vector<Finding> findings;
  check(o, findings);
  const catalog::Catalog files(o.catalog_overlay);
  const Node entry = files.values("grid", o.grid);
  const Node* table = entry.find("frequency");
  if (!table) findings.push_back({{}, "grid", fmt::format("'{}' has no table [frequency]", o.grid)});
  const auto system =
      table ? read<grid::FrequencyParams>(*table, o.grid + ".frequency", findings) : grid::FrequencyParams{};
  FrequencyRun out;
  out.options = o;
  if (!o.reserves.empty())
    out.reserves = read<grid::ReserveParams>(files.values("frequency_reserves", o.reserves), o.reserves, findings);
  if (!findings.empty()) throw InputError(std::move(findings));
  const grid::FrequencyReserves model(system, out.reserves);
  const auto load_W = load_of(o);
  out.nominal_Hz = system.nominal_Hz;
  out.event_s = o.result.empty() ? o.at_s : 0.0;
  out.state = model.start(load_W.empty() ? 0.0 : load_W.front());
  out.deviation_Hz.resize(load_W.size());
  for (std::size_t i = 0; i < load_W.size(); ++i) {
    model.advance(std::span(load_W).subspan(i, 1), std::span(out.deviation_Hz).subspan(i, 1), out.state);
    out.reserve_W.push_back(model.fast_W(out.state, out.state.time_s));
    out.shed_W.push_back(model.shed_W(out.state));
  }
  return out;
}

std::string frequency_text(const FrequencyRun& run) {
  const auto& o = run.options;
  std::string text;
  const std::string what = o.result.empty() ? fmt::format("{:g} MW of load {}", std::abs(o.step_W) * 1e-6,
                                                          o.step_W < 0.0 ? "lost" : "gained, or of generation lost")
                                            : o.result;
  say(text, "{} on {}, {}\n", what, o.grid,
      o.reserves.empty() ? std::string("governors without a deadband, no reserve, no load shedding")
                         : "reserves " + o.reserves);
  const auto t = furthest(run);
  say(text, "frequency: {:+.1f} mHz at most, {:.2f} s {}; {:+.1f} mHz at the end\n", 1e3 * t.deviation_Hz, t.at_s,
      o.result.empty() ? "after the event" : "into the window", 1e3 * settled(run));
  if (run.reserves.fast_W > 0.0)
    say(text, "fast reserve: {}\n",
        run.state.fast_from_s < 0.0
            ? std::string("not asked")
            : fmt::format("asked {:.3f} s after it, {:g} MW from {:.3f} s on", run.state.fast_from_s - run.event_s,
                          run.reserves.fast_W * 1e-6, run.state.fast_from_s - run.event_s + run.reserves.fast_delay_s));
  for (std::size_t k = 0; k < run.reserves.shed_frac.size(); ++k)
    say(text, "stage at {:g} Hz, {:.0f} MW: {}\n", run.reserves.shed_below_Hz[k],
        run.reserves.shed_frac[k] * run.reserves.system_load_W * 1e-6,
        run.state.shed_at_s[k] < 0.0 ? std::string("stays closed")
                                     : fmt::format("opens after {:.3f} s", run.state.shed_at_s[k] - run.event_s));
  return text;
}

std::string frequency_json(const FrequencyRun& run) {
  const auto t = furthest(run);
  Json o{{"grid", run.options.grid}, {"reserves", run.options.reserves},
         {"event_s", run.event_s},   {"extremum_mHz", 1e3 * t.deviation_Hz},
         {"extremum_s", t.at_s},     {"settled_mHz", 1e3 * settled(run)}};
  o["fast_from_s"] = run.state.fast_from_s < 0.0 ? Json() : Json(run.state.fast_from_s - run.event_s);
  o["stages"] = Json::array();
  for (std::size_t k = 0; k < run.reserves.shed_frac.size(); ++k)
    o["stages"].push_back(
        {{"below_Hz", run.reserves.shed_below_Hz[k]},
         {"shed_MW", run.reserves.shed_frac[k] * run.reserves.system_load_W * 1e-6},
         {"open_s", run.state.shed_at_s[k] < 0.0 ? Json() : Json(run.state.shed_at_s[k] - run.event_s)}});
  return o.dump();
}

std::string frequency_csv(const FrequencyRun& run) {
  std::string out = "time_s,deviation_Hz,reserve_MW,shed_MW\n";
  for (std::size_t i = 9; i < run.deviation_Hz.size(); i += 10)
    out += fmt::format("{:.3f},{:.9g},{:.6g},{:.6g}\n", 1e-3 * static_cast<double>(i + 1), run.deviation_Hz[i],
                       run.reserve_W[i] * 1e-6, run.shed_W[i] * 1e-6);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
