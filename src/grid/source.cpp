#include "tidewatt/grid/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "numerics/block.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

struct Impedance {
  double inverse_VA, v0_squared, r_pu, x_pu;
};
struct Range {
  double least_room, min_pu, max_pu;
};

/// Voltages of a block; rooms below 0 have no solution.
TIDEWATT_CLONES
Range solve(const double* P, const double* Q, std::size_t n, const Impedance& z, double* V, double* room) {
  for (std::size_t k = 0; k < n; ++k) {
    const double p = P[k] * z.inverse_VA, q = Q[k] * z.inverse_VA;
    const double half_b = 0.5 * z.v0_squared - (z.r_pu * p + z.x_pu * q);
    const double disc = half_b * half_b - (p * p + q * q);
    room[k] = disc < half_b ? disc : half_b;
    V[k] = std::sqrt(half_b + std::sqrt(disc > 0.0 ? disc : 0.0));
  }
  return {numerics::lane_min({room, n}), numerics::lane_min({V, n}), numerics::lane_max({V, n})};
}

}  // namespace

void SourceParams::fields(FieldVisitor& v) {
  v.number("nominal_kV", nominal_V, {0.1, 1200}, "line-to-line voltage at the connection");
  v.number("short_circuit_MVA", short_circuit_VA, {0.1, 1e6}, "three-phase short-circuit power at the connection");
  v.number("x_over_r_ratio", x_over_r_ratio, {0, 200}, "reactance over resistance of the network");
  v.number("source_pu", source_pu, {0.5, 1.5}, "voltage behind the impedance", Need::optional);
}

Source::Source(const SourceParams& p) {
  if (!(p.nominal_V > 0.0 && p.short_circuit_VA > 0.0 && p.x_over_r_ratio >= 0.0 && p.source_pu > 0.0))
    throw InputError("grid source: voltage, short-circuit power and X/R must be positive");
  inverse_VA_ = 1.0 / p.short_circuit_VA;
  r_pu_ = 1.0 / std::sqrt(1.0 + p.x_over_r_ratio * p.x_over_r_ratio);
  x_pu_ = p.x_over_r_ratio * r_pu_;
  v0_squared_ = p.source_pu * p.source_pu;
}

std::optional<double> Source::voltage_pu(double p_W, double q_var) const {
  const double p = p_W * inverse_VA_, q = q_var * inverse_VA_;
  const double half_b = 0.5 * v0_squared_ - (r_pu_ * p + x_pu_ * q);
  const double disc = half_b * half_b - (p * p + q * q);
  if (!(disc >= 0.0) || half_b < 0.0) return std::nullopt;
  return std::sqrt(half_b + std::sqrt(disc));
}

void Source::refuse(double p_W, double q_var, std::int64_t bin) const {
  throw SolverError(
      fmt::format("grid source: at {:.3f} s the load of {:.3f} MW and {:.3f} Mvar is beyond the voltage-stability "
                  "limit of the connection",
                  static_cast<double>(bin) * 1e-3, p_W * 1e-6, q_var * 1e-6));
}

void Source::voltage_pu(std::span<const double> p_W, std::span<const double> q_var, std::span<double> v_pu,
                        VoltageMeters& meters, std::int64_t first_bin) const {
  if (q_var.size() != p_W.size() || v_pu.size() != p_W.size()) throw InputError("grid source: chunks differ in length");
  std::array<double, numerics::block_size> room;
  for (std::size_t at = 0; at < p_W.size(); at += numerics::block_size) {
    const std::size_t n = std::min(numerics::block_size, p_W.size() - at);
    const double *P = p_W.data() + at, *Q = q_var.data() + at;
    double* V = v_pu.data() + at;
    const Range v = solve(P, Q, n, {inverse_VA_, v0_squared_, r_pu_, x_pu_}, V, room.data());
    if (!(v.least_room >= 0.0))
      for (std::size_t k = 0; k < n; ++k)
        if (!(room[k] >= 0.0)) refuse(P[k], Q[k], first_bin + static_cast<std::int64_t>(at + k));
    meters.min_pu = std::min(meters.min_pu, v.min_pu);
    meters.max_pu = std::max(meters.max_pu, v.max_pu);
  }
}

double Source::max_power_W(double t) const {
  return 0.5 * v0_squared_ / (inverse_VA_ * (r_pu_ + x_pu_ * t + std::sqrt(1.0 + t * t)));
}

Loadability Source::require(double p_W, double q_var, double least_margin_frac) const {
  const double size_W = std::hypot(p_W, q_var);
  const double t = p_W > 0.0 ? q_var / p_W : 0.0;
  Loadability out;
  out.nose_W = max_power_W(t);
  out.margin_frac = p_W > 0.0 ? 1.0 - p_W / out.nose_W : 1.0;
  out.short_circuit_ratio = size_W > 0.0 ? 1.0 / (size_W * inverse_VA_) : std::numeric_limits<double>::infinity();
  const auto v = voltage_pu(p_W, q_var);
  if (!v || out.margin_frac < least_margin_frac)
    throw RefusedError(
        fmt::format("grid source: {:.3f} MW and {:.3f} Mvar behind {:.0f} MVA of short-circuit power (X/R {:.3g}, "
                    "ratio {:.3g}) {}: the most "
                    "at this power factor is {:.3f} MW, the margin {:.1f} %, {:.1f} % are asked for. A constant-power "
                    "load has no stable "
                    "voltage there; more short-circuit power, less reactive power or less load would help",
                    p_W * 1e-6, q_var * 1e-6, 1e-6 / inverse_VA_, r_pu_ > 0.0 ? x_pu_ / r_pu_ : 0.0,
                    out.short_circuit_ratio, v ? "are too near the nose" : "are beyond the nose", out.nose_W * 1e-6,
                    100.0 * out.margin_frac, 100.0 * least_margin_frac));
  out.voltage_pu = *v;
  // From u² + u (2 c − v_0²) + s² = 0 with c = (r + x t) p and s² = (1 + t²) p², u = v²:
  // du/dp = −(2 u (r + x t) + 2 (1 + t²) p)/(2 u + 2 c − v_0²), dv/dp = du/dp/(2 v).
  const double p = p_W * inverse_VA_, u = out.voltage_pu * out.voltage_pu, k = r_pu_ + x_pu_ * t;
  const double slope = -(2.0 * u * k + 2.0 * (1.0 + t * t) * p) / (2.0 * u + 2.0 * k * p - v0_squared_);
  out.droop_pu_per_W = slope / (2.0 * out.voltage_pu) * inverse_VA_;
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::grid
