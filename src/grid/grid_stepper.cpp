#include "grid_stepper.hpp"

#include <fmt/format.h>

#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

using Complex = std::complex<double>;
using Sparse = Eigen::SparseMatrix<double>;
using Triplets = std::vector<Eigen::Triplet<double>>;
constexpr double nudge = 1e-7, converged = 1e-10;
// An infinite bus behind a small reactance balances to its rounding only: a change this small ends the search too.
constexpr double negligible = 1e-12;

int to_int(std::size_t i) { return static_cast<int>(i); }

void add(Triplets& t, std::size_t row, std::size_t column, double value) {
  if (value != 0.0) t.emplace_back(to_int(row), to_int(column), value);
}
/// ∂(re, im)/∂(the variable of `column`).
void add_current(Triplets& t, std::size_t row, std::size_t column, Complex change) {
  add(t, row, column, change.real());
  add(t, row + 1, column, change.imag());
}

/// Derivatives of the network's balance by the voltages, but for the units' share.
void network_part(const GridSystem& s, const GridState& y, std::size_t at, Triplets& t) {
  const std::size_t n = y.v.size();
  const auto& Y = s.admittances();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k)
      if (Y[i * n + k] != Complex(0.0)) {
        add_current(t, at + 2 * i, at + 2 * k, -Y[i * n + k]);
        add_current(t, at + 2 * i, at + 2 * k + 1, -Y[i * n + k] * Complex(0, 1));
      }
    const Complex own = s.load_current(i, y.v[i]);
    add_current(t, at + 2 * i, at + 2 * i, -(s.load_current(i, y.v[i] + nudge) - own) / nudge);
    add_current(t, at + 2 * i, at + 2 * i + 1, -(s.load_current(i, y.v[i] + Complex(0, nudge)) - own) / nudge);
  }
}

/// Derivatives of a unit's current and, where `half_step_s` > 0, of its trapezoidal equations.
void unit_part(const GridSystem& s, const GridState& y, std::size_t u, std::size_t at, double half_step_s,
               const std::vector<bool>& held, Triplets& t) {
  const auto all = std::span<const double>(y.x);
  const auto x = s.part(all, u);
  const auto first = static_cast<std::size_t>(x.data() - all.data());
  const std::size_t bus = at + 2 * s.bus_of(u);
  const Complex v = y.v[s.bus_of(u)];
  std::vector<double> moved(x.begin(), x.end()), rate0(x.size()), rate1(x.size());
  s.unit(u).rates(x, v, rate0);
  const Complex current0 = s.unit(u).current(x, v);
  const auto column = [&](std::size_t c, Complex v1, bool with_rows) {
    s.unit(u).rates(moved, v1, rate1);
    add_current(t, bus, c, s.to_base(u) * (s.unit(u).current(moved, v1) - current0) / nudge);
    if (!with_rows) return;
    for (std::size_t r = 0; r < x.size(); ++r)
      if (!held[first + r]) add(t, first + r, c, -half_step_s * (rate1[r] - rate0[r]) / nudge);
  };
  for (std::size_t c = 0; half_step_s > 0.0 && c < x.size(); ++c) {
    moved[c] += nudge;
    column(first + c, v, true);
    moved[c] = x[c];
  }
  column(bus, v + nudge, half_step_s > 0.0);
  column(bus + 1, v + Complex(0, nudge), half_step_s > 0.0);
}

}  // namespace

struct GridStepper::Impl {
  Eigen::SparseLU<Sparse> lu, network_lu;
  std::vector<StateLimit> limits;
  std::vector<bool> held;
  double factored_step_s = 0.0;
  std::vector<double> end_rate;
  std::vector<Complex> lack;

  static void factor(Eigen::SparseLU<Sparse>& solver, const Triplets& t, std::size_t n, double time_s) {
    Sparse J(to_int(n), to_int(n));
    J.setFromTriplets(t.begin(), t.end());
    J.makeCompressed();
    solver.compute(J);
    if (solver.info() != Eigen::Success)
      throw SolverError(fmt::format("network at {:.3f} s: its equations are singular", time_s));
  }
  void factor_step(const GridSystem& s, const GridState& y, double step_s, double time_s) {
    const std::size_t nx = y.x.size();
    Triplets t;
    for (std::size_t i = 0; i < nx; ++i) add(t, i, i, 1.0);
    network_part(s, y, nx, t);
    for (std::size_t u = 0; u < s.n_unit(); ++u)
      if (s.connected(u)) unit_part(s, y, u, nx, 0.5 * step_s, held, t);
    factor(lu, t, nx + 2 * y.v.size(), time_s);
    factored_step_s = step_s;
  }
  /// Fills the residual of the step. @returns its largest value
  double residual(const GridSystem& s, const GridState& y, const GridState& y0, std::span<const double> begin_rate,
                  double half_s, Eigen::VectorXd& out) {
    const std::size_t nx = y.x.size();
    s.rates(y, end_rate);
    for (std::size_t i = 0; i < nx; ++i)
      out[to_int(i)] = y.x[i] - y0.x[i] - (held[i] ? 0.0 : half_s * (begin_rate[i] + end_rate[i]));
    s.imbalance(y, lack);
    for (std::size_t b = 0; b < y.v.size(); ++b)
      out[to_int(nx + 2 * b)] = lack[b].real(), out[to_int(nx + 2 * b + 1)] = lack[b].imag();
    return out.cwiseAbs().maxCoeff();
  }
};

GridStepper::GridStepper() : impl_(std::make_unique<Impl>()) {}
GridStepper::~GridStepper() = default;
GridStepper::GridStepper(GridStepper&&) noexcept = default;
GridStepper& GridStepper::operator=(GridStepper&&) noexcept = default;

void GridStepper::settle(const GridSystem& system, GridState& y, double time_s) {
  Impl& m = *impl_;
  m.lack.resize(y.v.size());
  Eigen::VectorXd r(to_int(2 * y.v.size()));
  for (int i = 0; i < 30; ++i) {
    system.imbalance(y, m.lack);
    for (std::size_t b = 0; b < y.v.size(); ++b)
      r[to_int(2 * b)] = m.lack[b].real(), r[to_int(2 * b + 1)] = m.lack[b].imag();
    if (r.cwiseAbs().maxCoeff() < converged) return;
    Triplets t;
    network_part(system, y, 0, t);
    for (std::size_t u = 0; u < system.n_unit(); ++u)
      if (system.connected(u)) unit_part(system, y, u, 0, 0.0, {}, t);
    Impl::factor(m.network_lu, t, 2 * y.v.size(), time_s);
    const Eigen::VectorXd d = m.network_lu.solve(r);
    for (std::size_t b = 0; b < y.v.size(); ++b) y.v[b] -= Complex(d[to_int(2 * b)], d[to_int(2 * b + 1)]);
    if (d.cwiseAbs().maxCoeff() < negligible) return;
  }
  throw SolverError(fmt::format("network at {:.3f} s: no voltages supply the load", time_s));
}

void GridStepper::step(const GridSystem& system, GridState& y, std::span<const double> begin_rate, double step_s,
                       double time_s) {
  Impl& m = *impl_;
  const std::size_t nx = y.x.size();
  if (m.limits.empty()) m.limits = system.limits();
  m.end_rate.resize(nx);
  m.lack.resize(y.v.size());
  std::vector<bool> held(nx, false);
  for (std::size_t i = 0; i < nx; ++i)
    held[i] = (y.x[i] >= m.limits[i].high && begin_rate[i] > 0.0) || (y.x[i] <= m.limits[i].low && begin_rate[i] < 0.0);
  if (held != m.held) m.held = held, m.factored_step_s = 0.0;
  const GridState y0 = y;
  Eigen::VectorXd r(to_int(nx + 2 * y.v.size()));
  bool fresh = false;
  double worst = m.residual(system, y, y0, begin_rate, 0.5 * step_s, r);
  for (int i = 0; worst > converged; ++i) {
    if (i == 60 || !std::isfinite(worst)) {
      Eigen::Index at = 0;
      r.cwiseAbs().maxCoeff(&at);
      const auto k = static_cast<std::size_t>(at);
      throw SolverError(fmt::format(
          "network at {:.3f} s: the step does not converge, worst: {}", time_s,
          k < nx ? system.state_name(k) : fmt::format("bus {}", system.network().bus[(k - nx) / 2].number)));
    }
    // Another step length, or slow convergence with old derivatives: recompute them.
    if (std::abs(m.factored_step_s - step_s) > 1e-12 || (i >= 5 && !fresh) || (i > 5 && i % 10 == 0)) {
      m.factor_step(system, y, step_s, time_s);
      fresh = true;
    }
    const Eigen::VectorXd d = m.lu.solve(r);
    for (std::size_t k = 0; k < nx; ++k) y.x[k] -= d[to_int(k)];
    for (std::size_t b = 0; b < y.v.size(); ++b) y.v[b] -= Complex(d[to_int(nx + 2 * b)], d[to_int(nx + 2 * b + 1)]);
    worst = m.residual(system, y, y0, begin_rate, 0.5 * step_s, r);
    if (d.cwiseAbs().maxCoeff() < negligible) break;
  }
  bool cut = false;
  for (std::size_t i = 0; i < nx; ++i)
    if (const double inside = std::clamp(y.x[i], m.limits[i].low, m.limits[i].high); inside != y.x[i])
      y.x[i] = inside, cut = true;
  if (cut) settle(system, y, time_s + step_s);
}

}  // namespace TIDEWATT_NAMESPACE::grid
