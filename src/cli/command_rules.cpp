#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "rule_files.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/text.hpp"
#include "tidewatt/catalog/catalog.hpp"
#include "tidewatt/grid/record_check.hpp"
#include "tidewatt/io/read_waveform.hpp"
#include "tidewatt/io/result_origin.hpp"

using namespace tidewatt;

grid::RuleBook find_rule_book(const std::string& name, const std::string& overlay) {
  std::vector<Finding> findings;
  const bool file = name.ends_with(".toml") || name.find('/') != std::string::npos;
  Node values = file ? parse_toml_file(name) : catalog::Catalog(overlay).values("rules", name);
  // What a catalog file has beside its values.
  if (file && values.is_table())
    std::erase_if(std::get<Node::Table>(values.value), [](const auto& item) {
      return item.first == "schema" || item.first == "kind" || item.first == "name" || item.first == "sources" || item.first == "assumed";
    });
  auto book = grid::read_rule_book(values, file ? std::filesystem::path(name).stem().string() : name, file ? name : "rules." + name, findings);
  if (!findings.empty()) throw InputError(std::move(findings));
  return book;
}

std::string status_text(const grid::RuleBook& b) {
  const std::string status = b.status.empty() ? "status not stated" : b.status;
  return fmt::format("{}, {}{}", status, b.date, b.binding() || b.status.empty() ? "" : ": not binding");
}

namespace {

struct Arguments {
  std::string name, result, window, overlay;
  double site_MW = 0.0, kV = 0.0;
  bool json = false, as_if = false;
};

using Json = nlohmann::ordered_json;

Json number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

std::string band_text(const grid::RuleBand& b, const char* unit) {
  const std::string range = std::isinf(b.high) ? fmt::format("{} {:g} {}", b.holds_low ? "from" : "above", b.low, unit)
                                               : fmt::format("{}{:g} to {:g}{} {}", b.holds_low ? "[" : "(", b.low, b.high, b.holds_high ? "]" : ")", unit);
  const bool time = b.duty == grid::BandDuty::timed || b.duty == grid::BandDuty::may_reduce;
  return fmt::format("  {:<22} {}{}", range, grid::name(b.duty), time ? fmt::format(", {:g} s", b.stay_s) : "");
}

Json book_json(const grid::RuleBook& b) {
  Json o{{"name", b.name}, {"title", b.title}, {"jurisdiction", b.jurisdiction}, {"document", b.document}, {"status", b.status}, {"date", b.date}, {"binding", b.binding()}, {"tag", b.tag}, {"note", b.note}};
  for (const auto& a : b.applies)
    o["applies"].push_back({{"smallest_MW", a.smallest_W * 1e-6}, {"from_kV", a.from_V * 1e-3}, {"below_kV", number(a.below_V * 1e-3)}, {"computational_frac", a.computational_frac}});
  if (b.ride) {
    for (const auto& [key, bands] : {std::pair{"voltage_pu", &b.ride->voltage}, std::pair{"frequency_Hz", &b.ride->frequency}})
      for (const auto& band : *bands)
        o["ride"][key].push_back({{"low", band.low}, {"high", number(band.high)}, {"holds_low", band.holds_low}, {"holds_high", band.holds_high}, {"duty", grid::name(band.duty)}, {"stay_s", band.stay_s}});
    o["ride"].update({{"recovery_frac", number(b.ride->recovery_frac)}, {"recovery_s", number(b.ride->recovery_s)}, {"recovery_above_pu", b.ride->recovery_above_pu}, {"current_ratio", number(b.ride->current_ratio)},
                      {"rocof_Hz_per_s", number(b.ride->rocof_Hz_per_s)}, {"counters_allowed", b.ride->counters_allowed}, {"count_window_s", b.ride->count_window_s}});
  }
  for (const auto& r : b.rules)
    o["rules"].push_back({{"name", r.name}, {"title", r.title}, {"figure", r.figure_word}, {"window_s", r.window_s}, {"low_Hz", r.low_Hz}, {"high_Hz", r.high_Hz}, {"limit", number(r.limit)}, {"limit_share_of_peak", number(r.limit_share)}});
  return o;
}

void list(const Arguments& a) {
  Json all = Json::array();
  for (const auto& [kind, name] : catalog::Catalog(a.overlay).list()) {
    if (kind != "rules") continue;
    const auto b = find_rule_book(name, a.overlay);
    if (a.json)
      all.push_back({{"name", b.name}, {"title", b.title}, {"status", b.status}, {"date", b.date}, {"binding", b.binding()}, {"jurisdiction", b.jurisdiction}});
    else
      fmt::print("{:<28} {:<34} {}\n", b.name, status_text(b), b.title);
  }
  if (a.json) fmt::print("{}\n", all.dump());
}

void show(const Arguments& a) {
  const auto b = find_rule_book(a.name, a.overlay);
  if (a.json) return fmt::print("{}\n", book_json(b).dump());
  fmt::print("{}\n{}; {}\n{}\n", b.title, b.document, b.jurisdiction, status_text(b));
  if (!b.note.empty()) fmt::print("reserves: {}\n", b.note);
  for (const auto& x : b.applies) {
    fmt::print("applies from {:g} MW", x.smallest_W * 1e-6);
    if (x.from_V > 0.0) fmt::print(", at {:g} kV or above", x.from_V * 1e-3);
    if (std::isfinite(x.below_V)) fmt::print(", below {:g} kV", x.below_V * 1e-3);
    fmt::print("{}\n", x.computational_frac > 0.0 ? fmt::format(", {:.0f} % of it computing", 100.0 * x.computational_frac) : "");
  }
  if (b.ride) {
    fmt::print("ride-through ({})\n", b.ride->count_window_s > 0.0 ? fmt::format("excursions add up over {:g} s", b.ride->count_window_s) : "each excursion by itself");
    for (const auto& band : b.ride->voltage) fmt::print("{}\n", band_text(band, "pu"));
    for (const auto& band : b.ride->frequency) fmt::print("{}\n", band_text(band, "Hz"));
    if (std::isfinite(b.ride->recovery_frac)) fmt::print("  recovery: {:.0f} % of the power before within {:g} s after {:g} pu\n", 100.0 * b.ride->recovery_frac, b.ride->recovery_s, b.ride->recovery_above_pu);
    if (std::isfinite(b.ride->current_ratio)) fmt::print("  current: at most {:g} times the one before\n", b.ride->current_ratio);
    if (std::isfinite(b.ride->rocof_Hz_per_s)) fmt::print("  rate of change of frequency: {:g} Hz/s\n", b.ride->rocof_Hz_per_s);
    if (!b.ride->counters_allowed) fmt::print("  trips after a number of sags: forbidden\n");
  }
  for (const auto& r : b.rules) fmt::print("{}: {} ({})\n", r.name, r.title, r.figure_word);
}

/// From each disturbance that the grid caused until a minute after the voltage is back.
std::vector<std::pair<double, double>> grid_disturbances(const io::Waveform& w, const io::ResultOrigin& o) {
  constexpr double after_s = 60.0, back_pu = 0.9;
  std::vector<std::pair<double, double>> out;
  for (const auto& [at_s, kind] : o.events) {
    if (kind != "sag" && kind != "utility_loss" && kind != "islanding") continue;
    auto i = static_cast<std::size_t>(std::max(0.0, (at_s - w.first_s) / w.step_s)) + 1;
    while (i < w.bus_pu.size() && w.bus_pu[i] < back_pu) ++i;
    out.emplace_back(at_s, w.first_s + static_cast<double>(i) * w.step_s + after_s);
  }
  return out;
}

void check(const Arguments& a) {
  const auto book = find_rule_book(a.name, a.overlay);
  const auto w = io::read_waveform(a.result, a.window);
  const auto origin = io::read_result_origin(a.result);
  if (w.pcc_W.empty()) throw InputError(a.result + ": the window holds no sample");
  const double peak_W = a.site_MW > 0.0 ? a.site_MW * 1e6 : *std::max_element(w.pcc_W.begin(), w.pcc_W.end());
  const std::string why_not = book.why_not(peak_W, a.kV > 0.0 ? a.kV * 1e3 : grid::not_stated, 1.0);
  const bool judged = why_not.empty() || a.as_if;
  const auto left_out = grid_disturbances(w, origin);
  const auto outcomes = judged ? grid::check_record(book, {w.first_s, w.step_s, w.pcc_W, peak_W, left_out}) : std::vector<grid::RecordOutcome>{};
  const auto has = [&](grid::RecordVerdict v) { return std::any_of(outcomes.begin(), outcomes.end(), [&](const auto& o) { return o.verdict == v; }); };
  std::string verdict = !judged ? "does not apply" : has(grid::RecordVerdict::fail) ? "fail" : has(grid::RecordVerdict::not_measured) ? "not measured" : outcomes.empty() ? "nothing to measure" : "pass";
  if (a.json) {
    Json o{{"rule", book.name}, {"title", book.title}, {"status", book.status}, {"date", book.date}, {"binding", book.binding()}, {"result", a.result}, {"window", w.window}, {"site_MW", peak_W * 1e-6},
           {"verdict", verdict}, {"applies", why_not.empty()}, {"why_not", why_not}, {"forced", a.as_if && !why_not.empty()}, {"note", book.note}, {"rules", Json::array()}};
    for (const auto& x : outcomes)
      o["rules"].push_back({{"name", x.rule.name}, {"title", x.rule.title}, {"figure", x.rule.figure_word}, {"verdict", grid::name(x.verdict)}, {"value_MW", number(x.value * 1e-6)}, {"limit_MW", number(x.limit * 1e-6)},
                            {"unit", x.rule.figure == grid::RecordFigure::peak_to_peak ? "MW" : "MW/s"}, {"at_s", number(x.at_s)}, {"note", x.note}});
    for (const auto& [from, until] : left_out) o["left_out_s"].push_back({from, until});
    if (book.ride) o["ride_through"] = fmt::format("tidewatt ride SCENARIO --rule {}", book.name);
    return fmt::print("{}\n", o.dump());
  }
  fmt::print("{} ({})\n{}, window '{}', {:.3g} MW: {}\n", book.title, status_text(book), a.result, w.window, peak_W * 1e-6, verdict);
  if (!why_not.empty()) fmt::print("  {}: {}\n", judged ? "forced with --as-if" : "does not apply", why_not);
  for (const auto& x : outcomes) {
    const bool slope = x.rule.figure != grid::RecordFigure::peak_to_peak;
    const double scale = slope ? 60e-6 : 1e-6;
    if (std::isnan(x.value))
      fmt::print("  {:<14} {}: {}\n", grid::name(x.verdict), x.rule.title, x.note);
    else
      fmt::print("  {:<14} {}: {:.4g} {unit}, limit {:.4g} {unit}{}\n", grid::name(x.verdict), x.rule.title, x.value * scale, x.limit * scale,
                 std::isnan(x.at_s) ? "" : fmt::format(", from {:.3f} s", x.at_s), fmt::arg("unit", slope ? "MW/min" : "MW"));
  }
  for (const auto& [from, until] : left_out) fmt::print("  left out: {:g} to {:g} s, the grid's own disturbance\n", from, until);
  if (book.ride) fmt::print("  ride-through: tidewatt ride SCENARIO --rule {}\n", book.name);
}

}  // namespace

void add_rules_command(CLI::App& app, int&) {
  auto a = std::make_shared<Arguments>();
  auto* c = app.add_subcommand("rules", "what utilities ask of large loads: list, show, or check a recorded window");
  c->require_subcommand(1);
  auto* l = c->add_subcommand("list", "every rule file with its status and date");
  l->callback([a] { list(*a); });
  auto* s = c->add_subcommand("show", "a rule file in words");
  s->callback([a] { show(*a); });
  auto* k = c->add_subcommand("check", "a recorded window against a rule file");
  for (auto* each : {s, k}) each->add_option("name", a->name, "name in the catalog, or a file of your own")->required();
  k->add_option("result", a->result, "result file (HDF5)")->required();
  k->add_option("--window", a->window, "name of the recorded window; default: the first");
  k->add_option("--site-MW", a->site_MW, "the site's peak; default: the window's largest")->check(CLI::PositiveNumber);
  k->add_option("--kV", a->kV, "voltage at the connection, for thresholds that depend on it")->check(CLI::PositiveNumber);
  k->add_flag("--as-if", a->as_if, "judge also if the rule does not apply");
  for (auto* each : {l, s, k}) {
    each->add_option("--catalog", a->overlay, "folder of files that add to or replace the built-in ones");
    each->add_flag("--json", a->json, "print JSON");
  }
  k->callback([a] { check(*a); });
}
