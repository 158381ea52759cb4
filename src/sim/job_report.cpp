#include "job_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fleet/memory_heat.hpp"
#include "fleet_clocks.hpp"
#include "tidewatt/sim/gpu_hours.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

using workload::JobState;

constexpr double kept_ratio = 1.001;  ///< a cap is kept to a thousandth: to the steps of clocks and temperatures

/// Energy of one kind of work over its own time in an iteration.
class KindEnergy {
 public:
  void add(double s, double W) { s_.push_back(s_.back() + s), J_.push_back(J_.back() + W * s); }
  /// The same through other times of that kind: from the first one on.
  void begin(double of_s) { per_s_ = of_s > 0.0 ? s_.back() / of_s : 0.0, at_ = 0, passed_s_ = passed_J_ = 0.0; }
  /// Mean power in the next of them.
  double pass_W(double s) {
    const double until_s = std::min(passed_s_ + s * per_s_, s_.back()), length_s = until_s - passed_s_;
    if (!(length_s > 0.0)) return s_.back() > 0.0 ? J_.back() / s_.back() : 0.0;
    while (at_ + 2 < s_.size() && s_[at_ + 1] < until_s) ++at_;
    const double until_J = J_[at_] + (J_[at_ + 1] - J_[at_]) * (until_s - s_[at_]) / (s_[at_ + 1] - s_[at_]);
    const double W = (until_J - passed_J_) / length_s;
    passed_s_ = until_s, passed_J_ = until_J;
    return W;
  }

 private:
  std::vector<double> s_{0.0}, J_{0.0};  ///< [segment of this kind, and the end] before it
  double per_s_ = 0.0, passed_s_ = 0.0, passed_J_ = 0.0;
  std::size_t at_ = 0;
};

/// Loads of the single iterations that a jump's mean represents: each kind takes its own time through the power that it has in the
/// mean, from its first segment to its last. Only waits differ in length.
std::vector<connection::LoadTemplate> single_loads(const fleet::TrainingTask& training, const workload::Timeline& mean,
                                                   const fleet::ClassPower& power) {
  const auto singles = training.singles();
  std::vector<fleet::ClassPower> W(singles.size(), fleet::ClassPower(mean.classes.size()));
  for (std::size_t c = 0; c < mean.classes.size(); ++c) {
    std::vector<KindEnergy> kind(mean.kinds.size());
    for (std::size_t s = 0; s < mean.classes[c].size(); ++s)
      if (const auto& segment = mean.classes[c][s]; segment.duration > 0)
        kind[segment.kind].add(seconds(segment.duration), power[c][s]);
    for (std::size_t i = 0; i < singles.size(); ++i) {
      const auto& segments = singles[i].classes[c];
      std::vector<double> kind_s(kind.size(), 0.0);
      for (const auto& s : segments) kind_s[s.kind] += seconds(s.duration);
      for (std::size_t k = 0; k < kind.size(); ++k) kind[k].begin(kind_s[k]);
      for (const auto& s : segments) W[i][c].push_back(kind[s.kind].pass_W(seconds(s.duration)));
    }
  }
  std::vector<connection::LoadTemplate> out;
  out.reserve(singles.size());
  for (std::size_t i = 0; i < singles.size(); ++i) out.push_back(connection::make_load_template(singles[i], W[i]));
  return out;
}

/// Load of one step, as a sequence of stretches.
struct Load {
  std::vector<connection::LoadPiece> held;        ///< of a constant state
  connection::LoadTemplate repeated;              ///< otherwise
  double repeated_J = 0.0;                        ///< of one repetition
  std::vector<connection::LoadTemplate> singles;  ///< single iterations, where a window or the spectrum needs them
  std::size_t next_single = 0;

  double J(const connection::LoadTemplate& of, std::int64_t repetitions) const {
    double out = (&of == &repeated ? repeated_J : of.total_J()) * static_cast<double>(repetitions);
    for (const auto& piece : held) out += piece.load.total_J() * static_cast<double>(piece.repetitions);
    return out;
  }
  void send(const connection::LoadTemplate& of, std::int64_t repetitions, bool iterates, std::size_t lane,
            std::vector<connection::LaneLoad>& to) {
    for (auto& piece : held) to.push_back({lane, std::move(piece.load), piece.repetitions, false});
    if (!held.empty()) return;
    if (iterates && !singles.empty())
      for (std::int64_t i = 0; i < repetitions; ++i) to.push_back({lane, std::move(singles[next_single++]), 1, true});
    else
      to.push_back({lane, of, repetitions, iterates});
  }
};

/// What a step of an occupant says of its GPUs without the others.
void tell(FleetClocks& clocks, const Job& job, std::span<const Stretch> step, const StepContext& c) {
  const NodeRange nodes{job.place.first_node, job.place.n_node};
  const std::size_t n = c.fleet.n_gpu_per_node;
  clocks.heat(nodes.first_node * n, nodes.of_gpus(c.signals.hottest_K, n));
  for (const auto& s : step)
    if (s.iteration_s > 0.0)
      clocks.add({local_time_of_day(c.scenario.run.start), job.place.lane, s, nodes, n, c.state.own_Hz.data()});
}

}  // namespace

void JobReport::deliver(Job& job, const fleet::ClassPower& power, double tokens, bool single,
                        const workload::PhaseKind* pause, StepContext& c) {
  const auto& task = job.scratch.task;
  const auto doing = job.scratch.step.state;
  c.audit.add(task);
  Load load;
  if (!works(doing) && doing != JobState::run_out && task.legs.empty()) {
    load.held = connection::make_held_load(*task.timeline, power);
  } else {
    auto edges = connection::make_load_edges(*task.timeline, power);
    load.repeated = connection::make_load_template(edges);
    load.repeated_J = load.repeated.total_J();
    if (doing == JobState::iterate && !task.slice) job.state.last_load = std::move(edges);
  }
  if (single) load.singles = single_loads(*job.training, *task.timeline, power);
  auto& figures = state_.figures;
  const Tick begin = job.state.now;
  std::vector<Stretch> stretches;
  const auto add = [&](Tick duration, JobState state, const connection::LoadTemplate& of, std::int64_t repetitions,
                       double share) {
    Stretch s{job.state.now, job.state.now + duration, state};
    s.load_J = load.J(of, repetitions);
    if (share * tokens > 0.0) {
      s.tokens = share * tokens;
      s.iteration_s = seconds(duration) * job.training->model().tokens_per_iteration() / s.tokens;
      s.slowest_Hz = job.training->slowest_Hz();
      s.alone_Hz = job.training->alone_Hz();
      figures.tokens += s.tokens;
      figures.iterating_s += seconds(duration);
      figures.iteration_s2 += seconds(duration) * s.iteration_s;
    }
    figures.load_J += s.load_J;
    stretches.push_back(s);
    load.send(of, repetitions, state == JobState::iterate, job.place.lane, c.loads);
    job.state.now += duration;
  };
  if (task.legs.empty()) add(fleet::duration_of(task), doing, load.repeated, task.repetitions, 1.0);
  for (const auto& leg : task.legs)
    if (leg.repetitions > 0) {
      add(leg.duration, JobState::iterate, load.repeated, leg.repetitions,
          static_cast<double>(leg.repetitions) / static_cast<double>(task.repetitions));
    } else {
      job.scratch.hold = {{*pause}, {{{leg.duration, 0}}}, leg.duration};
      add(leg.duration, JobState::checkpoint, connection::make_load_template(job.scratch.hold, {{c.signals.pause_W}}),
          1, 0.0);
    }
  if (job.training && !job.state.dark)
    figures.smoothing.add(job.training->smoothing_acts(), seconds(job.state.now - begin));
  if (!c.signals.memory_K.empty()) fleet::memory_temperatures(c.fleet, c.state, task, c.signals);
  c.recorder.fleet_step(stretches, job.place.lane, {job.place.first_node, job.place.n_node}, c.state, c.signals);
  if (c.gpu_hours != nullptr)
    c.gpu_hours->add({begin, job.state.now, job.place.first_node, job.place.n_node, c.fleet.n_gpu_per_node,
                      c.state.die_mean_K.data(), c.state.fan_frac.data(), c.signals.fan_low_frac.data(),
                      c.signals.fan_high_frac.data(), c.meters.fan.value()});
  if (c.clocks != nullptr) tell(*c.clocks, job, stretches, c);
  c.halls.collect(c.signals, job.place.first_node, job.place.n_node, begin, job.state.now);
}

void JobReport::events(Job& job, StepContext& c) const {
  const auto number = [&](std::int64_t node) {
    return c.fleet.node_number[job.place.first_node + static_cast<std::size_t>(node)];
  };
  for (auto& e : job.life->take_events())
    c.recorder.event(e.tick, std::move(e.kind),
                     e.entity < 0 ? job.place.name : fmt::format("node {}", number(e.entity)), std::move(e.text));
}

void JobReport::limits(const Job& job, StepContext& c) {
  const auto& training = *job.training;
  const auto doing = job.scratch.step.state;
  if (doing == JobState::iterate && training.misses_beat() && !state_.beat_event_sent) {
    c.recorder.event(job.state.now, "beat_missed", job.place.name, "iterations last longer than their beat");
    state_.beat_event_sent = true;
  }
  if (const double given_W = training.hold_gives_way_W(); given_W > 0.0 && !state_.hold_event_sent) {
    c.recorder.event(
        job.state.now, "hold_gives_way", job.place.name,
        fmt::format("smoothing or ballast would keep more than the power limit: it keeps {:.0f} W", given_W));
    state_.hold_event_sent = true;
  }
  const double lowest_Hz = c.fleet.types[c.fleet.node_hall[job.place.first_node]].gpu.clock_min_Hz();
  if (works(doing) && training.slowest_Hz() <= lowest_Hz * (1.0 + 1e-9) && !state_.cap_event_sent) {
    c.recorder.event(job.state.now, "cap_not_held", job.place.name,
                     "the lowest clock draws more than the power cap allows");
    state_.cap_event_sent = true;
  }
}

void JobReport::caps(const Job& job, const StepContext& c) {
  const auto& fleet = c.fleet;
  auto& figures = state_.figures;
  const double step_s = job.state.last_step_s;
  for (std::size_t n = job.place.first_node; n < job.place.first_node + job.place.n_node; ++n) {
    const double cap_W = c.state.controls[fleet.node_hall[n]].cap_W, most_W = kept_ratio * cap_W;
    const double* mean_W = c.state.mean_W.data() + n * fleet.n_gpu_per_node;
    std::size_t n_over = 0;
    double largest_W = 0.0;
    for (std::size_t g = 0; g < fleet.n_gpu_per_node; ++g) {
      n_over += mean_W[g] > most_W ? 1u : 0u;
      largest_W = std::max(largest_W, mean_W[g]);
    }
    if (n_over == 0) continue;
    figures.cap_over_s += static_cast<double>(n_over) * step_s;
    figures.cap_over_W = std::max(figures.cap_over_W, largest_W - cap_W);
  }
  figures.worked_s += static_cast<double>(job.place.n_node * fleet.n_gpu_per_node) * step_s;
}

}  // namespace TIDEWATT_NAMESPACE::sim
