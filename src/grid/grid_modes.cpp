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

/// A matrix of so many rows in a list, column by column.
Eigen::Map<const Eigen::MatrixXd> matrix(const std::vector<double>& list, std::size_t rows) {
  return {list.data(), index(rows), index(list.size() / rows)};
}

std::vector<double> list_of(const Eigen::MatrixXd& m) { return {m.data(), m.data() + m.size()}; }

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

/// Eigenvalues with right and left vectors, column by column.
struct Decomposition {
  Eigen::VectorXcd s;
  Eigen::MatrixXcd right, left;
};

Decomposition eigen_of(const Eigen::MatrixXd& A) {
  // Left vectors from the transpose, not from an inverse: a free angle and its speed share one eigenvalue and one vector.
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(A), turned(A.transpose());
  if (solver.info() != Eigen::Success || turned.info() != Eigen::Success)
    throw SolverError("grid modes: the eigenvalues were not found");
  Decomposition out{solver.eigenvalues(), solver.eigenvectors(), solver.eigenvectors()};
  for (Eigen::Index k = 0; k < A.rows(); ++k) {
    Eigen::Index same = 0;
    (turned.eigenvalues().array() - out.s[k]).abs().minCoeff(&same);
    out.left.col(k) = turned.eigenvectors().col(same);
  }
  return out;
}

/// @param rotor whether a state is an angle or speed
std::vector<GridMode> modes_of(const Eigen::MatrixXd& A, const std::vector<std::string>& names,
                               const std::vector<bool>& rotor) {
  const Decomposition e = eigen_of(A);
  std::vector<GridMode> out;
  for (Eigen::Index k = 0; k < A.rows(); ++k) {
    GridMode m;
    m.s = e.s[k];
    if (m.s.imag() < 0.0) continue;
    m.frequency_Hz = m.s.imag() / two_pi;
    m.damping_frac = std::abs(m.s) > 0.0 ? -m.s.real() / std::abs(m.s) : 0.0;
    const Eigen::VectorXd part = e.right.col(k).cwiseProduct(e.left.col(k)).cwiseAbs();
    for (std::size_t i = 0; i < names.size(); ++i) {
      m.parts.push_back({names[i], part[index(i)] / part.sum()});
      if (rotor[i]) m.rotor_frac += m.parts.back().share_frac;
    }
    std::stable_sort(m.parts.begin(), m.parts.end(),
                     [](const auto& a, const auto& b) { return a.share_frac > b.share_frac; });
    if (m.parts.size() > 5) m.parts.resize(5);
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
  return modes_of(A, unit.states(), std::vector<bool>(n, false));
}

LinearGrid::LinearGrid(const GridSystem& system, const GridState& y)
    : v_(y.v), base_VA_(system.network().base_VA), nominal_Hz_(system.network().nominal_Hz) {
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
  // b and the voltages' share of A have the factor −f_v g_v⁻¹ in common.
  const Eigen::MatrixXd by_current =
      -J.bottomRightCorner(nv, nv).transpose().partialPivLu().solve(J.topRightCorner(nx, nv).transpose()).transpose();
  by_current_ = list_of(by_current);
  A_ = list_of(J.topLeftCorner(nx, nx) + by_current * J.bottomLeftCorner(nv, nx));
  for (std::size_t i = 0; i < y.x.size(); ++i) states_.push_back(system.state_name(i));
  std::size_t first = 0;
  for (std::size_t u = 0; u < system.n_unit(); ++u) {
    const double stored_J = system.connected(u) ? system.unit(u).inertia_s() * system.generator(u).rating_VA : 0.0;
    if (stored_J > 0.0) angle_.push_back(first), inertia_frac_.push_back(stored_J / system.stored_J());
    first += system.unit(u).states().size();
  }
  find_modes();
}

void LinearGrid::find_modes() {
  std::vector<bool> rotor(states_.size(), false);
  for (const std::size_t a : angle_) rotor[a] = rotor[a + 1] = true;
  modes_ = modes_of(matrix(A_, states_.size()), states_, rotor);
}

std::vector<GridMode> LinearGrid::swing_modes() const {
  std::vector<GridMode> out;
  for (const GridMode& m : modes_)
    if (m.frequency_Hz > 0.05 && m.frequency_Hz < 5.0 && m.rotor_frac > 0.5) out.push_back(m);
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.frequency_Hz < b.frequency_Hz; });
  return out;
}

LinearGrid LinearGrid::with_swing_damping(double damping_frac) const {
  if (!(std::abs(damping_frac) < 1.0)) throw InputError("grid modes: a damping ratio lies between -1 and 1");
  Eigen::MatrixXd A = matrix(A_, states_.size());
  const Decomposition e = eigen_of(A);
  for (const GridMode& m : swing_modes()) {
    Eigen::Index k = 0;
    (e.s.array() - m.s).abs().minCoeff(&k);
    const Complex wanted = std::abs(m.s) * Complex(-damping_frac, std::sqrt(1.0 - damping_frac * damping_frac));
    // The pair's own share of A is 2 Re(s r lᵀ/lᵀr): only its eigenvalues move.
    const auto r = e.right.col(k), l = e.left.col(k);
    const Complex overlap = (l.transpose() * r).value();
    A += 2.0 * ((wanted - m.s) / overlap * (r * l.transpose())).real();
  }
  LinearGrid out = *this;
  out.A_ = list_of(A);
  out.find_modes();
  return out;
}

SwingGain LinearGrid::gain(std::size_t bus, double f_Hz) const {
  // Constant power p at the bus takes the current conj(p/v).
  const Complex taken = -std::conj(1.0 / (base_VA_ * v_[bus]));
  const auto by_current = matrix(by_current_, states_.size());
  const Eigen::VectorXd b =
      by_current.col(index(2 * bus)) * taken.real() + by_current.col(index(2 * bus + 1)) * taken.imag();
  Eigen::MatrixXcd M = -matrix(A_, states_.size()).cast<Complex>();
  M.diagonal().array() += Complex(0.0, two_pi * f_Hz);
  const Eigen::VectorXcd x = M.partialPivLu().solve(b.cast<Complex>());
  SwingGain out;
  Complex mean = 0.0;
  for (std::size_t k = 0; k < angle_.size(); ++k) mean += inertia_frac_[k] * x[index(angle_[k])];
  for (const std::size_t a : angle_) {
    out.frequency_Hz.push_back(x[index(a + 1)] * nominal_Hz_);
    out.angle_rad.push_back(x[index(a)] - mean);
  }
  return out;
}

ForcedOscillation forced_oscillation(const LinearGrid& system, const SquareWave& w) {
  if (!(w.period_s > 0.0 && w.duty_frac > 0.0 && w.duty_frac < 1.0 && w.highest_Hz * w.period_s >= 1.0))
    throw InputError("forced oscillation: a positive period, a duty between 0 and 1 and a harmonic below the limit");
  std::vector<SwingGain> line;  // of each harmonic, by W of it
  std::vector<double> line_W;
  constexpr double pi = two_pi / 2.0;
  for (double n = 1.0; n / w.period_s <= w.highest_Hz; n += 1.0) {
    line.push_back(system.gain(w.bus, n / w.period_s));
    line_W.push_back(w.swing_W * 2.0 / (pi * n) * std::sin(pi * n * w.duty_frac));
  }
  ForcedOscillation out;
  const std::size_t n_time = 32 * line.size() + 64;
  /// Largest less smallest over a period of one machine's quantity.
  const auto swing = [&](std::size_t machine, std::vector<Complex> SwingGain::* quantity) {
    double low = 1e300, high = -1e300;
    for (std::size_t i = 0; i < n_time; ++i) {
      double now = 0.0;
      for (std::size_t n = 0; n < line.size(); ++n)
        now += ((line[n].*quantity)[machine] *
                std::polar(1.0, two_pi * static_cast<double>((n + 1) * i) / static_cast<double>(n_time)))
                   .real() *
               line_W[n];
      low = std::min(low, now);
      high = std::max(high, now);
    }
    return high - low;
  };
  for (std::size_t k = 0; k < line.front().frequency_Hz.size(); ++k) {
    const double Hz = swing(k, &SwingGain::frequency_Hz);
    if (Hz > out.peak_to_peak_Hz) out.peak_to_peak_Hz = Hz, out.worst_machine = k;
    out.peak_to_peak_rad = std::max(out.peak_to_peak_rad, swing(k, &SwingGain::angle_rad));
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::grid
