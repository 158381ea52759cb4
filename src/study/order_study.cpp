#include "order_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.hpp"
#include "io/result_file.hpp"
#include "io/result_origin.hpp"
#include "say.hpp"
#include "sim/scenario_inputs.hpp"
#include "sim/site_means.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

using Json = nlohmann::ordered_json;

Json number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

Json met(std::span<const grid::OrderSettlement> settlements) {
  const auto verdict = grid::verdict(settlements);
  return verdict == grid::OrderVerdict::not_judged ? Json(nullptr) : Json(verdict == grid::OrderVerdict::met);
}

double highest(const sim::SiteMeans& k, double from_s, double until_s) {
  double out = 0.0;
  for (std::size_t i = 0; i < k.highest_W.size(); ++i) {
    const double at_s = k.record.first_s + k.record.step_s * static_cast<double>(i);
    if (at_s >= from_s - 1e-6 && at_s + k.record.step_s <= until_s + 1e-6) out = std::max(out, k.highest_W[i]);
  }
  return out;
}

std::string lengths(const std::vector<grid::OrderSettlement>& settlements) {
  std::string out;
  for (const auto& s : settlements) out += fmt::format("{}{:.3g}", out.empty() ? "" : ", ", s.interval_s / 60.0);
  return out + " min";
}

}  // namespace

OrderStudy judge_orders(const sim::Scenario& scenario, const std::string& file, const std::string& result,
                        const OrderOptions& options) {
  const auto origin = io::read_result_origin(result);
  OrderStudy out;
  out.file = file;
  out.result = result;
  for (const auto& change : sim::input_changes(origin.scenario, scenario.text))
    out.notes.push_back(fmt::format("the result was made with another input: {}: {}", change.key, change.message));
  io::ResultFile results(result);
  const auto kept = sim::site_means([&](const std::string& path) { return results.read(path); });
  if (kept.record.mean_W.empty()) throw InputError(results.path() + ": holds no means of the connection's power");
  out.step_s = kept.record.step_s;
  auto how = options.how;
  how.clock_s = seconds(sim::local_time_of_day(origin.start_time));
  std::vector<std::string> names;
  for (const auto& e : scenario.events) {
    if (e.kind != sim::EventKind::curtailment) continue;
    names.push_back(e.name);
    if (!options.order.empty() && e.name != options.order) continue;
    OrderReport r{e.name,
                  std::string(word_of(e.by)),
                  grid::judge_order(kept.record, {e.at_s, e.at_s + e.duration_s, e.notice_s, e.limit_W}, how),
                  0.0,
                  0.0,
                  0.0,
                  {}};
    r.highest_ms_W = highest(kept, e.at_s, e.at_s + e.duration_s);
    const double known_s = e.at_s - e.notice_s;
    r.highest_before_W = highest(kept, known_s - how.baseline_s, known_s);
    r.short_W = grid::short_W(r.answer.settlements, r.answer.order.limit_W);
    r.jobs = order_jobs(scenario, results, r.answer.order, how);
    out.orders.push_back(std::move(r));
  }
  if (names.empty()) throw InputError(file + ": has no order of the utility ([[event]] kind = \"curtailment\")");
  if (out.orders.empty()) {
    const std::string close = nearest(options.order, names);
    throw InputError(fmt::format("{}: no order '{}'{}", file, options.order,
                                 close.empty() ? "" : fmt::format(" (did you mean '{}'?)", close)));
  }
  return out;
}

namespace {

/// What every job gave, in the order in which they were to give.
void say_jobs(std::string& text, const OrderReport& r) {
  auto jobs = r.jobs;
  std::stable_sort(jobs.begin(), jobs.end(), [](const OrderJob& a, const OrderJob& b) {
    return (a.tier > 0 ? a.tier : 1000) < (b.tier > 0 ? b.tier : 1000);
  });
  for (const auto& j : jobs) {
    say(text,
        "  job '{}'{}: {:.1f} % less than its {:.4g} MW within the order; {:.3g} MWh and {:.3g} tokens given up\n",
        j.name,
        j.tier > 0      ? fmt::format(" (tier {}, {})", j.tier, j.may)
        : j.may.empty() ? ""
                        : " (never)",
        100.0 * j.given_frac, j.before_W * 1e-6, j.given_J / 3.6e9, j.given_tokens);
    std::string when;
    const auto add = [&](const char* what, double at_s) {
      if (std::isfinite(at_s)) when += fmt::format("{}{} {:g} s", when.empty() ? "" : ", ", what, at_s);
    };
    add("capped from", j.capped_s), add("at its lowest cap from", j.lowest_cap_s), add("told to pause at", j.paused_s);
    add("stopped at", j.stopped_s), add("released at", j.released_s);
    if (!when.empty())
      say(text, "    {}; {}\n", when,
          std::isfinite(j.back_s) ? fmt::format("trains as before {:g} s after the order", j.back_s)
                                  : std::string("does not train as before within the record or the hour"));
  }
}

}  // namespace

std::string orders_text(const OrderStudy& s) {
  std::string text;
  for (const auto& r : s.orders) {
    const auto& a = r.answer;
    say(text, "order '{}': at most {:.4g} MW from {:g} s to {:g} s, by {}: {} by metered means of {}\n", r.name,
        a.order.limit_W * 1e-6, a.order.begin_s, a.order.end_s, r.means, grid::name(grid::verdict(a.settlements)),
        lengths(a.settlements));
    say(text, "  before its notice {:.4g} MW in the mean; asked {:.1f} % less, given {:.1f} % ({:.3g} of {:.3g} MWh)\n",
        a.baseline_W * 1e-6, 100.0 * a.asked_frac, 100.0 * a.given_frac, a.given_J / 3.6e9, a.asked_J / 3.6e9);
    if (!(a.asked_frac > 0.0))
      say(text, "  the load before lies below the limit: by its means the order asks for nothing\n");
    for (const auto& i : a.settlements) {
      if (i.n == 0) {
        say(text, "  means of {:g} min: none lies wholly within the order\n", i.interval_s / 60.0);
        continue;
      }
      say(text, "  means of {:g} min: {} of {} over the limit, highest {:.4g} MW at {:g} s{}\n", i.interval_s / 60.0,
          i.n_over, i.n, i.worst_W * 1e-6, i.worst_at_s,
          i.n_over ? fmt::format(", {:.3g} MWh too much", i.over_J / 3.6e9) : "");
    }
    if (r.short_W > 0.0) say(text, "  short by up to {:.3g} MW in a metered mean\n", r.short_W * 1e-6);
    say(text, "  {}\n",
        std::isfinite(a.response_s) ? fmt::format("below the limit for good {:g} s after its begin", a.response_s)
                                    : std::string("not below the limit at its end"));
    say(text, "  behind it: up to {:.3g} MW above the load before, {:.3g} MWh in all; {}\n", a.rebound_W * 1e-6,
        a.rebound_J / 3.6e9,
        std::isfinite(a.back_s) ? fmt::format("back after {:g} s", a.back_s)
                                : std::string("not back within the record or the hour"));
    say(text, "  largest millisecond within it {:.4g} MW (before {:.4g} MW); no meter counts it\n",
        r.highest_ms_W * 1e-6, r.highest_before_W * 1e-6);
    say_jobs(text, r);
  }
  for (const auto& n : s.notes) say(text, "note: {}\n", n);
  return text;
}

std::string orders_json(const OrderStudy& s) {
  Json out{{"file", s.file},          {"result", s.result},    {"step_s", s.step_s},
           {"orders", Json::array()}, {"jobs", Json::array()}, {"notes", s.notes}};
  for (const auto& r : s.orders) {
    const auto& a = r.answer;
    Json o{{"name", r.name},
           {"by", r.means},
           {"met", met(a.settlements)},
           {"begin_s", a.order.begin_s},
           {"end_s", a.order.end_s},
           {"notice_s", a.order.notice_s},
           {"limit_MW", a.order.limit_W * 1e-6},
           {"baseline_MW", a.baseline_W * 1e-6},
           {"mean_MW", a.mean_W * 1e-6},
           {"short_MW", r.short_W * 1e-6},
           {"asked_percent", 100.0 * a.asked_frac},
           {"given_percent", 100.0 * a.given_frac},
           {"asked_MWh", a.asked_J / 3.6e9},
           {"given_MWh", a.given_J / 3.6e9},
           {"settlements", Json::array()},
           {"response_s", number(a.response_s)},
           {"rebound_MW", a.rebound_W * 1e-6},
           {"rebound_MWh", a.rebound_J / 3.6e9},
           {"back_s", number(a.back_s)},
           {"highest_ms_MW", r.highest_ms_W * 1e-6},
           {"highest_before_MW", r.highest_before_W * 1e-6}};
    for (const auto& i : a.settlements)
      o["settlements"].push_back({{"interval_min", i.interval_s / 60.0},
                                  {"n", i.n},
                                  {"n_over", i.n_over},
                                  {"met", met({&i, 1})},
                                  {"worst_MW", i.worst_W * 1e-6},
                                  {"worst_at_s", i.worst_at_s},
                                  {"over_MWh", i.over_J / 3.6e9},
                                  {"least_given_frac", number(i.given_frac)}});
    out["orders"].push_back(std::move(o));
    for (const auto& j : r.jobs)
      out["jobs"].push_back({{"order", r.name},
                             {"name", j.name},
                             {"may", j.may.empty() ? Json(nullptr) : Json(j.may)},
                             {"tier", j.tier > 0 ? Json(j.tier) : Json(nullptr)},
                             {"before_MW", j.before_W * 1e-6},
                             {"given_percent", 100.0 * j.given_frac},
                             {"given_MWh", j.given_J / 3.6e9},
                             {"tokens_per_s_before", j.before_tokens_per_s},
                             {"tokens_given", j.given_tokens},
                             {"capped_s", number(j.capped_s)},
                             {"lowest_cap_s", number(j.lowest_cap_s)},
                             {"paused_s", number(j.paused_s)},
                             {"stopped_s", number(j.stopped_s)},
                             {"released_s", number(j.released_s)},
                             {"back_s", number(j.back_s)}});
  }
  return out.dump();
}

}  // namespace TIDEWATT_NAMESPACE::study
