#pragma once
#include <memory>
#include <span>

#include "numerics/ode.hpp"

namespace TIDEWATT_NAMESPACE::bench {

/// SUNDIALS CVODE with BDF, Newton and a dense matrix, made once and restarted at every step. Restarting is the rule:
/// the inputs jump between macro steps, and a solver that carries its history over a jump takes steps that are
/// too long. The end of the step is a stop time, so the last internal step lands on it and nothing is interpolated.
/// Sums of `y` that f keeps constant are kept to rounding, since Newton corrections are linear in f. One object per
/// thread.
class Cvode {
 public:
  /// @throws InputError if the shape is inconsistent, SolverError if SUNDIALS cannot be set up
  explicit Cvode(numerics::OdeShape shape);
  ~Cvode();
  Cvode(Cvode&&) noexcept;
  Cvode& operator=(Cvode&&) noexcept;

  /// Integrates `y` over `duration_s` > 0. @throws SolverError with `time_s` (the run time of the step's start, for the
  /// message) and the worst components; `y` is then unchanged.
  void advance(const numerics::OdeSystem& system, std::span<double> y, double duration_s, double time_s);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace TIDEWATT_NAMESPACE::bench
