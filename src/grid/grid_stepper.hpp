#pragma once
#include <memory>
#include <span>
#include <vector>

#include "grid_system.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// Implicit trapezoidal rule, states and voltages at once.
///
///     x_1 = x_0 + h/2 (f(x_0, v_0) + f(x_1, v_1)),   0 = g(x_1, v_1)
///
/// Newton's method with a sparse LU factorisation, kept while it converges in a few iterations: another network needs another stepper. A state at a bound whose rate
/// points outwards stays there for the step; one that crosses a bound within a step is set to it. Order 2 between jumps.
/// Source: [@kundur], ch. 13.
class GridStepper {
 public:
  GridStepper();
  ~GridStepper();
  GridStepper(GridStepper&&) noexcept;
  GridStepper& operator=(GridStepper&&) noexcept;

  /// Solves the network for the voltages at constant states, after a jump. @throws SolverError if it cannot be supplied
  void settle(const GridSystem& system, GridState& y, double time_s);
  /// One step.
  /// @param begin_rate [n_state] pu/s at y, before the step  @throws SolverError with time and the worst value's name
  void step(const GridSystem& system, GridState& y, std::span<const double> begin_rate, double step_s, double time_s);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace TIDEWATT_NAMESPACE::grid
