#include "gpu_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "build_fleet.hpp"
#include "fleet/training_task.hpp"
#include "power/sensor.hpp"
#include "scenario_rack.hpp"
#include "tidewatt/base/math.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

template <class T>
const std::vector<T>& array(const Result& result, const char* path) {
  for (const auto& a : result.arrays)
    if (a.path == path) return std::get<std::vector<T>>(a.values);
  throw InputError("show gpu: the run has no picture of the fleet; it needs a minute of iterations");
}

std::size_t chosen(const Result& result, const GpuChoice& choice, std::size_t first, std::size_t last) {
  if (choice.node < 0) {
    const auto& x = array<double>(result, choice.slowest ? "/fleet/own_Hz" : "/fleet/die_K");
    const auto begin = x.begin() + static_cast<std::ptrdiff_t>(first),
               end = x.begin() + static_cast<std::ptrdiff_t>(last);
    return static_cast<std::size_t>((choice.slowest ? std::min_element(begin, end) : std::max_element(begin, end)) -
                                    x.begin());
  }
  const auto &node = array<std::int64_t>(result, "/fleet/node"), &slot = array<std::int64_t>(result, "/fleet/slot");
  for (std::size_t g = first; g < last; ++g)
    if (node[g] == choice.node && slot[g] == choice.slot) return g;
  throw InputError(fmt::format("show gpu: the first job has no GPU in slot {} of server {}", choice.slot, choice.node));
}

/// The first job's work at the dies and inlets of the run's picture.
struct Moment {
  fleet::Fleet fleet;
  fleet::FleetState state;
  std::vector<double> inlet_K, air_J_per_m3_K;
  fleet::FleetTask task;
  std::optional<fleet::TrainingTask> maker;
};

void recall(const Scenario& scenario, const Result& result, Moment& m) {
  m.fleet = build_fleet(scenario);
  const auto& at_K = array<double>(result, "/fleet/inlet_K");
  for (std::size_t n = 0; n < m.fleet.n_node(); ++n) m.inlet_K.push_back(at_K[n * m.fleet.n_gpu_per_node]);
  m.state = idle_state(m.fleet, m.inlet_K);
  m.state.die_K = m.state.base_K = m.state.sink_K = m.state.die_mean_K = m.state.die_peak_K =
      array<double>(result, "/fleet/die_K");
  fleet::FleetSignals signals = make_signals(m.fleet);
  const auto& job = scenario.jobs.front();
  const auto& hall = scenario.halls[m.fleet.node_hall[0]];
  fleet::TrainingTask::Options options;
  options.replica_groups = scenario.run.replica_groups;
  options.gating = scenario.run.gating;
  m.maker.emplace(workload::IterationModel(job.model, job.plan, hall.compute, network_of(scenario, job)), m.fleet, 0,
                  options);
  m.task.inlet_K = m.inlet_K;
  m.air_J_per_m3_K.assign(m.fleet.types.size(), 1.2e3);
  m.task.air_J_per_m3_K = m.air_J_per_m3_K;  // of room air: only rear rows ask, and nothing warms in a microsecond
  m.maker->set_work(fleet::TrainingTask::Work::iterate, 0, m.state, 1e-6, signals, m.task);
}

/// One GPU's phases and package.
struct Replay {
  const fleet::NodeType& type;
  power::Chip chip;
  const fleet::FleetTask& task;
  std::uint32_t cls;
  double r, air_K;
  thermal::PackageModes modes;
  bool leads = false;  ///< no GPU is slower: it waits for none, and its own clock sets the length of its phases
  std::array<double, thermal::n_mode> z{};

  dvfs::PhasePower at(std::uint32_t kind, double clock_Hz) const {
    return dvfs::phase_power(type.gpu, chip, task.kind_mix[kind], task.reference_Hz, clock_Hz,
                             leads ? 0.0 : task.class_gate_Hz[cls]);
  }
  /// How much faster a phase passes than in the run.
  double pace(std::uint32_t kind, double clock_Hz) const {
    return leads ? at(kind, task.class_gate_Hz[cls]).duration_s / at(kind, clock_Hz).duration_s : 1.0;
  }
  double die_K() const {
    return air_K + r * (modes.shape[0][0] * z[0] + modes.shape[0][1] * z[1] + modes.shape[0][2] * z[2]);
  }
  double watts(std::uint32_t kind, double clock_Hz) const {
    const auto p = at(kind, clock_Hz);
    return p.fixed_W + p.leakage_W * type.gpu.leakage_temperature_factor(die_K());
  }
  void warm(double W) {
    for (std::size_t k = 0; k < thermal::n_mode; ++k) z[k] = modes.gain_K_per_J[k] * W / modes.rate_per_s[k];
  }
  void step(double W, double s) {
    for (std::size_t k = 0; k < thermal::n_mode; ++k) {
      const double x = modes.rate_per_s[k] * s;
      z[k] = z[k] * math::exp(-x) + modes.gain_K_per_J[k] * W * s * math::mean_decay(x);
    }
  }
  /// Mean power over an iteration at one clock and one die temperature.
  double mean_W(double clock_Hz, double at_K) const {
    double J = 0.0;
    for (const auto& s : task.timeline->classes[cls]) {
      const auto p = at(s.kind, clock_Hz);
      J += seconds(s.duration) * (p.fixed_W + p.leakage_W * type.gpu.leakage_temperature_factor(at_K));
    }
    return J / seconds(task.timeline->period);
  }
};

/// Phase at a time of the iteration. Moves forward; restarts with the iteration.
struct Player {
  const std::vector<workload::Segment>& segments;
  std::size_t at = 0;
  Tick left = segments.front().duration;
  std::uint32_t kind() const { return segments[at].kind; }
  /// Simulates at most `most`, not across an edge. @param pace of the phase relative to the run's  @returns simulated time
  Tick play(Tick most, double pace) {
    const Tick whole = std::max<Tick>(1, std::llround(static_cast<double>(left) / pace)), d = std::min(most, whole);
    left -= d == whole ? left : std::min<Tick>(left, std::llround(static_cast<double>(d) * pace));
    while (left == 0) {
      at = (at + 1) % segments.size();
      left = segments[at].duration;
    }
    return d;
  }
};

}  // namespace

GpuView view_gpu(const Scenario& scenario, const Result& result, const GpuChoice& choice) {
  if (!(choice.step_s > 0.0 && choice.step_s <= 0.01) || choice.n_iteration < 1 || choice.n_iteration > 1000)
    throw InputError(fmt::format("show gpu: steps of {} s and {} iterations; 0 to 0.01 s and 1 to 1000 are possible",
                                 choice.step_s, choice.n_iteration));
  Moment m;
  recall(scenario, result, m);
  const std::size_t per_node = m.fleet.n_gpu_per_node;
  const std::size_t g = chosen(result, choice, 0, m.maker->n_node() * per_node), n = g / per_node;
  const auto& hall = scenario.halls[m.fleet.node_hall[n]];
  const auto& type = m.fleet.types[m.fleet.node_hall[n]];
  const auto& controls = m.state.controls[m.fleet.node_hall[n]];

  GpuView v;
  v.job = scenario.jobs.front().name;
  v.row = m.fleet.node_row[n], v.rack = m.fleet.node_rack[n], v.node = m.fleet.node_number[n];
  v.slot = static_cast<std::int64_t>(g % per_node);
  v.stage = m.maker->stage_of_node(n);
  v.iteration_s = seconds(m.task.timeline->period);
  v.point_Hz = array<double>(result, "/fleet/clock_Hz")[g];
  v.point_die_K = array<double>(result, "/fleet/die_K")[g];

  const auto first = m.state.die_K.begin() + static_cast<std::ptrdiff_t>(n * per_node);
  const double fan_frac =
      thermal::fan_target_frac(type.air, *std::max_element(first, first + static_cast<std::ptrdiff_t>(per_node)));
  Replay gpu{type,
             m.fleet.chip[g],
             m.task,
             m.task.node_class[n],
             m.fleet.resistance_ratio[g],
             0.0,
             type.modes[fleet::mode_step(type, fan_frac, 1.0)]};
  gpu.leads = gpu.task.class_gate_Hz[gpu.cls] > 0.0 && v.point_Hz <= gpu.task.class_gate_Hz[gpu.cls] * (1.0 + 1e-3);
  v.point_W = gpu.mean_W(v.point_Hz, v.point_die_K);
  gpu.warm(v.point_W);
  v.air_K = gpu.air_K = v.point_die_K - gpu.die_K();

  const dvfs::SampledGovernor governor(type.gpu, type.governor, hall.sampling);
  auto state = governor.start(1, v.point_Hz);
  const Tick period = m.task.timeline->period, step = to_tick(choice.step_s), sampling = to_tick(governor.period_s());
  const Tick settled = (to_tick(choice.settle_s) + period - 1) / period * period,
             end = settled + choice.n_iteration * period;
  auto shown = power::start_mean(1.0, choice.step_s, v.point_W);
  constexpr Tick publication = 100 * ns_per_ms;
  double shown_W = v.point_W, sample_J = 0.0, work_s = 0.0;
  Tick next_sample = sampling, next_shown = publication;
  Player player{m.task.timeline->classes[gpu.cls]};
  std::array<double, dvfs::n_held> before{};
  std::uint8_t held = 0;
  for (Tick now = 0; now < end;) {
    const Tick until = std::min(now + step, now < settled ? settled : end);
    const double begin_s = seconds(now);
    double step_J = 0.0, die_Ks = 0.0;
    if (now == settled) before = state.held_s[0];
    const double clock_Hz = governor.clock_Hz(state, 0);
    while (now < until) {
      const auto kind = player.kind();
      const double f = governor.clock_Hz(state, 0), W = gpu.watts(kind, f);
      const Tick d = player.play(std::min(until, next_sample) - now, gpu.pace(kind, f));
      const double s = seconds(d);
      die_Ks += gpu.die_K() * s;
      gpu.step(W, s);
      step_J += W * s, sample_J += W * s;
      now += d;
      if (now > settled) {
        const double share = m.task.kind_mix[kind].matrix_s / std::max(1e-300, gpu.at(kind, f).duration_s);
        v.mean_Hz += f * share * s, work_s += share * s;
      }
      if (now < next_sample) continue;
      const double sample_W = sample_J / seconds(sampling), at_K = gpu.die_K();
      const std::uint8_t brake = controls.lock_by == dvfs::Limiter::brake ? 1 : 0;
      const auto booked = state.held_s[0];
      governor.decide({{&sample_W, 1}, {&at_K, 1}, {&controls.cap_W, 1}, {&controls.lock_Hz, 1}, {&brake, 1}}, state);
      for (std::size_t h = 0; h < dvfs::n_held; ++h)
        if (state.held_s[0][h] > booked[h]) held = static_cast<std::uint8_t>(h);
      sample_J = 0.0;
      next_sample += sampling;
    }
    const double s = seconds(now) - begin_s, mean_W = power::push_mean(shown, step_J / s);
    if (now >= next_shown) shown_W = mean_W, next_shown += publication;
    if (now <= settled) continue;
    v.time_s.push_back(begin_s - seconds(settled));
    v.clock_Hz.push_back(clock_Hz);
    v.power_W.push_back(step_J / s);
    v.die_K.push_back(die_Ks / s);
    v.shown_W.push_back(shown_W);
    v.shown_degC.push_back(power::quantised_K(die_Ks / s - 273.15, 1.0));
    v.mean_W += step_J, v.mean_die_K += die_Ks;
    v.held.push_back(held);
  }
  const double seen_s = seconds(end - settled);
  v.mean_Hz /= work_s, v.mean_W /= seen_s, v.mean_die_K /= seen_s;
  double all_s = 0.0;
  for (std::size_t h = 0; h < dvfs::n_held; ++h) all_s += v.held_frac[h] = state.held_s[0][h] - before[h];
  for (double& x : v.held_frac) x /= all_s;
  return v;
}

}  // namespace TIDEWATT_NAMESPACE::sim
