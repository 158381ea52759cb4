#include "simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

#include "base/archive.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

constexpr Tick hour = 3600 * ns_per_s;
constexpr std::size_t macro_steps_behind = 64;  ///< that the connection may lag the fleet

RunOptions with_threads(RunOptions o) {
  if (o.n_thread == 0) o.n_thread = std::max(1u, std::thread::hardware_concurrency());
  return o;
}

std::vector<Recorder::Trained> trained(const std::vector<JobSpec>& jobs) {
  std::vector<Recorder::Trained> out;
  out.reserve(jobs.size());
  for (const auto& job : jobs) out.push_back({job.name, static_cast<double>(job.plan.n_gpu)});
  return out;
}

/// Jobs, then the idle nodes that they leave.
std::vector<JobRun> place(const Scenario& scenario, const fleet::Fleet& fleet) {
  std::vector<JobRun> out;
  std::size_t node = 0;
  for (const auto& job : scenario.jobs) {
    out.emplace_back(scenario, fleet, &job, place_of(scenario, fleet, job));
    node += out.back().n_node();
  }
  if (node < fleet.n_node())
    out.emplace_back(scenario, fleet, nullptr, JobPlace{"idle", out.size(), node, fleet.n_node() - node});
  return out;
}

}  // namespace

RunModel::RunModel(const Scenario& s, const RunOptions& o)
    : scenario(s),
      options(with_threads(o)),
      end(to_tick(s.run.duration_s)),
      site(site_weather(s)),
      fleet(build_fleet(s, o.draws)) {}

Simulation::Simulation(const Scenario& scenario, const RunOptions& options)
    : model(scenario, options),
      halls(model.scenario, model.fleet, model.site.weather),
      recorder(model.fleet, trained(scenario.jobs), local_time_of_day(scenario.run.start)),
      controls(model.scenario, model.fleet),
      agenda(model.scenario, controls, halls),
      occupants(place(model.scenario, model.fleet)),
      context_{model.scenario,    model.fleet,   agenda, model.options.n_thread, state.fleet, scratch.signals,
               state.meters,      state.audit,   halls,  scratch.loads,          recorder,    scratch.counts,
               options.gpu_hours, options.clocks} {
  state.fleet = idle_state(model.fleet, halls.inlet_K());
  scratch.signals = make_signals(model.fleet);
  for (std::size_t i = 0; i < scenario.neighbours.size(); ++i)
    neighbours.emplace_back(model.scenario, model.scenario.neighbours[i], i, model.end);
  state.outside.supply_K.resize(scenario.halls.size());
  state.outside.paused.resize(scenario.jobs.size());
  spin_up();
}

/// The fleet has been idle for long when the run begins; this energy is not counted.
void Simulation::spin_up() {
  fleet::FleetMeters unbooked;
  double load_W = 0.0;
  for (int i = 0; i < 12; ++i) {
    load_W = 0.0;
    for (std::size_t o = 0; o < occupants.size(); ++o) {
      const double W = occupants[o].spin_up_W(context_, unbooked);
      load_W += W;
      if (occupants[o].trains()) controls.set_idle(o, W);
    }
    if (i == 0 || i == 6) halls.settle(scratch.signals);
  }
  double other_W = 0.0;
  for (auto& neighbour : neighbours) {
    load_W += neighbour.start_W();
    other_W += neighbour.design_W();
  }
  const std::size_t n_lane = occupants.size() + neighbours.size();
  const double plant_W = halls.means().plant_W;
  connection.emplace(model.scenario, n_lane, other_W, load_W, plant_W, model.options.n_thread > 1);
  if (model.options.trace != nullptr) *model.options.trace = {n_lane, other_W, load_W, plant_W, {}};
}

void Simulation::apply_controls() {
  bool moved = false;
  for (std::size_t h = 0; h < state.fleet.controls.size(); ++h) {
    auto& held = state.fleet.controls[h];
    const auto wanted = controls.at(h, state.now);
    moved = moved || wanted.cap_W != held.cap_W || wanted.lock_Hz != held.lock_Hz;
    held = wanted;
  }
  if (!moved) return;
  for (auto& occupant : occupants) occupant.disturb();
}

/// Passes values from outside to their users; a present value changes nothing.
void Simulation::apply_outside(bool anew) {
  const auto& outside = state.outside;
  halls.set_outside(outside);
  controls.set_order(outside.order_W.value_or(std::numeric_limits<double>::infinity()));
  connection->stream().impose({outside.storage_W, outside.voltage_pu, outside.frequency_Hz}, anew);
  apply_pauses();
}

void Simulation::set_outside(Outside given) {
  settle();
  halls.set_outside(given);  // may be refused
  auto& outside = state.outside;
  const bool plants = given.supply_K != outside.supply_K || given.outdoor_drybulb_K != outside.outdoor_drybulb_K ||
                      given.outdoor_wetbulb_K != outside.outdoor_wetbulb_K;
  outside = std::move(given);
  apply_outside(true);
  if (plants) halls.disturb(state.now);
}

void Simulation::note_brakes() {
  for (std::size_t h = 0; h < model.fleet.types.size(); ++h) {
    if (!controls.brake_moves(h, state.now)) continue;
    recorder.event(state.now, "power_brake", model.scenario.halls[h].hall.name,
                   fmt::format("{}, clocks at most {:.0f} MHz", controls.braked(h, state.now) ? "pulled" : "released",
                               state.fleet.controls[h].lock_Hz * 1e-6));
    for (auto& occupant : occupants) occupant.disturb();
  }
}

void Simulation::apply_pauses() {
  const auto& outside = state.outside;
  for (std::size_t j = 0; j < outside.paused.size(); ++j)
    occupants[j].set_paused(outside.paused[j] != 0 || controls.paused(j), context_);
}

void Simulation::advance() {
  const Tick now = state.now;
  // Limits of the GPUs from now on.
  follow_orders(*this);
  if (controls.jobs_meet_orders()) apply_pauses();
  apply_controls();
  note_brakes();
  // Heat, load and work of everyone, in air that moves as the plants are expected to move it.
  halls.see_nodes(state.fleet.off);
  const auto air = plan_macro_step(agenda, *this);
  Tick until = air.end;
  recorder.begin_macro(until, agenda.latest_end(until, occupants));
  halls.expect(air);
  // While an occupant moves, caps are those of its job.
  const std::size_t n = occupants.size();
  const auto hold_caps = [&](std::size_t i) { controls.hold_caps(i, now, state.fleet.controls); };
  for (std::size_t i = 0; i < n; ++i)
    if (occupants[i].trains()) hold_caps(i), occupants[i].advance_to(until, context_);
  hold_caps(n);
  until = agenda.align_to_iteration_end(until, occupants);
  for (auto& occupant : occupants)
    if (!occupant.trains()) occupant.advance_to(until, context_);
  for (std::size_t i = 0; i < n; ++i) hold_caps(i), occupants[i].offer_snapshot(until % hour == 0, context_);
  hold_caps(n);
  advance_neighbours(until);
  controls.see_memory(state.fleet, scratch.signals);
  // The halls answer with supply air; up the feeder, and the grid's answer.
  const double plant_W = halls.advance(now, until);
  recorder.macro_step(now, until, halls);
  pass_on(until, plant_W);
  connection->settle(macro_steps_behind, recorder, halls.outdoor());
  ++scratch.counts.macro_steps;
  if (state.dark) state.dark_ns += until - now;
  state.now = until;
}

/// Supply air that bends on the way, as where pads saturate, is no line: the macro step is halved until it is one.
HallForecast plan_macro_step(Agenda& agenda, const Simulation& s) {
  constexpr double most_bend_K = 0.05;
  const Tick now = s.state.now;
  const Tick until = agenda.plan_macro_step(now, s.occupants);
  if (until <= now) return {now, until, {}};  // at the run's end
  auto air = s.halls.forecast(now, until);
  while (air.bend_K > most_bend_K) {
    const Tick sooner = agenda.plan_shorter(air.end, now, s.occupants);
    if (sooner == air.end) break;
    air = s.halls.forecast(now, sooner);
  }
  return air;
}

Tick planned_end(const Simulation& s) {
  Agenda agenda = s.agenda;
  return plan_macro_step(agenda, s).end;
}

void Simulation::advance_neighbours(Tick until) {
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    const Tick begin = neighbours[i].now();
    const double J =
        neighbours[i].advance_to(until, agenda.power_edge(), state.dark, occupants.size() + i, scratch.loads);
    if (neighbours[i].now() > begin) recorder.neighbour(begin, neighbours[i].now(), J);
  }
}

void Simulation::pass_on(Tick until, double plant_W) {
  if (model.options.trace != nullptr)
    model.options.trace->flushes.push_back({scratch.loads, until, plant_W, {}, tokens(*this)});
  connection->pass(std::move(scratch.loads), state.now, until, plant_W, recorder.last_row());
  scratch.loads.clear();
}

std::string Simulation::save(std::string memory) {
  settle();
  ArchiveWriter to(std::move(memory));
  std::string layout(state_layout);
  to(layout);
  archive_moment(to);
  to(rewind_);
  return to.take();
}

void Simulation::load(std::string_view bytes) {
  settle();
  ArchiveReader from(bytes);
  std::string layout;
  from(layout);
  if (layout != state_layout) throw InputError("checkpoint: damaged, or written by another version of tidewatt");
  const std::size_t n_memory = scratch.signals.memory_K.size();
  archive_moment(from);
  from(rewind_);
  const auto& fleet = state.fleet;
  if (!from.done() || scratch.signals.memory_K.size() != n_memory || fleet.die_K.size() != model.fleet.n_gpu() ||
      fleet.fan_frac.size() != model.fleet.n_node() || fleet.controls.size() != model.fleet.types.size() ||
      state.now > model.end)
    throw InputError("checkpoint: of another fleet, or of a later time than the run's end");
  controls.check();
  apply_outside(false);
}

namespace {

void follow_by_jobs(Simulation& s, OrderTiers& by, double mean_W) {
  const std::size_t n_job = s.model.scenario.jobs.size();
  std::vector<double> before;
  before.reserve(n_job);
  for (std::size_t j = 0; j < n_job; ++j) before.push_back(by.share(j));
  for (auto& act : by.follow(s.state.now, mean_W))
    s.recorder.event(s.state.now, std::move(act.kind), act.job < n_job ? s.occupants[act.job].name() : "site",
                     std::move(act.text));
  for (std::size_t j = 0; j < n_job; ++j)
    if (by.share(j) != before[j]) s.occupants[j].disturb();
}

/// It starts, or is down after a failure and will start: whether its work comes back by itself.
bool starts(const workload::JobLife& life) {
  using workload::JobState;
  const JobState s = life.state().state;
  return s != JobState::queued && s != JobState::iterate && s != JobState::evaluate && s != JobState::checkpoint &&
         s != JobState::ramp_down && s != JobState::done;
}

}  // namespace

void follow_orders(Simulation& s) {
  const Tick now = s.state.now;
  for (OrderTiers& by : s.controls.by_jobs())
    for (std::size_t j = 0; by.used() && j < s.model.scenario.jobs.size(); ++j)
      by.measure(j, s.occupants[j].figures().load_J, s.occupants[j].now(), starts(s.occupants[j].life()));
  if (!s.controls.follows_order(now)) return;
  s.settle();
  const double mean_W = s.connection->last_mean_W();
  const bool were_lowest = s.controls.at_lowest_caps();
  s.controls.follow_order(now, mean_W);
  if (!were_lowest && s.controls.at_lowest_caps())
    s.recorder.event(now, "order_lowest_cap", "site",
                     fmt::format("all GPUs are at their lowest cap, {:.0f} W in hall {}: what the order asks beyond it "
                                 "needs pauses or storage",
                                 s.controls.lowest_cap_W(0), s.model.scenario.halls.front().hall.name));
  for (OrderTiers& by : s.controls.by_jobs())
    if (by.used()) follow_by_jobs(s, by, mean_W);
}

double hottest_mean_K(const Simulation& s, std::size_t hall) {
  const auto& fleet = s.model.fleet;
  double hottest_K = 0.0;
  for (const auto& occupant : s.occupants) {
    const auto mean_K = occupant.iteration_mean_K(s.state.fleet, fleet);
    for (std::size_t n = 0; n < occupant.n_node(); ++n)
      if (fleet.node_hall[occupant.first_node() + n] == hall)
        for (const double K : mean_K.subspan(n * fleet.n_gpu_per_node, fleet.n_gpu_per_node))
          hottest_K = std::max(hottest_K, K);
  }
  return hottest_K;
}

double hottest_now_K(const Simulation& s, std::size_t hall) {
  const auto& fleet = s.model.fleet;
  double hottest_K = 0.0;
  for (std::size_t n = 0; n < fleet.n_node(); ++n)
    if (fleet.node_hall[n] == hall)
      for (std::size_t g = 0; g < fleet.n_gpu_per_node; ++g)
        hottest_K = std::max(hottest_K, s.state.fleet.die_K[n * fleet.n_gpu_per_node + g]);
  return hottest_K;
}

double neighbours_J(const Simulation& s) {
  CompensatedSum J;
  for (const auto& n : s.neighbours) J.add(n.J());
  return J.value();
}

double tokens(const Simulation& s) {
  double out = 0.0;
  for (const auto& u : s.occupants)
    if (u.trains()) out += u.figures().tokens;
  return out;
}

Tick furthest_occupant(const Simulation& s) {
  Tick out = s.state.now;
  for (const auto& occupant : s.occupants) out = std::max(out, occupant.now());
  return out;
}

Tick longest_period(const Simulation& s) {
  Tick out = 0;
  for (const auto& occupant : s.occupants) out = std::max(out, occupant.last_period());
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::sim
