// Section of a filing on what a run recorded: power, ramps, swings, spectrum, flicker.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "filing_parts.hpp"
#include "line_plot.hpp"
#include "numerics/spectrum.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

std::string power_plot(const io::Waveform& w) {
  LinePlot p{
      fmt::format("Power at the connection, window {}", w.window), "time since the start of the run, s", "MW", {}, {}};
  PlotLine line{"1 ms means", {}, {}};
  for (std::size_t i = 0; i < w.pcc_W.size(); ++i)
    line.x.push_back(w.first_s + static_cast<double>(i) * w.step_s), line.y.push_back(w.pcc_W[i] * 1e-6);
  p.lines = {line};
  return p.svg();
}

/// Amplitude of each frequency, with the amplitude at which one line alone reaches a limit on swings.
std::string spectrum_plot(const Filing& f, const io::Waveform& w) {
  std::size_t segment = 1024;
  while (segment * 4 <= w.pcc_W.size() && segment < 65536) segment *= 2;
  numerics::Welch welch(segment, 1.0 / w.step_s);
  welch.push(w.pcc_W);
  const auto s = welch.result();
  if (s.n_segment == 0) return {};
  LinePlot p{
      fmt::format("Spectrum of the power, window {}", w.window), "frequency, Hz", "amplitude of a line, MW", {}, {}};
  p.log_x = true;
  PlotLine line{fmt::format("largest line {:.3g} Hz, {:.3g} MW", s.dominant(4.0 * s.bin_Hz).frequency_Hz,
                            s.dominant(4.0 * s.bin_Hz).amplitude * 1e-6),
                {},
                {}};
  for (std::size_t k = 2; k < s.psd.size() && s.bin_Hz * static_cast<double>(k) <= 60.0; ++k)
    line.x.push_back(s.bin_Hz * static_cast<double>(k)), line.y.push_back(s.amplitude(k) * 1e-6);
  p.lines = {line};
  for (const auto& rule : f.book.rules)
    if (rule.figure == grid::RecordFigure::peak_to_peak && rule.high_Hz > 0.0 && std::isfinite(rule.limit))
      p.lines.push_back(
          {fmt::format("{}: a single line of this amplitude reaches {:g} MW", rule.name, rule.limit * 1e-6),
           {std::max(rule.low_Hz, line.x.front()), std::min(rule.high_Hz, 60.0)},
           {0.5e-6 * rule.limit, 0.5e-6 * rule.limit},
           "#c33",
           true});
  return p.svg();
}

void ramp_table(const FiledResult& r, Page& page, std::vector<std::string>& open) {
  std::vector<std::vector<std::string>> rows;
  const auto up = r.summary.find("ramp_up_MW_per_s"), down = r.summary.find("ramp_down_MW_per_s");
  if (up == r.summary.end() || !up->is_object()) return;
  const auto text = [](const nlohmann::ordered_json& o, const std::string& key) {
    return o.is_object() && o.contains(key) && o[key].is_number() ? number(o[key].get<double>() * 60.0)
                                                                  : std::string("open");
  };
  for (const auto& [window, value] : up->items()) {
    const bool known = long_enough(r, window) && down != r.summary.end();
    rows.push_back({window, known ? text(*up, window) : "open", known ? text(*down, window) : "open"});
    if (!known)
      open.push_back(fmt::format("result {}, ramps over {}: the run is shorter than two windows", r.name, window));
  }
  page.table({"window", "largest rise, MW per min", "largest fall, MW per min"}, rows);
}

void flicker_table(const FiledResult& r, Page& page, std::vector<std::string>& open) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [key, value] : r.summary.items()) {
    if (!key.starts_with("flicker_P_")) continue;
    rows.push_back({key.substr(8), value.is_number() ? number(value.get<double>(), 3) : "open"});
    if (!value.is_number())
      open.push_back(fmt::format("result {}, {}: the run is too short for one window", r.name, key));
  }
  if (!rows.empty()) page.table({"flicker severity, lamp system", "worst window"}, rows);
}

void rule_table(const FiledResult& r, Page& page, std::vector<std::string>& open) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& x : r.outcomes) {
    const bool slope = x.rule.figure != grid::RecordFigure::peak_to_peak;
    const double scale = slope ? 60e-6 : 1e-6;
    const char* unit = slope ? "MW per min" : "MW";
    rows.push_back({fmt::format("{} (window {:g} s)", x.rule.title, x.rule.window_s),
                    std::string(grid::name(x.verdict)),
                    std::isfinite(x.value) ? fmt::format("{:.4g} {}", x.value * scale, unit) : x.note,
                    std::isfinite(x.limit) ? fmt::format("{:.4g} {}", x.limit * scale, unit) : "",
                    std::isfinite(x.at_s) ? fmt::format("{:.3f} s", x.at_s) : ""});
    if (x.verdict == grid::RecordVerdict::not_measured || x.verdict == grid::RecordVerdict::undecided)
      open.push_back(fmt::format("result {}, {}: {}", r.name, x.rule.title, x.note));
  }
  if (rows.empty())
    page.text("The rule file has no limits on ramps or swings.");
  else
    page.table({"rule", "answer", "largest", "limit", "begins at"}, rows);
}

}  // namespace

void record_section(Filing& f, Page& page) {
  page.heading("4 Ramps, swings, spectrum and flicker");
  if (f.results.empty()) {
    f.open.push_back("ramps, swings, spectrum and flicker: no result was given; run `tidewatt run " + f.o.file +
                     "` and name its file");
    page.text("Open: no result was given.");
  }
  for (const auto& r : f.results) {
    page.heading("Result " + r.name, 3);
    if (!f.judged())
      page.text("The rules do not apply: " + f.why_not + ".");
    else if (r.window)
      rule_table(r, page, f.open);
    if (r.window) {
      page.figure(power_plot(*r.window));
      if (const auto svg = spectrum_plot(f, *r.window); !svg.empty()) page.figure(svg);
    } else {
      f.open.push_back(fmt::format(
          "result {}: no window was recorded ([[record.window]]), so swings, spectrum and playback are open", r.name));
    }
    ramp_table(r, page, f.open);
    flicker_table(r, page, f.open);
  }
}

}  // namespace TIDEWATT_NAMESPACE::study
