#include "fit_noise.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "tidewatt/base/math.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

double median_step_s(std::span<const double> time_s) {
  std::vector<double> step;
  for (std::size_t i = 1; i < time_s.size(); ++i) step.push_back(time_s[i] - time_s[i - 1]);
  if (step.empty()) return 1.0;
  const auto middle = step.begin() + static_cast<std::ptrdiff_t>(step.size() / 2);
  std::nth_element(step.begin(), middle, step.end());
  return *middle > 0.0 ? *middle : 1.0;
}

/// −2 × the restricted log likelihood, and the scale σ_w² that is best for this shape of noise.
struct Scored {
  double score, scale;
};

Scored score_of(const FitNoise& shape, std::span<const double> time_s, std::span<const double> residual,
                const std::vector<std::vector<double>>& columns, std::span<const double> ridge, double guess) {
  const Whitener white(shape, time_s);
  const auto n = static_cast<Eigen::Index>(residual.size()), m = static_cast<Eigen::Index>(columns.size());
  std::vector<double> r(residual.begin(), residual.end());
  white(r);
  const Eigen::Map<const Eigen::VectorXd> y(r.data(), n);
  Eigen::MatrixXd J(n, m);
  for (Eigen::Index k = 0; k < m; ++k) {
    std::vector<double> c = columns[static_cast<std::size_t>(k)];
    white(c);
    J.col(k) = Eigen::Map<const Eigen::VectorXd>(c.data(), n);
  }
  Eigen::MatrixXd H = J.transpose() * J;
  for (Eigen::Index k = 0; k < m; ++k) H(k, k) += guess * ridge[static_cast<std::size_t>(k)];
  const Eigen::LLT<Eigen::MatrixXd> factor(H);
  const Eigen::VectorXd g = J.transpose() * y;
  const double left = std::max(1e-300, y.squaredNorm() - (m ? g.dot(factor.solve(g)) : 0.0));
  double log_H = 0.0;
  for (Eigen::Index k = 0; k < m; ++k) log_H += 2.0 * std::log(factor.matrixL()(k, k));
  const double degrees = static_cast<double>(std::max<Eigen::Index>(1, n - m)), scale = left / degrees;
  return {degrees * std::log(scale) + white.log_determinant() + log_H, scale};
}

}  // namespace

Whitener::Whitener(const FitNoise& noise, std::span<const double> time_s) {
  const double drift = noise.drift * noise.drift, white = noise.white * noise.white;
  double variance = 0.0;  // of the drift after the sample before
  for (std::size_t i = 0; i < time_s.size(); ++i) {
    const double kept = i ? math::exp(-(time_s[i] - time_s[i - 1]) / noise.drift_s) : 0.0;
    const double ahead = kept * kept * variance + drift * (1.0 - kept * kept);
    const double S = ahead + white;
    kept_.push_back(kept);
    gain_.push_back(ahead / S);
    scale_.push_back(1.0 / std::sqrt(S));
    log_determinant_ += std::log(S);
    variance = (1.0 - ahead / S) * ahead;
  }
}

void Whitener::operator()(std::span<double> x) const {
  double drift = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    drift *= kept_[i];
    const double innovation = x[i] - drift;
    drift += gain_[i] * innovation;
    x[i] = innovation * scale_[i];
  }
}

FitNoise fit_noise(std::span<const double> time_s, std::span<const double> residual,
                   const std::vector<std::vector<double>>& columns, std::span<const double> ridge) {
  double sum = 0.0, largest = 0.0;
  for (const double r : residual) sum += r * r, largest = std::max(largest, std::abs(r));
  const double guess = sum / static_cast<double>(std::max<std::size_t>(1, residual.size()));
  if (!(largest > 1e-9)) return {std::max(1e-9, std::sqrt(guess)), 0.0, 1.0};  // a record without noise
  const double step_s = median_step_s(time_s), span_s = time_s.back() - time_s.front();
  FitNoise best;
  double lowest = std::numeric_limits<double>::infinity();
  const auto look = [&](double ratio, double drift_s) {
    const auto s = score_of({1.0, ratio, drift_s}, time_s, residual, columns, ridge, guess);
    if (!(s.score < lowest)) return;
    lowest = s.score;
    best = {std::sqrt(s.scale), ratio * std::sqrt(s.scale), drift_s};
  };
  look(0.0, step_s);
  for (double drift_s = 1.5 * step_s; drift_s <= std::max(1.6 * step_s, 2.0 * span_s); drift_s *= 2.0)
    for (double ratio = 0.1; ratio < 100.0; ratio *= 2.0) look(ratio, drift_s);
  return best;
}

double effective_samples(const FitNoise& noise, std::span<const double> time_s) {
  std::vector<double> one(time_s.size(), 1.0);
  Whitener(noise, time_s)(one);
  double information = 0.0;
  for (const double x : one) information += x * x;
  return information * (noise.white * noise.white + noise.drift * noise.drift);
}

}  // namespace TIDEWATT_NAMESPACE::study
