#include <algorithm>

#include "engine_ports.hpp"
#include "run_result.hpp"

namespace TIDEWATT_NAMESPACE::sim {

Engine::Engine(const Scenario& scenario, const RunOptions& options)
    : impl_(std::make_unique<Impl>(scenario, options)) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine::Ports& Engine::driver() {
  if (!ports_) ports_ = std::make_unique<Ports>(*impl_);
  return *ports_;
}
bool Engine::done() const { return impl_->state.now >= impl_->model.end; }
double Engine::time_s() const { return seconds(impl_->state.now); }
void Engine::step() { ports_ ? ports_->step(*impl_) : impl_->step(); }
std::span<const double> Engine::die_K() const { return impl_->state.fleet.die_K; }
std::span<const double> Engine::clock_Hz() const { return impl_->state.fleet.clock_Hz; }
std::span<const double> Engine::inlet_K() const { return impl_->halls.inlet_K(); }
void Engine::advance_to(double t_s) { driver().advance_to(*impl_, t_s); }
void Engine::write(std::string_view port, double value) { driver().write(*impl_, port, value); }
void Engine::release(std::string_view port) { driver().write(*impl_, port, std::nullopt); }

std::vector<Port> Engine::ports() {
  std::vector<Port> out;
  for (const auto& e : driver().entries) out.push_back(e.port);
  return out;
}

Value Engine::read(std::string_view port) {
  auto& d = driver();
  return d.find(port).get(*impl_, d.before, d.last);
}

std::string Engine::save() { return driver().save(*impl_); }
void Engine::restore(std::string_view bytes, bool other_scenario) { driver().restore(*impl_, bytes, other_scenario); }

Result Engine::finish() {
  if (ports_) ports_->leave_inside(*impl_);
  while (impl_->state.now < impl_->model.end) impl_->step();
  return sim::finish(*impl_);
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
