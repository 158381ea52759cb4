#include "ride_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "grid/phase_sag.hpp"
#include "grid/ride_verdict.hpp"
#include "ride_job.hpp"
#include "ride_plot.hpp"
#include "ride_record.hpp"
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
          {"n", p.repetition.n},
          {"every_s", p.repetition.n > 1 ? Json(p.repetition.every_s) : Json(nullptr)},
          {"left_in", p.left_in},
          {"away_MW", p.away_W * 1e-6},
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
  if (p.left_W > 0.0 && p.repetition.n > 1)
    text += fmt::format(", first in sag {}; {:.3g} MW still away a minute after the last", p.left_in, p.away_W * 1e-6);
  if (std::isfinite(p.current_ratio))
    text += fmt::format("; current up to {:.3g} times the one before", p.current_ratio);
  if (std::isfinite(p.recovery_s)) text += fmt::format("; power back after {:.3g} s", p.recovery_s);
  return text;
}

Json job_json(const RideJob& r) {
  Json o{{"instant_s", r.instant_s},
         {"iteration_s", r.iteration_s},
         {"before_MW", r.before_W * 1e-6},
         {"mean_MW", r.mean_W * 1e-6},
         {"electrical_loss_MW", r.lost_W * 1e-6},
         {"dropped_frac", r.dropped_frac},
         {"stops_after_s", r.stops_after_s < 0.0 ? Json(nullptr) : Json(r.stops_after_s)},
         {"iterates_again_s", r.back_s < 0.0 ? Json(nullptr) : Json(r.back_s)},
         {"recovery_s", number(r.recovery_s)},
         {"phases", Json::array()}};
  for (const auto& p : r.phases)
    o["phases"].push_back({{"what", p.what},
                           {"from_s", p.from_s},
                           {"until_s", p.until_s},
                           {"mean_MW", p.mean_W * 1e-6},
                           {"lowest_MW", p.lowest_W * 1e-6},
                           {"highest_MW", p.highest_W * 1e-6}});
  return o;
}

void say_job(std::string& text, const RideJob& r) {
  say(text, "at {:.4g} s into an iteration of {:.4g} s: {:.4g} MW of servers before, {:.4g} MW in the mean\n",
      r.instant_s, r.iteration_s, r.before_W * 1e-6, r.mean_W * 1e-6);
  say(text, "  electrical loss: {:.4g} MW\n", r.lost_W * 1e-6);
  if (r.stops_after_s < 0.0)
    say(text, "  no server loses power: the job goes on\n");
  else
    say(text, "  {:.4g} % of the servers lose power, the job stops after {:.3g} s and iterates again after {:.4g} s\n",
        100.0 * r.dropped_frac, r.stops_after_s, r.back_s);
  for (const auto& p : r.phases)
    say(text, "  {:<11} {:>9.3f} to {:>9.3f} s: {:.4g} MW in the mean, {:.4g} to {:.4g} MW\n", p.what, p.from_s,
        p.until_s, p.mean_W * 1e-6, p.lowest_W * 1e-6, p.highest_W * 1e-6);
}

/// A judged site, before output.
struct Judged {
  const RideOptions& options;
  std::string file, why_not;
  grid::RuleBook book;
  sim::SiteGroups site;
  bool judged = false;
  std::optional<grid::RideVerdict> verdict;
  std::optional<grid::RidePoint> point;
  std::optional<RideRecord> record;
  std::optional<RideJob> job;
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
  if (j.job) o["point"]["job"] = job_json(*j.job);
  if (j.record) o["record"] = ride_record_json(*j.record);
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
    say(text, "at {:g} pu for {:g} s{}{}: {}\n", j.options.voltage_pu, j.options.duration_s,
        j.options.n_sag > 1 ? fmt::format(", {} times, one every {:g} s", j.options.n_sag, j.options.every_s) : "",
        j.options.n_phase == 3 ? ""
                               : fmt::format(" on {} of 3 phases behind {}", j.options.n_phase, j.options.transformer),
        point_text(*j.point));
  if (j.job) say_job(text, *j.job);
  if (j.record) text += ride_record_text(*j.record);
  for (const auto& line : j.site.open) say(text, "open: {}\n", line);
  if (!j.book.note.empty()) say(text, "note: {}\n", j.book.note);
  return text;
}

/// The site's groups: those of the scenario, or each unit of the user's settings with the servers at design power.
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
    return grid::play_point(*j.book.ride, j.site.groups, nominal_Hz, o.voltage_pu, o.duration_s, false,
                            {o.n_sag, o.every_s});
  const auto transformer = grid::transformer_of(o.transformer);
  if (!transformer)
    throw InputError(
        fmt::format("ride: a sag of {} phase{} needs the transformer between connection and load: wye_wye or delta_wye",
                    o.n_phase, o.n_phase == 1 ? "" : "s"));
  return grid::play_phases(*j.book.ride, j.site.groups, nominal_Hz, o.voltage_pu, o.duration_s, o.n_phase, *transformer,
                           {o.n_sag, o.every_s});
}

/// The same sag with the jobs' own watts; none without a job.
std::optional<RideJob> own_sag_of_job(const Judged& j, const sim::Scenario& s) {
  if (s.jobs.empty()) return {};
  const auto& o = j.options;
  std::vector<sim::JobWatts> jobs;
  std::int64_t n_gpu = 0;
  jobs.reserve(s.jobs.size());
  for (const auto& job : s.jobs) jobs.push_back(sim::job_watts(s, job));
  std::stable_sort(jobs.begin(), jobs.end(), [](const auto& a, const auto& b) { return a.n_gpu > b.n_gpu; });
  for (const auto& h : s.halls) n_gpu += h.hall.n_gpu;
  for (const auto& job : jobs) n_gpu -= job.n_gpu;
  const double other_W = jobs.front().idle_W * static_cast<double>(n_gpu) / static_cast<double>(jobs.front().n_gpu);
  const auto loads =
      o.n_phase == 3 ? std::vector<grid::PhaseLoad>{{j.site.groups, o.voltage_pu}}
                     : grid::phase_loads(j.site.groups, o.voltage_pu, o.n_phase, *grid::transformer_of(o.transformer));
  const double share = std::isnan(j.book.ride->recovery_frac) ? 0.9 : j.book.ride->recovery_frac;
  return ride_job(jobs, other_W, loads, {o.voltage_pu, o.duration_s, {o.n_sag, o.every_s}, o.instant_s}, share);
}

}  // namespace

RideStudy ride(const sim::Scenario& scenario, const std::string& file, const RideOptions& options) {
  Judged j{options, file, {}, find_rule_book(options.rule, options.overlay), groups_of(scenario, options), false, {},
           {},      {},   {}};
  if (!j.book.ride)
    throw InputError(fmt::format("rule '{}' has no ride-through part; tidewatt rules check {} RESULT judges it",
                                 j.book.name, j.book.name));
  if (!options.channel.empty() && options.sag.empty())
    throw InputError(Finding{{}, "channel", "chooses a channel of a record, and no record is given (sag)"});
  j.why_not =
      j.book.why_not(j.site.largest_W, options.connection_V > 0.0 ? options.connection_V : grid::not_stated, 1.0);
  j.judged = j.why_not.empty() || options.as_if;
  if (j.judged) {
    const double nominal_Hz = scenario.frequency.nominal_Hz;
    j.verdict = grid::judge_ride(j.book, j.site.groups, nominal_Hz, grid::transformer_of(options.transformer));
    if (options.duration_s > 0.0) j.point = own_sag(j, nominal_Hz), j.job = own_sag_of_job(j, scenario);
    if (!options.sag.empty()) j.record = ride_record(options.sag, options.channel, *j.book.ride, j.site.groups);
  }
  return {{judged_json(j), judged_text(j)},
          j.verdict ? ride_plot(*j.verdict, fmt::format("{}: {}", j.book.name, j.verdict->text())) : std::string()};
}

}  // namespace TIDEWATT_NAMESPACE::study
