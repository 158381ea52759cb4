// Section of a filing on a run's record: power, ramps, swings, spectrum, flicker.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "filing_parts.hpp"
#include "grid/power_line.hpp"
#include "line_plot.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

/// @param start_time: of the run, "2024-07-20T15:00:00"
std::string power_plot(const io::Waveform& w, const std::string& start_time) {
  std::string start = start_time.substr(0, 16);
  std::ranges::replace(start, 'T', ' ');
  LinePlot p{fmt::format("Power at the connection, window {}", w.window),
             fmt::format("time since the start of the run, {} (s)", start),
             "power (MW)",
             {},
             {}};
  PlotLine line{"1 ms means", {}, {}};
  for (std::size_t i = 0; i < w.pcc_W.size(); ++i)
    line.x.push_back(w.first_s + static_cast<double>(i) * w.step_s), line.y.push_back(w.pcc_W[i] * 1e-6);
  p.lines = {line};
  return p.svg();
}

/// Amplitude of each frequency, with the amplitude at which one line alone reaches a limit on swings, as it holds for
/// this site.
std::string spectrum_plot(const FiledResult& r) {
  const io::Waveform& w = *r.window;
  const auto s = grid::power_spectrum(w.pcc_W, w.step_s);
  if (s.n_segment == 0) return {};
  const auto line = grid::largest_line(s);
  LinePlot p{
      fmt::format("Spectrum of the power, window {}", w.window), "frequency (Hz)", "amplitude of a line (MW)", {}, {}};
  p.log_x = true;
  PlotLine lines{fmt::format("largest line at or above {:.3g} Hz: {:.4g} Hz, amplitude {:.4g} MW", line.lowest_Hz,
                             line.frequency_Hz, line.amplitude_W * 1e-6),
                 {},
                 {}};
  for (std::size_t k = 2; k < s.psd.size() && s.bin_Hz * static_cast<double>(k) <= 60.0; ++k)
    lines.x.push_back(s.bin_Hz * static_cast<double>(k)), lines.y.push_back(s.amplitude(k) * 1e-6);
  p.lines = {lines};
  for (const auto& x : r.outcomes)
    if (x.rule.figure == grid::RecordFigure::peak_to_peak && x.rule.high_Hz > 0.0 && std::isfinite(x.limit))
      p.lines.push_back(
          {fmt::format("{}: a single line of this amplitude reaches {:.4g} MW", x.rule.name, x.limit * 1e-6),
           {std::max(x.rule.low_Hz, lines.x.front()), std::min(x.rule.high_Hz, 60.0)},
           {0.5e-6 * x.limit, 0.5e-6 * x.limit},
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
    rows.push_back({spaced(window), known ? text(*up, window) : "open", known ? text(*down, window) : "open"});
    if (!known)
      open.push_back(fmt::format("result {}, ramps over {}: the rated part is too short, below two windows", r.name,
                                 spaced(window)));
  }
  page.text(fmt::format("Ramps of the {}, not of the recorded window and without the start-up before {:g} s.",
                        r.rated_words(), r.rated.from_s));
  page.table({"window", "largest rise, MW per min", "largest fall, MW per min"}, rows);
}

void flicker_table(const FiledResult& r, Page& page, std::vector<std::string>& open) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [key, value] : r.summary.items()) {
    if (!key.starts_with("flicker_P_")) continue;
    rows.push_back({spaced(key.substr(8)), value.is_number() ? number(value.get<double>(), 3) : "open"});
    if (!value.is_number())
      open.push_back(fmt::format("result {}, {}: the rated part is too short for one window", r.name, key));
  }
  if (!rows.empty()) page.text(fmt::format("Flicker of the {}.", r.rated_words()));
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
  if (rows.empty()) return page.text("The rule file has no limits on ramps or swings.");
  page.text(fmt::format("The rule file's limits on every sample of the {}.", r.window_words()));
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
      page.figure(power_plot(*r.window, r.origin.start_time));
      if (const auto svg = spectrum_plot(r); !svg.empty()) page.figure(svg);
    } else {
      f.open.push_back(fmt::format(
          "result {}: no window was recorded ([[record.window]]), so swings, spectrum and playback are open", r.name));
    }
    const double up = figure_of(r, "pcc_ramp_up_max_MW_per_s"), down = figure_of(r, "pcc_ramp_down_max_MW_per_s");
    page.text(
        fmt::format("Whole run, start-up included: {} to {} MW; largest change over 0.1 s {} MW per min up, {} down.",
                    number(figure_of(r, "pcc_min_MW")), number(figure_of(r, "pcc_max_MW")), number(60.0 * up),
                    number(60.0 * down)));
    ramp_table(r, page, f.open);
    flicker_table(r, page, f.open);
  }
}

}  // namespace TIDEWATT_NAMESPACE::study
