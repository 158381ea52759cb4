#pragma once
#include <complex>
#include <span>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// The oscillation that outlasts all others in a record.
struct RingDown {
  std::complex<double> s;  ///< 1/s; real part above 0: it grows
  double frequency_Hz = 0.0;
  double damping_frac = 0.0;  ///< −Re s/|s|
};

/// Fits a sum of damped sines to a record that moves freely, by the matrix pencil of its Hankel matrix.
///
///     y_k = Σ_m a_m z_m^k,   Y_2 v = z Y_1 v,   s = ln z/Δt
///
/// Of the terms whose largest amplitude within the record is a thousandth of the largest one or more, the rightmost is returned. Assumption: nothing
/// above half of the sample rate, no noise beyond 1e-7 of the record's size (terms below are dropped).
/// @param y deviations from rest, evenly spaced, any unit, 20 samples or more  @param step_s between samples
/// @throws InputError for a record that is too short, SolverError for one that does not move
RingDown ring_down(std::span<const double> y, double step_s);

}  // namespace TIDEWATT_NAMESPACE::grid
