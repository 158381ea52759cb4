#include <fmt/format.h>

#include <algorithm>

#include "engine_ports.hpp"
#include "run_result.hpp"

namespace TIDEWATT_NAMESPACE::sim {

namespace {

/// A scenario changed in code is held to the rules of a file before anything is built from it.
RunOptions checked(const Scenario& scenario, RunOptions options) {
  if (!options.checked) check(scenario);
  return options;
}

}  // namespace

Engine::Engine(const Scenario& scenario, const RunOptions& options)
    : impl_(std::make_unique<Impl>(scenario, checked(scenario, options))) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;

Engine::Impl& Engine::live(const char* call) const {
  if (!impl_) throw InputError(fmt::format("{}: this engine was moved from", call));
  if (impl_->finished) throw InputError(fmt::format("{}: this engine has finished", call));
  return *impl_;
}

Engine::Ports& Engine::driver(const char* call) {
  Impl& engine = live(call);
  if (!ports_) ports_ = std::make_unique<Ports>(engine);
  return *ports_;
}

bool Engine::done() const { return impl_->state.now >= impl_->model.end; }
double Engine::time_s() const { return seconds(impl_->state.now); }

void Engine::step() {
  Impl& engine = live("step");
  if (done()) throw InputError(fmt::format("step: the run ended at {} s; finish returns its result", time_s()));
  ports_ ? ports_->step(engine) : engine.step();
}

std::span<const double> Engine::die_K() const { return live("die_K").state.fleet.die_K; }
std::span<const double> Engine::clock_Hz() const { return live("clock_Hz").state.fleet.clock_Hz; }
std::span<const double> Engine::inlet_K() const { return live("inlet_K").halls.inlet_K(); }
void Engine::advance_to(double t_s) { driver("advance_to").advance_to(*impl_, t_s); }
void Engine::write(std::string_view port, double value) { driver("write").write(*impl_, port, value); }
void Engine::release(std::string_view port) { driver("release").write(*impl_, port, std::nullopt); }

std::vector<Port> Engine::ports() {
  std::vector<Port> out;
  for (const auto& e : driver("ports").entries) out.push_back(e.port);
  return out;
}

Value Engine::read(std::string_view port) {
  auto& d = driver("read");
  return d.find(port).get(*impl_, d.before, d.last);
}

std::string Engine::save() { return driver("save").save(*impl_); }
void Engine::restore(std::string_view bytes, bool other_scenario) {
  driver("restore").restore(*impl_, bytes, other_scenario);
}

Result Engine::finish() {
  Impl& engine = live("finish");
  if (ports_) ports_->leave_inside(engine);
  while (!done()) engine.step();
  engine.finished = true;
  return sim::finish(engine);
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

}  // namespace TIDEWATT_NAMESPACE::sim
