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
  double time_s() const;
  /// One macro step: the jobs, the halls' answer, and the connection.
  void step();
  /// Die temperatures now, [gpu], K; valid until the next step.
  std::span<const double> die_K() const;
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
