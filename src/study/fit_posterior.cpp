#include "fit_posterior.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

struct Problem {
  const std::vector<PriorParameter>& prior;
  std::span<const double> time_s;
  const Residual& residual;
  double step_z;

  Eigen::Index n_parameter() const { return static_cast<Eigen::Index>(prior.size()); }
  Vector at(const Vector& z) const {
    std::vector<double> p;
    p.reserve(static_cast<std::size_t>(z.size()));
    for (Eigen::Index i = 0; i < z.size(); ++i) p.push_back(prior_value(prior[static_cast<std::size_t>(i)], z[i]));
    Vector r(static_cast<Eigen::Index>(time_s.size()));
    residual(p, std::span<double>(r.data(), time_s.size()));
    return r;
  }
  Matrix derivative(const Vector& z) const {
    Matrix J(static_cast<Eigen::Index>(time_s.size()), z.size());
    for (Eigen::Index i = 0; i < z.size(); ++i) {
      Vector above = z, below = z;
      above[i] += step_z, below[i] -= step_z;
      J.col(i) = (at(above) - at(below)) / (2.0 * step_z);
    }
    return J;
  }
};

void whiten(const Whitener& w, Matrix& columns) {
  for (Eigen::Index i = 0; i < columns.cols(); ++i)
    w({columns.col(i).data(), static_cast<std::size_t>(columns.rows())});
}

struct Mode {
  Vector z;
  double cost;
};

/// Levenberg–Marquardt inside the box |z| ≤ search_sigma.
Mode search(const Problem& problem, const Whitener& w, Vector z) {
  const auto cost_of = [&](const Vector& at, Matrix& r) {
    r = problem.at(at);
    whiten(w, r);
    return r.squaredNorm() + at.squaredNorm();
  };
  Matrix r, tried;
  double cost = cost_of(z, r), damping = 1e-3;
  for (int round = 0; round < 60; ++round) {
    Matrix J = problem.derivative(z);
    whiten(w, J);
    const Matrix H = J.transpose() * J + Matrix::Identity(z.size(), z.size());
    const Vector g = J.transpose() * r.col(0) + z;
    bool better = false;
    double gained = 0.0;
    for (int attempt = 0; attempt < 12 && !better; ++attempt) {
      Matrix damped = H;
      damped.diagonal() *= 1.0 + damping;
      const Vector next = (z - damped.ldlt().solve(g)).cwiseMax(-search_sigma).cwiseMin(search_sigma);
      const double c = cost_of(next, tried);
      better = c < cost;
      damping *= better ? 0.2 : 5.0;
      if (better) gained = cost - c, cost = c, z = next, r = tried;
    }
    if (!better || gained < 1e-7 * (1.0 + 1e-3 * cost)) break;
  }
  return {z, cost};
}

FitNoise noise_of(const Problem& problem, const Vector& z) {
  const Vector r = problem.at(z);
  const Matrix J = problem.derivative(z);
  std::vector<std::vector<double>> columns;
  columns.reserve(static_cast<std::size_t>(J.cols()));
  for (Eigen::Index i = 0; i < J.cols(); ++i) columns.emplace_back(J.col(i).data(), J.col(i).data() + J.rows());
  return fit_noise(problem.time_s, {r.data(), static_cast<std::size_t>(r.size())}, columns,
                   std::vector<double>(columns.size(), 1.0));
}

/// Independent noise of the size of the residuals, for the first look.
FitNoise rough_noise(const Problem& problem, const Vector& z) {
  const Vector r = problem.at(z);
  return {std::max(1e-9, 0.3 * std::sqrt(r.squaredNorm() / static_cast<double>(r.size()))), 0.0, 1.0};
}

}  // namespace

double prior_value(const PriorParameter& p, double z) {
  const double a = p.logarithmic ? std::log(p.low) : p.low, b = p.logarithmic ? std::log(p.high) : p.high;
  const double x = 0.5 * (a + b) + z * 0.5 * (b - a) / normal_95;
  return p.logarithmic ? std::exp(x) : x;
}

FitValue posterior_value(const PriorParameter& p, double z, double sigma_z) {
  const bool identified = sigma_z < identified_width_ratio;
  const double half = normal_95 * sigma_z;
  FitValue v{p.key, prior_value(p, z), identified ? prior_value(p, z - half) : p.low,
             identified ? prior_value(p, z + half) : p.high, identified};
  v.at_bound = std::abs(z) > 0.99 * search_sigma;
  v.prior_low = p.low, v.prior_high = p.high;
  return v;
}

Posterior fit_posterior(const std::vector<PriorParameter>& prior, std::span<const double> time_s,
                        const Residual& residual, double step_z) {
  if (time_s.size() <= prior.size())
    throw InputError(fmt::format("{} samples cannot fix {} parameters", time_s.size(), prior.size()));
  for (const auto& p : prior)
    if (!(p.low < p.high && (!p.logarithmic || p.low > 0.0)))
      throw InputError(fmt::format("{}: {} to {} is no range of a prior", p.key, p.low, p.high));
  const Problem problem{prior, time_s, residual, step_z};
  const Eigen::Index m = problem.n_parameter();

  // First searches from the middle and from both halves of the prior, with independent noise; the best one continues.
  std::optional<Mode> best;
  const FitNoise rough =
      rough_noise(problem, search(problem, Whitener(rough_noise(problem, Vector::Zero(m)), time_s), Vector::Zero(m)).z);
  for (const double side : {0.0, -1.0, 1.0}) {
    const auto mode = search(problem, Whitener(rough, time_s), Vector::Constant(m, side));
    if (!best || mode.cost < best->cost) best = mode;
  }
  FitNoise noise;
  for (int turn = 0; turn < 3; ++turn) {
    noise = noise_of(problem, best->z);
    best = search(problem, Whitener(noise, time_s), best->z);
  }

  Matrix J = problem.derivative(best->z);
  whiten(Whitener(noise, time_s), J);
  const Matrix covariance = (J.transpose() * J + Matrix::Identity(m, m)).inverse();
  const Vector r = problem.at(best->z);
  Posterior out;
  out.prior = prior, out.noise = noise;
  out.residual.assign(r.data(), r.data() + r.size());
  out.fit.rms = std::sqrt(r.squaredNorm() / static_cast<double>(r.size()));
  for (Eigen::Index i = 0; i < m; ++i) {
    out.z.push_back(best->z[i]);
    for (Eigen::Index k = 0; k < m; ++k) out.covariance.push_back(covariance(i, k));
    out.fit.values.push_back(
        posterior_value(prior[static_cast<std::size_t>(i)], best->z[i], std::sqrt(covariance(i, i))));
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
