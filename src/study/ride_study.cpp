#include "ride_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "grid/phase_sag.hpp"
#include "grid/ride_verdict.hpp"
#include "io/read_comtrade.hpp"
#include "ride_plot.hpp"
#include "say.hpp"
#include "sim/load_groups.hpp"
#include "site_load.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

using Json = nlohmann::ordered_json;

Json number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

Json point_json(const grid::RidePoint& p) {
  return {{"level", p.level},
          {"duration_s", p.duration_s},
          {"stays", !(p.left_W > 0.0)},
          {"left_MW", p.left_W * 1e-6},
          {"left_after_s", p.left_W > 0.0 ? Json(p.left_after_s) : Json(nullptr)},
          {"group", p.group},
          {"setting", p.setting},
          {"current_ratio", number(p.current_ratio)},
          {"recovery_s", number(p.recovery_s)}};
}

Json bands_json(const std::vector<grid::BandAnswer>& bands) {
  Json out = Json::array();
  for (const auto& b : bands) {
    Json o{{"low", b.band.low},       {"high", number(b.band.high)},     {"duty", grid::name(b.band.duty)},
           {"stay_s", b.band.stay_s}, {"verdict", grid::name(b.answer)}, {"points", Json::array()}};
    if (b.n_phase != 3) o["n_phase"] = b.n_phase;
    for (const auto& p : b.points) o["points"].push_back(point_json(p));
    out.push_back(std::move(o));
  }
  return out;
}

void say_band(std::string& text, const grid::BandAnswer& b, const char* unit) {
  const auto& p = b.points[b.worst];
  const bool timed = b.band.duty == grid::BandDuty::timed || b.band.duty == grid::BandDuty::may_reduce;
  say(text, "  {:<18} {:<30} {:<11} {}\n", b.band.range(unit),
      std::string(grid::name(b.band.duty)) + (timed ? fmt::format(" ({:g} s)", b.band.stay_s) : ""),
      grid::name(b.answer),
      p.left_W > 0.0
          ? fmt::format("{:.3g} MW leave at {:.3g} {} for {:g} s", p.left_W * 1e-6, p.level, unit, p.duration_s)
          : "nothing leaves");
}

std::string point_text(const grid::RidePoint& p) {
  std::string text = p.left_W > 0.0 ? fmt::format("{:.3g} MW leave after {:.3g} s ({}: {})", p.left_W * 1e-6,
                                                  p.left_after_s, p.group, p.setting)
                                    : "nothing leaves";
  if (std::isfinite(p.current_ratio))
    text += fmt::format("; current up to {:.3g} times the one before", p.current_ratio);
  if (std::isfinite(p.recovery_s)) text += fmt::format("; power back after {:.3g} s", p.recovery_s);
  return text;
}

/// A measured voltage, judged by the rule's times along it.
struct Played {
  double lowest_pu = 1.0, below_s = 0.0;
  grid::RideRecordAnswer answer;
};

Played play_record(const std::string& sag, const grid::RuleBook& book, const std::vector<grid::LoadGroup>& groups) {
  const auto v = io::sag_of(io::read_comtrade(sag));
  Played out;
  out.lowest_pu = *std::min_element(v.begin(), v.end());
  out.below_s = 1e-3 * static_cast<double>(std::count_if(v.begin(), v.end(), [](double x) { return x < 0.9; }));
  out.answer = grid::judge_record(*book.ride, groups, v, 1e-3);
  return out;
}

/// A judged site, before it is told.
struct Judged {
  const RideOptions& options;
  std::string file, why_not;
  grid::RuleBook book;
  sim::SiteGroups site;
  bool judged = false;
  std::optional<grid::RideVerdict> verdict;
  std::optional<grid::RidePoint> point;
  std::optional<Played> record;
};

std::string judged_json(const Judged& j) {
  Json o{{"rule", j.book.name},
         {"title", j.book.title},
         {"status", j.book.status},
         {"date", j.book.date},
         {"binding", j.book.binding()},
         {"file", j.file},
         {"site_MW", j.site.largest_W * 1e-6},
         {"applies", j.why_not.empty()},
         {"why_not", j.why_not},
         {"forced", !j.why_not.empty() && j.judged},
         {"note", j.book.note},
         {"open", j.site.open}};
  o["verdict"] = j.judged ? j.verdict->text() : "does not apply";
  if (!j.judged) return o.dump();
  o["n_judged"] = j.verdict->n_judged;
  o["n_band"] = j.verdict->n_band;
  for (const auto& i : j.verdict->items)
    o["items"].push_back({{"name", i.name}, {"verdict", grid::name(i.answer)}, {"why", i.why}});
  o["voltage"] = bands_json(j.verdict->voltage);
  o["frequency"] = bands_json(j.verdict->frequency);
  if (!j.verdict->unbalanced.empty()) {
    o["transformer"] = j.options.transformer;
    o["unbalanced"] = bands_json(j.verdict->unbalanced);
  }
  if (j.point) o["point"] = point_json(*j.point);
  if (j.point && j.options.n_phase != 3)
    o["point"]["n_phase"] = j.options.n_phase, o["point"]["transformer"] = j.options.transformer;
  if (j.record)
    o["record"] = {{"file", j.options.sag},
                   {"lowest_pu", j.record->lowest_pu},
                   {"below_0.9_s", j.record->below_s},
                   {"verdict", grid::name(j.record->answer.answer)},
                   {"why", j.record->answer.why}};
  return o.dump();
}

std::string judged_text(const Judged& j) {
  std::string text;
  say(text, "{} ({})\n{}: {:.3g} MW of servers at design power\n", j.book.title, status_text(j.book), j.file,
      j.site.largest_W * 1e-6);
  if (!j.why_not.empty()) say(text, "{}: {}\n", j.judged ? "forced with --as-if" : "does not apply", j.why_not);
  if (!j.judged) return text;
  say(text, "{}\n", j.verdict->text());
  for (const auto& i : j.verdict->items) say(text, "  {:<28} {:<11} {}\n", i.name, grid::name(i.answer), i.why);
  say(text, "voltage, balanced:\n");
  for (const auto& b : j.verdict->voltage) say_band(text, b, "pu");
  std::int64_t n_phase = 0;
  for (const auto& b : j.verdict->unbalanced) {
    if (b.n_phase != n_phase) say(text, "voltage, {} of 3 phases, behind {}:\n", b.n_phase, j.options.transformer);
    n_phase = b.n_phase;
    say_band(text, b, "pu");
  }
  if (j.point)
    say(text, "at {:g} pu for {:g} s{}: {}\n", j.options.voltage_pu, j.options.duration_s,
        j.options.n_phase == 3 ? ""
                               : fmt::format(" on {} of 3 phases behind {}", j.options.n_phase, j.options.transformer),
        point_text(*j.point));
  if (j.record)
    say(text, "record {}: lowest {:.3g} pu, {:.3g} s below 0.9 pu: {}; {}\n", j.options.sag, j.record->lowest_pu,
        j.record->below_s, grid::name(j.record->answer.answer), j.record->answer.why);
  for (const auto& line : j.site.open) say(text, "open: {}\n", line);
  if (!j.book.note.empty()) say(text, "note: {}\n", j.book.note);
  return text;
}

/// The site's groups: what the scenario names, or each unit of settings of its own with the servers at design power.
sim::SiteGroups groups_of(const sim::Scenario& scenario, const RideOptions& options) {
  auto site = sim::site_groups(scenario, options.current_limit_pu);
  // Said by the verdict on unbalanced sags.
  std::erase_if(site.open, [](const std::string& line) { return line.starts_with("transformer connection"); });
  if (options.settings.empty()) return site;
  const auto parts = grid::with_power(find_load_settings(options.settings, options.overlay), site.largest_W, 0.0);
  site.groups = grid::units_of(parts);
  for (auto& g : site.groups) g.current_ratio = std::min(g.current_ratio, options.current_limit_pu);
  site.open = {"cooling plant: its power follows from a run, so its parts are played without load"};
  if (site.groups.empty())
    throw InputError(fmt::format("ride: the settings '{}' have no part of the servers", options.settings));
  return site;
}

/// The sag of one's own, phase by phase where not all of them are faulted.
grid::RidePoint own_sag(const Judged& j, double nominal_Hz) {
  const auto& o = j.options;
  if (o.n_phase == 3)
    return grid::play_point(*j.book.ride, j.site.groups, nominal_Hz, o.voltage_pu, o.duration_s, false);
  const auto transformer = grid::transformer_of(o.transformer);
  if (!transformer)
    throw InputError(
        fmt::format("ride: a sag of {} phase{} needs the transformer between connection and load: wye_wye or delta_wye",
                    o.n_phase, o.n_phase == 1 ? "" : "s"));
  return grid::play_phases(*j.book.ride, j.site.groups, nominal_Hz, o.voltage_pu, o.duration_s, o.n_phase,
                           *transformer);
}

}  // namespace

RideStudy ride(const sim::Scenario& scenario, const std::string& file, const RideOptions& options) {
  Judged j{options, file, {}, find_rule_book(options.rule, options.overlay), groups_of(scenario, options), false,
           {},      {},   {}};
  if (!j.book.ride)
    throw InputError(fmt::format("rule '{}' has no ride-through part; tidewatt rules check {} RESULT judges it",
                                 j.book.name, j.book.name));
  j.why_not =
      j.book.why_not(j.site.largest_W, options.connection_V > 0.0 ? options.connection_V : grid::not_stated, 1.0);
  j.judged = j.why_not.empty() || options.as_if;
  if (j.judged) {
    const double nominal_Hz = scenario.frequency.nominal_Hz;
    j.verdict = grid::judge_ride(j.book, j.site.groups, nominal_Hz, grid::transformer_of(options.transformer));
    if (options.duration_s > 0.0) j.point = own_sag(j, nominal_Hz);
    if (!options.sag.empty()) j.record = play_record(options.sag, j.book, j.site.groups);
  }
  return {{judged_json(j), judged_text(j)},
          j.verdict ? ride_plot(*j.verdict, fmt::format("{}: {}", j.book.name, j.verdict->text())) : std::string()};
}

}  // namespace TIDEWATT_NAMESPACE::study
