#include "step_planner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "fleet/leakage_gain.hpp"
#include "job_run.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

using workload::JobState;

/// Preheat and fans move within a hold: each is as long as they let it be, and the mean die of none is 0.05 K off.
constexpr double hold_growth = 2.5, hot_hold_growth = 3.0;
constexpr double remainder_growth =
    1.5;  ///< of a hold's length: a remainder up to this is included instead of a step of its own
/// Preheat moves within a hold, which the reference follows in short ones: in holds of 40 s its dies would be 0.06 K too warm.
constexpr double reference_hold_growth = 0.3;
constexpr Tick first_hot_hold = ns_per_s, longest_hold = 4096 * ns_per_s;
constexpr Tick settling = 120 * ns_per_s;     // fans settle for some minutes after a start
constexpr Tick steady_after = 40 * ns_per_s;  // in a hold or after it; halls and plants report their own state
constexpr Tick longest_pause = 10 * ns_per_s;
/// Until then dies rise, and behind a pause the hottest instant of a jump is not known.
constexpr Tick settled_after = 300 * ns_per_s;
constexpr double overshoot = 1.15;  ///< a step slightly longer than the estimate costs less than another short step
constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();
/// Of a jump, in pauses: temperatures of the work are what is left of the jump's means, which long pauses would hide.
constexpr double most_pause_share = 0.15;
/// Search for the time at which heat ends an iteration.
constexpr HeatGuard::Search heat_search = {ns_per_s / 4, ns_per_s / 500};

constexpr double worst_weight = 0.1;  ///< of the worst node's miss in a jump's error

const fleet::NodeType& type_of(const Job& job, const StepContext& c) {
  return c.fleet.types[c.fleet.node_hall[job.place.first_node]];
}

/// Within a step fans in stairs are followed in parts of a second, fans on a line by their mean.
Tick first_hold(const fleet::NodeType& type) { return (type.stairs ? 20 : 10) * ns_per_s; }

/// GPUs that lower their power slowly leave the fans as what falls fastest: they are followed as in the reference.
bool resolves_fans(const Scenario& s) { return s.run.reference || holds_power(s); }

/// In the first minutes after a start the hottest die passes its peak: long jumps would miss it.
double most_growth(Tick since_start) { return since_start > settling ? 4.0 : 2.0; }

/// Fans and halls settle after a start, which the estimate covers only in part: no step is longer than 1.5 times the time since the
/// start.
double settling_s(Tick since_start) { return 1.5 * seconds(since_start); }

}  // namespace

double Ahead::duration_s() const {
  double out = 0.0;
  for (const auto& leg : legs) out += seconds(leg.duration);
  return out;
}

void StepPlanner::begin(JobState doing, bool pause, Tick now) {
  const bool start = doing == JobState::iterate && !pause;
  state_.startup_iterations_left = start ? 1 : 0;
  if (start) state_.started = now;
  state_.held_steps = 0;
  state_.begun_frac = 0.0;
  disturb();
}

void StepPlanner::step_done() {
  ++state_.held_steps;
  if (state_.startup_iterations_left > 0) --state_.startup_iterations_left;
}

namespace {

/// Until when a job is known to iterate, as long as its iterations are.
Tick works_until(const Job& job, const workload::JobStep& next) {
  Tick out = std::min(next.interrupt, next.stop);
  if (const auto left = next.iterations_left; left != workload::never && job.state.last_period > 0)
    if (const double left_s = static_cast<double>(left) * seconds(job.state.last_period); left_s < 1e6)
      out = std::min(out, job.state.now + to_tick(left_s));
  return out;
}

bool is_short_save(const workload::JobStep& step, Tick at) {
  return step.state == JobState::checkpoint && step.until - at <= longest_pause && step.clock_frac == 1.0;
}

}  // namespace

bool StepPlanner::is_steady_until(const Job& job, Tick until) const {
  if (!job.life) return true;
  if (job.life->state().start_held) return false;  // it looks at every macro step whether its nodes can run
  const JobState doing = job.life->state().state;
  const Tick now = job.state.now;
  if (doing == JobState::queued || doing == JobState::done) return job.life->next(now).until >= until;
  if (doing != job.state.doing && !works(doing)) return false;  // something has just become of it
  const auto next = job.life->next(now);
  if (!works(doing) && next.state == doing)
    return state_.held_steps > 0 && state_.since_change > steady_after && std::min(next.until, next.interrupt) >= until;
  return doing == JobState::iterate && now - state_.started > steady_after && state_.since_change > 0 &&
         state_.jump_s > 0.0 && works_until(job, next) >= until;
}

Tick StepPlanner::next_change(const Job& job) const {
  if (!job.life || job.life->state().start_held) return workload::never;
  const auto next = job.life->next(job.state.now);
  if (next.state == JobState::iterate) return works_until(job, next);  // it goes through pauses
  return next.state == JobState::evaluate ? workload::never : std::min(next.until, next.interrupt);
}

Tick StepPlanner::next_cut(const Job& job, const StepContext& c) const {
  return std::min(c.agenda.next_cut(), job.scratch.step.interrupt);
}

StepLength StepPlanner::work_length(Job& job, const HeatGuard& heat, Tick until, const StepContext& c) {
  const Tick now = job.state.now, hard_end = next_cut(job, c), edge = c.agenda.next_pause(now);
  const Tick period = job.scratch.task.timeline->period, left = period - to_tick(state_.begun_frac * seconds(period));
  if (heat.may_end_work(job, 2.0 * std::max(std::min(state_.jump_s, seconds(until - now)), seconds(period)), c)) {
    state_.jump_s = 0.0;
    if (const Tick end = heat.end(job, state_.begun_frac, std::min({left, edge - now, hard_end - now}), heat_search, c);
        end > 0)
      return {1, true, true, end};
  }
  if (edge < hard_end && edge - now < left) return {1, true, false, edge - now};
  if (hard_end - now < left) return {1, true, true, hard_end > now ? 0 : 1};  // a step of no length moves nothing
  if (state_.startup_iterations_left > 0 || state_.begun_frac > 0.0) return {1, true};
  if (c.scenario.run.reference) return {1, false};
  if (job.scratch.step.state == JobState::evaluate) return {1, true};
  jump_through(job, until, c);
  return {ahead_->repetitions};
}

/// All of it at once, but for the first second after a change, in which fans begin to follow; for the reference, slices that double.
std::vector<Piece> StepPlanner::pieces(const Job& job, const StepLength& length, const StepContext& c) const {
  const Tick period = job.scratch.task.timeline->period, begin = to_tick(state_.begun_frac * seconds(period));
  const Tick end = length.piece > 0 ? begin + length.piece
                   : length.cut     ? begin + next_cut(job, c) - job.state.now
                                    : period;
  const bool fine = resolves_fans(c.scenario), changed = state_.since_change == 0;
  if (!fine && !changed) return {{begin, end}};
  std::vector<Piece> out;
  constexpr std::int64_t all_the_rest = 1000;
  const Tick first = fine && changed ? fleet::first_step_after_edge : ns_per_s;
  for (const Tick stop : fleet::slice_ends(begin, end, first, fine ? 2 : all_the_rest))
    out.push_back({out.empty() ? begin : out.back().end, stop});
  return out;
}

/// The longest step after an edge in resolved stretches.
Tick StepPlanner::first_grade(const Job& job) const {
  return works(job.scratch.step.state) || state_.since_change < ns_per_s ? fleet::first_step_after_edge : ns_per_s;
}

/// A constant state: its own steps are graded, so only fans and preheat limit the length: 10 s (fans in
/// stairs: 20 s), 25 s, ...
Tick StepPlanner::hold_length(const Job& job, const HeatGuard& heat, Tick until, const StepContext& c) const {
  const auto& step = job.scratch.step;
  const bool hot = heat.hot(job), fine = resolves_fans(c.scenario);
  const double growth = fine ? reference_hold_growth : hot ? hot_hold_growth : hold_growth;
  Tick stretch = std::clamp(to_tick(growth * seconds(state_.since_change)),
                            fine  ? ns_per_s
                            : hot ? first_hot_hold
                                  : first_hold(type_of(job, c)),
                            longest_hold);
  stretch = std::min(stretch, to_tick(heat.longest_hold_s(job)));
  const Tick change = std::min(step.interrupt, step.until);
  if (change - until < ns_per_ms) until = std::max(until, change);  // macro steps end at whole milliseconds
  const Tick most = std::min({c.agenda.next_cut(), c.agenda.next_pause(job.state.now), until, change}) - job.state.now;
  return std::max<Tick>(1, to_tick(remainder_growth * seconds(stretch)) >= most ? most : stretch);
}

/// Embedded error estimate of a jump: how far the mean die temperatures came out from where clocks had been chosen. A GPU whose
/// clock was chosen for a die ΔT colder draws dP/dT ΔT more, which warms it by r dP/dT ΔT: `loop_gain` of the miss at most.
/// Nodes that change the replica they wait for miss more for one step, at any length. So do those whose fans step: that is an event of
/// their node.
void StepPlanner::judge(const Job& job, const StepContext& c) {
  const double loop_gain = fleet::leakage_loop_gain(type_of(job, c), c.state.fan_frac[job.place.first_node]);
  double worst_K = 0.0, sum_K = 0.0;
  const auto& place = job.place;
  for (std::size_t n = place.first_node; n < place.first_node + place.n_node; ++n) {
    if (c.signals.fan_stepped[n] != 0) continue;
    worst_K = std::max(worst_K, c.signals.miss_K[n]);
    sum_K += c.signals.miss_K[n];
  }
  const double miss_K = std::max({sum_K / static_cast<double>(place.n_node), worst_weight * worst_K, 1e-9});
  const double error = loop_gain * miss_K / c.scenario.run.tolerance_K;
  const double next_s = seconds(fleet::duration_of(job.scratch.task)) *
                        std::clamp(0.9 / std::sqrt(error), 0.25, most_growth(job.state.now - state_.started));
  // A step shortened for another reason does not change the planned length.
  state_.jump_s = error < 1.0 ? std::max(state_.jump_s, next_s) : next_s;
  state_.jump_s = std::max(state_.jump_s, 1.5 * seconds(job.scratch.task.timeline->period) * (error < 0.5 ? 1.4 : 0.7));
}

/// Pauses that leave the fleet almost as it was, between iterations that are all alike.
bool StepPlanner::jumps_over(const Job& job, const workload::JobStep& step, Tick at, const StepContext& c) const {
  return is_short_save(step, at) && at - state_.started > settled_after && !c.scenario.run.reference &&
         !holds_power(c.scenario) && !job.training->keeps_beat();
}

bool StepPlanner::goes_through_pause(const Job& job, const StepContext& c) const {
  return jumps_over(job, job.scratch.step, job.state.now, c) && job.state.doing == JobState::iterate &&
         state_.startup_iterations_left == 0 && state_.jump_s > 0.0;
}

std::optional<Ahead> StepPlanner::expected_jump(const Job& job, Tick until, const StepContext& c) const {
  if (state_.since_change <= 0 || job.state.last_period <= 0 || state_.startup_iterations_left != 0 ||
      c.scenario.run.reference)
    return std::nullopt;
  return look_ahead(job, until, {job.state.last_period, 1, no_limit}, c);
}

/// Both begin before anything else is due, and nothing cuts them.
Tick StepPlanner::pair_within(const Job& job, const StepContext& c) const {
  const auto& step = job.scratch.step;
  if (step.state != JobState::iterate || step.max_iterations < 2 || state_.begun_frac > 0.0 ||
      state_.startup_iterations_left > 0 || c.scenario.run.reference || job.training->scatters())
    return 0;
  return std::min({next_cut(job, c), c.agenda.next_pause(job.state.now), step.until}) - job.state.now;
}

/// Every mode falls by g ΔP (1 − e^{−λd})/λ through a pause of d and recovers afterwards; the area under that in the work after
/// it.
double StepPlanner::pause_dip_K(const Job& job, const Ahead& ahead, const StepContext& c) const {
  if (ahead.legs.size() == 1) return 0.0;
  const auto& place = job.place;
  const auto& flow_frac = job.scratch.task.flow_frac;
  const auto first = c.state.mean_W.begin() + static_cast<std::ptrdiff_t>(place.first_node * c.fleet.n_gpu_per_node);
  const auto n = place.n_node * c.fleet.n_gpu_per_node;
  const double mean_W = std::accumulate(first, first + static_cast<std::ptrdiff_t>(n), 0.0) / static_cast<double>(n);
  const double less_W = job.training->nominal_hold_W(ahead.pause, c.state) - mean_W;
  const auto& type = type_of(job, c);
  const auto& modes =
      type.modes[fleet::mode_step(type, std::max(type.air.fan_min_frac, c.state.fan_frac[place.first_node]),
                                  flow_frac.empty() ? 1.0 : flow_frac[place.first_node])];
  const double step_s = ahead.duration_s();
  double left_s = step_s, worked_s = step_s, area_Ks = 0.0;
  for (const auto& leg : ahead.legs) {
    const double d = seconds(leg.duration);
    left_s -= d;
    if (leg.repetitions > 0) continue;
    worked_s -= d;
    for (std::size_t j = 0; j < thermal::n_mode; ++j) {
      const double rate = modes.rate_per_s[j], fall = (1.0 - std::exp(-rate * d)) / rate;
      area_Ks += modes.shape[0][j] * modes.gain_K_per_J[j] * less_W * fall * (1.0 - std::exp(-rate * left_s)) / rate;
    }
  }
  return area_Ks / worked_s;
}

std::optional<Ahead> StepPlanner::look_ahead(const Job& job, Tick until, const Unit& unit, const StepContext& c) const {
  const Tick period = unit.period;
  Ahead out{{}, *job.life, 0, {}};
  Tick at = job.state.now;
  // A macro step is shared out evenly.
  const double allowed_s = std::min(overshoot * state_.jump_s, settling_s(at - state_.started)),
               wanted_s = seconds(until - at);
  const double shared_s =
      wanted_s <= allowed_s ? wanted_s + seconds(period) : wanted_s / std::ceil(wanted_s / allowed_s);
  std::optional<Ahead> good;
  Tick paused = 0;
  auto left =
      std::min(unit.most, std::max<std::int64_t>(1, static_cast<std::int64_t>(shared_s / seconds(period) + 0.5)));
  while (at < until && left > 0) {
    const auto step = out.life.next(at);
    const Tick hard_end = std::min({c.agenda.next_cut(), step.interrupt, c.agenda.next_pause(at)});
    if (step.state == JobState::iterate && step.clock_frac == job.scratch.task.clock_frac) {
      // The first boundary that is not before the macro step's end; pairs end before anything else begins.
      const Tick whole = unit.iterations > 1 ? std::min(hard_end, step.until) - at : hard_end - at;
      const Tick wanted = std::min(until, unit.iterations > 1 ? workload::never : step.until) - at;
      const std::int64_t due = step.max_iterations / unit.iterations;
      const std::int64_t n = std::min({(wanted + period - 1) / period, left, whole / period,
                                       unit.iterations > 1 ? due : std::max<std::int64_t>(1, due)});
      if (n <= 0) break;
      out.legs.push_back({n, n * period});
      out.repetitions += n;
      left -= n;
      at += n * period;
      out.life.completed(step, n * unit.iterations, at);
    } else if (jumps_over(job, step, at, c) && step.until <= hard_end) {
      out.legs.push_back({0, step.until - at});
      at = step.until;
      out.life.completed(step, 0, at);
      out.pause = step.kind;
      paused += out.legs.back().duration;
    } else {
      break;
    }
    if (seconds(paused) <= most_pause_share * seconds(at - job.state.now)) good = out;
  }
  return good;
}

/// Where iterations vary, the timeline is the mean of those in the jump.
bool StepPlanner::jump_through(Job& job, Tick until, const StepContext& c) {
  auto& training = *job.training;
  auto& task = job.scratch.task;
  const auto look = [&](std::int64_t most) {
    ahead_ = look_ahead(job, until, {task.timeline->period, task.iterations, most}, c);
  };
  const auto set_mean = [&](std::int64_t n) {
    training.set_mean(job.life->progress_iterations(), n, job.state.now, task);
  };
  // Held pieces follow each iteration's own length, and ramps that still move make every iteration another one.
  const bool one_by_one = (training.scatters() && holds_power(c.scenario)) || !training.settled();
  look(one_by_one ? 1 : no_limit);
  while (ahead_ && training.scatters() && ahead_->repetitions > 1) {
    const std::int64_t n = ahead_->repetitions;
    set_mean(n);
    look(n);
    if (!ahead_ || ahead_->repetitions == n) break;
    if (ahead_->repetitions == 1) set_mean(1), look(1);
  }
  if (!ahead_) return false;
  job.scratch.step.state = JobState::iterate;
  if (ahead_->legs.size() > 1) {
    task.legs = ahead_->legs;
    training.add_pause(ahead_->pause, task);
  }
  return true;
}

bool StepPlanner::looked_at(const Job& job, Tick until, const StepContext& c) const {
  constexpr Tick spectrum = 310 * ns_per_s;
  if (state_.since_change < spectrum) return true;
  for (const auto& w : c.scenario.windows)
    if (to_tick(w.start_s) < until && to_tick(w.start_s + w.duration_s) > job.state.now) return true;
  return false;
}

StepLength run_out_length(const Job& job, const StepPlanner& planner, const HeatGuard& heat, const StepContext& c) {
  const Tick now = job.state.now, period = job.scratch.task.timeline->period;
  const Tick left = period - to_tick(planner.begun_frac() * seconds(period));
  const Tick most = std::max<Tick>(1, std::min({left, planner.next_cut(job, c) - now, c.agenda.next_pause(now) - now,
                                                job.scratch.step.until - now}));
  const bool hot = heat.may_end_work(job, 2.0 * seconds(most), c);
  const Tick end = hot ? heat.end(job, planner.begun_frac(), most, heat_search, c) : 0;
  return {1, true, true, end > 0 ? end : most};
}

}  // namespace TIDEWATT_NAMESPACE::sim
