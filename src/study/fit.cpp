#include "fit.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <unsupported/Eigen/LevenbergMarquardt>

#include "fit_noise.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

struct Problem : Eigen::DenseFunctor<double> {
  Problem(const std::vector<FitParameter>& parameters, std::size_t n_sample, const Residual& residual)
      : DenseFunctor(static_cast<int>(parameters.size()), static_cast<int>(n_sample)),
        list(parameters),
        call(residual) {}

  std::vector<double> inside(const Eigen::VectorXd& u) const {
    std::vector<double> p(list.size());
    for (std::size_t i = 0; i < p.size(); ++i)
      p[i] = list[i].low + (list[i].high - list[i].low) * 0.5 * (1.0 + std::sin(u[static_cast<Eigen::Index>(i)]));
    return p;
  }
  Eigen::VectorXd start() const {
    Eigen::VectorXd u(static_cast<Eigen::Index>(list.size()));
    for (std::size_t i = 0; i < list.size(); ++i) {
      const double x = 2.0 * (list[i].start - list[i].low) / (list[i].high - list[i].low) - 1.0;
      u[static_cast<Eigen::Index>(i)] = std::asin(std::clamp(x, -0.99, 0.99));
    }
    return u;
  }
  int operator()(const Eigen::VectorXd& u, Eigen::VectorXd& r) const {
    const auto p = inside(u);
    call(p, std::span<double>(r.data(), static_cast<std::size_t>(r.size())));
    return 0;
  }
  int df(const Eigen::VectorXd& u, Eigen::MatrixXd& jacobian) const {
    Eigen::VectorXd above(values()), below(values());
    for (Eigen::Index i = 0; i < u.size(); ++i) {
      Eigen::VectorXd moved = u;
      const double step = 1e-4;
      moved[i] = u[i] + step;
      (*this)(moved, above);
      moved[i] = u[i] - step;
      (*this)(moved, below);
      jacobian.col(i) = (above - below) / (2.0 * step);
    }
    return 0;
  }
  const std::vector<FitParameter>& list;
  const Residual& call;
};

/// Derivatives of the residuals by every parameter in shares of its range, one-sided at its ends.
Eigen::MatrixXd shares(const std::vector<FitParameter>& list, const std::vector<double>& p, std::size_t n_sample,
                       const Residual& residual) {
  const auto n = static_cast<Eigen::Index>(n_sample);
  Eigen::MatrixXd J(n, static_cast<Eigen::Index>(list.size()));
  Eigen::VectorXd above(n), below(n);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const double range = list[i].high - list[i].low,
                 step = 1e-2 * range;  // wide, since phases of meters make a staircase of some models
    std::vector<double> up = p, down = p;
    up[i] = std::min(list[i].high, p[i] + step), down[i] = std::max(list[i].low, p[i] - step);
    residual(up, {above.data(), n_sample});
    residual(down, {below.data(), n_sample});
    J.col(static_cast<Eigen::Index>(i)) = (above - below) * (range / (up[i] - down[i]));
  }
  return J;
}

/// V J for the noise's covariance V between samples one apart: each exponential tail is a running sum, forwards and backwards.
Eigen::MatrixXd covariance_times(const FitNoise& noise, const Eigen::MatrixXd& J) {
  const double kept = std::exp(-1.0 / noise.drift_s), drift = noise.drift * noise.drift;
  Eigen::MatrixXd out = noise.white * noise.white * J;
  for (Eigen::Index k = 0; k < J.cols(); ++k) {
    double before = 0.0, after = 0.0;
    for (Eigen::Index i = 0; i < J.rows(); ++i) {
      before = kept * before + J(i, k);
      out(i, k) += drift * before;
    }
    for (Eigen::Index i = J.rows(); i-- > 0;) {
      out(i, k) += drift * after;
      after = kept * (after + J(i, k));
    }
  }
  return out;
}

FitNoise noise_of(const Eigen::VectorXd& r, const Eigen::MatrixXd& J) {
  std::vector<double> index(static_cast<std::size_t>(r.size()));
  std::iota(index.begin(), index.end(), 0.0);
  std::vector<std::vector<double>> columns;
  columns.reserve(static_cast<std::size_t>(J.cols()));
  for (Eigen::Index k = 0; k < J.cols(); ++k) columns.emplace_back(J.col(k).data(), J.col(k).data() + J.rows());
  // Before the samples, a parameter is spread evenly over its range: a variance of 1/12.
  return fit_noise(index, {r.data(), index.size()}, columns, std::vector<double>(columns.size(), 12.0));
}

}  // namespace

double Fit::operator[](std::string_view key) const {
  for (const auto& v : values)
    if (v.key == key) return v.value;
  throw InputError(fmt::format("the fit has no parameter '{}'", key));
}

Fit least_squares(const std::vector<FitParameter>& parameters, std::size_t n_sample, const Residual& residual) {
  if (n_sample <= parameters.size())
    throw InputError(fmt::format("{} samples cannot fix {} parameters", n_sample, parameters.size()));
  for (const auto& p : parameters)
    if (!(p.low < p.high && p.start >= p.low && p.start <= p.high))
      throw InputError(fmt::format("{}: start {} is not between {} and {}", p.key, p.start, p.low, p.high));
  Problem problem(parameters, n_sample, residual);
  // The staircases of meters can shrink the steps until the search creeps: it begins again from where it came to.
  constexpr int most_turns = 5, most_evaluations = 4000;
  Eigen::VectorXd u = problem.start();
  for (int turn = 0;; ++turn) {
    Eigen::LevenbergMarquardt<Problem> search(problem);
    search.setMaxfev(most_evaluations);
    const auto status = search.minimize(u);
    if (status == Eigen::LevenbergMarquardtSpace::ImproperInputParameters)
      throw SolverError("least squares: no smallest residual found: it is no number at the start");
    if (status != Eigen::LevenbergMarquardtSpace::TooManyFunctionEvaluation) break;
    if (turn + 1 == most_turns)
      throw SolverError(
          fmt::format("least squares: no smallest residual found: it still falls after {} evaluations, so the samples "
                      "do not tell the parameters apart",
                      most_turns * most_evaluations));
  }

  const auto n = static_cast<Eigen::Index>(n_sample), m = static_cast<Eigen::Index>(parameters.size());
  Eigen::VectorXd r(n);
  problem(u, r);
  const auto p = problem.inside(u);
  const Eigen::MatrixXd J = shares(parameters, p, n_sample, residual);
  Fit fit;
  fit.rms = std::sqrt(r.squaredNorm() / static_cast<double>(n));
  fit.noise = noise_of(r, J);
  fit.residual.assign(r.data(), r.data() + r.size());
  const Eigen::MatrixXd inverse = (J.transpose() * J).completeOrthogonalDecomposition().pseudoInverse();
  const Eigen::MatrixXd covariance = inverse * (J.transpose() * covariance_times(fit.noise, J)) * inverse;
  // A parameter with so much less effect on the residuals than the strongest one is lost in the inverse above: it has no
  // variance.
  constexpr double least_felt = 1e-7, at_end = 1e-3;
  constexpr double identified_ratio =
      0.8 * 0.95;  // of the range, of which 95 % would be the interval before any sample
  const double strongest = J.colwise().norm().maxCoeff();
  for (Eigen::Index i = 0; i < m; ++i) {
    const auto& q = parameters[static_cast<std::size_t>(i)];
    const double value = p[static_cast<std::size_t>(i)], range = q.high - q.low;
    const double half = 1.96 * range * std::sqrt(std::max(0.0, covariance(i, i)));
    const bool felt = J.col(i).norm() > least_felt * strongest;
    const double low = felt ? std::max(q.low, value - half) : q.low,
                 high = felt ? std::min(q.high, value + half) : q.high;
    const bool identified = high - low < identified_ratio * range;
    const bool at_bound =
        identified && (q.high - value < at_end * range || (!q.low_is_natural && value - q.low < at_end * range));
    fit.values.push_back({q.key, value, low, high, identified, at_bound, q.low, q.high});
  }
  return fit;
}

}  // namespace TIDEWATT_NAMESPACE::study
