#include "ring_down.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::grid {

using Complex = std::complex<double>;

RingDown ring_down(std::span<const double> y, double step_s) {
  const auto n = static_cast<Eigen::Index>(y.size()), L = n / 3;
  if (n < 20 || !(step_s > 0.0)) throw InputError("ring-down: needs 20 samples and a step above 0");
  // Rows are the record, each one sample later than the one above.
  Eigen::MatrixXd H(n - L, L + 1);
  for (Eigen::Index r = 0; r < n - L; ++r)
    for (Eigen::Index c = 0; c <= L; ++c) H(r, c) = y[static_cast<std::size_t>(r + c)];
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(H, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const auto& size = svd.singularValues();
  Eigen::Index rank = 0;
  while (rank < std::min<Eigen::Index>(L, 14) && rank < size.size() && size[rank] > 1e-7 * size[0]) ++rank;
  if (rank == 0 || !(size[0] > 0.0)) throw SolverError("ring-down: the record does not move");
  // The pencil within the signal's own space.
  const Eigen::MatrixXd V = svd.matrixV().leftCols(rank), V1 = V.topRows(L), V2 = V.bottomRows(L);
  const Eigen::VectorXcd z = Eigen::MatrixXd(V1.colPivHouseholderQr().solve(V2)).eigenvalues();
  // Amplitudes where each term is largest: at the begin if it decays, at the end if it grows. A term of noise that grows stays small.
  Eigen::MatrixXcd powers(n, rank);
  for (Eigen::Index m = 0; m < rank; ++m) {
    const double last = static_cast<double>(n - 1), shift = std::abs(z[m]) > 1.0 ? last : 0.0;
    for (Eigen::Index k = 0; k < n; ++k) powers(k, m) = std::pow(z[m], Complex(static_cast<double>(k) - shift));
  }
  const Eigen::VectorXcd record = Eigen::Map<const Eigen::VectorXd>(y.data(), n).cast<Complex>();
  const Eigen::VectorXcd a = powers.colPivHouseholderQr().solve(record);
  const Eigen::VectorXd carried = a.cwiseAbs();
  RingDown out;
  bool found = false;
  for (Eigen::Index m = 0; m < rank; ++m) {
    const Complex s = std::log(z[m]) / step_s;
    if (carried[m] < 1e-3 * carried.maxCoeff() || (found && s.real() <= out.s.real())) continue;
    out.s = {s.real(), std::abs(s.imag())};
    found = true;
  }
  out.frequency_Hz = out.s.imag() / 6.283185307179586476925287;
  out.damping_frac = std::abs(out.s) > 0.0 ? -out.s.real() / std::abs(out.s) : 0.0;
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::grid
