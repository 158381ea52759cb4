#include "linear_step.hpp"

#include <cmath>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::numerics {
namespace {

using Matrix = std::vector<double>;

Matrix product(const Matrix& a, const Matrix& b, std::size_t k) {
  Matrix c(k * k, 0.0);
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t l = 0; l < k; ++l)
      for (std::size_t j = 0; j < k; ++j) c[i * k + j] += a[i * k + l] * b[l * k + j];
  return c;
}

double one_norm(std::span<const double> M, std::size_t k) {
  double norm = 0.0;
  for (std::size_t j = 0; j < k; ++j) {
    double column = 0.0;
    for (std::size_t i = 0; i < k; ++i) column += std::abs(M[i * k + j]);
    norm = column > norm ? column : norm;
  }
  return norm;
}

void require_finite(std::span<const double> M, const char* what) {
  for (const double v : M)
    if (!std::isfinite(v)) throw InputError(std::string("linear step: ") + what + " has an entry that is not finite");
}

}  // namespace

std::vector<double> matrix_exponential(std::span<const double> M, std::size_t k) {
  if (k == 0 || M.size() != k * k) throw InputError("linear step: the matrix is not square");
  require_finite(M, "the matrix");
  int halvings = 0;
  double scale = 1.0;
  for (double norm = one_norm(M, k); norm > 0.5; norm *= 0.5, scale *= 0.5) ++halvings;
  Matrix X(M.begin(), M.end());
  for (double& v : X) v *= scale;
  // T = e^X - 1 by Horner: X(1 + X/2 (1 + X/3 (...))). Working with e^X - 1 keeps the small entries of slow systems:
  // e^2X - 1 = T² + 2T.
  constexpr int degree = 20;
  Matrix T = X;
  for (double& v : T) v /= degree;
  for (int d = degree - 1; d >= 1; --d) {
    Matrix P = product(X, T, k);
    for (std::size_t i = 0; i < P.size(); ++i) T[i] = (X[i] + P[i]) / d;
  }
  for (int s = 0; s < halvings; ++s) {
    Matrix P = product(T, T, k);
    for (std::size_t i = 0; i < P.size(); ++i) T[i] = P[i] + 2.0 * T[i];
  }
  for (std::size_t i = 0; i < k; ++i) T[i * k + i] += 1.0;
  require_finite(T, "the exponential");
  return T;
}

LinearStep::LinearStep(std::span<const double> A, std::span<const double> B, std::size_t n, std::size_t m, double h_s)
    : E_(n * n), F_(n * m) {
  if (n == 0 || n > max_states || m > max_inputs || A.size() != n * n || B.size() != n * m)
    throw InputError("linear step: the sizes of A and B do not fit n and m");
  if (!(h_s > 0.0)) throw InputError("linear step: the step must be positive");
  const std::size_t k = n + m;
  Matrix M(k * k, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) M[i * k + j] = A[i * n + j] * h_s;
    for (std::size_t j = 0; j < m; ++j) M[i * k + n + j] = B[i * m + j] * h_s;
  }
  const Matrix X = matrix_exponential(M, k);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) E_[i * n + j] = X[i * k + j];
    for (std::size_t j = 0; j < m; ++j) F_[i * m + j] = X[i * k + n + j];
  }
}

}  // namespace TIDEWATT_NAMESPACE::numerics
