#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "ode.hpp"

namespace TIDEWATT_NAMESPACE::numerics {

/// Singly diagonally implicit Runge-Kutta steps of order 4 with an embedded order 3, ARK4(3)6L[2]SA of Kennedy and Carpenter
/// (2003), Applied Numerical Mathematics 44, 139-181: L-stable, its last stage is the step's end. A step needs no history, so a restart at
/// every call costs nothing: of the inputs that jump between macro steps, none reaches into the next call.
///     Y_i = y + h Σ_{j≤i} a_ij k_j,  k_i = f(Y_i);  simplified Newton with one factored I - h γ df/dy for all stages.
/// Sums of `y` that f keeps constant are kept to rounding, since all values take the same rates. Uses neither a random number nor a
/// function of the C library: the same bits on every processor. One object per thread.
class Esdirk {
 public:
  /// @throws InputError if the shape is inconsistent
  explicit Esdirk(OdeShape shape);

  /// Integrates `y` over `duration_s` > 0. @throws SolverError with `time_s` (the run time of the step's start, for the
  /// message) and the worst components; `y` is then unchanged.
  void advance(const OdeSystem& system, std::span<double> y, double duration_s, double time_s);

  /// Accepted and rejected steps of the last call.
  long n_step() const { return n_step_; }

 private:
  static constexpr std::size_t n_stage = 6;

  bool find_slope(const OdeSystem& system, double t_s);
  void factor(double gamma_s);
  void solve(std::span<double> x) const;
  void set_weights();
  double norm(std::span<const double> x, std::size_t n) const;
  double first_step_s(double duration_s);
  bool stage(const OdeSystem& system, std::size_t i, double t_s, double h_s);
  double error(double h_s);
  bool step(const OdeSystem& system, double t_s, double h_s, double& grows);
  [[noreturn]] void fail(const char* why, double reached_s, double duration_s, double time_s) const;

  OdeShape shape_;
  std::size_t n_, n_coupled_;
  std::vector<double> y_, weight_;              // weight: 1/(rtol (|y| + typical))
  std::array<std::vector<double>, n_stage> k_;  // rates of the stages
  std::vector<double> stage_y_, base_, move_, f_, last_error_;
  std::vector<double> slope_;  // df/dy: one column of all values per coupled one
  std::vector<double> lu_;     // of I - h γ df/dy, column-major
  std::vector<std::size_t> pivot_;
  double factored_s_ = 0.0, rate_ = 0.0;  // h γ of `lu_`; how fast Newton converges
  bool slope_is_new_ = false;
  long n_step_ = 0;
};

}  // namespace TIDEWATT_NAMESPACE::numerics
