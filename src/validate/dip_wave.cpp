#include "dip_wave.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::validate {

using namespace workload;
namespace {

/// Shape of the dip, 0 … 1, for begin, width (shares of the period) and lag (s).
using Shape = std::array<double, 3>;

double dip(const Shape& s, double period_s, double place) {
  const double x_s = (place - s[0] - std::floor(place - s[0])) * period_s;
  const double w_s = s[1] * period_s, lag_s = s[2];
  if (!(lag_s > 0.0)) return x_s < w_s ? 1.0 : 0.0;
  const double a = std::expm1(-(period_s - w_s) / lag_s) / std::expm1(-period_s / lag_s);
  if (x_s < w_s) return 1.0 - a * std::exp(-x_s / lag_s);
  return (1.0 - a * std::exp(-w_s / lag_s)) * std::exp(-(x_s - w_s) / lag_s);
}

/// Best plateau and depth for a shape, and the squares that are left.
double solve(const PlacedSamples& p, const Shape& s, DipWave& out) {
  double n = 0.0, sd = 0.0, sdd = 0.0, sy = 0.0, sdy = 0.0, syy = 0.0;
  for (std::size_t i = 0; i < p.value.size(); ++i) {
    const double d = dip(s, p.period_s, p.place_frac[i]), y = p.value[i];
    n += 1.0, sd += d, sdd += d * d, sy += y, sdy += d * y, syy += y * y;
  }
  const double det = n * sdd - sd * sd;
  if (!(det > 1e-9 * n * n)) return syy;
  out.period_s = p.period_s;
  out.plateau = (sdd * sy - sd * sdy) / det;
  out.depth = -(n * sdy - sd * sy) / det;
  out.begin_frac = s[0] - std::floor(s[0]), out.width_frac = s[1], out.lag_s = s[2];
  return syy - out.plateau * sy + out.depth * sdy;
}

}  // namespace

double DipWave::at(double place_frac) const {
  return plateau - depth * dip({begin_frac, width_frac, lag_s}, period_s, place_frac);
}

PlacedSamples place_in_steps(const MlperfLog& log, const Trace& trace, std::size_t channel, Tick begin, Tick end) {
  const auto steps = log.steps();
  PlacedSamples out;
  std::vector<double> apart_s;
  for (std::size_t i = 1; i < steps.size(); ++i) apart_s.push_back(seconds(steps[i].end - steps[i - 1].end));
  if (apart_s.empty()) return out;
  std::vector<double> sorted = apart_s;
  std::sort(sorted.begin(), sorted.end());
  const double limit_s = 1.2 * sorted[sorted.size() / 2];
  double n = 0.0;
  for (std::size_t i = 0; i < apart_s.size(); ++i) {
    if (apart_s[i] > limit_s || steps[i].end < begin || steps[i].end >= end) continue;
    n += 1.0, out.period_s += apart_s[i];
    for (std::size_t k = 0; k < trace.n_segment(); ++k) {
      if (trace.edges[k] < steps[i].end || trace.edges[k] >= steps[i + 1].end) continue;
      out.place_frac.push_back((seconds(trace.edges[k]) - seconds(steps[i].end)) / apart_s[i]);
      out.value.push_back(trace.value.at(channel)[k]);
    }
  }
  if (n > 0.0) out.period_s /= n;
  return out;
}

DipWave fit_dip(const PlacedSamples& p) {
  if (p.value.size() < 20 || p.value.size() != p.place_frac.size() || !(p.period_s > 0.0))
    throw InputError(fmt::format("dip: {} samples of a period of {} s", p.value.size(), p.period_s));
  DipWave best, trial;
  double least = solve(p, {0.0, 0.1, 0.0}, best);
  const auto improve = [&](const Shape& s) {
    if (s[1] < 0.01 || s[1] > 0.6 || s[2] < 0.0 || s[2] > 0.3 * p.period_s) return false;
    const double left = solve(p, s, trial);
    if (!(trial.depth > 0.0) || !(left < least)) return false;
    least = left, best = trial;
    return true;
  };
  for (int b = 0; b < 20; ++b)
    for (int w = 1; w <= 8; ++w)
      for (int l = 0; l < 4; ++l) improve({0.05 * b, 0.05 * w, 0.03 * l * p.period_s});
  Shape step = {0.025, 0.025, 0.015 * p.period_s};
  for (int round = 0; round < 60; ++round) {
    bool better = false;
    for (std::size_t k = 0; k < 3; ++k)
      for (const double sign : {1.0, -1.0}) {
        Shape s = {best.begin_frac, best.width_frac, best.lag_s};
        s[k] += sign * step[k];
        better = improve(s) || better;
      }
    if (!better)
      for (double& x : step) x *= 0.5;
    if (step[0] < 1e-5) break;
  }
  return best;
}

std::vector<double> line_amplitudes(const PlacedSamples& samples, std::size_t n) {
  if (samples.value.size() < 4 * n || samples.value.size() != samples.place_frac.size())
    throw InputError(fmt::format("{} lines of {} samples", n, samples.value.size()));
  const auto size = static_cast<Eigen::Index>(1 + 2 * n);
  Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(size, size);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(size), term = right;
  for (std::size_t i = 0; i < samples.value.size(); ++i) {
    term(0) = 1.0;
    for (Eigen::Index q = 1; 2 * q < size; ++q) {
      const double angle = 2.0 * std::numbers::pi * static_cast<double>(q) * samples.place_frac[i];
      term(2 * q - 1) = std::cos(angle), term(2 * q) = std::sin(angle);
    }
    normal += term * term.transpose();
    right += samples.value[i] * term;
  }
  const Eigen::VectorXd x = normal.ldlt().solve(right);
  std::vector<double> out;
  for (Eigen::Index q = 1; 2 * q < size; ++q) out.push_back(std::hypot(x(2 * q - 1), x(2 * q)));
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::validate
