#include "rule_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "grid/record_check.hpp"
#include "io/read_waveform.hpp"
#include "io/result_origin.hpp"
#include "say.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/catalog/catalog.hpp"
#include "tidewatt/sim/kinds.hpp"

namespace TIDEWATT_NAMESPACE::study {

grid::RuleBook find_rule_book(const std::string& name, const std::string& overlay) {
  std::vector<Finding> findings;
  const bool file = name.ends_with(".toml") || name.find('/') != std::string::npos;
  Node values = file ? parse_toml_file(name) : catalog::Catalog(overlay).values("rules", name);
  // What a catalog file has beside its values.
  if (file && values.is_table())
    std::erase_if(std::get<Node::Table>(values.value), [](const auto& item) {
      return item.first == "schema" || item.first == "kind" || item.first == "name" || item.first == "sources" ||
             item.first == "assumed";
    });
  auto book = grid::read_rule_book(values, file ? std::filesystem::path(name).stem().string() : name,
                                   file ? name : "rules." + name, findings);
  if (!findings.empty()) throw InputError(std::move(findings));
  return book;
}

std::string status_text(const grid::RuleBook& b) {
  const std::string status = b.status.empty() ? "status not stated" : b.status;
  return fmt::format("{}, {}{}", status, b.date, b.binding() || b.status.empty() ? "" : ": not binding");
}

std::vector<std::pair<double, double>> grid_disturbances(const io::Waveform& w, const io::ResultOrigin& o) {
  constexpr double after_s = 60.0, back_pu = 0.9;
  std::vector<std::pair<double, double>> out;
  for (const auto& [at_s, kind] : o.events) {
    const auto known = value_of<sim::EventKind>(kind);
    if (!known || !sim::of_grid(*known)) continue;
    auto i = static_cast<std::size_t>(std::max(0.0, (at_s - w.first_s) / w.step_s)) + 1;
    while (i < w.bus_pu.size() && w.bus_pu[i] < back_pu) ++i;
    out.emplace_back(at_s, w.first_s + static_cast<double>(i) * w.step_s + after_s);
  }
  return out;
}

namespace {

using Json = nlohmann::ordered_json;

Json number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

std::string band_text(const grid::RuleBand& b, const char* unit) {
  const std::string range = std::isinf(b.high) ? fmt::format("{} {:g} {}", b.holds_low ? "from" : "above", b.low, unit)
                                               : fmt::format("{}{:g} to {:g}{} {}", b.holds_low ? "[" : "(", b.low,
                                                             b.high, b.holds_high ? "]" : ")", unit);
  const bool time = b.duty == grid::BandDuty::timed || b.duty == grid::BandDuty::may_reduce;
  return fmt::format("  {:<22} {}{}", range, grid::name(b.duty), time ? fmt::format(", {:g} s", b.stay_s) : "");
}

Json book_json(const grid::RuleBook& b) {
  Json o{{"name", b.name},         {"title", b.title},   {"jurisdiction", b.jurisdiction},
         {"document", b.document}, {"status", b.status}, {"date", b.date},
         {"binding", b.binding()}, {"tag", b.tag},       {"note", b.note}};
  for (const auto& a : b.applies)
    o["applies"].push_back({{"smallest_MW", a.smallest_W * 1e-6},
                            {"from_kV", a.from_V * 1e-3},
                            {"below_kV", number(a.below_V * 1e-3)},
                            {"computational_frac", a.computational_frac}});
  if (b.ride) {
    for (const auto& [key, bands] :
         {std::pair{"voltage_pu", &b.ride->voltage}, std::pair{"frequency_Hz", &b.ride->frequency}})
      for (const auto& band : *bands)
        o["ride"][key].push_back({{"low", band.low},
                                  {"high", number(band.high)},
                                  {"holds_low", band.holds_low},
                                  {"holds_high", band.holds_high},
                                  {"duty", grid::name(band.duty)},
                                  {"stay_s", band.stay_s}});
    o["ride"].update({{"recovery_frac", number(b.ride->recovery_frac)},
                      {"recovery_s", number(b.ride->recovery_s)},
                      {"recovery_above_pu", b.ride->recovery_above_pu},
                      {"current_ratio", number(b.ride->current_ratio)},
                      {"rocof_Hz_per_s", number(b.ride->rocof_Hz_per_s)},
                      {"counters_allowed", b.ride->counters_allowed},
                      {"unbalanced", b.ride->unbalanced == grid::SagCount::lowest_phase ? "lowest_phase" : "not_read"},
                      {"count_window_s", b.ride->count_window_s}});
  }
  for (const auto& r : b.rules)
    o["rules"].push_back({{"name", r.name},
                          {"title", r.title},
                          {"figure", r.figure_word},
                          {"window_s", r.window_s},
                          {"low_Hz", r.low_Hz},
                          {"high_Hz", r.high_Hz},
                          {"limit", number(r.limit)},
                          {"limit_share_of_peak", number(r.limit_share)}});
  return o;
}

bool is_slope(const grid::RecordRule& r) {
  return r.figure != grid::RecordFigure::peak_to_peak && r.figure != grid::RecordFigure::elsewhere;
}

/// Window, band and limits of a rule on a recorded window; empty for figures that a run measures.
std::string limit_text(const grid::RecordRule& r) {
  if (r.figure == grid::RecordFigure::elsewhere) return ", measured by a run with site.rules";
  const char* unit = is_slope(r) ? "MW/min" : "MW";
  const double scale = is_slope(r) ? 60e-6 : 1e-6;
  std::string out = fmt::format(" over {:g} s", r.window_s);
  if (r.high_Hz > 0.0) out += fmt::format(", {:g} to {:g} Hz", r.low_Hz, r.high_Hz);
  if (std::isfinite(r.limit)) out += fmt::format(", at most {:g} {}", r.limit * scale, unit);
  if (std::isfinite(r.limit_share))
    out += fmt::format(", at most {:g} % of the site's peak{}", 100.0 * r.limit_share * (is_slope(r) ? 60.0 : 1.0),
                       is_slope(r) ? " per min" : "");
  return out;
}

std::string book_text(const grid::RuleBook& b) {
  std::string text;
  say(text, "{}\n", b.title);
  if (!b.document.empty() || !b.jurisdiction.empty())
    say(text, "{}{}{}\n", b.document, b.document.empty() || b.jurisdiction.empty() ? "" : "; ", b.jurisdiction);
  say(text, "{}\n", status_text(b));
  if (!b.note.empty()) say(text, "note: {}\n", b.note);
  for (const auto& x : b.applies) {
    say(text, "applies from {:g} MW", x.smallest_W * 1e-6);
    if (x.from_V > 0.0) say(text, ", at {:g} kV or above", x.from_V * 1e-3);
    if (std::isfinite(x.below_V)) say(text, ", below {:g} kV", x.below_V * 1e-3);
    say(text, "{}\n",
        x.computational_frac > 0.0 ? fmt::format(", {:.0f} % of it computing", 100.0 * x.computational_frac) : "");
  }
  if (b.ride) {
    say(text, "ride-through ({}; in a sag of one or two phases {})\n",
        b.ride->count_window_s > 0.0 ? fmt::format("excursions add up over {:g} s", b.ride->count_window_s)
                                     : "each excursion by itself",
        b.ride->unbalanced == grid::SagCount::lowest_phase ? "the lowest phase counts" : "not read");
    for (const auto& band : b.ride->voltage) say(text, "{}\n", band_text(band, "pu"));
    for (const auto& band : b.ride->frequency) say(text, "{}\n", band_text(band, "Hz"));
    if (std::isfinite(b.ride->recovery_frac))
      say(text, "  recovery: {:.0f} % of the power before within {:g} s after {:g} pu\n", 100.0 * b.ride->recovery_frac,
          b.ride->recovery_s, b.ride->recovery_above_pu);
    if (std::isfinite(b.ride->current_ratio))
      say(text, "  current: at most {:g} times the one before\n", b.ride->current_ratio);
    if (std::isfinite(b.ride->rocof_Hz_per_s))
      say(text, "  rate of change of frequency: {:g} Hz/s\n", b.ride->rocof_Hz_per_s);
    if (!b.ride->counters_allowed) say(text, "  trips after a number of sags: forbidden\n");
  }
  for (const auto& r : b.rules) say(text, "{}: {} ({}{})\n", r.name, r.title, r.figure_word, limit_text(r));
  return text;
}

/// A checked window, before output.
struct Checked {
  grid::RuleBook book;
  std::string result, window, why_not, verdict;
  double peak_W = 0.0;
  bool judged = false;
  std::vector<std::pair<double, double>> left_out_s;
  std::vector<grid::RecordOutcome> outcomes;
};

std::string verdict_of(const Checked& c) {
  const auto has = [&](grid::RecordVerdict v) {
    return std::any_of(c.outcomes.begin(), c.outcomes.end(), [&](const auto& o) { return o.verdict == v; });
  };
  if (!c.judged) return "does not apply";
  if (has(grid::RecordVerdict::fail)) return "fail";
  if (has(grid::RecordVerdict::undecided)) return "undecided";
  if (has(grid::RecordVerdict::not_measured)) return "not measured";
  return c.outcomes.empty() ? "nothing to measure" : "pass";
}

std::string checked_json(const Checked& c) {
  Json o{{"rule", c.book.name},          {"title", c.book.title},       {"status", c.book.status},
         {"date", c.book.date},          {"binding", c.book.binding()}, {"result", c.result},
         {"window", c.window},           {"site_MW", c.peak_W * 1e-6},  {"verdict", c.verdict},
         {"applies", c.why_not.empty()}, {"why_not", c.why_not},        {"forced", c.judged && !c.why_not.empty()},
         {"note", c.book.note},          {"rules", Json::array()}};
  for (const auto& x : c.outcomes)
    o["rules"].push_back({{"name", x.rule.name},
                          {"title", x.rule.title},
                          {"figure", x.rule.figure_word},
                          {"verdict", grid::name(x.verdict)},
                          {"value_MW", number(x.value * 1e-6)},
                          {"low_MW", number(x.low * 1e-6)},
                          {"high_MW", number(x.high * 1e-6)},
                          {"limit_MW", number(x.limit * 1e-6)},
                          {"unit", x.rule.figure == grid::RecordFigure::peak_to_peak ? "MW" : "MW/s"},
                          {"at_s", number(x.at_s)},
                          {"window_s", x.rule.window_s},
                          {"note", x.note}});
  for (const auto& [from, until] : c.left_out_s) o["left_out_s"].push_back({from, until});
  if (c.book.ride) o["ride_through"] = fmt::format("tidewatt ride SCENARIO --rule {}", c.book.name);
  return o.dump();
}

std::string checked_text(const Checked& c) {
  std::string text;
  say(text, "{} ({})\n{}, window '{}', {:.3g} MW: {}\n", c.book.title, status_text(c.book), c.result, c.window,
      c.peak_W * 1e-6, c.verdict);
  if (!c.why_not.empty()) say(text, "  {}: {}\n", c.judged ? "forced with --as-if" : "does not apply", c.why_not);
  for (const auto& x : c.outcomes) {
    const bool slope = is_slope(x.rule);
    const double scale = slope ? 60e-6 : 1e-6;
    const char* unit = slope ? "MW/min" : "MW";
    if (std::isnan(x.value))
      say(text, "  {:<14} {}: {}\n", grid::name(x.verdict), x.rule.title, x.note);
    else
      say(text, "  {:<14} {}: {:.4g} {} over {:g} s, limit {:.4g} {}{}\n", grid::name(x.verdict), x.rule.title,
          x.value * scale, unit, x.rule.window_s, x.limit * scale, unit,
          std::isnan(x.at_s) ? "" : fmt::format(", from {:.3f} s", x.at_s));
    if (x.high > x.low)
      say(text, "  {:<14} {:.4g} to {:.4g} {} with other filters{}{}\n", "", x.low * scale, x.high * scale, unit,
          x.note.empty() ? "" : ": ", x.note);
  }
  for (const auto& [from, until] : c.left_out_s)
    say(text, "  left out: {:g} to {:g} s, the grid's own disturbance\n", from, until);
  if (c.book.ride) say(text, "  ride-through: tidewatt ride SCENARIO --rule {}\n", c.book.name);
  return text;
}

}  // namespace

RuleAnswer list_rules(const std::string& overlay) {
  Json all = Json::array();
  std::string text;
  for (const auto& [kind, name] : catalog::Catalog(overlay).list()) {
    if (kind != "rules") continue;
    const auto b = find_rule_book(name, overlay);
    all.push_back({{"name", b.name},
                   {"title", b.title},
                   {"status", b.status},
                   {"date", b.date},
                   {"binding", b.binding()},
                   {"jurisdiction", b.jurisdiction}});
    say(text, "{:<28} {:<34} {}\n", b.name, status_text(b), b.title);
  }
  return {all.dump(), text};
}

RuleAnswer show_rules(const std::string& name_or_file, const std::string& overlay) {
  const auto book = find_rule_book(name_or_file, overlay);
  return {book_json(book).dump(), book_text(book)};
}

RuleAnswer check_rules(const std::string& result, const RuleCheckOptions& options) {
  Checked c;
  c.book = find_rule_book(options.rule, options.overlay);
  c.result = result;
  const auto w = io::read_waveform(result, options.window);
  const auto origin = io::read_result_origin(result);
  if (w.pcc_W.empty()) throw InputError(result + ": the window holds no sample");
  c.window = w.window;
  c.peak_W = options.site_W > 0.0 ? options.site_W : *std::max_element(w.pcc_W.begin(), w.pcc_W.end());
  c.why_not = c.book.why_not(c.peak_W, options.connection_V > 0.0 ? options.connection_V : grid::not_stated, 1.0);
  c.judged = c.why_not.empty() || options.as_if;
  c.left_out_s = grid_disturbances(w, origin);
  if (c.judged) c.outcomes = grid::check_record(c.book, {w.first_s, w.step_s, w.pcc_W, c.peak_W, c.left_out_s});
  c.verdict = verdict_of(c);
  return {checked_json(c), checked_text(c)};
}

}  // namespace TIDEWATT_NAMESPACE::study
