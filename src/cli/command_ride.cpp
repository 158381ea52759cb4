#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "rule_files.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/grid/ride_verdict.hpp"
#include "tidewatt/io/read_comtrade.hpp"
#include "tidewatt/sim/load_groups.hpp"

namespace {

using namespace tidewatt;
using Json = nlohmann::ordered_json;

struct Arguments {
  std::string file, rule, sag;
  sim::LoadOptions load;
  double kV = 0.0, current_limit_pu = std::numeric_limits<double>::infinity(), voltage_pu = 1.0, duration_s = 0.0;
  bool as_if = false, json = false;
};

Json number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

Json point_json(const grid::RidePoint& p) {
  return {{"level", p.level}, {"duration_s", p.duration_s}, {"stays", !(p.left_W > 0.0)}, {"left_MW", p.left_W * 1e-6}, {"left_after_s", p.left_W > 0.0 ? Json(p.left_after_s) : Json(nullptr)},
          {"group", p.group}, {"setting", p.setting}, {"current_ratio", number(p.current_ratio)}, {"recovery_s", number(p.recovery_s)}};
}

Json bands_json(const std::vector<grid::BandAnswer>& bands) {
  Json out = Json::array();
  for (const auto& b : bands) {
    Json o{{"low", b.band.low}, {"high", number(b.band.high)}, {"duty", grid::name(b.band.duty)}, {"stay_s", b.band.stay_s}, {"verdict", grid::name(b.answer)}, {"points", Json::array()}};
    for (const auto& p : b.points) o["points"].push_back(point_json(p));
    out.push_back(std::move(o));
  }
  return out;
}

void print_band(const grid::BandAnswer& b, const char* unit) {
  const auto& p = b.points[b.worst];
  const std::string range = std::isinf(b.band.high) ? fmt::format("above {:g} {}", b.band.low, unit) : fmt::format("{:g} to {:g} {}", b.band.low, b.band.high, unit);
  const bool timed = b.band.duty == grid::BandDuty::timed || b.band.duty == grid::BandDuty::may_reduce;
  fmt::print("  {:<18} {:<30} {:<11} {}\n", range, std::string(grid::name(b.band.duty)) + (timed ? fmt::format(" ({:g} s)", b.band.stay_s) : ""), grid::name(b.answer),
             p.left_W > 0.0 ? fmt::format("{:.3g} MW leave at {:.3g} {} for {:g} s", p.left_W * 1e-6, p.level, unit, p.duration_s) : "nothing leaves");
}

/// A measured voltage, judged by the rule's times along it.
struct Played {
  double lowest_pu = 1.0, below_s = 0.0;
  grid::RideRecordAnswer answer;
};

Played play_record(const Arguments& a, const grid::RuleBook& book, const std::vector<grid::LoadGroup>& groups) {
  const auto v = io::sag_of(io::read_comtrade(a.sag));
  Played out;
  out.lowest_pu = *std::min_element(v.begin(), v.end());
  out.below_s = 1e-3 * static_cast<double>(std::count_if(v.begin(), v.end(), [](double x) { return x < 0.9; }));
  out.answer = grid::judge_record(*book.ride, groups, v, 1e-3);
  return out;
}

void ride(const Arguments& a) {
  const auto book = find_rule_book(a.rule, a.load.catalog_overlay);
  const auto scenario = sim::load_scenario(a.file, a.load);
  const auto site = sim::site_groups(scenario, a.current_limit_pu);
  if (!book.ride) throw InputError(fmt::format("rule '{}' has no ride-through part; tidewatt rules check {} RESULT judges it", book.name, book.name));
  const std::string why_not = book.why_not(site.largest_W, a.kV > 0.0 ? a.kV * 1e3 : grid::not_stated, 1.0);
  const bool judged = why_not.empty() || a.as_if;
  Json o{{"rule", book.name}, {"title", book.title}, {"status", book.status}, {"date", book.date}, {"binding", book.binding()}, {"file", a.file}, {"site_MW", site.largest_W * 1e-6},
         {"applies", why_not.empty()}, {"why_not", why_not}, {"forced", !why_not.empty() && a.as_if}, {"note", book.note}, {"open", site.open}};
  if (!a.json) fmt::print("{} ({})\n{}: {:.3g} MW of servers at design power\n", book.title, status_text(book), a.file, site.largest_W * 1e-6);
  if (!a.json && !why_not.empty()) fmt::print("{}: {}\n", judged ? "forced with --as-if" : "does not apply", why_not);
  if (!judged) {
    o["verdict"] = "does not apply";
    if (a.json) fmt::print("{}\n", o.dump());
    return;
  }
  const auto v = grid::judge_ride(book, site.groups, scenario.frequency.nominal_Hz);
  o["verdict"] = v.text();
  o["n_judged"] = v.n_judged;
  o["n_band"] = v.n_band;
  for (const auto& i : v.items) o["items"].push_back({{"name", i.name}, {"verdict", grid::name(i.answer)}, {"why", i.why}});
  o["voltage"] = bands_json(v.voltage);
  o["frequency"] = bands_json(v.frequency);
  if (a.duration_s > 0.0) o["point"] = point_json(grid::play_point(*book.ride, site.groups, scenario.frequency.nominal_Hz, a.voltage_pu, a.duration_s, false));
  if (!a.sag.empty()) {
    const auto p = play_record(a, book, site.groups);
    o["record"] = {{"file", a.sag}, {"lowest_pu", p.lowest_pu}, {"below_0.9_s", p.below_s}, {"verdict", grid::name(p.answer.answer)}, {"why", p.answer.why}};
  }
  if (a.json) return fmt::print("{}\n", o.dump());
  fmt::print("{}\n", v.text());
  for (const auto& i : v.items) fmt::print("  {:<28} {:<11} {}\n", i.name, grid::name(i.answer), i.why);
  fmt::print("voltage, balanced:\n");
  for (const auto& b : v.voltage) print_band(b, "pu");
  if (o.contains("point")) fmt::print("at {:g} pu for {:g} s: {}\n", a.voltage_pu, a.duration_s, o["point"].dump());
  if (o.contains("record")) fmt::print("record {}: lowest {:.3g} pu, {:.3g} s below 0.9 pu: {}; {}\n", a.sag, o["record"]["lowest_pu"].get<double>(), o["record"]["below_0.9_s"].get<double>(), o["record"]["verdict"].get<std::string>(), o["record"]["why"].get<std::string>());
  for (const auto& line : site.open) fmt::print("open: {}\n", line);
  if (!book.note.empty()) fmt::print("reserves: {}\n", book.note);
}

}  // namespace

void add_ride_command(CLI::App& app, int&) {
  auto a = std::make_shared<Arguments>();
  auto* c = app.add_subcommand("ride", "does the site ride through what a rule asks? Verdict per band, and which setting to change");
  c->add_option("file", a->file, "scenario file (TOML)")->required();
  c->add_option("--rule", a->rule, "name in the catalog (tidewatt rules list), or a file of your own")->required();
  c->add_flag("--as-if", a->as_if, "judge also if the rule does not apply to the site");
  c->add_option("--sag", a->sag, "a measured voltage to play: COMTRADE .cfg or .cff");
  c->add_option("--voltage", a->voltage_pu, "a sag of your own: pu")->check(CLI::Range(0.0, 2.0));
  c->add_option("--duration", a->duration_s, "its length, s")->check(CLI::Range(0.001, 60.0));
  c->add_option("--current-limit-pu", a->current_limit_pu, "largest input current of the supplies over the one at nominal voltage; default: constant power")->check(CLI::Range(1.0, 10.0));
  c->add_option("--kV", a->kV, "voltage at the connection, for thresholds that depend on it")->check(CLI::PositiveNumber);
  c->add_option("--set", a->load.set, "override one value, key=value (repeatable)");
  c->add_option("--catalog", a->load.catalog_overlay, "folder of files that add to or replace the built-in ones");
  c->add_flag("--json", a->json, "print JSON");
  c->callback([a] { ride(*a); });
}
