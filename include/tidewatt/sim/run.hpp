#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tidewatt/sim/result.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace tidewatt::sim {

struct LoadTape;

struct RunOptions {
  std::size_t n_thread = 0;  ///< 0: all cores. Results do not depend on it.
  /// Called between steps with the share of simulated time done, 0–1; returning false stops the run.
  std::function<bool(double done_frac)> progress;
  LoadTape* tape = nullptr;  ///< if given, what the fleet sends up the feeder is recorded here
};

/// A simulation in progress. Feature-complete use is `run()`; `step()` serves notebooks and co-simulation.
class Engine {
 public:
  explicit Engine(const Scenario& scenario, const RunOptions& options = {});
  ~Engine();
  Engine(Engine&&) noexcept;

  bool done() const;
  /// Simulated time since the start.
  double time_s() const;
  /// One macro step: the jobs, the halls' answer, and the connection.
  void step();
  /// Die temperatures now, [gpu], K; valid until the next step.
  std::span<const double> die_K() const;
  /// Clocks of the last step, [gpu], Hz; valid until the next step.
  std::span<const double> clock_Hz() const;
  /// Air at every server's front now, [node], K; valid until the next step.
  std::span<const double> inlet_K() const;
  /// Limits of a hall's GPUs from the next step on: what a controller outside moves. A saved state holds them.
  /// @param hall index in the scenario  @param cap_W power cap per GPU, up to the board limit  @param clock_lock_Hz
  /// highest clock, within the V/f table  @throws InputError for a hall or limit that is not there
  void set_limits(std::size_t hall, double cap_W, double clock_lock_Hz);
  /// All that the rest of the run depends on, as bytes (see base/archive.hpp). Waits for what is in flight.
  std::string save() const;
  /// Goes on from bytes that an engine of the same scenario saved between two steps: the result has the same bits as an
  /// uninterrupted run's. @throws InputError if they do not fit
  void restore(std::string_view bytes);
  /// Closes the books and hands over everything recorded. Call once, when done.
  Result finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Runs a scenario from start to end. @throws SolverError, RefusedError, InputError; a stop by `progress` returns an
/// empty result.
Result run(const Scenario& scenario, const RunOptions& options = {});

}  // namespace tidewatt::sim
