#include "tidewatt/thermal/store_network.hpp"

#include <cmath>

namespace TIDEWATT_NAMESPACE::thermal {
namespace {

struct Rotation {
  double c, s;
};

Rotation rotation(double app, double aqq, double apq) {
  const double theta = (aqq - app) / (2.0 * apq);
  const double t = (theta >= 0 ? 1.0 : -1.0) / (std::abs(theta) + std::sqrt(theta * theta + 1.0));
  const double c = 1.0 / std::sqrt(t * t + 1.0);
  return {c, t * c};
}

void turn(double& x, double& y, Rotation r) {
  const double u = x, v = y;
  x = r.c * u - r.s * v;
  y = r.s * u + r.c * v;
}

}  // namespace

void symmetric_modes(std::span<double> a, std::span<double> vectors, std::size_t n) {
  for (std::size_t i = 0; i < n * n; ++i) vectors[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
  for (int sweep = 0; sweep < 60; ++sweep) {
    double off = 0.0;
    // Each off-diagonal against its own pair: a slow store's entry must vanish beside its small diagonal too.
    for (std::size_t p = 0; p + 1 < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q)
        off = std::max(off, std::abs(a[p * n + q]) / std::sqrt(std::abs(a[p * n + p] * a[q * n + q]) + 1e-300));
    if (off < 1e-17) return;
    for (std::size_t p = 0; p + 1 < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        if (a[p * n + q] == 0.0) continue;
        const Rotation r = rotation(a[p * n + p], a[q * n + q], a[p * n + q]);
        for (std::size_t k = 0; k < n; ++k) turn(a[k * n + p], a[k * n + q], r);
        for (std::size_t k = 0; k < n; ++k) turn(a[p * n + k], a[q * n + k], r);
        a[p * n + q] = a[q * n + p] = 0.0;
        for (std::size_t k = 0; k < n; ++k) turn(vectors[k * n + p], vectors[k * n + q], r);
      }
  }
}

}  // namespace TIDEWATT_NAMESPACE::thermal
