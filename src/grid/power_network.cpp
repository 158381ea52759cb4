#include "power_network.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace TIDEWATT_NAMESPACE::grid {
namespace {

using Complex = std::complex<double>;
using Kind = PowerNetwork::BusKind;

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

/// Power that machines and loads put into each bus, pu; machines at their scheduled values.
std::vector<Complex> scheduled(const PowerNetwork& n, const std::vector<Complex>& v) {
  std::vector<Complex> out(n.bus.size(), 0.0);
  for (const auto& g : n.generator)
    if (g.in_service) out[g.bus] += g.power_VA / n.base_VA;
  for (const auto& l : n.load)
    if (l.in_service) out[l.bus] -= l.at_VA(std::abs(v[l.bus])) / n.base_VA;
  return out;
}

/// Shares of a bus's generated power among its units: `weight` where all have one sign, else the rating.
template <class Weight>
std::vector<double> shares(const PowerNetwork& n, const std::vector<std::size_t>& units, Weight weight) {
  double sum = 0.0, size = 0.0, rating = 0.0;
  for (const std::size_t g : units) sum += weight(g), size += std::abs(weight(g)), rating += n.generator[g].rating_VA;
  const bool one_sign = size > 1e-9 * rating && std::abs(sum) > 0.999 * size;
  std::vector<double> out;
  for (const std::size_t g : units) out.push_back(one_sign ? weight(g) / sum : n.generator[g].rating_VA / rating);
  return out;
}

/// What the power flow solves for.
struct Unknowns {
  std::vector<std::size_t> angle, size;  // buses whose angle, whose magnitude is free
};

Unknowns unknowns(const PowerNetwork& n, std::vector<Complex>& v) {
  std::vector<double> held(n.bus.size(), 0.0);
  for (const auto& g : n.generator)
    if (g.in_service) held[g.bus] = g.voltage_pu;
  Unknowns u;
  int slack = 0;
  for (std::size_t i = 0; i < n.bus.size(); ++i) {
    v[i] = n.bus[i].voltage_pu;
    if (n.bus[i].kind == Kind::isolated) continue;
    const bool holds = held[i] > 0.0 && n.bus[i].kind != Kind::load;
    if (holds) v[i] = std::polar(held[i], std::arg(v[i]));
    if (n.bus[i].kind == Kind::slack) {
      ++slack;
      if (!holds) throw InputError(fmt::format("network: swing bus {} has no unit in service", n.bus[i].number));
      continue;
    }
    u.angle.push_back(i);
    if (!holds) u.size.push_back(i);
  }
  if (slack != 1) throw InputError(fmt::format("network: {} swing buses (type 3), expected 1", slack));
  return u;
}

struct Newton {
  const PowerNetwork& n;
  std::vector<Complex> Y, v;
  Unknowns u;

  Complex sum(std::size_t i) const {
    Complex out = 0.0;
    for (std::size_t k = 0; k < v.size(); ++k) out += Y[i * v.size() + k] * v[k];
    return out;
  }
  Eigen::VectorXd mismatch() const {
    const auto want = scheduled(n, v);
    Eigen::VectorXd out(index(u.angle.size() + u.size.size()));
    Eigen::Index at = 0;
    for (const std::size_t i : u.angle) out[at++] = want[i].real() - (v[i] * std::conj(sum(i))).real();
    for (const std::size_t i : u.size) out[at++] = want[i].imag() - (v[i] * std::conj(sum(i))).imag();
    return out;
  }
  /// One step of Newton's method with exact derivatives of the network's part and of the loads' voltage dependence.
  void step(const Eigen::VectorXd& error) {
    const Eigen::Index na = index(u.angle.size()), all = index(u.angle.size() + u.size.size());
    Eigen::MatrixXd J(all, all);
    const auto fill = [&](Eigen::Index column, std::size_t k, Complex dv) {  // dv: change of v_k
      const auto rise = [&](std::size_t i) {
        Complex d = v[i] * std::conj(Y[i * v.size() + k] * dv);
        return i == k ? d + dv * std::conj(sum(i)) : d;
      };
      Eigen::Index row = 0;
      for (const std::size_t i : u.angle) J(row++, column) = rise(i).real();
      for (const std::size_t i : u.size) J(row++, column) = rise(i).imag();
    };
    for (Eigen::Index c = 0; c < na; ++c)
      fill(c, u.angle[static_cast<std::size_t>(c)], Complex(0, 1) * v[u.angle[static_cast<std::size_t>(c)]]);
    for (Eigen::Index c = na; c < all; ++c) {
      const std::size_t k = u.size[static_cast<std::size_t>(c - na)];
      fill(c, k, v[k] / std::abs(v[k]));
    }
    const Eigen::VectorXd d = J.partialPivLu().solve(error);
    for (Eigen::Index c = 0; c < na; ++c) v[u.angle[static_cast<std::size_t>(c)]] *= std::polar(1.0, d[c]);
    for (Eigen::Index c = na; c < all; ++c) {
      const std::size_t k = u.size[static_cast<std::size_t>(c - na)];
      v[k] *= std::max(0.2, 1.0 + d[c] / std::abs(v[k]));
    }
  }
};

void share_generation(const Newton& s, NetworkFlow& out) {
  const PowerNetwork& n = s.n;
  out.generated_VA.assign(n.generator.size(), 0.0);
  for (std::size_t i = 0; i < n.bus.size(); ++i) {
    std::vector<std::size_t> units;
    Complex drawn = 0.0, dispatched = 0.0;
    for (std::size_t g = 0; g < n.generator.size(); ++g)
      if (n.generator[g].bus == i && n.generator[g].in_service)
        units.push_back(g), dispatched += n.generator[g].power_VA;
    if (units.empty()) continue;
    for (const auto& l : n.load)
      if (l.bus == i && l.in_service) drawn += l.at_VA(std::abs(s.v[i]));
    const Complex made = n.base_VA * s.v[i] * std::conj(s.sum(i)) + drawn;
    const auto q = shares(n, units, [&](std::size_t g) { return n.generator[g].power_VA.imag(); });
    const auto p = shares(n, units, [&](std::size_t) { return 0.0; });
    for (std::size_t a = 0; a < units.size(); ++a) {
      const double left = made.real() - dispatched.real();  // of the slack bus only; else rounding
      out.generated_VA[units[a]] = {n.generator[units[a]].power_VA.real() + p[a] * left, q[a] * made.imag()};
    }
  }
}

}  // namespace

std::size_t PowerNetwork::bus_index(std::int64_t number) const {
  std::size_t nearest = 0;
  for (std::size_t i = 0; i < bus.size(); ++i) {
    if (bus[i].number == number) return i;
    if (std::abs(bus[i].number - number) < std::abs(bus[nearest].number - number)) nearest = i;
  }
  throw InputError(
      bus.empty() ? "network: has no buses"
                  : fmt::format("network: there is no bus {}; the nearest number is {}", number, bus[nearest].number));
}

std::vector<double> PowerNetwork::bus_load_W() const {
  std::vector<double> out(bus.size(), 0.0);
  for (const Load& l : load)
    if (l.in_service) out[l.bus] += l.at_VA(1.0).real();
  return out;
}

std::int64_t PowerNetwork::largest_load_bus() const {
  const std::vector<double> load_W = bus_load_W();
  return bus[static_cast<std::size_t>(std::max_element(load_W.begin(), load_W.end()) - load_W.begin())].number;
}

std::vector<Complex> admittance(const PowerNetwork& n) {
  const std::size_t size = n.bus.size();
  std::vector<Complex> Y(size * size, 0.0);
  for (std::size_t i = 0; i < size; ++i) Y[i * size + i] += n.bus[i].shunt_VA / n.base_VA;
  for (const auto& b : n.branch) {
    if (!b.in_service) continue;
    const Complex y = 1.0 / b.impedance_pu, half(0.0, 0.5 * b.charging_pu);
    Y[b.from * size + b.from] += (y + half) / std::norm(b.ratio) + b.shunt_from_pu;
    Y[b.to * size + b.to] += y + half + b.shunt_to_pu;
    Y[b.from * size + b.to] -= y / std::conj(b.ratio);
    Y[b.to * size + b.from] -= y / b.ratio;
  }
  return Y;
}

NetworkFlow solve_network(const PowerNetwork& n) {
  Newton s{n, admittance(n), std::vector<Complex>(n.bus.size()), {}};
  s.u = unknowns(n, s.v);
  NetworkFlow out;
  constexpr int most = 40;
  for (;; ++out.iterations) {
    const Eigen::VectorXd error = s.mismatch();
    out.mismatch_pu = error.size() > 0 ? error.cwiseAbs().maxCoeff() : 0.0;
    if (out.mismatch_pu < 1e-10) break;
    if (out.iterations == most || !std::isfinite(out.mismatch_pu))
      throw RefusedError(fmt::format("network: no operating point after {} iterations, mismatch {:.3g} pu",
                                     out.iterations, out.mismatch_pu));
    s.step(error);
  }
  out.voltage_pu = s.v;
  share_generation(s, out);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::grid
