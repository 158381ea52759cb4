#include "fleet_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tidewatt/base/math.hpp"
#include "tidewatt/sim/look_up.hpp"

namespace TIDEWATT_NAMESPACE::study::detail {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double least_hour_s = 900.0;  // of iterations in an hour that counts for the swing, as in a run's summary

}  // namespace

FleetFigures fleet_figures(const sim::Result& result) {
  FleetFigures out;
  for (std::size_t k = 0; k < n_fleet_key; ++k) out[k] = sim::figure(result, fleet_keys[k]);
  return out;
}

double FleetEstimate::Line::at(double f) const { return math::exp(level + slope * math::log(f)); }

template <class Y>
FleetEstimate::Line FleetEstimate::line_of(const std::vector<CompleteRun>& runs, std::size_t job, double usual, Y&& y) {
  double w = 0.0, x_mean = 0.0, y_mean = 0.0, xx = 0.0, xy = 0.0;
  const auto each = [&](auto&& visit) {
    for (const auto& run : runs)
      if (job < run.hours.size())
        for (const auto& [at, h] : run.hours[job]) visit(h.s, math::log(h.slowest_Hzs / h.s), math::log(y(h)));
  };
  each([&](double s, double lx, double ly) { w += s, x_mean += s * lx, y_mean += s * ly; });
  if (w == 0.0) return {nan, usual};
  x_mean /= w, y_mean /= w;
  each([&](double s, double lx, double ly) {
    xx += s * (lx - x_mean) * (lx - x_mean), xy += s * (lx - x_mean) * (ly - y_mean);
  });
  constexpr double least_spread = 1e-4;  // standard deviation of ln f
  const double slope = xx > w * least_spread * least_spread ? xy / xx : usual;
  return {y_mean - slope * x_mean, slope};
}

FleetEstimate::FleetEstimate(const std::vector<CompleteRun>& runs) : base_(runs.front()) {
  for (std::size_t j = 0; j < base_.hours.size(); ++j) {
    rate_.push_back(line_of(runs, j, 1.0, [](const auto& h) { return h.tokens / h.s; }));
    period_.push_back(line_of(runs, j, -1.0, [](const auto& h) { return h.iteration_s2 / h.s; }));
  }
}

FleetFigures FleetEstimate::of(const FleetCourse& fleet) const {
  // Means of the jobs over their time in iterations.
  double least_Hz = infinity, all_per_s = 0.0, all_s = 0.0, period_s2 = 0.0;
  std::vector<double> mean_per_s(base_.hours.size(), 0.0);
  for (std::size_t j = 0; j < base_.hours.size(); ++j) {
    double job_s = 0.0;
    for (const auto& [at, h] : base_.hours[j]) {
      const auto f = fleet.slowest_Hz[j].find(at);
      if (f == fleet.slowest_Hz[j].end()) continue;
      least_Hz = std::min(least_Hz, f->second);
      job_s += h.s, mean_per_s[j] += h.s * rate_[j].at(f->second);
      period_s2 += h.s * h.n_gpu * period_[j].at(f->second), all_s += h.s * h.n_gpu;
    }
    if (job_s > 0.0) mean_per_s[j] /= job_s;
    all_per_s += mean_per_s[j];
  }
  // Hour by hour, the jobs that iterate stand for all.
  std::map<std::int64_t, std::pair<double, double>> hour_per_s;  // rate and usual rate of these jobs
  for (std::size_t j = 0; j < base_.hours.size(); ++j)
    for (const auto& [at, h] : base_.hours[j])
      if (const auto f = fleet.slowest_Hz[j].find(at); f != fleet.slowest_Hz[j].end() && h.s >= least_hour_s)
        hour_per_s[at].first += rate_[j].at(f->second), hour_per_s[at].second += mean_per_s[j];
  FleetFigures out;
  out.fill(nan);
  if (all_s == 0.0) return out;
  double low = infinity, high = 0.0;
  for (const auto& [at, rate] : hour_per_s) {
    const double x = rate.first * (all_per_s / rate.second);
    low = std::min(low, x), high = std::max(high, x);
  }
  out[swing] = hour_per_s.size() > 1 ? 100.0 * (high - low) / all_per_s : nan;
  out[slowest] = least_Hz * 1e-6;
  out[tokens] = all_per_s;
  out[iteration] = period_s2 / all_s;
  out[die] = fleet.die_K - 273.15;
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study::detail
