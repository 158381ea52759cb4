#include "ride_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

constexpr double step_s = 1e-3, before_s = 0.2, behind_s = 5.0, longest_s = 3600.0;

double at(std::int64_t ms) { return static_cast<double>(ms) * step_s; }

/// One job's watts behind a stop, as if all of its servers had power.
class Course {
 public:
  explicit Course(const sim::JobWatts& job) : job_(&job) {
    const double lengths[] = {job.detect_s, job.replace_s, job.initialise_s, job.load_s, job.warm_up_s};
    std::partial_sum(std::begin(lengths), std::end(lengths), std::begin(ends_s_));
  }

  /// @param t_s since the job stopped
  double after_W(double t_s) const {
    const double W[] = {job_->waiting_W, job_->idle_W, job_->waiting_W, job_->load_W, job_->waiting_W};
    for (std::size_t i = 0; i < ends_s_.size(); ++i)
      if (t_s < ends_s_[i]) return W[i];
    return iterating_W(t_s - ends_s_.back());
  }
  double iterating_W(double t_s) const {
    const double phase_s = std::fmod(t_s, job_->period_s);
    return job_->iteration_W[std::min(job_->iteration_W.size() - 1, static_cast<std::size_t>(phase_s / step_s + 1e-6))];
  }
  const std::array<double, 5>& ends_s() const { return ends_s_; }

 private:
  const sim::JobWatts* job_;
  std::array<double, 5> ends_s_{};
};

/// Servers' watts with and without power since a sag, [ms].
struct Watts {
  std::vector<double> held, dropped;
};

Watts watts(std::span<const sim::JobWatts> jobs, double other_W, double instant_s, std::int64_t first,
            std::int64_t stop, std::int64_t healthy, std::int64_t n) {
  Watts out{std::vector<double>(static_cast<std::size_t>(n), other_W),
            std::vector<double>(static_cast<std::size_t>(n), 0.0)};
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const Course course(jobs[j]);
    const double torn_s = jobs[j].detect_s, period_s = jobs[j].period_s;
    // Of a multiple of the period that lies before everything.
    const double lead_s = instant_s - at(first) + std::ceil(at(first) / period_s + 1.0) * period_s;
    for (std::int64_t i = 0; i < n; ++i) {
      const bool stopped = stop >= 0 && i >= stop;
      const double W = stopped  ? course.after_W(at(i - stop))
                       : j == 0 ? course.iterating_W(lead_s + at(i))
                                : jobs[j].mean_W;
      const auto k = static_cast<std::size_t>(i);
      out.held[k] += W;
      if (!stopped || (at(i - stop) >= torn_s && i >= healthy)) out.dropped[k] += W;
    }
  }
  for (std::int64_t i = 0; i < n; ++i)
    if (stop < 0 || i < stop || (at(i - stop) >= jobs.front().detect_s && i >= healthy))
      out.dropped[static_cast<std::size_t>(i)] += other_W;
  return out;
}

void add_phase(std::span<const double> W, std::int64_t first, double from_s, double until_s, const char* what,
               std::vector<JobPhase>& out) {
  const auto begin = std::clamp<std::int64_t>(first + std::llround(from_s / step_s), 0, std::ssize(W)),
             end = std::clamp<std::int64_t>(first + std::llround(until_s / step_s), begin, std::ssize(W));
  if (begin == end) return;
  const auto part = W.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  const auto [low, high] = std::minmax_element(part.begin(), part.end());
  out.push_back({what, at(begin - first), at(end - first),
                 std::accumulate(part.begin(), part.end(), 0.0) / static_cast<double>(part.size()), *low, *high});
}

}  // namespace

RideJob ride_job(std::span<const sim::JobWatts> jobs, double other_W, std::span<const grid::PhaseLoad> loads,
                 const JobSag& sag, double share_frac) {
  if (jobs.empty()) throw InputError("ride: an instant of the iteration needs a job");
  const sim::JobWatts& main = jobs.front();
  if (!(sag.instant_s >= 0.0 && sag.instant_s < main.period_s))
    throw InputError(fmt::format("ride: the instant {:g} s is outside the iteration of job '{}', 0 to {:.4g} s",
                                 sag.instant_s, main.job, main.period_s));
  RideJob out;
  out.instant_s = sag.instant_s, out.iteration_s = main.period_s, out.mean_W = other_W;
  for (const auto& j : jobs) out.mean_W += j.mean_W;
  double all_W = 0.0;
  for (const auto& part : loads)
    for (const auto& g : part.groups) all_W += g.power_W;

  // What leaves and when: it hangs on the voltage alone.
  const auto sags_s = static_cast<double>(sag.repetition.n - 1) * sag.repetition.every_s + sag.duration_s;
  const Course course(main);
  const auto& restart_s = course.ends_s();
  const double after_s = std::min(longest_s, restart_s.back() + 2.0 * main.period_s + behind_s);
  std::vector<grid::SiteAnswer> answers;
  std::vector<std::vector<double>> records;
  for (const auto& part : loads) {
    records.push_back(grid::sag_record(1.0, part.level_pu, sag.duration_s, sag.repetition, before_s, after_s));
    answers.push_back(grid::play(part.groups, records.back(), {}, step_s));
  }
  const std::int64_t n = std::ssize(records.front()), first = std::llround(before_s / step_s);
  std::int64_t stop = -1;
  for (std::size_t p = 0; p < loads.size(); ++p)
    for (std::size_t k = 0; k < loads[p].groups.size(); ++k) {
      const auto& g = loads[p].groups[k];
      const std::int64_t left = answers[p].groups[k].left_at;
      if (!g.stops || left < 0 || !(g.power_W > 0.0)) continue;
      out.dropped_frac += g.power_W / all_W;
      stop = stop < 0 ? left : std::min(stop, left);
    }
  const std::int64_t over = n - std::llround(after_s / step_s);
  const Watts W = watts(jobs, other_W, sag.instant_s, first, stop, over, n);

  std::vector<double> grid_W(static_cast<std::size_t>(n), 0.0);
  for (std::size_t p = 0; p < loads.size(); ++p)
    for (std::size_t k = 0; k < loads[p].groups.size(); ++k) {
      const auto& g = loads[p].groups[k];
      const auto& trace = answers[p].groups[k];
      const bool drops = g.stops && trace.left_at >= 0;
      const double w = g.power_W / all_W;
      if (trace.left_at >= 0)
        out.lost_W += w * W.held[static_cast<std::size_t>(std::max<std::int64_t>(0, trace.left_at - 1))];
      for (std::size_t i = 0; i < grid_W.size(); ++i) {
        const bool gone = drops && static_cast<std::int64_t>(i) >= trace.left_at;
        const double share = drops ? 1.0 : trace.share_frac[i], V = records[p][i];
        grid_W[i] += w * share * std::min(1.0, g.current_ratio * V) * (V > step_s ? 1.0 : 0.0) *
                     (gone ? W.dropped[i] : W.held[i]);
      }
    }

  out.before_W = grid_W[static_cast<std::size_t>(first - 1)];
  if (stop >= 0) {
    out.stops_after_s = at(stop - first);
    out.back_s = out.stops_after_s + restart_s.back();
  }
  // Back when the mean over an iteration is: a single millisecond follows the job's own swing.
  const std::int64_t window = std::clamp<std::int64_t>(std::llround(main.period_s / step_s), 1, n - over);
  const double wanted_W = share_frac * out.mean_W;
  out.recovery_s = std::numeric_limits<double>::infinity();
  double sum = 0.0;
  for (std::int64_t i = n - 1; i >= over; --i) {
    sum += grid_W[static_cast<std::size_t>(i)];
    if (i + window < n) sum -= grid_W[static_cast<std::size_t>(i + window)];
    if (i + window > n) continue;
    if (sum < wanted_W * static_cast<double>(window) * (1.0 - 1e-9)) break;
    out.recovery_s = at(i - over);
  }
  add_phase(grid_W, first, 0.0, stop >= 0 ? std::min(sags_s, out.stops_after_s) : sags_s, "sags", out.phases);
  if (stop < 0) {
    add_phase(grid_W, first, sags_s, at(n - first), "iterating", out.phases);
    return out;
  }
  const char* words[] = {"waiting", "idle", "initialise", "load", "warm up"};
  double from_s = out.stops_after_s;
  for (std::size_t i = 0; i < restart_s.size(); ++i) {
    const double until_s = out.stops_after_s + restart_s[i];
    add_phase(grid_W, first, from_s, until_s, words[i], out.phases);
    from_s = until_s;
  }
  add_phase(grid_W, first, from_s, at(n - first), "iterating", out.phases);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
