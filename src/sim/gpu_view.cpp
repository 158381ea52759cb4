#include "gpu_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "build_fleet.hpp"
#include "fan_report.hpp"
#include "fleet/training_task.hpp"
#include "folded_power.hpp"
#include "gpu_replay.hpp"
#include "job.hpp"
#include "power/sensor.hpp"
#include "scenario_rack.hpp"

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
  const JobSpec* job = nullptr;
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
  m.job = &scenario.jobs.front();
  const auto& job = *m.job;
  const auto place = place_of(scenario, m.fleet, job);
  auto options = training_options(scenario, job, place);
  options.single_chips = true;
  options.jitter.reset();  // an iteration without scatter
  options.beat.reset();
  m.maker.emplace(training_model(scenario, m.fleet, job, place), m.fleet, place.first_node, std::move(options));
  m.task.inlet_K = m.inlet_K;
  m.air_J_per_m3_K.assign(m.fleet.types.size(), thermal::reference_air_J_per_m3_K);
  m.task.air_J_per_m3_K = m.air_J_per_m3_K;  // nothing warms in a microsecond
  constexpr int n_settling = 50;             // iterations that ramps of smoothing may take
  for (int i = 0; i < n_settling && (i == 0 || !m.maker->settled()); ++i)
    m.maker->set_work(fleet::TrainingTask::Work::iterate, 0, m.state, 1e-6, signals, m.task);
}

/// The picture's dies are of the iteration after its step, and the clocks that the board's limits allow them may be others than the step's.
double point_Hz(const Result& result, const Moment& m, const GpuReplay& gpu, const fleet::Controls& controls,
                std::size_t g, double die_K) {
  const auto limiter = static_cast<dvfs::Limiter>(array<std::int64_t>(result, "/fleet/limiter")[g]);
  const bool by_board =
      limiter == dvfs::Limiter::none || limiter == dvfs::Limiter::power || limiter == dvfs::Limiter::clock;
  if (!by_board) return array<double>(result, "/fleet/clock_Hz")[g];
  return gpu.leads ? m.state.own_Hz[g] : fleet::gated_clock_Hz(m.task, gpu.type, controls, gpu.cls, gpu.chip, die_K);
}

/// The run's own course of the same GPU, once the die has settled.
double run_step_W(GpuReplay gpu, const GpuView& v, Tick step) {
  const auto& segments = gpu.task.timeline->classes[gpu.cls];
  const fleet::ChipAtClock chip{gpu.chip, v.point_Hz, gpu.leads};
  const auto more_W = fleet::segment_more_W(gpu.task, gpu.type, gpu.cls, v.point_die_K, chip);
  FoldedPower folded(gpu.task.timeline->period);
  PhasePlayer player{segments};
  while (player.iterations < 2) {
    const Tick place = player.begun;
    const bool settled = player.iterations > 0;
    const double W =
        gpu.run_W(segments[player.at].kind, v.point_Hz, gpu.die_K()) + (more_W.empty() ? 0.0 : more_W[player.at]);
    const double s = seconds(player.play(step, 1.0));
    gpu.step(W, s);
    if (settled) folded.add(place, place + player.passed, W, s);
  }
  return folded.largest_step_W();
}

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
  v.job = m.job->name;
  v.row = m.fleet.node_row[n], v.rack = m.fleet.node_rack[n], v.node = m.fleet.node_number[n];
  v.slot = static_cast<std::int64_t>(g % per_node);
  v.stage = m.maker->stage_of_node(n);
  v.iteration_s = seconds(m.task.timeline->period);
  v.point_die_K = array<double>(result, "/fleet/die_K")[g];
  v.board_peak_W = dvfs::peak_W(type.governor, type.gpu.params());

  v.fans = node_fan_cycle(m.fleet, result.arrays, n);
  const auto first = m.state.die_K.begin() + static_cast<std::ptrdiff_t>(n * per_node);
  const double fan_frac =
      v.fans
          ? array<double>(result, "/fleet/fan_frac")[g]
          : thermal::fan_target_frac(type.air, *std::max_element(first, first + static_cast<std::ptrdiff_t>(per_node)));
  GpuReplay gpu{type,
                m.fleet.chip[g],
                m.task,
                m.task.node_class[n],
                m.fleet.resistance_ratio[g],
                0.0,
                type.modes[fleet::mode_step(type, fan_frac, 1.0)]};
  const double gate_Hz = gpu.task.class_gate_Hz[gpu.cls];
  gpu.leads = gate_Hz > 0.0 && m.state.own_Hz[g] <= gate_Hz * (1.0 + 1e-9);
  v.point_Hz = point_Hz(result, m, gpu, controls, g, v.point_die_K);
  v.point_W = gpu.mean_W(v.point_Hz, v.point_die_K);
  gpu.warm(v.point_W);
  v.air_K = gpu.air_K = v.point_die_K - gpu.die_K();

  const dvfs::SampledGovernor governor(type.gpu, type.governor, hall.sampling);
  auto state = governor.start(1, v.point_Hz);
  const Tick step = to_tick(choice.step_s), sampling = to_tick(governor.period_s());
  auto shown = power::start_mean(1.0, choice.step_s, v.point_W);
  constexpr Tick publication = 100 * ns_per_ms;
  double shown_W = v.point_W, sample_J = 0.0, sample_s = 0.0, work_s = 0.0, seen_s = 0.0;
  Tick next_sample = sampling, next_shown = publication, now = 0;
  const GpuReplay at_rest = gpu;
  PhasePlayer player{m.task.timeline->classes[gpu.cls]};
  std::optional<fleet::CourseRatios> lead;
  if (!m.task.class_lead.empty())
    lead.emplace(m.task.class_lead[gpu.cls], *m.task.timeline, gpu.cls, fleet::pace_of(m.task, gpu.cls), nullptr,
                 m.task.second_begin);
  std::array<double, dvfs::n_held> before{};
  std::uint8_t held = 0;
  const auto begins = static_cast<std::int64_t>(std::ceil(choice.settle_s / v.iteration_s)),
             seen = std::max(choice.n_iteration, static_cast<std::int64_t>(std::ceil(choice.mean_s / v.iteration_s))),
             ends = begins + seen;
  FoldedPower folded(m.task.timeline->period);
  std::int64_t begun = -1;
  while (player.iterations < ends) {
    const bool counts = player.iterations >= begins, shows = player.iterations >= ends - choice.n_iteration;
    if (counts && seen_s == 0.0) before = state.held_s[0];
    const Tick begin = now, until = now + step;
    double step_J = 0.0, die_Ks = 0.0;
    const double clock_Hz = governor.clock_Hz(state, 0);
    while (now < until && player.iterations < (shows ? ends : counts ? ends - choice.n_iteration : begins)) {
      if (player.iterations > begun)  // iterations are not locked to samples
        next_sample =
            now + std::max<Tick>(1, to_tick(governor.period_s() * dvfs::sample_begin_frac(begun = player.iterations)));
      const auto kind = player.kind();
      const double ratio = lead ? lead->at(player.at, player.frac(), player.frac()) : 1.0;
      const double f = gpu.phase_Hz(kind, governor.clock_Hz(state, 0)), W = gpu.watts(kind, f, ratio);
      const Tick place = player.begun;
      const Tick d = player.play(std::min(until, next_sample) - now, gpu.pace(kind, f, ratio));
      const double s = seconds(d);
      die_Ks += gpu.die_K() * s;
      gpu.step(W, s);
      step_J += W * s, sample_J += W * s, sample_s += s;
      now += d;
      if (counts) {
        folded.add(place, place + player.passed, W, s);
        const double share = m.task.kind_mix[kind].matrix_s * (m.task.reference_Hz / f) /
                             std::max(1e-300, gpu.at(kind, f, ratio).duration_s);
        v.mean_Hz += f * share * s, work_s += share * s, seen_s += s;
      }
      if (now < next_sample) continue;
      const double sample_W = sample_J / sample_s, at_K = gpu.die_K();
      const std::uint8_t brake = controls.lock_by == dvfs::Limiter::brake ? 1 : 0;
      const auto booked = state.held_s[0];
      governor.decide({{&sample_W, 1}, {&at_K, 1}, {&controls.cap_W, 1}, {&controls.lock_Hz, 1}, {&brake, 1}}, state);
      for (std::size_t h = 0; h < dvfs::n_held; ++h)
        if (state.held_s[0][h] > booked[h]) held = static_cast<std::uint8_t>(h);
      sample_J = sample_s = 0.0;
      next_sample += sampling;
    }
    const double s = seconds(now - begin), mean_W = power::push_mean(shown, step_J / s);
    if (now >= next_shown) shown_W = mean_W, next_shown += publication;
    if (counts) v.mean_W += step_J, v.mean_die_K += die_Ks;
    if (!shows) continue;
    v.time_s.push_back(v.time_s.empty() ? 0.0 : v.time_s.back() + choice.step_s);
    v.clock_Hz.push_back(clock_Hz);
    v.power_W.push_back(step_J / s);
    v.die_K.push_back(die_Ks / s);
    v.shown_W.push_back(shown_W);
    v.shown_degC.push_back(power::quantised_K(die_Ks / s - 273.15, 1.0));
    v.held.push_back(held);
  }
  v.step_W = folded.largest_step_W();
  v.point_step_W = run_step_W(at_rest, v, step);
  v.mean_Hz /= work_s, v.mean_W /= seen_s, v.mean_die_K /= seen_s;
  double all_s = 0.0;
  for (std::size_t h = 0; h < dvfs::n_held; ++h) all_s += v.held_frac[h] = state.held_s[0][h] - before[h];
  for (double& x : v.held_frac) x /= all_s;
  return v;
}

}  // namespace TIDEWATT_NAMESPACE::sim
