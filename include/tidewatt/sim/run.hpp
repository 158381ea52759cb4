#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidewatt/base/version.hpp"
#include "tidewatt/sim/port.hpp"
#include "tidewatt/sim/result.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::connection {
struct LoadTrace;
}

namespace TIDEWATT_NAMESPACE::sim {

class FleetClocks;
class GpuHours;
struct FleetDraws;

struct TIDEWATT_API RunOptions {
  std::size_t n_thread = 0;  ///< 0: all cores. Results do not depend on it.
  /// Called between steps with the completed fraction of simulated time, 0–1; returning false stops the run.
  std::function<bool(double done_frac)> progress;
  connection::LoadTrace* trace = nullptr;  ///< for the library's own tests: the load that the fleet sends to the feeder
  GpuHours* gpu_hours = nullptr;           ///< if given, hourly means of every GPU
  FleetClocks* clocks = nullptr;           ///< for the library's own studies: what each GPU's clock could be alone
  const FleetDraws* draws = nullptr;       ///< for the library's own studies: a fleet that no seed draws
  bool checked = false;                    ///< for the library's own studies: `check` has accepted this very scenario
};

/// A simulation in progress, for controllers and co-simulation. `advance_to` and `read` do not change the result: it has the
/// same bits as that of `run`. A `write` that changes a value ends the engine's step at the present time.
class TIDEWATT_API Engine {
 public:
  /// Checks the scenario as `check` does, then builds the fleet. @throws InputError, RefusedError
  explicit Engine(const Scenario& scenario, const RunOptions& options = {});
  ~Engine();
  Engine(Engine&&) noexcept;

  bool done() const;
  /// Simulated time since the start.
  double time_s() const;
  /// Advances by one macro step: first the jobs, then the halls and plants, then the connection.
  /// @throws InputError at the run's end. After `finish`, every member but `done` and `time_s` throws it
  void step();
  /// Die temperatures now, [gpu], K; valid until the next step.
  std::span<const double> die_K() const;
  /// Clocks of the last step, [gpu], Hz; valid until the next step.
  std::span<const double> clock_Hz() const;
  /// Inlet air of every server now, [node], K; valid until the next step.
  std::span<const double> inlet_K() const;
  /// Runs to a time. @param t_s seconds since the start, a whole number of milliseconds, not before `time_s()` and not
  /// beyond the run's end  @throws InputError otherwise; the engine is unchanged
  void advance_to(double t_s);
  /// All ports, in a fixed order.
  std::vector<Port> ports();
  /// A port's value at the present time. @throws InputError for an unknown port; names the nearest
  Value read(std::string_view port);
  /// Sets a port from the present time on. @param value in the port's unit, within its range
  ///
  /// Writing the present value has no effect. After `advance_to`, a new value acts on every job at once. After `step`, a job may
  /// be in an iteration that passes the end of that step. The value then acts on it when that iteration ends.
  /// @throws InputError for an unknown or read-only port, or a value outside its range; the engine is unchanged
  void write(std::string_view port, double value);
  /// Ends a write. From the present time on, the value of the scenario or the models applies again.
  /// @throws InputError for an unknown or read-only port
  void release(std::string_view port);
  /// State of the run as bytes, for `restore`. Waits for work in progress.
  std::string save();
  /// Continues from a state saved by an engine of the same scenario. The result has the same bits as that of an uninterrupted
  /// run.
  /// @param other_scenario also accept the state of another scenario with a fleet and jobs of the same shape, for what-if
  /// branches
  /// @throws InputError for bytes that are no such state, with a finding for each changed input; the engine is unchanged
  void restore(std::string_view bytes, bool other_scenario = false);
  /// Runs to the end of the scenario, checks the energy balance and returns the result. Call once.
  /// @throws InputError the second time; SolverError if the energy balance does not close
  Result finish();

 private:
  struct __attribute__((visibility("hidden"))) Impl;
  struct __attribute__((visibility("hidden"))) Ports;
  Impl& live(const char* call) const;
  Ports& driver(const char* call);
  std::unique_ptr<Impl> impl_;
  std::unique_ptr<Ports> ports_;  ///< null until first used
};

/// Checks a scenario as `check` does and runs it from start to end. @throws SolverError, RefusedError, InputError; a stop by
/// `progress` returns an empty result.
TIDEWATT_API Result run(const Scenario& scenario, const RunOptions& options = {});

}  // namespace TIDEWATT_NAMESPACE::sim
