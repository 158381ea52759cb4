#include "grid_modes.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

using Complex = std::complex<double>;
constexpr double two_pi = 6.283185307179586476925287;
constexpr double nudge = 1e-6, closer = 0.0625, smallest = 1e-10, agreed = 1e-4;

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

/// Derivative by central differences. A limiter cuts both sides off alike, so that no single step shows it: the step
/// shrinks until a shorter one gives the same. @param at (shift) what a value moved by it gives
template <class Answer>
Eigen::VectorXd slope(Answer at) {
  const auto difference = [&](double by) -> Eigen::VectorXd {
    const Eigen::VectorXd above = at(by);
    return (above - at(-by)) / (2.0 * by);
  };
  double by = nudge;
  Eigen::VectorXd out = difference(by);
  while (by * closer > smallest) {
    by *= closer;
    Eigen::VectorXd shorter = difference(by);
    // The longer of two equal steps has less rounding.
    if ((shorter - out).norm() <= agreed * out.norm()) break;
    out = std::move(shorter);
  }
  return out;
}

std::vector<GridMode> modes_of(const Eigen::MatrixXd& A, const std::vector<std::string>& names) {
  // Left vectors from the transpose, not from an inverse: a free angle and its speed share one eigenvalue and one vector.
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(A), turned(A.transpose());
  if (solver.info() != Eigen::Success || turned.info() != Eigen::Success)
    throw SolverError("grid modes: the eigenvalues were not found");
  const Eigen::MatrixXcd right = solver.eigenvectors(), left = turned.eigenvectors();
  std::vector<GridMode> out;
  for (Eigen::Index k = 0; k < A.rows(); ++k) {
    GridMode m;
    m.s = solver.eigenvalues()[k];
    if (m.s.imag() < 0.0) continue;
    m.frequency_Hz = m.s.imag() / two_pi;
    m.damping_frac = std::abs(m.s) > 0.0 ? -m.s.real() / std::abs(m.s) : 0.0;
    Eigen::Index same = 0;
    (turned.eigenvalues().array() - m.s).abs().minCoeff(&same);
    double sum = 0.0;
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
      m.parts.push_back({names[static_cast<std::size_t>(i)], std::abs(right(i, k) * left(i, same))});
      sum += m.parts.back().share_frac;
    }
    std::stable_sort(m.parts.begin(), m.parts.end(),
                     [](const auto& a, const auto& b) { return a.share_frac > b.share_frac; });
    if (m.parts.size() > 5) m.parts.resize(5);
    for (auto& p : m.parts) p.share_frac /= sum;
    out.push_back(std::move(m));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const GridMode& a, const GridMode& b) { return a.s.real() > b.s.real(); });
  return out;
}

/// Rates and what the network lacks, one below the other.
Eigen::VectorXd answer(const GridSystem& s, const GridState& y) {
  const std::size_t nx = y.x.size(), nv = y.v.size();
  std::vector<double> rate(nx);
  std::vector<Complex> lack(nv);
  s.rates(y, rate);
  s.imbalance(y, lack);
  Eigen::VectorXd out(index(nx + 2 * nv));
  for (std::size_t i = 0; i < nx; ++i) out[index(i)] = rate[i];
  for (std::size_t b = 0; b < nv; ++b)
    out[index(nx + 2 * b)] = lack[b].real(), out[index(nx + 2 * b + 1)] = lack[b].imag();
  return out;
}

/// Moves one of all values: states, then real and imaginary parts of the voltages.
void shift(GridState& y, std::size_t at, double by) {
  const std::size_t nx = y.x.size();
  if (at < nx)
    y.x[at] += by;
  else
    y.v[(at - nx) / 2] += (at - nx) % 2 == 0 ? Complex(by, 0.0) : Complex(0.0, by);
}

}  // namespace

std::vector<GridMode> unit_modes(const GridUnit& unit, std::span<const double> x, Complex v) {
  const std::size_t n = x.size();
  std::vector<double> moved(x.begin(), x.end()), rate(n);
  Eigen::MatrixXd A(index(n), index(n));
  for (std::size_t c = 0; c < n; ++c) {
    A.col(index(c)) = slope([&](double by) -> Eigen::VectorXd {
      moved[c] = x[c] + by;
      unit.rates(moved, v, rate);
      return Eigen::Map<const Eigen::VectorXd>(rate.data(), index(n));
    });
    moved[c] = x[c];
  }
  return modes_of(A, unit.states());
}

std::vector<GridMode> grid_modes(const GridSystem& system, const GridState& y) {
  const Eigen::Index nx = index(y.x.size()), nv = index(2 * y.v.size());
  Eigen::MatrixXd J(nx + nv, nx + nv);
  GridState moved = y;
  for (Eigen::Index c = 0; c < nx + nv; ++c) {
    const auto at = static_cast<std::size_t>(c);
    J.col(c) = slope([&](double by) {
      moved = y;
      shift(moved, at, by);
      return answer(system, moved);
    });
    moved = y;
  }
  const Eigen::MatrixXd A =
      J.topLeftCorner(nx, nx) - J.topRightCorner(nx, nv) * J.bottomRightCorner(nv, nv).partialPivLu().solve(
                                                               Eigen::MatrixXd(J.bottomLeftCorner(nv, nx)));
  std::vector<std::string> names;
  for (std::size_t i = 0; i < y.x.size(); ++i) names.push_back(system.state_name(i));
  return modes_of(A, names);
}

}  // namespace TIDEWATT_NAMESPACE::grid
