#include "power_flow.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

using Complex = std::complex<double>;

// What each bus must receive, and which of its two values is unknown.
struct Buses {
  std::vector<Complex> wanted;     // injection, pu
  std::vector<std::size_t> angle;  // buses whose angle is unknown
  std::vector<std::size_t> size;   // buses whose voltage is unknown
  std::vector<double> magnitude, theta;
};

Buses buses_of(const MachineCase& c) {
  const std::size_t n = c.bus.number.size();
  Buses b;
  b.wanted.resize(n);
  b.magnitude.assign(n, 1.0);
  b.theta.assign(n, 0.0);
  std::vector<bool> held(n, false);
  for (std::size_t i = 0; i < n; ++i) b.wanted[i] = -Complex(c.bus.load_W[i], c.bus.load_var[i]) / c.base_VA;
  for (std::size_t k = 0; k < c.machine.bus.size(); ++k) {
    const std::size_t i = c.bus_index(c.machine.bus[k]);
    b.wanted[i] += c.machine.power_W[k] / c.base_VA;
    b.magnitude[i] = c.machine.voltage_pu[k];
    held[i] = true;
  }
  const std::size_t slack = c.bus_index(c.slack_bus);
  for (std::size_t i = 0; i < n; ++i) {
    if (i != slack) b.angle.push_back(i);
    if (!held[i]) b.size.push_back(i);
  }
  return b;
}

Complex injection(const std::vector<Complex>& Y, const std::vector<Complex>& V, std::size_t i) {
  Complex current = 0.0;
  for (std::size_t k = 0; k < V.size(); ++k) current += Y[i * V.size() + k] * V[k];
  return V[i] * std::conj(current);
}

std::vector<Complex> phasors(const Buses& b) {
  std::vector<Complex> V(b.theta.size());
  for (std::size_t i = 0; i < V.size(); ++i) V[i] = std::polar(b.magnitude[i], b.theta[i]);
  return V;
}

// ∂S_i/∂θ_k and |V_k| ∂S_i/∂|V_k|.
struct Slopes {
  Complex by_angle, by_size;
};

Slopes slopes(const std::vector<Complex>& Y, const std::vector<Complex>& V, std::size_t i, std::size_t k) {
  const std::size_t n = V.size();
  const Complex j(0.0, 1.0), mutual = V[i] * std::conj(Y[i * n + k] * V[k]);
  if (i != k) return {-j * mutual, mutual};
  const Complex S = injection(Y, V, i);
  return {j * (S - mutual), S + mutual};
}

}  // namespace

std::vector<Complex> admittance(const MachineCase& c) {
  const std::size_t n = c.bus.number.size();
  std::vector<Complex> Y(n * n);
  for (std::size_t k = 0; k < c.branch.from.size(); ++k) {
    const std::size_t a = c.bus_index(c.branch.from[k]), b = c.bus_index(c.branch.to[k]);
    const Complex series = 1.0 / Complex(c.branch.r_pu[k], c.branch.x_pu[k]);
    const Complex shunt(0.0, 0.5 * c.branch.b_pu[k]);
    const double tap = c.branch.tap_ratio[k];
    Y[a * n + a] += (series + shunt) / (tap * tap);
    Y[b * n + b] += series + shunt;
    Y[a * n + b] -= series / tap;
    Y[b * n + a] -= series / tap;
  }
  for (std::size_t i = 0; i < n; ++i) Y[i * n + i] += Complex(0.0, c.bus.shunt_var[i] / c.base_VA);
  return Y;
}

PowerFlow solve_power_flow(const MachineCase& c) {
  c.check();
  const auto Y = admittance(c);
  Buses b = buses_of(c);
  const auto n_angle = static_cast<Eigen::Index>(b.angle.size()), n_size = static_cast<Eigen::Index>(b.size.size());
  PowerFlow out;
  std::vector<Complex> V;
  constexpr int most = 40;
  for (out.iterations = 0; out.iterations <= most; ++out.iterations) {
    V = phasors(b);
    Eigen::VectorXd miss(n_angle + n_size);
    for (Eigen::Index a = 0; a < n_angle; ++a) {
      const std::size_t i = b.angle[static_cast<std::size_t>(a)];
      miss[a] = (b.wanted[i] - injection(Y, V, i)).real();
    }
    for (Eigen::Index a = 0; a < n_size; ++a) {
      const std::size_t i = b.size[static_cast<std::size_t>(a)];
      miss[n_angle + a] = (b.wanted[i] - injection(Y, V, i)).imag();
    }
    out.mismatch_pu = miss.size() == 0 ? 0.0 : miss.cwiseAbs().maxCoeff();
    if (out.mismatch_pu < 1e-11 || !std::isfinite(out.mismatch_pu)) break;
    Eigen::MatrixXd J(n_angle + n_size, n_angle + n_size);
    for (Eigen::Index row = 0; row < J.rows(); ++row) {
      const bool active = row < n_angle;
      const std::size_t i =
          active ? b.angle[static_cast<std::size_t>(row)] : b.size[static_cast<std::size_t>(row - n_angle)];
      for (Eigen::Index col = 0; col < J.cols(); ++col) {
        const bool by_angle = col < n_angle;
        const std::size_t k =
            by_angle ? b.angle[static_cast<std::size_t>(col)] : b.size[static_cast<std::size_t>(col - n_angle)];
        const Slopes s = slopes(Y, V, i, k);
        const Complex d = by_angle ? s.by_angle : s.by_size / b.magnitude[k];
        J(row, col) = active ? d.real() : d.imag();
      }
    }
    const Eigen::VectorXd change = J.partialPivLu().solve(miss);
    for (Eigen::Index a = 0; a < n_angle; ++a) b.theta[b.angle[static_cast<std::size_t>(a)]] += change[a];
    for (Eigen::Index a = 0; a < n_size; ++a) b.magnitude[b.size[static_cast<std::size_t>(a)]] += change[n_angle + a];
  }
  if (!(out.mismatch_pu < 1e-8))
    throw RefusedError(
        fmt::format("grid case: the power flow finds no operating point ({} steps, mismatch {:.3g} of the "
                    "base): the loads are beyond what the network carries at these voltages",
                    out.iterations, out.mismatch_pu));
  out.voltage_pu = V;
  for (std::size_t k = 0; k < c.machine.bus.size(); ++k) {
    const std::size_t i = c.bus_index(c.machine.bus[k]);
    double rating_VA = 0.0, power_W = 0.0;
    for (std::size_t m = 0; m < c.machine.bus.size(); ++m)
      if (c.machine.bus[m] == c.machine.bus[k]) rating_VA += c.machine.rating_VA[m], power_W += c.machine.power_W[m];
    const Complex S = injection(Y, V, i) * c.base_VA + Complex(c.bus.load_W[i], c.bus.load_var[i]);
    const double share = c.machine.rating_VA[k] / rating_VA;
    out.machine_VA.emplace_back(c.machine.power_W[k] + share * (S.real() - power_W), share * S.imag());
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::grid
