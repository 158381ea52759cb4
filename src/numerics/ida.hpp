#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::numerics {

/// A semi-explicit system of differential and algebraic equations, smooth within one call of Ida::advance:
///
///     x' = f(t, x, z),   0 = g(t, x, z),   y = (x, z) in any order
///
/// Index 1 is assumed: ∂g/∂z is regular.
class DaeSystem {
 public:
  virtual ~DaeSystem() = default;
  /// Fills `out` with f where y is differential and with g where it is algebraic. Must not throw.
  /// @param y, out [n], in the system's own units
  virtual void equations(double t_s, std::span<const double> y, std::span<double> out) const = 0;
};

/// Fixed properties of a system, known when its solver is made.
struct DaeShape {
  std::vector<std::string> names;  ///< one per value, for messages
  std::vector<double> typical;     ///< size of each value, > 0: absolute tolerance = rtol * typical
  std::vector<bool> differential;  ///< true: the value has a derivative; false: it is found from g = 0
  double rtol = 1e-6;              ///< 1e-10 to 1e-2
  long max_steps = 20000;          ///< per advance
};

/// SUNDIALS IDA with BDF, Newton and a dense matrix, made once and restarted at every advance: inputs jump between
/// two of them, and each restart finds algebraic values and derivatives that fit the new inputs. The end is a stop
/// time, so nothing is interpolated. One object per thread.
class Ida {
 public:
  /// @throws InputError if the shape is inconsistent, SolverError if SUNDIALS cannot be set up
  explicit Ida(DaeShape shape);
  ~Ida();
  Ida(Ida&&) noexcept;
  Ida& operator=(Ida&&) noexcept;

  /// Solves g = 0 for the algebraic values at constant differential ones. @throws SolverError; `y` is then unchanged.
  /// @param y [n], in the system's own units
  void make_consistent(const DaeSystem& system, std::span<double> y, double time_s);
  /// Integrates `y` over `duration_s` > 0 from a state whose algebraic values need only be near.
  /// @throws SolverError with `time_s` and the worst components by name; `y` is then unchanged.
  /// @param y [n], in the system's own units
  void advance(const DaeSystem& system, std::span<double> y, double duration_s, double time_s);
  long steps() const;  ///< of the last advance

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// ∂equations/∂y by central differences, row-major n × n: error about 1e-9 of the entries' size.
/// @param y [n], in the system's own units  @param typical [n] size of each value: the step is 1e-5 of it
std::vector<double> dae_jacobian(const DaeSystem& system, double t_s, std::span<const double> y,
                                 std::span<const double> typical);

}  // namespace TIDEWATT_NAMESPACE::numerics
