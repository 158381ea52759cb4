#include "rule_book.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/field_log.hpp"
#include "tidewatt/base/reader.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

constexpr std::array<std::string_view, 5> duties = {"continuous", "timed", "may_reduce", "may_trip", "not_read"};
constexpr std::array<std::string_view, 4> figures = {"peak_to_peak", "slope_up", "slope_down", "ramp_percentile"};
constexpr std::array<std::string_view, 7> statuses = {"in force", "approved", "current", "standard",
                                                      "proposal", "draft",    "example"};

std::string shown(double x) { return std::isinf(x) ? "above" : fmt::format("{:g}", x); }

/// The items of a list of tables; a finding for anything else.
std::vector<const Node*> items(TableReader& t, std::string_view key, std::string_view doc) {
  std::vector<const Node*> out;
  const Node* list = t.list(key, Need::optional, doc);
  if (!list) return out;
  if (!list->is_array()) {
    t.report(list, key, "must be a list of tables");
    return out;
  }
  for (const auto& item : std::get<Node::Array>(list->value)) out.push_back(&item);
  return out;
}

RuleBand read_band(const Node& node, const std::string& path, const char* low, const char* high,
                   std::vector<Finding>& findings) {
  RuleBand b;
  std::string duty = "timed", edges = "low";
  TableReader t(node, path, findings);
  t.number(low, b.low, {0, 1000}, "lower end of the band");
  t.number(high, b.high, {0, 1000}, "upper end; absent: no end", Need::optional);
  t.choice("duty", duty, duties, "what is asked in it", Need::optional);
  constexpr std::array<std::string_view, 4> sides = {"low", "high", "both", "none"};
  t.choice("edges", edges, sides, "which of its ends belong to it", Need::optional);
  t.number("stay_s", b.stay_s, {0, 1e6}, "how long it must stay", duty == "timed" ? Need::required : Need::optional);
  t.finish();
  b.duty = static_cast<BandDuty>(
      std::max<std::ptrdiff_t>(0, std::find(duties.begin(), duties.end(), duty) - duties.begin()) % 5);
  b.holds_low = edges == "low" || edges == "both";
  b.holds_high = edges == "high" || edges == "both";
  if (!(b.low < b.high)) t.report(&node, low, fmt::format("{:g} must lie below {}", b.low, shown(b.high)));
  return b;
}

std::vector<RuleBand> read_bands(TableReader& t, const char* key, const char* low, const char* high,
                                 std::vector<Finding>& findings) {
  std::vector<RuleBand> out;
  const auto nodes = items(t, key, "bands of the curve");
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    out.push_back(read_band(*nodes[i], fmt::format("{}.{}[{}]", t.path(), key, i), low, high, findings));
    if (i == 0) continue;
    const RuleBand &a = out[i - 1], &b = out[i];
    if (b.low < a.high)
      t.report(nodes[i], key,
               fmt::format("the band from {:g} overlaps the one from {:g} to {}; bands rise and do not overlap", b.low,
                           a.low, shown(a.high)));
    else if (b.low > a.high)
      t.report(nodes[i], key,
               fmt::format("no band covers {:g} to {:g}; a band whose figure was not read has duty \"not_read\"",
                           a.high, b.low));
    else if (a.holds_high == b.holds_low)
      t.report(
          nodes[i], key,
          fmt::format("{:g} belongs to {} bands; set `edges`", b.low, a.holds_high ? "both" : "neither of the two"));
  }
  return out;
}

RideRule read_ride(const Node& node, const std::string& path, std::vector<Finding>& findings) {
  RideRule r;
  TableReader t(node, path, findings);
  r.voltage = read_bands(t, "voltage", "low_pu", "high_pu", findings);
  r.frequency = read_bands(t, "frequency", "low_Hz", "high_Hz", findings);
  std::string unbalanced = "not_read";
  constexpr std::array<std::string_view, 2> counts = {"not_read", "lowest_phase"};
  t.choice("unbalanced", unbalanced, counts, "which voltage the bands mean in a sag of one or two phases",
           Need::optional);
  r.unbalanced = unbalanced == "lowest_phase" ? SagCount::lowest_phase : SagCount::not_read;
  t.number("count_window_s", r.count_window_s, {0, 3600},
           "rolling window in which excursions add up; 0: each by itself", Need::optional);
  t.number("rocof_Hz_per_s", r.rocof_Hz_per_s, {0, 100}, "rate of change of frequency that it rides", Need::optional);
  t.number("rocof_window_s", r.rocof_window_s, {0, 10}, "window of that rate", Need::optional);
  t.number("current_ratio", r.current_ratio, {0.1, 10}, "largest current over the one before", Need::optional);
  t.flag("counters_allowed", r.counters_allowed, "trips after a number of sags are allowed", Need::optional);
  t.number("recovery_frac", r.recovery_frac, {0, 1}, "share of the power before that is back", Need::optional);
  t.number("recovery_s", r.recovery_s, {0, 3600}, "after the voltage is back", Need::optional);
  t.number("recovery_above_pu", r.recovery_above_pu, {0, 1}, "voltage that counts as back", Need::optional);
  t.finish();
  if (std::isnan(r.recovery_frac) != std::isnan(r.recovery_s))
    t.report(&node, "recovery_s", "recovery_frac and recovery_s come together");
  return r;
}

RuleApplies read_applies(const Node& node, const std::string& path, std::vector<Finding>& findings) {
  RuleApplies a;
  TableReader t(node, path, findings);
  t.number("smallest_MW", a.smallest_W, {0, 1e5}, "smallest load that it names");
  t.number("from_kV", a.from_V, {0, 2000}, "connection at this voltage or above", Need::optional);
  t.number("below_kV", a.below_V, {0, 2000}, "connection below this voltage", Need::optional);
  t.number("computational_frac", a.computational_frac, {0, 1}, "smallest share of computing load", Need::optional);
  t.finish();
  return a;
}

RecordRule read_record_rule(const Node& node, const std::string& name, const std::string& path,
                            std::vector<Finding>& findings) {
  RecordRule r;
  r.name = name;
  double MW = not_stated, per_min = not_stated, share = not_stated, share_per_min = not_stated;
  TableReader t(node, path, findings);
  t.text("title", r.title, "what the rule says, in words");
  t.choice("figure", r.figure_word, figures, "what it looks at");
  t.number("window_s", r.window_s, {0.001, 86400}, "of the figure");
  t.number("low_Hz", r.low_Hz, {0, 400}, "lower end of the band", Need::optional);
  t.number("high_Hz", r.high_Hz, {0, 400}, "upper end of the band", Need::optional);
  t.integer("filter_order", r.filter_order, {2, 4}, "of each side of the band-pass, 2 or 4", Need::optional);
  t.flag("filter_stated", r.filter_stated,
         "whether the rule's text states its filter; if not, the verdict must hold for several", Need::optional);
  t.number("percentile", r.percentile, {0, 100}, "of ramps", Need::optional);
  t.number("limit_MW", MW, {0, 1e6}, "limit of a power", Need::optional);
  t.number("limit_MW_per_min", per_min, {0, 1e8}, "limit of a slope", Need::optional);
  t.number("limit_of_peak_frac", share, {0, 10}, "limit as a share of the site's peak", Need::optional);
  t.number("limit_of_peak_per_min_frac", share_per_min, {0, 100}, "limit of a slope as a share of the site's peak",
           Need::optional);
  t.finish();
  const auto at = std::find(figures.begin(), figures.end(), r.figure_word);
  if (at == figures.end()) return r;  // the reader has reported it
  r.figure = static_cast<RecordFigure>(at - figures.begin());
  const bool slope = r.figure == RecordFigure::slope_up || r.figure == RecordFigure::slope_down ||
                     r.figure == RecordFigure::ramp_percentile;
  r.limit = slope ? per_min : MW;
  r.limit_share = slope ? share_per_min / 60.0 : share;
  const auto given = [](double x) { return std::isnan(x) ? 0 : 1; };
  const int all = given(MW) + given(per_min) + given(share) + given(share_per_min);
  if (given(r.limit) + given(r.limit_share) == 0 || all != given(r.limit) + given(r.limit_share))
    t.report(&node, "limit",
             fmt::format("'{}' needs {}, and no limit in another unit", r.figure_word,
                         slope ? "limit_MW_per_min or limit_of_peak_per_min_frac" : "limit_MW or limit_of_peak_frac"));
  if ((r.low_Hz > 0.0 || r.high_Hz > 0.0) && !(r.low_Hz < r.high_Hz && r.low_Hz > 0.0))
    t.report(&node, "low_Hz", "a band needs 0 < low_Hz < high_Hz");
  if (r.figure == RecordFigure::ramp_percentile && std::isnan(r.percentile))
    t.report(&node, "percentile", "'ramp_percentile' needs it");
  if (r.filter_order == 3) t.report(&node, "filter_order", "must be 2 or 4");
  return r;
}

bool is_record_figure(std::string_view word) {
  return std::find(figures.begin(), figures.end(), word) != figures.end();
}

void read_rules_by_name(const Node& table, const std::string& path, RuleBook& out, std::vector<Finding>& findings,
                        FieldLog* log) {
  if (!table.is_table()) return;
  std::vector<std::pair<std::uint32_t, Rule>> of_run;  // with their lines: the parser does not keep the order
  for (const auto& [key, node] : std::get<Node::Table>(table.value)) {
    const Node* word = node.find("figure");
    const std::string figure = word && word->is_text() ? std::get<std::string>(word->value) : "";
    const std::string place = path + ".rule." + key;
    if (is_record_figure(figure)) {
      out.rules.push_back(read_record_rule(node, key, place, findings));
      continue;
    }
    const Node* title = node.find("title");
    RecordRule r;
    r.name = key;
    r.title = title && title->is_text() ? std::get<std::string>(title->value) : key;
    r.figure_word = figure;
    out.rules.push_back(std::move(r));
    if (auto rule = read_rule(node, key, place, findings, log)) of_run.emplace_back(node.place.line, std::move(*rule));
  }
  std::ranges::stable_sort(of_run, {}, &std::pair<std::uint32_t, Rule>::first);
  for (auto& [line, rule] : of_run) out.of_run.push_back(std::move(rule));
}

void read_head(TableReader& t, RuleBook& book) {
  t.text("title", book.title, "name of the rules");
  t.text("date", book.date, "date of the document's latest step");
  t.text("jurisdiction", book.jurisdiction, "utility or regulator, and its region", Need::optional);
  t.text("document", book.document, "document that holds the rules", Need::optional);
  t.choice("status", book.status, statuses, "how far it binds", Need::optional);
  t.text("tag", book.tag, "R read, S secondary, C calculated", Need::optional);
  t.text("note", book.note, "figures that could not be read, and reservations", Need::optional);
}

}  // namespace

std::string RuleBand::range(std::string_view unit) const {
  return std::isinf(high) ? fmt::format("above {:g} {}", low, unit) : fmt::format("{:g} to {:g} {}", low, high, unit);
}

std::string_view name(BandDuty duty) {
  constexpr std::array<std::string_view, 5> words = {"must stay", "must stay for a time", "may reduce", "may trip",
                                                     "not read"};
  return words[static_cast<std::size_t>(duty)];
}

bool RuleBook::binding() const {
  return status == "in force" || status == "approved" || status == "current" || status == "standard";
}

std::string RuleBook::why_not(double largest_W, double voltage_V, double computational_frac) const {
  if (applies.empty()) return {};
  std::string why;
  for (const RuleApplies& a : applies) {
    std::string one;
    if (largest_W < a.smallest_W)
      one = fmt::format("the site's largest {:.3g} MW lie below {:g} MW", largest_W * 1e-6, a.smallest_W * 1e-6);
    else if (voltage_V < a.from_V || voltage_V >= a.below_V)
      one = fmt::format("its connection at {:g} kV is another", voltage_V * 1e-3);
    else if (computational_frac < a.computational_frac)
      one = fmt::format("{:.0f} % of its load compute, below {:.0f} %", 100.0 * computational_frac,
                        100.0 * a.computational_frac);
    if (one.empty()) return {};
    if (why.empty()) why = one;
  }
  return why;
}

std::string RuleBook::why(double largest_W, double voltage_V, double computational_frac) const {
  for (const RuleApplies& a : applies) {
    if (largest_W < a.smallest_W || voltage_V < a.from_V || voltage_V >= a.below_V ||
        computational_frac < a.computational_frac)
      continue;
    std::string out =
        fmt::format("the site's largest {:.4g} MW are at or above {:g} MW", largest_W * 1e-6, a.smallest_W * 1e-6);
    if (a.from_V > 0.0) out += fmt::format(", its connection at or above {:g} kV", a.from_V * 1e-3);
    if (std::isfinite(a.below_V)) out += fmt::format(", its connection below {:g} kV", a.below_V * 1e-3);
    if (a.computational_frac > 0.0)
      out += fmt::format(", {:.0f} % of it computing load, at or above {:.0f} %", 100.0 * computational_frac,
                         100.0 * a.computational_frac);
    return out;
  }
  return "it states no threshold";
}

RuleBook read_rule_book(const Node& values, const std::string& name, const std::string& path,
                        std::vector<Finding>& findings, FieldLog* log) {
  RuleBook out;
  out.name = name;
  TableReader t(values, path, findings, log);
  read_head(t, out);
  const auto applies =
      items(t, "applies", "sites that the rules apply to: smallest_MW, from_kV, below_kV, computational_frac");
  for (std::size_t i = 0; i < applies.size(); ++i)
    out.applies.push_back(read_applies(*applies[i], fmt::format("{}.applies[{}]", path, i), findings));
  if (const Node* ride = t.child("ride", Need::optional, "ride-through part, for tidewatt ride"))
    out.ride = read_ride(*ride, path + ".ride", findings);
  const Node* rules = t.child("rule", out.ride ? Need::optional : Need::required, "rules by name");
  if (log != nullptr) log->list(path + ".rule");
  if (rules) read_rules_by_name(*rules, path, out, findings, log);
  t.finish();
  if (rules && out.rules.empty() && !out.ride)
    t.report(nullptr, "rule", "a rule file needs `ride` or at least one `rule.NAME`");
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::grid
