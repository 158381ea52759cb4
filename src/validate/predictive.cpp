#include "predictive.hpp"

#include <cmath>
#include <map>
#include <stdexcept>
#include <unsupported/Eigen/SpecialFunctions>

namespace TIDEWATT_NAMESPACE::validate {
namespace {

double square(double x) { return x * x; }

}  // namespace

double student_quantile(double p, double degrees) {
  if (p == 0.5) return 0.0;
  // With x = ν/(ν + t²), the two tails beyond ±t hold I_x(ν/2, 1/2), which rises with x: halved until no double lies between.
  const double tails = 2.0 * std::min(p, 1.0 - p);
  double low = 0.0, high = 1.0;
  for (;;) {
    const double x = 0.5 * (low + high);
    if (x == low || x == high) break;
    (Eigen::numext::betainc(0.5 * degrees, 0.5, x) < tails ? low : high) = x;
  }
  return std::copysign(std::sqrt(degrees * (1.0 - high) / high), p - 0.5);
}

double Predictive::quantile(double p) const {
  return spread > 0.0 ? centre + spread * student_quantile(p, degrees) : centre;
}

Predictive predictive(std::span<const double> values, std::span<const std::string> sources) {
  if (values.empty() || values.size() != sources.size())
    throw std::logic_error("predictive: values with a source each");
  std::map<std::string, std::vector<double>> of;
  for (std::size_t i = 0; i < values.size(); ++i) of[sources[i]].push_back(values[i]);
  const std::size_t n_named = of.size();
  if (n_named == 1) {
    of.clear();
    for (std::size_t i = 0; i < values.size(); ++i) of[std::to_string(i)] = {values[i]};
  }
  const auto n = static_cast<double>(values.size()), k = static_cast<double>(of.size());

  // Means of the sources, and what lies within them.
  std::vector<double> means;
  double within = 0.0, inverse_sizes = 0.0;
  for (const auto& [source, x] : of) {
    const auto size = static_cast<double>(x.size());
    double mean = 0.0;
    for (const double v : x) mean += v / size;
    for (const double v : x) within += square(v - mean);
    inverse_sizes += 1.0 / size;
    means.push_back(mean);
  }
  Predictive out{0.0, 0.0, 1.0, n_named};
  for (const double m : means) out.centre += m / k;
  if (k < 2.0) return out;

  double between = 0.0;
  for (const double m : means) between += square(m - out.centre);
  const double a = (1.0 + 1.0 / k) * between / (k - 1.0),
               b = n > k ? (1.0 - inverse_sizes / k) * within / (n - k) : 0.0;
  const double variance = a + b;
  if (!(variance > 0.0)) return out;
  out.spread = std::sqrt(variance);
  out.degrees = square(variance) / (square(a) / (k - 1.0) + (n > k ? square(b) / (n - k) : 0.0));
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::validate
