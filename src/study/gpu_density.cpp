#include "gpu_density.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <set>

#include "fit_base.hpp"
#include "fit_package.hpp"
#include "fit_words.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double sigma_of(const PriorParameter& p) { return 0.5 * (p.high - p.low) / normal_95; }

/// One GPU per file, or a finding that names them all.
void check_one_gpu(const std::vector<FitRecord>& records) {
  std::set<std::string> files, names;
  for (const auto& r : records) names.insert(r.telemetry.gpu);
  for (const auto& r : records)
    if (!files.insert(r.file).second)
      throw InputError(Finding{{},
                               "gpu",
                               fmt::format("{} holds {} GPUs and a calibration is of one: choose one of '{}'",
                                           file_name(r.file), names.size(), fmt::join(names, "', '"))});
}

}  // namespace

GpuDensity::GpuDensity(const FitGpuOptions& o) {
  check_range("power_window_s", o.power_window_s, 0.0, 30.0);
  check_range("fan_frac", o.fan_frac, 0.05, 1.0);
  const auto records = fit_records(o);
  check_one_gpu(records);
  const FitBase base = fit_base(o.base);
  const power::GpuModel model(base.power);
  const TwoPoles own = package_poles(base.package, o.fan_frac);
  const auto poles = pole_priors(own, base.power.tdp_W);
  const auto leakage = leakage_priors(base);
  prior_.assign(poles.begin(), poles.begin() + n_pole_parameter);
  prior_.insert(prior_.end(), leakage.begin(), leakage.end());
  start_.assign(n_parameter, 0.0), start_sigma_.assign(n_parameter, 1.0);
  const auto begin_at = [&](std::size_t to, const Posterior& fit, std::size_t from) {
    start_[to] = fit.z[from], start_sigma_[to] = std::sqrt(fit.covariance_at(from, from));
  };

  for (const auto& r : records) {
    // Temperatures, with the noise that the log's own fit leaves.
    auto drive = thermal_drive(r.telemetry, o.power_window_s);
    const auto fit = fit_poles(drive, own, base.power.tdp_W, o.before_W);
    logs_.push_back({r.telemetry.gpu, file_name(r.file), drive.power_from, drive.time_s.size(), fit.noise, {}});
    if (thermal_.empty())
      for (std::size_t i = 0; i < n_pole_parameter; ++i) begin_at(i, fit, i);
    Whitener whiten(fit.noise, drive.time_s);
    std::vector<double> ambient(drive.time_s.size(), sigma_of(poles[4]));
    whiten(ambient);
    const bool rested = o.before_W >= 0.0;
    thermal_.push_back({std::move(drive), std::move(whiten), std::move(ambient),
                        rested ? o.before_W : prior_value(poles[5], 0.0), rested ? 0.0 : sigma_of(poles[5]),
                        prior_value(poles[4], 0.0)});
    // Watts under load at one clock, where the log has them.
    try {
      auto record = leakage_record(r.telemetry, model);
      const auto watts = fit_leakage(record, leakage[0], leakage[1]);
      if (leakage_.empty()) begin_at(4, watts, 0), begin_at(5, watts, 1);
      const auto rest = rest_prior(record);
      Whitener of_watts(watts.noise, record.time_s);
      std::vector<double> column(record.time_s.size(), sigma_of(rest));
      of_watts(column);
      leakage_.push_back({std::move(record), std::move(of_watts), std::move(column), 0.5 * (rest.low + rest.high)});
    } catch (const InputError& e) {
      logs_.back().no_leakage = e.what();
    }
  }
}

double GpuDensity::of_temperatures(const Thermal& log, std::span<const double> z) const {
  TwoPoles poles = poles_at(prior_, z.first(n_pole_parameter));
  poles.ambient_K = log.ambient_K;
  auto r = predict_die_K(poles, log.drive, log.before_W);
  std::vector<double> before(r.size(), 0.0);
  if (log.before_sigma_W > 0.0) {
    before = predict_die_K(poles, log.drive, log.before_W + log.before_sigma_W);
    for (std::size_t i = 0; i < r.size(); ++i) before[i] -= r[i];
    log.whiten(before);
  }
  for (std::size_t i = 0; i < r.size(); ++i) r[i] -= log.drive.die_K[i];
  log.whiten(r);
  // The air temperature and the power before the log, averaged over their priors: H of two rows.
  const double aa = 1.0 + dot(log.ambient, log.ambient), bb = 1.0 + dot(before, before), ab = dot(log.ambient, before);
  const double det = aa * bb - ab * ab, ga = dot(log.ambient, r), gb = dot(before, r);
  const double explained = (bb * ga * ga - 2.0 * ab * ga * gb + aa * gb * gb) / det;
  return -0.5 * (dot(r, r) - explained + std::log(det));
}

double GpuDensity::of_watts(const Leakage& log, std::span<const double> z) const {
  const double p[] = {prior_value(prior_[4], z[4]), prior_value(prior_[5], z[5]), log.rest_W};
  std::vector<double> r(log.record.power_W.size());
  leakage_residual(log.record, p, r);
  log.whiten(r);
  const double h = 1.0 + dot(log.rest, log.rest), g = dot(log.rest, r);
  return -0.5 * (dot(r, r) - g * g / h + std::log(h));
}

double GpuDensity::log_likelihood(std::span<const double> z) const {
  if (z.size() != prior_.size())
    throw InputError(fmt::format("{} coordinates where {} are needed", z.size(), prior_.size()));
  double sum = 0.0;
  for (const auto& log : thermal_) sum += of_temperatures(log, z);
  for (const auto& log : leakage_) sum += of_watts(log, z);
  return std::isfinite(sum) ? sum : -std::numeric_limits<double>::infinity();
}

std::array<GpuValue, 7> gpu_values(const std::string& base, double fan_frac,
                                   const std::array<double, GpuDensity::n_parameter>& p) {
  const auto package = package_with_poles(fit_base(base).package, {p[0], p[1], p[2], p[3], 0.0, 0.0, {}}, fan_frac);
  return {{{"package.die_base_K_per_W", package.die_base_K_per_W},
           {"package.base_sink_K_per_W", package.base_sink_K_per_W},
           {"package.sink_air_K_per_W", package.sink_air_K_per_W},
           {"package.base_J_per_K", package.base_J_per_K},
           {"package.sink_J_per_K", package.sink_J_per_K},
           {"power.leakage_W", p[4]},
           {"power.leakage_frac_per_K", p[5]}}};
}

}  // namespace TIDEWATT_NAMESPACE::study
