#include "fit_population.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// A chip's likelihood as precision and precision · mean: the posterior without the prior.
struct Likelihood {
  Matrix precision;
  Vector weighted;
};

Likelihood likelihood_of(const ChipPosterior& chip) {
  const auto m = static_cast<Eigen::Index>(chip.z.size());
  const Matrix C = Eigen::Map<const Matrix>(chip.covariance.data(), m, m);
  const Matrix posterior = C.inverse();
  return {posterior - Matrix::Identity(m, m), posterior * Eigen::Map<const Vector>(chip.z.data(), m)};
}

struct AtSpread {
  Vector mean;
  Matrix covariance;
  double log_weight;
};

/// The type's parameters for a given scatter T of the chips, and the probability of all chips under it.
AtSpread at_spread(const std::vector<Likelihood>& chips, const Matrix& T, double log_prior) {
  const Eigen::Index m = T.rows();
  const Matrix one = Matrix::Identity(m, m);
  Matrix precision = one;
  Vector weighted = Vector::Zero(m);
  double log_weight = log_prior;
  for (const auto& c : chips) {
    // (Λ⁻¹ + T)⁻¹ without inverting Λ, which is singular where the chip's log has no information.
    const Matrix mixed = one + c.precision * T;
    const auto solver = mixed.partialPivLu();
    precision += solver.solve(c.precision);
    weighted += solver.solve(c.weighted);
    log_weight += 0.5 * c.weighted.dot(T * solver.solve(c.weighted)) - 0.5 * std::log(std::abs(solver.determinant()));
  }
  const Matrix covariance = precision.inverse();
  const Vector mean = covariance * weighted;
  log_weight += 0.5 * weighted.dot(mean) - 0.5 * std::log(precision.determinant());
  return {mean, covariance, log_weight};
}

}  // namespace

ChipPosterior chip_part(const Posterior& p, std::size_t n) {
  ChipPosterior out;
  for (std::size_t i = 0; i < n; ++i) {
    out.z.push_back(p.z[i]);
    for (std::size_t k = 0; k < n; ++k) out.covariance.push_back(p.covariance_at(i, k));
  }
  return out;
}

Population fit_population(const std::vector<ChipPosterior>& chips, const std::vector<PriorParameter>& prior,
                          const std::vector<bool>& varies, const PriorParameter& spread) {
  if (chips.empty()) throw InputError("a population needs one chip at least");
  const auto m = static_cast<Eigen::Index>(prior.size());
  std::vector<Likelihood> likelihoods;
  likelihoods.reserve(chips.size());
  for (const auto& c : chips) likelihoods.push_back(likelihood_of(c));

  // s on a grid of its prior; each point's weight is its probability.
  constexpr int n_point = 61;
  std::vector<AtSpread> at;
  std::vector<double> z_of;
  for (int i = 0; i < n_point; ++i) {
    const double z = -3.0 + 6.0 * i / (n_point - 1), s = prior_value(spread, z);
    Matrix T = Matrix::Zero(m, m);
    for (Eigen::Index k = 0; k < m; ++k) {
      const auto& p = prior[static_cast<std::size_t>(k)];
      const double sigma = std::log(p.high / p.low) / (2.0 * normal_95);  // of the logarithm, per z
      if (varies[static_cast<std::size_t>(k)]) T(k, k) = s * s / (sigma * sigma);
    }
    z_of.push_back(z);
    at.push_back(at_spread(likelihoods, T, -0.5 * z * z));
  }
  double largest = at.front().log_weight, sum = 0.0;
  for (const auto& a : at) largest = std::max(largest, a.log_weight);
  for (auto& a : at) sum += std::exp(a.log_weight - largest);

  // Mean and covariance of the mixture.
  Vector mean = Vector::Zero(m);
  Matrix second = Matrix::Zero(m, m);
  double z_mean = 0.0, z_square = 0.0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const double w = std::exp(at[i].log_weight - largest) / sum;
    mean += w * at[i].mean;
    second += w * (at[i].covariance + at[i].mean * at[i].mean.transpose());
    z_mean += w * z_of[i], z_square += w * z_of[i] * z_of[i];
  }
  const Matrix covariance = second - mean * mean.transpose();
  Population out;
  for (Eigen::Index i = 0; i < m; ++i) {
    out.z.push_back(mean[i]);
    for (Eigen::Index k = 0; k < m; ++k) out.covariance.push_back(covariance(i, k));
    out.values.push_back(posterior_value(prior[static_cast<std::size_t>(i)], mean[i], std::sqrt(covariance(i, i))));
  }
  out.spread = posterior_value(spread, z_mean, std::sqrt(std::max(1e-12, z_square - z_mean * z_mean)));
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
