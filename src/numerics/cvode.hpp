#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::numerics {

/// A system of ordinary differential equations `dy/dt = f(t, y)`, smooth enough within one call of Cvode::advance.
class OdeSystem {
 public:
  virtual ~OdeSystem() = default;
  /// Fills `dydt` at `t_s` seconds after the start of the step. Must not throw.
  virtual void rhs(double t_s, std::span<const double> y, std::span<double> dydt) const = 0;
};

/// Fixed properties of a system, known when its solver is made.
struct OdeShape {
  std::vector<std::string> names;  ///< one per value, for messages
  std::vector<double> typical;     ///< size of each value, > 0: absolute tolerance = rtol * typical
  std::size_t n_coupled = 0;       ///< f depends on y[0 .. n_coupled) only; later values are integrals (meters)
  double rtol = 1e-6;              ///< 1e-12 to 1e-2
  long max_steps = 5000;           ///< per advance
};

/// SUNDIALS CVODE with BDF, Newton and a dense matrix, made once and restarted at every step. Restarting is the rule:
/// the inputs jump between macro steps, and a solver that carries its history over a jump takes steps that are
/// too long. The end of the step is a stop time, so the last internal step lands on it and nothing is interpolated.
/// Sums of `y` that f keeps constant are kept to rounding, since Newton corrections are linear in f. One object per
/// thread.
class Cvode {
 public:
  /// @throws InputError if the shape is inconsistent, SolverError if SUNDIALS cannot be set up
  explicit Cvode(OdeShape shape);
  ~Cvode();
  Cvode(Cvode&&) noexcept;
  Cvode& operator=(Cvode&&) noexcept;

  /// Integrates `y` over `duration_s` > 0. @throws SolverError with `time_s` (the run time of the step's start, for the
  /// message) and the worst components; `y` is then unchanged.
  void advance(const OdeSystem& system, std::span<double> y, double duration_s, double time_s);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace TIDEWATT_NAMESPACE::numerics
