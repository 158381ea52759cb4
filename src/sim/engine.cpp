#include "engine.hpp"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "tidewatt/base/archive.hpp"
#include "tidewatt/sim/site_params.hpp"

namespace tidewatt::sim {
namespace {

constexpr Tick hour = 3600 * ns_per_s;
constexpr std::size_t macro_steps_behind = 64;  ///< that the connection may be behind the fleet

std::size_t n_thread_of(const RunOptions& o) { return o.n_thread > 0 ? o.n_thread : std::max(1u, std::thread::hardware_concurrency()); }

/// Jobs one behind the other from the first node on; nobody uses the rest.
std::vector<JobRun> place(const Scenario& scenario, const Fleet& fleet) {
  std::vector<JobRun> out;
  std::size_t node = 0;
  for (const auto& job : scenario.jobs) {
    const auto n = static_cast<std::size_t>(job.plan.n_gpu) / fleet.n_gpu_per_node;
    out.emplace_back(scenario, fleet, &job, out.size(), node, n);
    node += n;
  }
  if (node < fleet.n_node()) out.emplace_back(scenario, fleet, nullptr, out.size(), node, fleet.n_node() - node);
  return out;
}

}  // namespace

Engine::Impl::Impl(const Scenario& s, const RunOptions& o)
    : scenario(s),
      options(o),
      end(to_tick(s.run.duration_s)),
      macro(to_tick(s.run.macro_step_s)),
      weather(make_weather(s)),
      fleet(build_fleet(s)),
      halls(scenario, fleet, weather),
      recorder(fleet, local_time_of_day(scenario.run.start)),
      caps(scenario),
      transformers(s.devices, site_stream_params(s, 1).feeder),
      brakes(scenario),
      memory_lead_K(scenario.halls.size(), 0.0),
      set_outside(scenario.halls.size()),
      users(place(scenario, fleet)),
      signals(make_signals(fleet)),
      hands{scenario, fleet, n_thread_of(o), end, state, signals, meters, walk, halls, loads, recorder, counts, power_edge} {
  options.n_thread = hands.n_thread;
  state = idle_state(fleet, halls.inlet_K());
  for (std::size_t i = 0; i < scenario.neighbours.size(); ++i) neighbours.emplace_back(scenario, scenario.neighbours[i], i, end);
  spin_up();
}

/// The fleet has stood idle for long when the run begins; nothing of that is booked.
void Engine::Impl::spin_up() {
  FleetMeters unbooked;
  double load_W = 0.0;
  for (int i = 0; i < 12; ++i) {
    load_W = 0.0;
    for (auto& user : users) load_W += user.spin_up_W(hands, unbooked);
    if (i == 0 || i == 6) halls.settle(signals);
  }
  double other_W = 0.0;
  for (auto& neighbour : neighbours) {
    load_W += neighbour.start_W();
    other_W += neighbour.design_W();
  }
  const std::size_t n_lane = users.size() + neighbours.size();
  stream.emplace(site_stream_params(scenario, n_lane, other_W), load_W, halls.means().plant_W);
  line.emplace(*stream, options.n_thread > 1);
  can_lose_power = stream->delivery() != nullptr && stream->delivery()->can_lose_power();
  if (options.tape != nullptr) *options.tape = {n_lane, other_W, load_W, halls.means().plant_W, {}};
}

/// As long as all jobs are calm and the supply moves as expected, macro steps double, up to `macro_step_max_s`. They end at
/// multiples of their length, so that they fall into step with the hours.
Tick Engine::Impl::macro_end() {
  const auto most = most_macro_steps();
  const std::int64_t grown = halls.miss_K() < 0.02 ? 2 * macro_count : halls.miss_K() < 0.05 ? macro_count : 1;
  macro_count = caps.acts(now) ? 1 : std::clamp<std::int64_t>(grown, 1, most);
  // Never across a full hour of the run, so that hourly figures need no guess at how a step's energy was spread.
  const Tick edge = macro_edge = std::min({end, (now / hour + 1) * hour, halls.bound(now), caps.next_edge(now), brakes.next_edge(now), power_edge});
  for (;; macro_count /= 2) {
    const Tick length = macro_count * macro;
    const Tick until = to_change(std::min(edge, ((now + most_short()) / length + 1) * length));
    if (macro_count == 1 || std::all_of(users.begin(), users.end(), [&](const JobRun& u) { return u.calm(until); })) return until;
  }
}

/// Where a job is known to change on the way or soon after, the macro step ends there: the change begins the next one.
Tick Engine::Impl::to_change(Tick until) const {
  if (most_macro_steps() == 1) return until;  // who asks for equal steps gets them
  Tick change = workload::never;
  for (const auto& u : users) change = std::min(change, u.next_change());
  change -= change % ns_per_ms;
  return change >= now + most_short() && change <= std::min(macro_edge, std::max(until, now + macro + macro / 2)) ? change : until;
}

/// A base step's rest that is no macro step of its own.
Tick Engine::Impl::most_short() const { return most_macro_steps() == 1 ? 0 : macro / 4; }

/// A job that iterates alone ends the macro step with it, so that its repetitions reach the connection unbroken.
Tick Engine::Impl::after_iteration(Tick until) const {
  const auto jobs = std::count_if(users.begin(), users.end(), [](const JobRun& u) { return u.trains(); });
  if (jobs != 1 || most_macro_steps() == 1) return until;  // who asks for equal steps gets them
  const Tick reached = users.front().now() / ns_per_ms * ns_per_ms;
  return reached <= macro_edge ? std::max(until, reached) : until;
}

/// Types are no part of a saved state: a brake that is pulled and caps of an order are found at the next step.
void Engine::Impl::reset_types() {
  for (std::size_t h = 0; h < set_outside.size(); ++h) {
    fleet.types[h].cap_W = limits(h).cap_W;
    set_lock(h, false);
  }
}

/// What a controller outside has set, or the scenario's.
Engine::Impl::Limits Engine::Impl::limits(std::size_t hall) const {
  if (set_outside[hall]) return *set_outside[hall];
  const auto& spec = scenario.halls[hall];
  return {spec.hall.cap_W > 0.0 ? spec.hall.cap_W : spec.gpu.tdp_W,
          spec.hall.clock_lock_Hz > 0.0 ? spec.hall.clock_lock_Hz : fleet.types[hall].gpu.clock_max_Hz()};
}

void Engine::Impl::set_lock(std::size_t hall, bool pulled) {
  auto& type = fleet.types[hall];
  const double braked_Hz = std::max(type.gpu.clock_min_Hz(), scenario.halls[hall].sampling.brake_clock_ratio * type.gpu.clock_max_Hz());
  const double lock_Hz = limits(hall).clock_lock_Hz;
  type.held = pulled && braked_Hz < lock_Hz ? dvfs::Limiter::brake : dvfs::Limiter::clock;
  type.clock_lock_Hz = pulled ? std::min(braked_Hz, lock_Hz) : lock_Hz;
}

/// Orders are met by the fleet's caps, which are a function of what the connection drew.
void Engine::Impl::obey() {
  if (!caps.acts(now) && caps.next_edge(now - 1) != now) return;
  settle();
  const double share = caps.share(now, last_peak_W);
  for (std::size_t h = 0; h < fleet.types.size(); ++h) fleet.types[h].cap_W = share * limits(h).cap_W;
  for (auto& user : users) user.disturb();
}

/// Types are what a resumed run has from its scenario, so every macro step looks whether they are as they should be.
void Engine::Impl::brake() {
  for (std::size_t h = 0; h < fleet.types.size(); ++h) {
    const auto& type = fleet.types[h];
    const bool pulled = brakes.pulled(h, now);
    if (pulled == (type.held == dvfs::Limiter::brake)) continue;
    set_lock(h, pulled);
    if (pulled == brakes.pulled(h, now - 1)) continue;
    recorder.event(now, "power_brake", scenario.halls[h].hall.name, fmt::format("{}, clocks at most {:.0f} MHz", pulled ? "pulled" : "released", type.clock_lock_Hz * 1e-6));
    for (auto& user : users) user.disturb();
  }
}

/// The governor meets a memory limit by the clock, as it meets the die's: the die may be as warm as leaves the warmest stacks
/// of the hall at their limit. How much warmer than the die they are hardly moves, so the last macro step's lead is taken.
void Engine::Impl::mind_memory() {
  for (std::size_t h = 0; h < fleet.types.size(); ++h) {
    const auto& spec = scenario.halls[h];
    if (!spec.memory) continue;
    auto& type = fleet.types[h];
    const double limit_K = spec.memory->limit_K - memory_lead_K[h];
    type.hot = limit_K < spec.governor.thermal_target_K ? dvfs::Limiter::memory : dvfs::Limiter::thermal;
    type.governor.thermal_target_K = std::min(limit_K, spec.governor.thermal_target_K);
  }
}

void Engine::Impl::advance() {
  obey();
  brake();
  mind_memory();
  Tick until = macro_end();
  recorder.begin_macro(until);
  halls.predict(now, until);
  for (auto& user : users)
    if (user.trains()) user.advance_to(until, hands);  // heat, load and work of everyone
  until = after_iteration(until);
  for (auto& user : users)
    if (!user.trains()) user.advance_to(until, hands);
  for (auto& user : users) user.show(until % hour == 0, hands);
  advance_neighbours(until);
  for (std::size_t n = 0; n < fleet.n_node(); ++n)
    if (fleet.types[fleet.node_hall[n]].memory) memory_lead_K[fleet.node_hall[n]] = 0.0;
  for (std::size_t g = 0, n = 0; g < signals.memory_K.size(); ++n) {
    double& lead_K = memory_lead_K[fleet.node_hall[n]];
    for (const std::size_t last = g + fleet.n_gpu_per_node; g < last; ++g)
      if (signals.memory_K[g] > 0.0) lead_K = std::max(lead_K, signals.memory_K[g] - state.die_mean_K[g]);
  }
  const double plant_W = halls.advance(now, until);        // the halls answer with supply air
  recorder.macro_step(now, until, halls);
  pass_on(until, plant_W);                                 // up the feeder, and the grid's answer
  settle(macro_steps_behind);
  ++counts.macro_steps;
  if (dark) dark_ns += until - now;
  now = until;
}

void Engine::Impl::advance_neighbours(Tick until) {
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    const Tick begin = neighbours[i].now();
    const double J = neighbours[i].advance_to(until, power_edge, dark, users.size() + i, loads);
    if (neighbours[i].now() > begin) recorder.neighbour(begin, neighbours[i].now(), J);
  }
}

double Engine::Impl::neighbours_J() const {
  CompensatedSum J;
  for (const auto& n : neighbours) J.add(n.J());
  return J.value();
}

void Engine::Impl::pass_on(Tick until, double plant_W) {
  if (options.tape != nullptr) {
    double tokens = 0.0;
    for (const auto& u : users)
      if (u.trains()) tokens += u.figures().tokens;
    options.tape->flushes.push_back({loads, until, plant_W, {}, tokens});
  }
  line->pass(std::move(loads), until, plant_W);
  loads.clear();
  flushed.push_back({now, until, recorder.last_row()});
}

/// Takes what has come out of the stream. How far it may be behind is fixed, so that nothing depends on who is faster.
void Engine::Impl::settle(std::size_t behind) {
  while (const auto passed = line->take(behind)) {
    const auto step = flushed.front();
    flushed.pop_front();
    last_peak_W = passed->span.max_W;
    recorder.connection(passed->span, step.begin, step.end, step.row);
    if (transformers.any()) transformers.step(step.end, passed->feeder, weather.mean(transformers.now(), step.end).drybulb_K);
    for (const auto& e : passed->events)
      recorder.event(e.bin * ns_per_ms, "ride_through", "site", std::string(grid::name(e.to)) + ": " + std::string(e.why));
  }
}

Engine::Engine(const Scenario& scenario, const RunOptions& options) : impl_(std::make_unique<Impl>(scenario, options)) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
bool Engine::done() const { return impl_->now >= impl_->end; }
double Engine::time_s() const { return seconds(impl_->now); }
void Engine::step() { impl_->step(); }
std::span<const double> Engine::die_K() const { return impl_->state.die_K; }
Result Engine::finish() { return impl_->finish(); }
std::span<const double> Engine::clock_Hz() const { return impl_->state.clock_Hz; }
std::span<const double> Engine::inlet_K() const { return impl_->halls.inlet_K(); }

void Engine::set_limits(std::size_t hall, double cap_W, double clock_lock_Hz) {
  if (hall >= impl_->fleet.types.size()) throw InputError(fmt::format("limits: there is no hall {}", hall));
  auto& type = impl_->fleet.types[hall];
  const auto& gpu = type.gpu;
  if (!(cap_W > type.governor.cap_margin_W && cap_W <= gpu.params().tdp_W))
    throw InputError(fmt::format("limits: a cap of {} W is not within {} to {} W", cap_W, type.governor.cap_margin_W, gpu.params().tdp_W));
  if (!(clock_lock_Hz >= gpu.clock_min_Hz() && clock_lock_Hz <= gpu.clock_max_Hz()))
    throw InputError(fmt::format("limits: a lock at {} MHz is not within {} to {} MHz", clock_lock_Hz / 1e6, gpu.clock_min_Hz() / 1e6,
                                 gpu.clock_max_Hz() / 1e6));
  impl_->set_outside[hall] = {cap_W, clock_lock_Hz};
  type.cap_W = cap_W;
  impl_->set_lock(hall, type.held == dvfs::Limiter::brake);
}

std::string Engine::save() const {
  impl_->settle();
  ArchiveWriter to;
  impl_->archive(to);
  return to.take();
}

void Engine::restore(std::string_view bytes) {
  impl_->settle();
  ArchiveReader from(bytes);
  impl_->archive(from);
  const auto& s = impl_->state;
  const std::size_t n_gpu = impl_->fleet.n_gpu(), n_node = impl_->fleet.n_node();
  if (!from.done() || s.die_K.size() != n_gpu || s.fan_frac.size() != n_node || impl_->set_outside.size() != impl_->fleet.types.size() || impl_->now > impl_->end)
    throw InputError("checkpoint: of another fleet, or of a later time than the run's end");
  for (std::size_t h = 0; h < impl_->set_outside.size(); ++h)
    if (const auto limits = impl_->set_outside[h]) set_limits(h, limits->cap_W, limits->clock_lock_Hz);  // checks them: it may be another scenario
  impl_->reset_types();
}

Result run(const Scenario& scenario, const RunOptions& options) {
  Engine engine(scenario, options);
  const double total_s = scenario.run.duration_s;
  while (!engine.done()) {
    engine.step();
    if (options.progress && !options.progress(std::min(1.0, engine.time_s() / total_s))) return {};
  }
  return engine.finish();
}

}  // namespace tidewatt::sim
