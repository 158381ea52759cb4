#include <fmt/format.h>

#include <algorithm>

#include "job_life.hpp"
#include "job_life_lists.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::workload {

using failure_list::find;
using failure_list::is_down;
using failure_list::tick_of;

Tick JobLife::stop_tick() const {
  const Tick asked = s_.requests.empty() ? never : s_.requests.front().at;
  return std::min({tick_of(*failures_, s_.planned), asked, s_.held_since});
}

bool JobLife::stop_due(Tick now) const { return stop_tick() <= now; }

void JobLife::request_stop(Tick at, Tick end) {
  if (end < at) throw InputError(fmt::format("job: a stop of {} ns", end - at));
  auto& all = s_.requests;
  all.insert(std::lower_bound(all.begin(), all.end(), at, [](const StopRequest& r, Tick t) { return r.at < t; }),
             {at, end});
  std::vector<StopRequest> apart;
  for (const StopRequest& r : all)
    if (apart.empty() || r.at > apart.back().end)
      apart.push_back(r);
    else
      apart.back().end = std::max(apart.back().end, r.end);
  all = std::move(apart);
}

/// Requests that begin until `end` join the stop that lasts until then. @returns its new end
Tick JobLife::take_requests(Tick end) {
  while (!s_.requests.empty() && s_.requests.front().at <= end) {
    end = std::max(end, s_.requests.front().end);
    s_.requests.erase(s_.requests.begin());
  }
  return end;
}

/// Requests that are over before the job could stop: it was down, or in an iteration that outlasts them.
void JobLife::drop_lapsed(Tick now) {
  while (!s_.requests.empty() && s_.requests.front().end <= now) {
    const StopRequest& r = s_.requests.front();
    log(now, "stop_lapsed", -1,
        fmt::format("a stop from {:g} to {:g} s was over before the job could stop", seconds(r.at), seconds(r.end)));
    s_.requests.erase(s_.requests.begin());
  }
}

void JobLife::hold_stop(Tick now) { s_.held_since = std::min(s_.held_since, now); }

void JobLife::release_stop(Tick now) {
  if (s_.held_since == never) return;
  s_.held_since = never;
  if (s_.state != JobState::maintenance || s_.dark) return;
  drop_lapsed(now);
  s_.maintenance_ns = take_requests(std::max(now, s_.entered + s_.maintenance_ns)) - s_.entered;
  if (s_.entered + s_.maintenance_ns <= now) completed(next(now), 0, now);
}

/// Repaired nodes join the pool; missing ones are taken out of it.
void JobLife::find_spares(Tick now) {
  const auto back = std::upper_bound(s_.repaired_at.begin(), s_.repaired_at.end(), now);
  s_.spare_nodes += back - s_.repaired_at.begin();
  s_.repaired_at.erase(s_.repaired_at.begin(), back);
  const std::int64_t taken = std::min(s_.spare_nodes, s_.missing_nodes);
  s_.spare_nodes -= taken;
  s_.missing_nodes -= taken;
  s_.books.replaced_nodes += taken;
}

/// @returns nodes, or racks, that are still missing
std::int64_t JobLife::find_substitutes(Tick now) {
  if (domains_.any()) return domains_.refill(s_.domains, now);
  if (job_.spare_nodes >= 0) find_spares(now);
  return s_.missing_nodes;
}

/// After detection, waiting, replacement or a stop: the next state before a restart.
void JobLife::after_outage(Tick now) {
  if (const std::int64_t missing = find_substitutes(now); missing > 0) {
    if (s_.state != JobState::wait_for_spare)
      log(now, "no_spare", -1, fmt::format("{} {} wait for a repair", missing, domains_.any() ? "racks" : "nodes"));
    s_.replacing = true;
    return enter(JobState::wait_for_spare, now);
  }
  if (s_.replacing) return enter(JobState::replace, now);
  // A planned stop that fell into this outage follows at once: one restart for both.
  drop_lapsed(now);
  if (stop_due(now)) return begin_planned(now);
  enter(JobState::initialise, now);
}

/// All failures up to `now` are one interruption each, of the same outage.
/// @returns what failed, where that is more than a node
std::string JobLife::count_failures(Tick now, std::int64_t& node) {
  std::string what;
  const bool listed = tick_of(*failures_, s_.failure) <= now;
  const bool down = is_down(s_.state);
  if (!listed) {  // from outside
    ++s_.books.unexpected;
    if (!down) s_.detect_ns = to_tick(job_.detect_s), s_.replacing = true;
    return what;
  }
  if (!down) s_.detect_ns = 0;
  while (tick_of(*failures_, s_.failure) <= now) {
    const Failure& f = (*failures_)[s_.failure];
    ++s_.books.unexpected;
    node = f.node;
    if (!down) {
      s_.detect_ns = std::max(s_.detect_ns, f.detect == Failure::as_the_job ? to_tick(job_.detect_s) : f.detect);
      s_.replacing = s_.replacing || f.repair != 0;
    }
    s_.books.by_switch_tray += f.unit == FailedUnit::switch_tray ? 1 : 0;
    s_.books.by_rack += f.unit == FailedUnit::rack ? 1 : 0;
    if (f.unit != FailedUnit::node) what = f.unit == FailedUnit::rack ? "whole rack" : "switch tray of its rack";
    if (f.repair != 0) lose(f);
    s_.failure = find(*failures_, s_.failure + 1, false);
  }
  return what;
}

/// What a failure takes out of the job until it is repaired.
void JobLife::lose(const Failure& f) {
  const Tick back = f.repair > 0 ? f.tick + f.repair : never;
  if (domains_.any()) {
    s_.books.replaced_nodes += domains_.lose(s_.domains, f.unit, f.node, back);
    return;
  }
  ++(job_.spare_nodes >= 0 ? s_.missing_nodes : s_.books.replaced_nodes);
  if (back != never && job_.spare_nodes >= 0)
    s_.repaired_at.insert(std::upper_bound(s_.repaired_at.begin(), s_.repaired_at.end(), back), back);
}

void JobLife::interrupted(Tick now, std::int64_t iterations, const std::string& cause, Tick run_out) {
  if (s_.state == JobState::done) return;
  progress_by(iterations, now);
  settle(now);
  const bool cut_for_stop = cause.empty() && job_.planned_stop == "at_once" && !is_down(s_.state) &&
                            tick_of(*failures_, s_.failure) > now && tick_of(*failures_, s_.planned) <= now;
  if (cut_for_stop) {
    lose_unsaved();
    s_.stopping = s_.ramped_down = false;
    log(now, "kill", -1, fmt::format("all processes end within {:g} s", job_.tear_down_s));
    if (job_.tear_down_s == 0.0) return begin_planned(now);
    s_.spinning = true;  // the stop begins once they have ended, see after_outage()
    return enter(JobState::tear_down, now);
  }
  std::int64_t node = -1;
  const bool down = is_down(s_.state);
  const std::string what = count_failures(now, node);
  fall(now, node, cause.empty() ? what : cause, down, run_out);
}

void JobLife::switched_off(Tick now, std::int64_t n_node, std::int64_t first_node, bool held, Tick run_out) {
  if (s_.state == JobState::done || is_down(s_.state)) return;  // no process runs there
  book(now);
  settle(now);
  ++s_.books.unexpected;
  ++s_.books.thermal;
  s_.detect_ns = to_tick(job_.detect_s);
  s_.replacing = job_.thermal_reset_s > 0.0;
  s_.start_held = held;
  lose_nodes(now, n_node, first_node);
  fall(now, first_node, fmt::format("{} node{} switched off by heat", n_node, n_node == 1 ? "" : "s"), false, run_out);
}

void JobLife::hold_start(bool held) { s_.start_held = held && is_down(s_.state) && s_.state != JobState::maintenance; }

void JobLife::power_lost(Tick now) {
  s_.dark = true;
  s_.spinning = false;
  if (s_.state == JobState::run_out) book(now), enter(JobState::detect, now);
  if (s_.state == JobState::done || s_.state == JobState::queued || is_down(s_.state)) return;  // no process runs
  book(now);
  settle(now);
  ++s_.books.unexpected;
  ++s_.books.power;
  s_.detect_ns = to_tick(job_.detect_s);
  s_.replacing = false;
  fall(now, -1, "power lost", false, 0);
}

void JobLife::power_back(Tick now) {
  s_.dark = false;
  if (s_.state == JobState::detect || s_.state == JobState::tear_down || s_.state == JobState::replace) {
    book(now);
    s_.entered = now;
  }
  // What waited for power and would have ended meanwhile ends now.
  if (!is_down(s_.state) && s_.state != JobState::queued) return;
  const Tick length = duration_ns(s_.state);
  if (length != never && s_.entered + length <= now) completed(next(now), 0, now);
}

/// Out of the job until they have been reset.
void JobLife::lose_nodes(Tick now, std::int64_t n_node, std::int64_t first_node) {
  const Tick reset = to_tick(job_.thermal_reset_s);
  if (reset == 0) return;
  for (std::int64_t i = 0; domains_.any() && i < n_node; ++i)  // taken as neighbours
    s_.books.replaced_nodes += domains_.lose(s_.domains, FailedUnit::node, first_node + i, now + reset);
  if (domains_.any()) return;
  (job_.spare_nodes >= 0 ? s_.missing_nodes : s_.books.replaced_nodes) += n_node;
  if (job_.spare_nodes < 0) return;
  const Tick back = now + reset;
  s_.repaired_at.insert(std::upper_bound(s_.repaired_at.begin(), s_.repaired_at.end(), back),
                        static_cast<std::size_t>(n_node), back);
}

/// What an outage that has been counted means for the job.
void JobLife::fall(Tick now, std::int64_t node, const std::string& cause, bool down, Tick run_out) {
  const std::int64_t lost = down ? 0 : s_.progress - s_.durable;
  log(now, "failure", node,
      fmt::format("{}{} in {}, {} iterations lost", cause, cause.empty() ? "" : ":", name_of(s_.state), lost));
  if (down) return;  // another node falls while the job is down: the same repair covers it
  if (s_.state == JobState::ramp_down && finished()) {
    s_.ramped_down = true;  // nothing is left to restart for
    return stop_or_end(now);
  }
  const bool works = s_.state == JobState::iterate || s_.state == JobState::evaluate;
  lose_unsaved();
  s_.stopping = s_.ramped_down = false;
  s_.checkpoint_due = s_.soft_begin = never;
  s_.spinning = !s_.dark;
  s_.failed_node = node;
  s_.run_out_ns = works && s_.spinning ? std::min(run_out, s_.detect_ns) : 0;
  enter(s_.run_out_ns > 0 ? JobState::run_out : JobState::detect, now);
}

}  // namespace TIDEWATT_NAMESPACE::workload
