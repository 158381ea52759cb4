#include <algorithm>
#include <array>
#include <cmath>

#include "numerics/block.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/grid/frequency.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

using Matrix = std::array<double, 16>;
using Vector = std::array<double, 4>;

Vector times(const Matrix& A, const Vector& x) {
  Vector y;
  for (std::size_t i = 0; i < 4; ++i)
    y[i] = (A[4 * i] * x[0] + A[4 * i + 1] * x[1]) + (A[4 * i + 2] * x[2] + A[4 * i + 3] * x[3]);
  return y;
}

Matrix times(const Matrix& A, const Matrix& B) {
  Matrix C{};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      for (std::size_t k = 0; k < 4; ++k) C[4 * i + j] += A[4 * i + k] * B[4 * k + j];
  return C;
}

// First `a`, then `b`.
FrequencyMap then(const FrequencyMap& a, const FrequencyMap& b) {
  FrequencyMap out{times(b.E, a.E), times(b.E, a.b), a.n_bin + b.n_bin};
  for (std::size_t i = 0; i < 4; ++i) out.b[i] += b.b[i];
  return out;
}

FrequencyMap identity() {
  FrequencyMap out;
  for (std::size_t i = 0; i < 4; ++i) out.E[5 * i] = 1.0;
  return out;
}

FrequencyMap power(FrequencyMap map, std::int64_t n) {  // by squaring: no inverse, so integrators are fine
  FrequencyMap out = identity();
  for (; n > 0; n /= 2) {
    if (n % 2 == 1) out = then(out, map);
    map = then(map, map);
  }
  return out;
}

}  // namespace

double Frequency::rate_Hz_per_s(double load_W, const FrequencyState& state) const {
  double mechanical = 0.0;
  for (std::size_t i = 0; i < 4; ++i) mechanical += mechanical_[i] * state.deviation[i];
  const double u = (load_W - state.equilibrium_W) / p_.system_VA;
  return p_.nominal_Hz * (mechanical - u - p_.damping_pu * state.deviation[0]) / (2.0 * p_.inertia_s);
}

FrequencyTurn Frequency::first_turn(double step_W, double horizon_s) const {
  FrequencyState state = start(0.0);
  FrequencyMeters unused;
  const double h = numerics::bin_s;
  const std::array<double, 1> load{step_W};
  std::array<double, 1> now{};
  double f0 = 0.0, r0 = rate_Hz_per_s(step_W, state);
  for (std::int64_t bin = 0; static_cast<double>(bin) * h < horizon_s; ++bin) {
    advance(load, now, state, unused);
    const double f1 = now[0], r1 = rate_Hz_per_s(step_W, state);
    if (r0 * r1 <= 0.0 && r0 != 0.0) {
      // The slope of the cubic through both ends is a parabola; its root by bisection.
      const double m = (f1 - f0) / h;
      const auto slope = [&](double s) {
        return r0 + s * (6.0 * m - 4.0 * r0 - 2.0 * r1 + 3.0 * s * (r0 + r1 - 2.0 * m));
      };
      double lo = 0.0, hi = 1.0;
      for (int i = 0; i < 60; ++i) (slope(0.5 * (lo + hi)) * r0 > 0.0 ? lo : hi) = 0.5 * (lo + hi);
      const double s = 0.5 * (lo + hi);
      const double f = f0 + h * s * (r0 + s * (3.0 * m - 2.0 * r0 - r1 + s * (r0 + r1 - 2.0 * m)));
      return {(static_cast<double>(bin) + s) * h, f};
    }
    f0 = f1;
    r0 = r1;
  }
  throw RefusedError("frequency: it does not turn within the time asked for");
}

FrequencyMap Frequency::map_of(std::span<const double> load_W, double equilibrium_W) const {
  FrequencyMap out = identity();
  // The pass from rest gives b; E is the step's power.
  Vector x{};
  for (const double W : load_W) {
    const double u = (W - equilibrium_W) / p_.system_VA;
    x = times(E_, x);
    for (std::size_t i = 0; i < 4; ++i) x[i] += F_[i] * u;
  }
  const FrequencyMap step{E_, {}, 1};
  out = power(step, static_cast<std::int64_t>(load_W.size()));
  out.b = x;
  return out;
}

void Frequency::repeat(const FrequencyMap& map, std::int64_t n, FrequencyState& state) const {
  const FrequencyMap all = power(map, n);
  state.deviation = times(all.E, state.deviation);
  for (std::size_t i = 0; i < 4; ++i) state.deviation[i] += all.b[i];
  state.next_bin += all.n_bin;
}

bool Frequency::settled(const FrequencyMap& map, const FrequencyState& state, double tolerance) const {
  Vector next = times(map.E, state.deviation);
  for (std::size_t i = 0; i < 4; ++i) {
    next[i] += map.b[i];
    const double size = std::max(std::abs(state.deviation[i]), 1e-12 / std::max(tolerance, 1e-300));
    if (!(std::abs(next[i] - state.deviation[i]) <= tolerance * size)) return false;
  }
  return true;
}

}  // namespace TIDEWATT_NAMESPACE::grid
