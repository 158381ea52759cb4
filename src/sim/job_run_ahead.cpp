// How a job's jumps are planned: through pauses, and over iterations that scatter.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "job_run.hpp"

namespace tidewatt::sim {
namespace {

using workload::JobState;

constexpr Tick longest_pause = 10 * ns_per_s;
constexpr double a_little_more = 1.15;
constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

}  // namespace

/// When the job is known to become something else.
Tick JobRun::next_change() const {
  if (!life_ || life_->state().start_held) return workload::never;
  const auto next = life_->next(now_);
  if (next.state == JobState::iterate) return next.interrupt;  // it goes through pauses
  return next.state == JobState::evaluate ? workload::never : std::min(next.until, next.interrupt);
}

/// The next moment after `at` that no step of this job crosses, whatever the job does.
Tick JobRun::next_edge(Tick at, const Hands& hands) const {
  return std::min(brakes_.next_edge(at), hands.pause_at > at ? hands.pause_at : workload::never);
}

std::span<const double> JobRun::iteration_mean_K(const FleetState& state, const Fleet& fleet) const {
  if (last_state_ != JobState::iterate && last_state_ != JobState::evaluate) return std::span(state.die_K).subspan(first_node_ * fleet.n_gpu_per_node, n_node_ * fleet.n_gpu_per_node);
  if (sliced_) return iteration_K_;
  return std::span(state.die_mean_K).subspan(first_node_ * fleet.n_gpu_per_node, n_node_ * fleet.n_gpu_per_node);
}

/// Pauses that leave the fleet almost as it was, between iterations that are all alike.
bool JobRun::jumps_over(const workload::JobStep& step, Tick at, const Hands& hands) const {
  return step.state == JobState::checkpoint && step.until - at <= longest_pause && hands.scenario.run.advance != "resolved" &&
         !hands.scenario.holds_power() && !maker_->keeps_beat() && step.clock_frac == 1.0;
}

/// Every mode falls by g ΔP ∫ e^{−λt} through a pause and comes back afterwards; the area under that follows from its balance.
double JobRun::pause_dip_K(const Ahead& ahead, const Hands& hands) const {
  if (ahead.legs.size() == 1) return 0.0;
  const auto first = hands.state.mean_W.begin() + static_cast<std::ptrdiff_t>(first_node_ * hands.fleet.n_gpu_per_node);
  const auto n = n_node_ * hands.fleet.n_gpu_per_node;
  const double mean_W = std::accumulate(first, first + static_cast<std::ptrdiff_t>(n), 0.0) / static_cast<double>(n);
  const double less_W = maker_->nominal_hold_W(ahead.pause, hands.state) - mean_W;
  const auto& type = hands.fleet.types[hands.fleet.node_hall[first_node_]];
  const auto& modes = type.modes[mode_step(type, std::max(type.air.fan_min_frac, hands.state.fan_frac[first_node_]), task_.flow_frac.empty() ? 1.0 : task_.flow_frac[first_node_])];
  double left_s = 0.0, area_Ks = 0.0;
  for (const auto& leg : ahead.legs) left_s += seconds(leg.duration);
  const double step_s = left_s;
  for (const auto& leg : ahead.legs) {
    const double d = seconds(leg.duration);
    left_s -= d;
    if (leg.repetitions > 0) continue;
    for (std::size_t j = 0; j < thermal::n_mode; ++j) {
      const double rate = modes.rate_per_s[j], end = (1.0 - std::exp(-rate * d)) / rate * std::exp(-rate * left_s);
      area_Ks += modes.shape[0][j] * modes.gain_K_per_J[j] * less_W * (d - end) / rate;
    }
  }
  return area_Ks / step_s;
}

std::optional<JobRun::Ahead> JobRun::look_ahead(Tick until, Tick period, std::int64_t most, const Hands& hands) const {
  Ahead out{{}, *life_, 0, {}};
  Tick at = now_;
  // A macro step is shared out evenly; a little more than the estimate allows beats a remainder of its own.
  const double allowed_s = std::min(a_little_more * jump_s_, settling_s()), wanted_s = seconds(until - now_);
  const double shared_s = wanted_s <= allowed_s ? wanted_s + seconds(period) : wanted_s / std::ceil(wanted_s / allowed_s);
  auto left = std::min(most, std::max<std::int64_t>(1, static_cast<std::int64_t>(shared_s / seconds(period) + 0.5)));
  while (at < until && left > 0) {
    const auto step = out.life.next(at);
    const Tick hard_end = std::min({hands.end, step.interrupt, next_edge(at, hands), hands.power_edge});
    if (step.state == JobState::iterate && step.clock_frac == task_.clock_frac) {
      // The first boundary that is not before the macro step's end.
      std::int64_t n = (std::min(until, step.until) - at + period - 1) / period;
      n = std::min({n, left, (hard_end - at) / period, std::max<std::int64_t>(1, step.max_iterations)});
      if (n <= 0) break;
      out.legs.push_back({n, n * period});
      out.repetitions += n;
      left -= n;
      at += n * period;
      out.life.completed(step, n, at);
    } else if (jumps_over(step, at, hands) && step.until <= hard_end) {
      out.legs.push_back({0, step.until - at});
      at = step.until;
      out.life.completed(step, 0, at);
      out.pause = step.kind;
    } else {
      break;
    }
  }
  if (out.repetitions == 0) return std::nullopt;
  return out;
}

/// Plans a jump and sets the task to it. Where iterations scatter, the timeline is the mean of those the jump holds.
bool JobRun::jump_through(Tick until, Hands& hands) {
  // Held pieces follow each iteration's own length, and ramps that still move make every iteration another one.
  const bool one_by_one = (maker_->scatters() && hands.scenario.holds_power()) || !maker_->settled();
  ahead_ = look_ahead(until, task_.timeline->period, one_by_one ? 1 : no_limit, hands);
  while (ahead_ && maker_->scatters() && ahead_->repetitions > 1) {
    const std::int64_t n = ahead_->repetitions;
    maker_->set_mean(life_->progress_iterations(), n, now_, task_);
    ahead_ = look_ahead(until, task_.timeline->period, n, hands);
    if (!ahead_ || ahead_->repetitions == n) break;
    if (ahead_->repetitions == 1) maker_->set_mean(life_->progress_iterations(), 1, now_, task_), ahead_ = look_ahead(until, task_.timeline->period, 1, hands);
  }
  if (!ahead_) return false;
  job_step_.state = JobState::iterate;
  if (ahead_->legs.size() > 1) {
    task_.legs = ahead_->legs;
    maker_->add_pause(ahead_->pause, task_);
  }
  return true;
}

/// Whether somebody looks at single iterations before `until`: a recorded window, or the spectrum, which begins anew with
/// every uninterrupted interval.
bool JobRun::looked_at(Tick until, const Hands& hands) const {
  constexpr Tick spectrum = 310 * ns_per_s;
  if (since_change_ < spectrum) return true;
  for (const auto& w : hands.scenario.windows)
    if (to_tick(w.start_s) < until && to_tick(w.start_s + w.duration_s) > now_) return true;
  return false;
}

/// Loads of the single iterations that a jump's mean stands for.
std::vector<LoadTemplate> JobRun::single_loads(const ClassPower& power) const {
  const auto& mean = *task_.timeline;
  const std::size_t n_kind = mean.kinds.size();
  std::vector<double> kind_W(mean.classes.size() * n_kind, 0.0);
  for (std::size_t c = 0; c < mean.classes.size(); ++c)
    for (std::size_t s = 0; s < mean.classes[c].size(); ++s) kind_W[c * n_kind + mean.classes[c][s].kind] = power[c][s];
  std::vector<LoadTemplate> out;
  for (const auto& single : maker_->singles()) {
    ClassPower W(single.classes.size());
    for (std::size_t c = 0; c < W.size(); ++c)
      for (const auto& s : single.classes[c]) W[c].push_back(kind_W[c * n_kind + s.kind]);
    out.push_back(make_load_template(single, W));
  }
  return out;
}

}  // namespace tidewatt::sim
