#include "tidewatt/grid/compliance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "rule_book.hpp"
#include "tidewatt/base/reader.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

constexpr double unset = std::numeric_limits<double>::quiet_NaN();
enum class Unit : std::uint8_t { W, W_per_s, frac, ratio, pu, Hz };
enum class Needs : std::uint8_t { nothing, window, band };

struct Entry {
  std::string_view word;
  Unit unit;
  Needs needs;
};
// In the order of Metric.
constexpr std::array<Entry, 16> metrics = {{{"ramp_up", Unit::W_per_s, Needs::window},
                                            {"ramp_down", Unit::W_per_s, Needs::window},
                                            {"range", Unit::W, Needs::nothing},
                                            {"range_share", Unit::frac, Needs::nothing},
                                            {"step", Unit::W, Needs::window},
                                            {"band_rms", Unit::W, Needs::band},
                                            {"band_share", Unit::frac, Needs::band},
                                            {"line_share", Unit::frac, Needs::band},
                                            {"P_st", Unit::ratio, Needs::nothing},
                                            {"P_lt", Unit::ratio, Needs::nothing},
                                            {"voltage_low", Unit::pu, Needs::nothing},
                                            {"voltage_high", Unit::pu, Needs::nothing},
                                            {"voltage_change", Unit::pu, Needs::nothing},
                                            {"frequency_low", Unit::Hz, Needs::nothing},
                                            {"frequency_high", Unit::Hz, Needs::nothing},
                                            {"load_lost", Unit::W, Needs::nothing}}};

const Entry& entry(Metric m) { return metrics[static_cast<std::size_t>(m)]; }

struct RuleParams {
  std::string title, figure;
  double window_s = 0.0, low_Hz = 0.0, high_Hz = 0.0;
  // One per Unit; MW/min and MW/s are two ways to write the same.
  std::array<double, 6> limit{unset, unset, unset, unset, unset, unset};
  double limit_per_min = unset;

  void fields(FieldVisitor& v) {
    std::vector<std::string_view> words;
    words.reserve(metrics.size());
    for (const auto& m : metrics) words.push_back(m.word);
    v.text("title", title, "what the rule says, in words");
    v.choice("figure", figure, words, "what it looks at");
    v.number("window_s", window_s, {0.001, 86400}, "averaging window of ramps and steps", Need::optional);
    v.number("low_Hz", low_Hz, {0, 1000}, "lower end of the band", Need::optional);
    v.number("high_Hz", high_Hz, {0, 1000}, "upper end of the band", Need::optional);
    v.number("limit_MW", limit[0], {0, 1e6}, "limit of a power", Need::optional);
    v.number("limit_MW_per_s", limit[1], {0, 1e6}, "limit of a ramp", Need::optional);
    v.number("limit_MW_per_min", limit_per_min, {0, 1e8}, "limit of a ramp", Need::optional);
    v.number("limit_frac", limit[2], {0, 10}, "limit of a share", Need::optional);
    v.number("limit_ratio", limit[3], {0, 100}, "limit of a severity", Need::optional);
    v.number("limit_pu", limit[4], {0, 10}, "limit of a voltage", Need::optional);
    v.number("limit_Hz", limit[5], {0, 1000}, "limit of a frequency", Need::optional);
  }
};

std::string wrong(const RuleParams& p, const Entry& e) {
  const auto unit = static_cast<std::size_t>(e.unit);
  std::int64_t given = std::isnan(p.limit_per_min) ? 0 : 1;
  for (const double l : p.limit) given += std::isnan(l) ? 0 : 1;
  const bool right = !std::isnan(p.limit[unit]) || (e.unit == Unit::W_per_s && !std::isnan(p.limit_per_min));
  if (given != 1 || !right) return fmt::format("'{}' needs exactly one limit, in its own unit", e.word);
  if (e.needs == Needs::window && !(p.window_s > 0.0)) return fmt::format("'{}' needs window_s", e.word);
  if (e.needs == Needs::band && !(p.low_Hz < p.high_Hz)) return fmt::format("'{}' needs low_Hz below high_Hz", e.word);
  return "";
}

Figure quotient(const Figure& a, const Figure& b) {
  const double q = a.value / b.value;
  return {
      q,
      std::abs(q) * (a.spread / std::max(std::abs(a.value), 1e-300) + b.spread / std::max(std::abs(b.value), 1e-300)),
      a.worst};
}

/// Of a power that is drawn; a site that draws none has no share.
Figure share_of(const Figure& a, const Figure& drawn_W) {
  return drawn_W.value > 0.0 ? quotient(a, drawn_W) : Figure{};
}

bool same(double a, double b) { return std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b)); }

Figure figure_of(const Rule& r, const WaveformFigures& f) {
  const auto band = [&]() -> const BandFigures* {
    for (const auto& b : f.bands)
      if (same(b.low_Hz, r.low_Hz) && same(b.high_Hz, r.high_Hz)) return &b;
    return nullptr;
  };
  switch (r.metric) {
    case Metric::ramp_up:
    case Metric::ramp_down:
      for (const auto& x : f.ramps)
        if (same(x.window_s, r.window_s)) return r.metric == Metric::ramp_up ? x.up_W_per_s : x.down_W_per_s;
      return {};
    case Metric::step:
      for (const auto& x : f.steps)
        if (same(x.window_s, r.window_s)) return x.change_W;
      return {};
    case Metric::range:
      return f.range_W;
    case Metric::range_share:
      return share_of(f.range_W, f.peak_W);
    case Metric::band_rms:
      return band() ? band()->rms_W : Figure{};
    case Metric::band_share:
      return band() ? share_of(band()->rms_W, f.mean_W) : Figure{};
    case Metric::line_share:
      return band() ? band()->line_share_frac : Figure{};
    case Metric::P_st:
      return f.P_st;
    case Metric::P_lt:
      return f.P_lt;
    case Metric::voltage_low:
      return f.voltage_low_pu;
    case Metric::voltage_high:
      return f.voltage_high_pu;
    case Metric::voltage_change:
      return f.voltage_change_pu;
    case Metric::frequency_low:
      return f.frequency_low_Hz;
    case Metric::frequency_high:
      return f.frequency_high_Hz;
    case Metric::load_lost:
      return f.load_lost_W;
  }
  return {};
}

}  // namespace

std::string_view name(Metric m) { return entry(m).word; }

std::string_view name(Compliance c) {
  switch (c) {
    case Compliance::pass:
      return "pass";
    case Compliance::fail:
      return "fail";
    case Compliance::undecided:
      return "undecided";
    case Compliance::not_measured:
      break;
  }
  return "not measured";
}

std::optional<Rule> read_rule(const Node& node, const std::string& name, const std::string& path,
                              std::vector<Finding>& findings, FieldLog* log) {
  RuleParams p;
  const std::size_t before = findings.size();
  TableReader reader(node, path, findings, log);
  p.fields(reader);
  reader.finish();
  const auto at = std::find_if(metrics.begin(), metrics.end(), [&](const Entry& e) { return e.word == p.figure; });
  if (findings.size() > before || at == metrics.end()) return {};
  if (const std::string what = wrong(p, *at); !what.empty()) {
    reader.report(&node, "limit", what);
    return {};
  }
  const double limit = at->unit == Unit::W_per_s && std::isnan(p.limit[1])
                           ? p.limit_per_min
                           : p.limit[static_cast<std::size_t>(at->unit)];
  return Rule{name, p.title, static_cast<Metric>(at - metrics.begin()), p.window_s, p.low_Hz, p.high_Hz, limit};
}

RuleSet read_rules(const Node& values, const std::string& set_name, const std::string& path,
                   std::vector<Finding>& findings) {
  const RuleBook book = read_rule_book(values, set_name, path, findings);
  for (const RecordRule& r : book.rules)
    if (r.figure != RecordFigure::elsewhere)
      findings.push_back({values.find("rule")->find(r.name)->find("figure")->place,
                          path + ".rule." + r.name + ".figure",
                          fmt::format("'{}' is judged on a recorded window: tidewatt rules check {} RESULT",
                                      r.figure_word, set_name)});
  if (book.ride && book.rules.empty())
    findings.push_back(
        {values.place, path,
         fmt::format("'{}' is about ride-through: judge it with tidewatt ride --rule {}", set_name, set_name)});
  return {book.name, book.title + (book.ride ? " (without ride-through: tidewatt ride)" : ""), book.date, book.of_run};
}

Compliance ComplianceReport::verdict() const {
  for (const Compliance c : {Compliance::fail, Compliance::undecided, Compliance::not_measured})
    for (const auto& o : outcomes)
      if (o.verdict == c) return c;
  return Compliance::pass;
}

ComplianceReport evaluate(const RuleSet& set, const WaveformFigures& figures) {
  ComplianceReport out{set.name, set.title, set.date, {}};
  for (const Rule& r : set.rules) {
    RuleOutcome o{r, figure_of(r, figures)};
    if (std::isfinite(o.figure.value)) {
      o.margin = r.at_least() ? o.figure.value - r.limit : r.limit - o.figure.value;
      o.margin_frac = r.limit != 0.0 ? o.margin / std::abs(r.limit) : 0.0;
      o.verdict = o.margin >= 0.0 ? Compliance::pass : Compliance::fail;
      if (std::abs(o.margin) < o.figure.spread) o.verdict = Compliance::undecided;
    }
    out.outcomes.push_back(std::move(o));
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::grid
