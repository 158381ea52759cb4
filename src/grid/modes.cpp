#include "modes.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

using Complex = std::complex<double>;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
constexpr double two_pi = 6.283185307179586476925287;

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

RowMajor pick(const RowMajor& from, const std::vector<std::size_t>& rows, const std::vector<std::size_t>& columns) {
  RowMajor out(index(rows.size()), index(columns.size()));
  for (std::size_t a = 0; a < rows.size(); ++a)
    for (std::size_t b = 0; b < columns.size(); ++b) out(index(a), index(b)) = from(index(rows[a]), index(columns[b]));
  return out;
}

}  // namespace

LinearSystem::LinearSystem(const MachineSystem& system) {
  const numerics::DaeShape shape = system.shape();
  const auto& y = system.rest();
  const std::size_t n = y.size();
  const auto entries = numerics::dae_jacobian(system, 0.0, y, shape.typical);
  const RowMajor J = Eigen::Map<const RowMajor>(entries.data(), index(n), index(n));
  std::vector<std::size_t> x, z, place(n);
  for (std::size_t i = 0; i < n; ++i) {
    place[i] = shape.differential[i] ? x.size() : z.size();
    (shape.differential[i] ? x : z).push_back(i);
  }
  n_ = x.size();
  base_VA_ = system.machine_case().base_VA;
  nominal_Hz_ = system.machine_case().nominal_Hz;
  for (const std::size_t i : x) states_.push_back(shape.names[i]);
  for (std::size_t k = 0; k < system.n_machine(); ++k) {
    speed_.push_back(place[system.speed_at(k)]);
    angle_.push_back(place[system.angle_at(k)]);
    inertia_frac_.push_back(system.inertia_frac(k));
  }
  MachineSystem up = system, down = system;  // the site's draw enters the balance of its bus alone
  const double step_pu = 1e-4;
  up.set_site(step_pu * base_VA_, 0.0);
  down.set_site(-step_pu * base_VA_, 0.0);
  std::vector<double> above(n), below(n);
  up.equations(0.0, y, above);
  down.equations(0.0, y, below);
  Eigen::VectorXd g_u(index(z.size()));
  for (std::size_t a = 0; a < z.size(); ++a) g_u[index(a)] = (above[z[a]] - below[z[a]]) / (2.0 * step_pu);
  const Eigen::PartialPivLU<Eigen::MatrixXd> g_z(pick(J, z, z));
  const RowMajor f_z = pick(J, x, z);
  const Eigen::MatrixXd A = Eigen::MatrixXd(pick(J, x, x)) - f_z * g_z.solve(Eigen::MatrixXd(pick(J, z, x)));
  const Eigen::VectorXd b = -f_z * g_z.solve(g_u);
  A_.resize(n_ * n_);
  Eigen::Map<RowMajor>(A_.data(), index(n_), index(n_)) = A;
  b_.assign(b.data(), b.data() + b.size());
  find_modes();
}

void LinearSystem::find_modes() {
  const Eigen::MatrixXd A = Eigen::Map<const RowMajor>(A_.data(), index(n_), index(n_));
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(A);
  if (solver.info() != Eigen::Success) throw SolverError("grid modes: the eigenvalues were not found");
  const Eigen::MatrixXcd right = solver.eigenvectors(), left = right.inverse();
  for (std::size_t k = 0; k < n_; ++k) {
    Mode m;
    m.s = solver.eigenvalues()[index(k)];
    if (m.s.imag() < 0.0) continue;
    m.frequency_Hz = m.s.imag() / two_pi;
    m.damping_frac = std::abs(m.s) > 0.0 ? -m.s.real() / std::abs(m.s) : 0.0;
    double all = 0.0, rotors = 0.0, largest = 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
      const double p = std::abs(right(index(i), index(k)) * left(index(k), index(i)));
      m.participation.push_back(p);
      all += p;
      largest = std::max(largest, p);
    }
    for (std::size_t a = 0; a < speed_.size(); ++a) rotors += m.participation[speed_[a]] + m.participation[angle_[a]];
    m.rotor_frac = rotors / all;
    for (double& p : m.participation) p /= largest;
    Complex top = 0.0;
    for (const std::size_t a : speed_) {
      m.shape_pu.push_back(right(index(a), index(k)));
      if (std::abs(m.shape_pu.back()) > std::abs(top)) top = m.shape_pu.back();
    }
    if (std::abs(top) > 0.0)
      for (Complex& v : m.shape_pu) v /= top;
    modes_.push_back(std::move(m));
  }
  std::stable_sort(modes_.begin(), modes_.end(),
                   [](const Mode& a, const Mode& b) { return a.frequency_Hz < b.frequency_Hz; });
}

std::vector<Mode> LinearSystem::swing_modes() const {
  std::vector<Mode> out;
  for (const Mode& m : modes_)
    if (m.frequency_Hz > 0.05 && m.frequency_Hz < 5.0 && m.rotor_frac > 0.5) out.push_back(m);
  return out;
}

LinearSystem LinearSystem::with_swing_damping(double damping_frac) const {
  if (!(std::abs(damping_frac) < 1.0)) throw InputError("grid modes: a damping ratio lies between -1 and 1");
  const Eigen::MatrixXd A = Eigen::Map<const RowMajor>(A_.data(), index(n_), index(n_));
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(A);
  Eigen::VectorXcd s = solver.eigenvalues();
  const double cosine = std::sqrt(1.0 - damping_frac * damping_frac);
  for (const Mode& m : swing_modes())
    for (Complex& value : s) {
      const bool same = std::abs(value.real() - m.s.real()) + std::abs(std::abs(value.imag()) - m.s.imag()) < 1e-9;
      if (same) value = std::abs(m.s) * Complex(-damping_frac, std::copysign(cosine, value.imag()));
    }
  const Eigen::MatrixXcd V = solver.eigenvectors();
  LinearSystem out = *this;
  Eigen::Map<RowMajor>(out.A_.data(), index(n_), index(n_)) = (V * s.asDiagonal() * V.inverse()).real();
  out.modes_.clear();
  out.find_modes();
  return out;
}

std::vector<Complex> LinearSystem::response(double f_Hz) const {
  Eigen::MatrixXcd M = -Eigen::Map<const RowMajor>(A_.data(), index(n_), index(n_)).cast<Complex>();
  for (std::size_t i = 0; i < n_; ++i) M(index(i), index(i)) += Complex(0.0, two_pi * f_Hz);
  const Eigen::VectorXcd b = Eigen::Map<const Eigen::VectorXd>(b_.data(), index(n_)).cast<Complex>() / base_VA_;
  const Eigen::VectorXcd x = M.partialPivLu().solve(b);
  return {x.data(), x.data() + x.size()};
}

SwingGain LinearSystem::gain(double f_Hz) const {
  const auto x = response(f_Hz);
  SwingGain out;
  Complex mean = 0.0;
  for (std::size_t k = 0; k < angle_.size(); ++k) mean += inertia_frac_[k] * x[angle_[k]];
  for (const std::size_t a : speed_) out.frequency_Hz.push_back(x[a] * nominal_Hz_);
  for (const std::size_t a : angle_) out.angle_rad.push_back(x[a] - mean);
  return out;
}

ForcedOscillation forced_oscillation(const LinearSystem& system, double swing_W, double period_s, double duty_frac,
                                     double highest_Hz) {
  if (!(period_s > 0.0 && duty_frac > 0.0 && duty_frac < 1.0 && highest_Hz * period_s >= 1.0))
    throw InputError("forced oscillation: a positive period, a duty between 0 and 1 and a harmonic below the limit");
  struct Line {
    double order, amplitude_W;
    SwingGain gain;
  };
  std::vector<Line> lines;
  constexpr double pi = two_pi / 2.0;
  for (double n = 1.0; n / period_s <= highest_Hz; n += 1.0) {
    const double amplitude_W = swing_W * 2.0 / (pi * n) * std::sin(pi * n * duty_frac);
    lines.push_back({n, amplitude_W, system.gain(n / period_s)});
  }
  ForcedOscillation out{period_s, 0.0, 0, 0.0};
  const std::size_t n_machine = lines.front().gain.frequency_Hz.size(), n_time = 32 * lines.size() + 64;
  for (std::size_t k = 0; k < n_machine; ++k) {
    double lo_Hz = 1e300, hi_Hz = -1e300, lo_rad = 1e300, hi_rad = -1e300;
    for (std::size_t i = 0; i < n_time; ++i) {
      double Hz = 0.0, rad = 0.0;
      for (const Line& l : lines) {
        const Complex turn =
            std::polar(l.amplitude_W, two_pi * l.order * static_cast<double>(i) / static_cast<double>(n_time));
        Hz += (l.gain.frequency_Hz[k] * turn).real();
        rad += (l.gain.angle_rad[k] * turn).real();
      }
      lo_Hz = std::min(lo_Hz, Hz), hi_Hz = std::max(hi_Hz, Hz);
      lo_rad = std::min(lo_rad, rad), hi_rad = std::max(hi_rad, rad);
    }
    if (hi_Hz - lo_Hz > out.peak_to_peak_Hz) out.peak_to_peak_Hz = hi_Hz - lo_Hz, out.worst_machine = k;
    out.peak_to_peak_rad = std::max(out.peak_to_peak_rad, hi_rad - lo_rad);
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::grid
