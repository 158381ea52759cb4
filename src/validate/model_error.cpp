#include "model_error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "backing.hpp"
#include "error_scale.hpp"
#include "predictive.hpp"
#include "row_traits.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

constexpr std::size_t least_rows = 8, least_sources = 3;
constexpr int n_equally_likely = 99;  // so that the 5 and 95 % of them are two of them
constexpr const char* no_row = "no row backs this";

/// A blind row of the ledger with what is known of it.
struct Candidate {
  const LedgerLine* line = nullptr;
  RowTraits traits;
  double log = 0.0;  ///< ln(measured / computed); NaN: its error is in a unit
};
using Candidates = std::vector<const Candidate*>;

/// What a class is sought for: a headline of a run, or a row.
struct Wanted {
  std::string area;  ///< for names
  RunTraits run;
  std::string_view state;                          ///< empty: any
  std::function<bool(const Candidate&)> compares;  ///< rows of its area and quantity
};

double log_of(const LedgerLine& line, const RowTraits& traits) {
  if (line.absolute) return std::numeric_limits<double>::quiet_NaN();
  const double of_time = traits.quantity == "throughput" ? sign_of(line.unit) : -1.0;
  return of_time * std::log1p(line.error);
}

std::vector<Candidate> candidates(const std::vector<LedgerLine>& lines) {
  std::vector<Candidate> out;
  for (const LedgerLine& line : lines) {
    if (!is_blind(line) || first_line(lines, line.row) != &line) continue;
    const RowTraits traits = row_traits(line);
    out.push_back({&line, traits, log_of(line, traits)});
  }
  return out;
}

/// "node power in W"
std::string area_name(const std::string& area, const std::string& quantity) {
  return quantity.empty() || quantity == "throughput" ? area : area + " in " + quantity;
}

/// What a row does not declare, or a run does not say, rules nothing out.
bool is_among(const std::set<std::string>& wanted, const std::string& value) {
  return wanted.empty() || value.empty() || wanted.contains(value);
}

std::string name_of(const Wanted& w, bool in_full) {
  std::string out = w.area;
  const auto add = [&](const auto& words) {
    if (!words.empty()) out += fmt::format(", {}", fmt::join(words, " or "));
  };
  if (!w.run.devices.contains("")) add(w.run.devices);
  if (!in_full) return out;
  add(w.run.formats), add(w.run.shapes);
  if (!w.state.empty()) out += fmt::format(", {}", w.state);
  return out;
}

Candidates chosen(const Candidates& from, const std::function<bool(const RowTraits&)>& keep) {
  Candidates out;
  std::copy_if(from.begin(), from.end(), std::back_inserter(out), [&](const Candidate* c) { return keep(c->traits); });
  return out;
}

std::size_t n_source(const Candidates& rows) {
  std::set<std::string> sources;
  for (const Candidate* c : rows) sources.insert(c->line->source);
  return sources.size();
}

bool suffice(const Candidates& rows) { return rows.size() >= least_rows && n_source(rows) >= least_sources; }

/// "7 of 2 sources"
std::string number_of(const Candidates& rows) {
  return n_source(rows) < least_sources && rows.size() >= least_rows
             ? fmt::format("{} of {} sources", rows.size(), n_source(rows))
             : fmt::format("{}", rows.size());
}

/// The rows and the class that model_errors() describes.
ModelError class_of(const std::vector<Candidate>& all, const Wanted& w, const std::string& without_source) {
  ModelError out;
  Candidates area;
  std::size_t n_in_unit = 0, n_nothing = 0;
  for (const Candidate& c : all) {
    if (!w.compares(c) || (!without_source.empty() && c.line->source == without_source)) continue;
    if (std::isfinite(c.log))
      area.push_back(&c);
    else
      ++(std::isnan(c.log) ? n_in_unit : n_nothing);
  }
  const auto device = chosen(area, [&](const RowTraits& t) { return w.run.devices.contains(t.device); });
  const auto alike = chosen(device, [&](const RowTraits& t) {
    return is_among(w.run.formats, t.format) && is_among(w.run.shapes, t.shape) &&
           (w.state.empty() || t.state == w.state);
  });
  std::vector<std::string> notes;
  const Candidates* rows = &area;
  if (device.empty()) {
    rows = &device, notes.emplace_back(no_row);
  } else if (suffice(alike)) {
    rows = &alike, out.class_name = name_of(w, true);
  } else if (suffice(device)) {
    rows = &device, out.class_name = name_of(w, false);
    notes.push_back(fmt::format("{} alike ({}): all rows of the device", number_of(alike), name_of(w, true)));
  } else {
    out.class_name = w.area + ", all devices";
    notes.push_back(fmt::format("{} on the device ({}): rows of all devices", number_of(device), name_of(w, false)));
  }
  if (n_in_unit > 0) notes.push_back(fmt::format("{} left out: error in a unit, not a ratio", n_in_unit));
  if (n_nothing > 0) notes.push_back(fmt::format("{} left out: computed as 0", n_nothing));
  for (const Candidate* c : *rows)
    out.rows.push_back(c->line->row), out.logs.push_back(c->log), out.sources.emplace_back(c->line->source);
  out.note = fmt::format("{}", fmt::join(notes, "; "));
  return out;
}

/// What a row is like: itself.
Wanted wanted_by(const Candidate& row) {
  const RowTraits& t = row.traits;
  Wanted w{area_name(t.area, t.quantity), {{t.device}, {}, {}}, t.state, {}};
  if (!t.format.empty()) w.run.formats = {t.format}, w.run.shapes = {t.shape};
  w.compares = [&t](const Candidate& c) { return c.traits.area == t.area && c.traits.quantity == t.quantity; };
  return w;
}

}  // namespace

std::vector<ModelError> model_errors(const std::vector<LedgerLine>& lines, const std::string& scenario,
                                     const std::string& without_source) {
  const auto all = candidates(lines);
  const RunTraits of_plan = run_traits(scenario), of_devices = {of_plan.devices, {}, {}};
  std::vector<ModelError> out;
  for (const BackedHeadline& h : backed_headlines()) {
    const auto compares = [&h](const Candidate& c) {
      return backs(h, c.traits.area, c.line->row) && c.traits.quantity == h.quantity;
    };
    out.push_back(class_of(all,
                           {area_name(std::string(h.areas.front()), std::string(h.quantity)),
                            h.quantity == "throughput" ? of_plan : of_devices, h.state, compares},
                           without_source));
    out.back().headline = h.key;
  }
  return out;
}

study::ChancePart model_part(const std::vector<LedgerLine>& lines, const std::string& scenario) {
  study::ChancePart out;
  out.name = "model";
  std::vector<std::string> classes, none;
  for (const ModelError& e : model_errors(lines, scenario)) {
    if (e.logs.empty()) {
      none.push_back(e.headline);
      continue;
    }
    const Predictive next = predictive(e.logs, e.sources);
    classes.push_back(fmt::format("{}: {} blind rows of {} from {} source{}", e.headline, e.logs.size(), e.class_name,
                                  next.n_source, next.n_source == 1 ? "" : "s"));
    out.n_draw = std::max(out.n_draw, static_cast<std::int64_t>(e.logs.size()));
    for (int i = 1; i <= n_equally_likely; ++i) {
      const double x = next.quantile(static_cast<double>(i) / (n_equally_likely + 1));
      out.logs[e.headline].push_back(x);
      if (e.headline == "tokens_per_s_mean") out.logs["iteration_s"].push_back(-x);
    }
  }
  if (!none.empty()) classes.push_back(fmt::format("no row backs {}", fmt::join(none, ", ")));
  out.note = fmt::format("{}", fmt::join(classes, "; "));
  return out;
}

std::vector<CheckedRow> checked_rows(const std::vector<LedgerLine>& lines) {
  const auto all = candidates(lines);
  std::vector<CheckedRow> out;
  for (const Candidate& c : all) {
    if (std::isnan(c.log)) continue;
    const Wanted wanted = wanted_by(c);
    const ModelError others = class_of(all, wanted, c.line->source);
    CheckedRow row{c.line->row,
                   c.line->source,
                   class_of(all, wanted, "").class_name,
                   c.log,
                   others.class_name,
                   others.logs.size(),
                   0,
                   std::nan(""),
                   std::nan(""),
                   std::nan(""),
                   others.note};
    if (row.n > 0) {
      const Predictive next = predictive(others.logs, others.sources);
      row.n_source = next.n_source;
      row.p05 = next.quantile(0.05), row.p50 = next.quantile(0.5), row.p95 = next.quantile(0.95);
    }
    out.push_back(std::move(row));
  }
  return out;
}

std::string checked_text(const std::vector<CheckedRow>& rows) {
  std::string out = fmt::format("{:<24} {:>10} {:>8} {:>8} {:>5}  {}\n", "row", "measured", "5 %", "95 %", "rows",
                                "class without the row's source; measured over computed, less 1");
  for (const CheckedRow& r : rows) {
    const auto percent = [](double log) { return fmt::format("{:+.1f} %", 100.0 * std::expm1(log)); };
    const bool known = r.n > 0;
    out += fmt::format("{:<24} {:>10} {:>8} {:>8} {:>5}  {}{}\n", r.row, percent(r.log), known ? percent(r.p05) : "–",
                       known ? percent(r.p95) : "–", r.n, r.class_name,
                       r.note.empty() ? "" : fmt::format("{}{}", known ? "; " : "", r.note));
  }
  return out;
}

std::string checked_json(const std::vector<CheckedRow>& rows) {
  const auto number = [](double x) { return std::isfinite(x) ? nlohmann::ordered_json(x) : nlohmann::ordered_json(); };
  auto list = nlohmann::ordered_json::array();
  for (const CheckedRow& r : rows)
    list.push_back({{"row", r.row},
                    {"source", r.source},
                    {"own_class", r.own_class},
                    {"log", number(r.log)},
                    {"class", r.class_name},
                    {"n", r.n},
                    {"n_source", r.n_source},
                    {"p05", number(r.p05)},
                    {"p50", number(r.p50)},
                    {"p95", number(r.p95)},
                    {"inside", r.n > 0 ? nlohmann::ordered_json(r.inside()) : nlohmann::ordered_json()},
                    {"note", r.note}});
  return nlohmann::ordered_json{{"model_errors", list}}.dump(2);
}

}  // namespace TIDEWATT_NAMESPACE::validate
