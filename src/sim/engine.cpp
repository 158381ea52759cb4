#include "engine_ports.hpp"

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
      weather(make_weather(s)),
      fleet(build_fleet(s)),
      halls(scenario, fleet, weather),
      recorder(fleet, local_time_of_day(scenario.run.start)),
      controls(scenario, fleet),
      agenda(scenario, controls, halls),
      transformers(s.devices, site_stream_params(s, 1).feeder),
      occupants(place(scenario, fleet)),
      signals(make_signals(fleet)),
      context{scenario, fleet, agenda, n_thread_of(o), state, signals, meters, audit_of_schedule, halls, loads, recorder, counts} {
  options.n_thread = context.n_thread;
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
    for (auto& user : occupants) load_W += user.spin_up_W(context, unbooked);
    if (i == 0 || i == 6) halls.settle(signals);
  }
  double other_W = 0.0;
  for (auto& neighbour : neighbours) {
    load_W += neighbour.start_W();
    other_W += neighbour.design_W();
  }
  const std::size_t n_lane = occupants.size() + neighbours.size();
  stream.emplace(site_stream_params(scenario, n_lane, other_W), load_W, halls.means().plant_W);
  line.emplace(*stream, options.n_thread > 1);
  can_lose_power = stream->delivery() != nullptr && stream->delivery()->can_lose_power();
  if (options.tape != nullptr) *options.tape = {n_lane, other_W, load_W, halls.means().plant_W, {}};
}

/// Jobs notice a limit that has moved; the thermal target follows the last macro step smoothly and disturbs nobody.
void Engine::Impl::apply_controls() {
  bool moved = false;
  for (std::size_t h = 0; h < fleet.types.size(); ++h) {
    auto& held = state.controls[h];
    const auto wanted = controls.at(h, now);
    moved = moved || wanted.cap_W != held.cap_W || wanted.lock_Hz != held.lock_Hz;
    held = wanted;
  }
  if (!moved) return;
  for (auto& user : occupants) user.disturb();
}

void Engine::Impl::note_brakes() {
  for (std::size_t h = 0; h < fleet.types.size(); ++h) {
    if (!controls.brake_moves(h, now)) continue;
    recorder.event(now, "power_brake", scenario.halls[h].hall.name,
                   fmt::format("{}, clocks at most {:.0f} MHz", controls.braked(h, now) ? "pulled" : "released", state.controls[h].lock_Hz * 1e-6));
    for (auto& user : occupants) user.disturb();
  }
}

void Engine::Impl::advance() {
  if (controls.follows_order(now)) {
    settle();
    controls.follow_order(now, last_peak_W);
  }
  apply_controls();
  note_brakes();
  Tick until = agenda.plan_macro_step(now, occupants);
  recorder.begin_macro(until);
  halls.predict(now, until);
  for (auto& user : occupants)
    if (user.trains()) user.advance_to(until, context);  // heat, load and work of everyone
  until = agenda.align_to_iteration_end(until, occupants);
  for (auto& user : occupants)
    if (!user.trains()) user.advance_to(until, context);
  for (auto& user : occupants) user.offer_snapshot(until % hour == 0, context);
  advance_neighbours(until);
  controls.see_memory(state, signals);
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
    const double J = neighbours[i].advance_to(until, agenda.power_edge(), dark, occupants.size() + i, loads);
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
    for (const auto& u : occupants)
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

/// [hall] over its GPUs: means over the last complete iteration, or the value now where nothing iterates.
double Engine::Impl::hottest_mean_K(std::size_t hall) const {
  double hottest_K = 0.0;
  for (const auto& user : occupants) {
    const auto mean_K = user.iteration_mean_K(state, fleet);
    for (std::size_t n = 0; n < user.n_node(); ++n)
      if (fleet.node_hall[user.first_node() + n] == hall)
        for (const double K : mean_K.subspan(n * fleet.n_gpu_per_node, fleet.n_gpu_per_node)) hottest_K = std::max(hottest_K, K);
  }
  return hottest_K;
}

double Engine::Impl::hottest_now_K(std::size_t hall) const {
  double hottest_K = 0.0;
  for (std::size_t n = 0; n < fleet.n_node(); ++n)
    if (fleet.node_hall[n] == hall)
      for (std::size_t g = 0; g < fleet.n_gpu_per_node; ++g) hottest_K = std::max(hottest_K, state.die_K[n * fleet.n_gpu_per_node + g]);
  return hottest_K;
}

std::string Engine::Impl::save() {
  settle();
  ArchiveWriter to;
  archive(to);
  return to.take();
}

void Engine::Impl::load(std::string_view bytes) {
  settle();
  ArchiveReader from(bytes);
  archive(from);
  if (!from.done() || state.die_K.size() != fleet.n_gpu() || state.fan_frac.size() != fleet.n_node() || state.controls.size() != fleet.types.size() || now > end)
    throw InputError("checkpoint: of another fleet, or of a later time than the run's end");
  controls.check();
}

Engine::Engine(const Scenario& scenario, const RunOptions& options) : impl_(std::make_unique<Impl>(scenario, options)) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine::Ports& Engine::driver() {
  if (!ports_) ports_ = std::make_unique<Ports>(*impl_);
  return *ports_;
}
const Engine::Impl& Engine::at_time() const { return ports_ ? ports_->at_time(*impl_) : *impl_; }
bool Engine::done() const { return at_time().now >= impl_->end; }
double Engine::time_s() const { return seconds(at_time().now); }
void Engine::step() { ports_ ? ports_->step(*impl_) : impl_->step(); }
std::span<const double> Engine::die_K() const { return at_time().state.die_K; }
std::span<const double> Engine::clock_Hz() const { return at_time().state.clock_Hz; }
std::span<const double> Engine::inlet_K() const { return at_time().halls.inlet_K(); }
void Engine::advance_to(double t_s) { driver().advance_to(impl_, t_s); }
void Engine::write(std::string_view port, double value) { driver().write(impl_, port, value); }

std::vector<Port> Engine::ports() {
  std::vector<Port> out;
  for (const auto& e : driver().entries) out.push_back(e.port);
  return out;
}

Value Engine::read(std::string_view port) {
  auto& d = driver();
  return d.find(port).get(d.at_time(*impl_), d.before, d.last);
}

std::string Engine::save() { return driver().save(*impl_); }
void Engine::restore(std::string_view bytes) { driver().restore(*impl_, bytes); }

Result Engine::finish() {
  while (impl_->now < impl_->end) impl_->step();
  return impl_->finish();
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
