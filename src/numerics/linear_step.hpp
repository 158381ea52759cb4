#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::numerics {

/// Exact step of a small linear system whose input is constant over the step.
///
///     x' = A x + B u,   x(t+h) = E x(t) + F u,   E = e^(A h),   F = ∫_0^h e^(A s) ds B
///
/// Assumptions: A constant, at most 16 states and 8 inputs. The exponential of [A B; 0 0] h is a Taylor series of
/// degree 20 after scaling to a 1-norm of at most 1/2, then squared back: only + and ×, the same bits everywhere.
class LinearStep {
 public:
  static constexpr std::size_t max_states = 16;
  static constexpr std::size_t max_inputs = 8;

  /// @param A n × n row-major, 1/s  @param B n × m row-major, state unit per input unit and second
  /// @param n number of states, 1…16  @param m number of inputs, 0…8  @param h_s step, > 0 s
  /// @throws InputError if a size does not fit or an entry is not finite
  LinearStep(std::span<const double> A, std::span<const double> B, std::size_t n, std::size_t m, double h_s);

  /// [n × n], dimensionless where all states have one unit.
  std::span<const double> E() const { return E_; }  ///< n × n, row-major
  /// [n × m], state unit per input unit.
  std::span<const double> F() const { return F_; }  ///< n × m, row-major

 private:
  std::vector<double> E_;
  std::vector<double> F_;
};

/// e^M of a dense k × k row-major matrix, by the method above. @throws InputError if an entry is not finite.
/// @param M [k × k], dimensionless, as is the result [k × k]
std::vector<double> matrix_exponential(std::span<const double> M, std::size_t k);

}  // namespace TIDEWATT_NAMESPACE::numerics
