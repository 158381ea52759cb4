#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::numerics {

/// A system of ordinary differential equations `dy/dt = f(t, y)`, smooth enough within one call of a solver's advance.
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
  std::size_t n_coupled = 0;       ///< f depends on y[0 .. n_coupled) only; values behind are integrals (meters)
  double rtol = 1e-6;              ///< 1e-12 to 1e-2
  long max_steps = 5000;           ///< per advance
};

}  // namespace TIDEWATT_NAMESPACE::numerics
