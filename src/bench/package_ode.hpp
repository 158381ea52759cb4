#pragma once
// Right-hand side and Jacobian of many packages, store by store so that loops over packages are vectors. Private to bench.
#include <sundials/sundials_types.h>

#include <cmath>
#include <cstdint>

#include "kernel_case.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::bench::detail {

/// y[i·n + g]: temperature of store i of package g over its air, K.
///
///     C_0 dy_0/dt = r P(y_0) − G_01 (y_0 − y_1),   C_1 dy_1/dt = G_01 (y_0 − y_1) − G_12 (y_1 − y_2),
///     C_2 dy_2/dt = G_12 (y_1 − y_2) − G_air y_2
class PackageOde {
 public:
  PackageOde(const thermal::PackageParams& p, const PackageCase& packages);
  std::size_t n_package() const { return n_; }
  std::size_t size() const { return 3 * n_; }
  std::size_t n_nonzero() const { return 7 * n_; }
  double air_K(std::size_t g) const { return air_K_[g]; }
  void set_kind(std::uint32_t kind);
  void start(double* y) const;
  void rhs(const double* y, double* f) const;
  /// Compressed columns: pointers, row indices, values.
  void jacobian(const double* y, sunindextype* column, sunindextype* row, double* value) const;

 private:
  thermal::PackageParams p_;
  const PackageCase& packages_;
  std::size_t n_;
  std::vector<double> air_K_, start_K_, sink_W_per_K_, r_, fixed_rW_, leakage_rW_;
};

}  // namespace TIDEWATT_NAMESPACE::bench::detail
