#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.hpp"
#include "fit_base.hpp"
#include "fit_entry.hpp"
#include "fit_gpu_power.hpp"
#include "fit_log.hpp"
#include "fit_package.hpp"
#include "fit_poles.hpp"
#include "fit_population.hpp"
#include "fit_words.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/catalog/catalog.hpp"
#include "tidewatt/power/gpu.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

/// Type and chips of one kind of fit: the chip itself where there is only one.
struct Common {
  std::vector<FitValue> values;
  std::vector<double> z, covariance;
  std::optional<FitValue> spread;
};

Common common_of(const std::vector<Posterior>& fits, std::size_t n, const std::vector<bool>& varies,
                 const PriorParameter& spread) {
  std::vector<ChipPosterior> chips;
  chips.reserve(fits.size());
  for (const auto& f : fits) chips.push_back(chip_part(f, n));
  if (chips.size() == 1)
    return {{fits[0].fit.values.begin(), fits[0].fit.values.begin() + static_cast<std::ptrdiff_t>(n)},
            chips[0].z,
            chips[0].covariance,
            {}};
  const std::vector<PriorParameter> prior(fits[0].prior.begin(),
                                          fits[0].prior.begin() + static_cast<std::ptrdiff_t>(n));
  const auto p = fit_population(chips, prior, varies, spread);
  return {p.values, p.z, p.covariance, p.spread};
}

/// Package parts from the poles that decide them: a resistance with its pole's, a capacity as time constant over resistance.
std::vector<FittedValue> package_values(const thermal::PackageParams& p, const std::vector<PriorParameter>& prior,
                                        const Common& poles, const std::string& source) {
  const auto sigma = [&](std::size_t i) { return std::log(prior[i].high / prior[i].low) / (2.0 * normal_95); };
  const auto spread = [&](std::size_t i, std::size_t k) {
    return sigma(i) * sigma(k) * poles.covariance[i * n_pole_parameter + k];
  };
  const auto value = [&](const char* key, double at, double variance) {
    const double factor = std::exp(normal_95 * std::sqrt(std::max(0.0, variance)));
    return FittedValue{key, at, at / factor, at * factor, source};
  };
  const auto capacity = [&](std::size_t R, std::size_t tau) {
    return spread(tau, tau) + spread(R, R) - 2.0 * spread(R, tau);
  };
  return {value("package.die_base_K_per_W", p.die_base_K_per_W, spread(0, 0)),
          value("package.base_sink_K_per_W", p.base_sink_K_per_W, spread(0, 0)),
          value("package.sink_air_K_per_W", p.sink_air_K_per_W, spread(2, 2)),
          value("package.base_J_per_K", p.base_J_per_K, capacity(0, 1)),
          value("package.sink_J_per_K", p.sink_J_per_K, capacity(2, 3))};
}

void say(FittedEntry& out, const char* title, const Common& c) {
  out.text += fmt::format("{}\n", title);
  for (const auto& v : c.values) out.text += value_line(v), out.values.push_back(v);
  if (!c.spread) return;
  auto s = *c.spread;
  s.key += std::string("_of_") + (c.values[0].key == "leakage_W" ? "leakage" : "poles");
  out.text += value_line(s), out.values.push_back(s);
}

std::string activity_text(const GpuTelemetry& t, const power::GpuModel& model) {
  try {
    const auto a = activity_levels(t, model);
    return fmt::format("activity: {:.3f} ± {:.3f} for {:.0f} % of the time, else {:.3f} ± {:.3f}\n", a.high,
                       1.96 * a.high_sigma, 100.0 * a.high_frac, a.low, 1.96 * a.low_sigma);
  } catch (const InputError& e) {
    return fmt::format("{}\n", e.what());
  }
}

/// Median time between readings; 0 for fewer than two.
double usual_step_s(const ThermalRecord& r) {
  std::vector<double> step;
  for (std::size_t i = 1; i < r.size(); ++i) step.push_back(r.time_s[i] - r.time_s[i - 1]);
  if (step.empty()) return 0.0;
  std::nth_element(step.begin(), step.begin() + static_cast<std::ptrdiff_t>(step.size() / 2), step.end());
  return step[step.size() / 2];
}

void say_record(FittedEntry& out, const FitRecord& r, const ThermalDrive& drive, const Posterior& fit,
                const FitGpuOptions& o) {
  FittedGpu one{r.telemetry.gpu,           file_name(r.file), drive.power_from,
                r.telemetry.record.size(), fit.fit.values,    residual_report(drive.time_s, fit.residual, fit.noise)};
  out.text += fmt::format("GPU {} of {}, {} samples; power: {}\n", one.gpu, one.file, one.n_sample, one.power_from);
  if (drive.longest_gap_s > 10.0 * std::max(1.0, o.power_window_s))
    out.text += fmt::format("  longest gap {:.3g} s: its power is taken as the mean of the readings around it\n",
                            drive.longest_gap_s);
  if (const double every_s = usual_step_s(r.telemetry.record);
      r.telemetry.energy_J.empty() && o.power_window_s > 0.0 && every_s > 1.2 * o.power_window_s)
    out.text += fmt::format(
        "  readings come every {:.3g} s and are taken as means over {:.3g} s: the power between them is guessed, which "
        "the fast pole shows; if the "
        "tool writes means over its interval, say --power-window-s {:.3g}\n",
        every_s, o.power_window_s, every_s);
  for (const auto& v : fit.fit.values) out.text += value_line(v);
  out.text += "  " + residual_text(one.residuals, "K");
  out.gpus.push_back(std::move(one));
}

}  // namespace

FittedEntry fit_gpu_log(const FitGpuOptions& o) {
  check_range("power_window_s", o.power_window_s, 0.0, 30.0);
  check_range("fan_frac", o.fan_frac, 0.05, 1.0);
  const auto records = fit_records(o);
  const FitBase base = fit_base(o.base);
  const power::GpuModel model(base.power);
  const TwoPoles own = package_poles(base.package, o.fan_frac);
  const auto [leakage_W, leakage_per_K] = leakage_priors(base);

  // Every GPU of every log by itself.
  FittedEntry out{"gpu", o.name, "", {}, 0.0, "", {}};
  std::vector<Posterior> poles, leakage;
  std::string no_leakage;
  std::size_t n_sample = 0;
  double square = 0.0;
  for (const auto& r : records) {
    const auto drive = thermal_drive(r.telemetry, o.power_window_s);
    poles.push_back(fit_poles(drive, own, base.power.tdp_W, o.before_W));
    say_record(out, r, drive, poles.back(), o);
    out.text += "  " + activity_text(r.telemetry, model);
    n_sample += drive.time_s.size();
    square += poles.back().fit.rms * poles.back().fit.rms * static_cast<double>(drive.time_s.size());
    try {
      leakage.push_back(fit_leakage(leakage_record(r.telemetry, model), leakage_W, leakage_per_K));
    } catch (const InputError& e) {
      no_leakage = e.what();
    }
  }
  out.rms = std::sqrt(square / static_cast<double>(n_sample));

  // What they share, as an entry.
  const auto common = common_of(poles, n_pole_parameter, std::vector<bool>(n_pole_parameter, true),
                                {"chip_sigma_ratio", 0.03, 0.20, true});
  say(out, records.size() > 1 ? fmt::format("thermal poles of {} records", records.size()).c_str() : "thermal poles",
      common);
  const auto source = fmt::format("fitted to {} samples of {}{}, {:.2g} K rms", n_sample, file_name(o.files.front()),
                                  o.files.size() > 1 ? fmt::format(" and {} more", o.files.size() - 1) : "", out.rms);
  auto values = package_values(package_with_poles(base.package, poles_at(poles[0].prior, common.z), o.fan_frac),
                               poles[0].prior, common, source);
  if (leakage.empty()) {
    out.text += fmt::format("leakage stays the base's: {}\n", no_leakage);
  } else {
    auto shared = common_of(leakage, 2, {true, false}, {"chip_sigma_ratio", 0.10, 0.25, true});
    // At an end of its search it is named and not written: the base's stays.
    for (auto& v : shared.values)
      if (v.at_bound) v.identified = false, v.low = v.prior_low, v.high = v.prior_high;
    say(out, "leakage at the reference temperature and voltage, by the base's V/f table", shared);
    // An unidentified value stays the base's, with its range.
    for (const auto& [key, v] :
         {std::pair{"power.leakage_W", shared.values[0]}, std::pair{"power.leakage_frac_per_K", shared.values[1]}})
      if (v.identified) values.push_back({key, v.value, v.low, v.high, source});
  }
  out.toml = entry_from(catalog::Catalog().text("gpu", o.base), o.name, values);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
