#include "trace_fit.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <numbers>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::workload {
namespace {

double turn_rad(double t_s, double period_s, int k) {
  const double turns = t_s / period_s;
  return 2.0 * std::numbers::pi * k * (turns - std::floor(turns));
}

}  // namespace

double PeriodicFit::at(double t_s) const {
  double y = mean;
  for (std::size_t k = 0; k < amplitude.size(); ++k)
    y += amplitude[k] * std::cos(turn_rad(t_s, period_s, static_cast<int>(k) + 1) - phase_rad[k]);
  return y;
}

PeriodicFit fit_periodic(std::span<const double> time_s, std::span<const double> value, double period_s,
                         int n_harmonic) {
  const auto n = static_cast<Eigen::Index>(time_s.size());
  const Eigen::Index n_unknown = 1 + 2 * n_harmonic;
  if (n_harmonic < 1 || !(period_s > 0.0) || value.size() != time_s.size() || n < 2 * n_unknown)
    throw InputError(fmt::format("periodic fit: {} instants, {} values, {} harmonics of {} s", n, value.size(),
                                 n_harmonic, period_s));
  Eigen::MatrixXd a(n, n_unknown);
  Eigen::VectorXd y(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    y(i) = value[at];
    a(i, 0) = 1.0;
    for (int k = 1; k <= n_harmonic; ++k) {
      const double w = turn_rad(time_s[at], period_s, k);
      a(i, 2 * k - 1) = std::cos(w);
      a(i, 2 * k) = std::sin(w);
    }
  }
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(a);
  qr.setThreshold(1e-6);
  if (qr.rank() < n_unknown)
    throw InputError(
        fmt::format("periodic fit: the instants do not tell {} harmonics of {} s apart", n_harmonic, period_s));
  const Eigen::VectorXd x = qr.solve(y);
  PeriodicFit fit;
  fit.period_s = period_s;
  fit.mean = x(0);
  for (int k = 1; k <= n_harmonic; ++k) {
    fit.amplitude.push_back(std::hypot(x(2 * k - 1), x(2 * k)));
    fit.phase_rad.push_back(std::atan2(x(2 * k), x(2 * k - 1)));
  }
  const double left = (y - a * x).squaredNorm(), all = (y.array() - y.mean()).matrix().squaredNorm();
  fit.residual_rms = std::sqrt(left / static_cast<double>(n));
  fit.explained_frac = all > 0.0 ? 1.0 - left / all : 0.0;
  return fit;
}

PeriodicFit find_period(std::span<const double> time_s, std::span<const double> value, double low_s, double high_s,
                        int n_harmonic) {
  if (time_s.size() < 2 || !(low_s > 0.0) || !(high_s > low_s))
    throw InputError(fmt::format("period search: {} instants, {} to {} s", time_s.size(), low_s, high_s));
  const auto explained = [&](double f_Hz) {
    return fit_periodic(time_s, value, 1.0 / f_Hz, n_harmonic).explained_frac;
  };
  const double step_Hz = 0.25 / (n_harmonic * (time_s.back() - time_s.front()));
  double best_Hz = 1.0 / high_s, most = -1.0;
  for (double f = 1.0 / high_s; f <= 1.0 / low_s; f += step_Hz)
    if (const double e = explained(f); e > most) most = e, best_Hz = f;
  double a = best_Hz - step_Hz, b = best_Hz + step_Hz;
  const double golden = 0.5 * (std::sqrt(5.0) - 1.0);
  for (int i = 0; i < 40; ++i) {
    const double c = b - golden * (b - a), d = a + golden * (b - a);
    (explained(c) > explained(d) ? b : a) = explained(c) > explained(d) ? d : c;
  }
  return fit_periodic(time_s, value, 2.0 / (a + b), n_harmonic);
}

std::vector<double> fold(std::span<const double> time_s, std::span<const double> value, double period_s,
                         std::size_t n_bin) {
  std::vector<double> sum(n_bin, 0.0), count(n_bin, 0.0);
  for (std::size_t i = 0; i < time_s.size() && i < value.size(); ++i) {
    const double turns = time_s[i] / period_s;
    const auto bin =
        std::min(n_bin - 1, static_cast<std::size_t>((turns - std::floor(turns)) * static_cast<double>(n_bin)));
    sum[bin] += value[i];
    count[bin] += 1.0;
  }
  for (std::size_t i = 0; i < n_bin; ++i)
    sum[i] = count[i] > 0.0 ? sum[i] / count[i] : std::numeric_limits<double>::quiet_NaN();
  return sum;
}

Samples samples(const Trace& trace, std::size_t channel, Tick begin, Tick end) {
  Samples out;
  for (std::size_t i = 0; i < trace.n_segment(); ++i)
    if (trace.edges[i] >= begin && trace.edges[i] < end) {
      out.time_s.push_back(seconds(trace.edges[i]));
      out.value.push_back(trace.value.at(channel)[i]);
    }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::workload
