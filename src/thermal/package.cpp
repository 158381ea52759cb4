#include "tidewatt/thermal/package.hpp"

#include <algorithm>
#include <cmath>

#include "tidewatt/base/math.hpp"

namespace TIDEWATT_NAMESPACE::thermal {
namespace {

using Matrix = std::array<std::array<double, 3>, 3>;

// Cyclic Jacobi on a symmetric 3×3; the columns of `vectors` become the eigenvectors.
void jacobi(Matrix& a, Matrix& vectors) {
  vectors = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  for (int sweep = 0; sweep < 30; ++sweep) {
    const double off = std::abs(a[0][1]) + std::abs(a[0][2]) + std::abs(a[1][2]);
    if (off < 1e-17 * (a[0][0] + a[1][1] + a[2][2])) return;
    for (std::size_t p = 0; p < 2; ++p) {
      for (std::size_t q = p + 1; q < 3; ++q) {
        if (a[p][q] == 0.0) continue;
        const double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
        const double t = (theta >= 0 ? 1.0 : -1.0) / (std::abs(theta) + std::sqrt(theta * theta + 1.0));
        const double c = 1.0 / std::sqrt(t * t + 1.0);
        const double s = t * c;
        for (std::size_t k = 0; k < 3; ++k) {
          const double akp = a[k][p], akq = a[k][q];
          a[k][p] = c * akp - s * akq;
          a[k][q] = s * akp + c * akq;
        }
        for (std::size_t k = 0; k < 3; ++k) {
          const double apk = a[p][k], aqk = a[q][k];
          a[p][k] = c * apk - s * aqk;
          a[q][k] = s * apk + c * aqk;
        }
        for (std::size_t k = 0; k < 3; ++k) {
          const double vkp = vectors[k][p], vkq = vectors[k][q];
          vectors[k][p] = c * vkp - s * vkq;
          vectors[k][q] = s * vkp + c * vkq;
        }
      }
    }
  }
}

}  // namespace

void PackageParams::fields(FieldVisitor& v) {
  v.number("die_J_per_K", die_J_per_K, {0.05, 100}, "heat capacity of the die");
  v.number("base_J_per_K", base_J_per_K, {0.5, 1000}, "heat capacity of lid and sink base");
  v.number("sink_J_per_K", sink_J_per_K, {1, 20000}, "heat capacity of the sink");
  v.number("die_base_K_per_W", die_base_K_per_W, {1e-4, 1}, "resistance from die to lid and sink base");
  v.number("base_sink_K_per_W", base_sink_K_per_W, {1e-4, 1}, "spreading resistance into the sink");
  v.number("sink_air_K_per_W", sink_air_K_per_W, {1e-4, 1}, "convection resistance at full fan speed");
  v.number("convection_exponent_ratio", convection_exponent_ratio, {0, 1},
           "convection resistance ~ (speed x density)^-exponent");
  v.number("air_density_ref_kg_per_m3", air_density_ref_kg_per_m3, {0.5, 1.5},
           "density of the air in which sink_air_K_per_W holds", Need::optional);
}

PackageModes package_modes(const PackageParams& p, double flow_ratio) {
  const double g0 = 1.0 / p.die_base_K_per_W;
  const double g1 = 1.0 / p.base_sink_K_per_W;
  const double g2 = math::pow(flow_ratio, p.convection_exponent_ratio) / p.sink_air_K_per_W;
  const std::array<double, 3> root = {std::sqrt(p.die_J_per_K), std::sqrt(p.base_J_per_K), std::sqrt(p.sink_J_per_K)};
  // S = C^-1/2 G C^-1/2 is symmetric; its eigenvalues are the rates.
  Matrix s = {{{g0, -g0, 0}, {-g0, g0 + g1, -g1}, {0, -g1, g1 + g2}}};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) s[i][j] /= root[i] * root[j];
  Matrix q;
  jacobi(s, q);
  PackageModes m;
  m.sink_air_W_per_K = g2;
  std::array<std::size_t, 3> order = {0, 1, 2};  // slowest first
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = i + 1; j < 3; ++j)
      if (s[order[j]][order[j]] < s[order[i]][order[i]]) std::swap(order[i], order[j]);
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t e = order[k];
    m.rate_per_s[k] = s[e][e];
    m.gain_K_per_J[k] = q[0][e] / root[0];
    for (std::size_t i = 0; i < 3; ++i) {
      m.shape[i][k] = q[i][e] / root[i];
      m.inverse[k][i] = q[i][e] * root[i];
    }
    m.per_rate_s[k] = 1.0 / m.rate_per_s[k];
    m.uniform[k] = m.inverse[k][0] + m.inverse[k][1] + m.inverse[k][2];
  }
  m.steady_K_per_W = m.die_air_lag_s = 0.0;
  for (std::size_t k = 0; k < n_mode; ++k) {
    m.steady_K_per_W += m.shape[0][k] * m.gain_K_per_J[k] * m.per_rate_s[k];
    m.die_air_lag_s += m.shape[0][k] * m.uniform[k] * m.per_rate_s[k];
  }
  return m;
}

}  // namespace TIDEWATT_NAMESPACE::thermal
