#include "tidewatt/study/fit.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <unsupported/Eigen/LevenbergMarquardt>

#include "tidewatt/base/error.hpp"

namespace tidewatt::study {
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

double lag_one(const Eigen::VectorXd& r) {
  const Eigen::Index n = r.size() - 1;
  const double all = r.squaredNorm();
  return all > 0.0 && n > 0 ? r.head(n).dot(r.tail(n)) / all : 0.0;
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
  Eigen::LevenbergMarquardt<Problem> search(problem);
  search.setMaxfev(4000);
  Eigen::VectorXd u = problem.start();
  const auto status = search.minimize(u);
  if (status == Eigen::LevenbergMarquardtSpace::ImproperInputParameters ||
      status == Eigen::LevenbergMarquardtSpace::TooManyFunctionEvaluation)
    throw SolverError("least squares: no smallest residual found");

  const auto n = static_cast<Eigen::Index>(n_sample), m = static_cast<Eigen::Index>(parameters.size());
  Eigen::VectorXd r(n);
  problem(u, r);
  Eigen::MatrixXd J(n, m);
  problem.df(u, J);
  Fit fit;
  fit.rms = std::sqrt(r.squaredNorm() / static_cast<double>(n));
  fit.correlation_ratio = std::clamp(lag_one(r), 0.0, 0.99);
  const double variance =
      r.squaredNorm() / static_cast<double>(n - m) * (1.0 + fit.correlation_ratio) / (1.0 - fit.correlation_ratio);
  const Eigen::MatrixXd covariance = (J.transpose() * J).completeOrthogonalDecomposition().pseudoInverse() * variance;
  const auto p = problem.inside(u);
  // A parameter that moves the residuals so much less than the strongest one is lost in the inverse above: no variance to show.
  constexpr double least_felt = 1e-7;
  const double strongest = J.colwise().norm().maxCoeff();
  for (Eigen::Index i = 0; i < m; ++i) {
    const auto& q = parameters[static_cast<std::size_t>(i)];
    const double value = p[static_cast<std::size_t>(i)];
    const double slope = 0.5 * (q.high - q.low) * std::cos(u[i]);
    const double half = 1.96 * std::sqrt(std::max(0.0, covariance(i, i))) * std::abs(slope);
    const bool felt = J.col(i).norm() > least_felt * strongest;
    const double low = felt ? std::max(q.low, value - half) : q.low, high = felt ? std::min(q.high, value + half) : q.high;
    fit.values.push_back({q.key, value, low, high, high - low < 0.9 * (q.high - q.low)});
  }
  return fit;
}

}  // namespace tidewatt::study
