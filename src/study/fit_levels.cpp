#include "fit_levels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace TIDEWATT_NAMESPACE::study {
Posterior fit_server(const EntryBase& base, const std::vector<ServerReading>& readings) {
  const auto own = base.read<power::ServerPowerParams>("power");
  std::vector<PriorParameter> prior = {base.prior("power.host_W", 1.5),
                                       base.prior("power.host_idle_W", 1.5),
                                       base.prior("power.gpu_conversion_ratio", 1.03),
                                       base.prior("power.fans_W", 1.5),
                                       {"psu_loss_ratio", 0.7, 1.4, true}};
  const bool has_fans =
      std::all_of(readings.begin(), readings.end(), [](const auto& r) { return std::isfinite(r.fan_frac); });
  if (!has_fans) prior.push_back({"fan_frac", 0.3, 1.0, true});
  return fit_posterior(prior, times_of(readings), [&](std::span<const double> p, std::span<double> out) {
    auto s = own;
    s.host_W = p[0], s.host_idle_W = p[1], s.gpu_conversion_ratio = std::min(1.0, p[2]), s.fans_W = p[3];
    s.psu_fixed_ratio *= p[4], s.psu_linear_ratio *= p[4], s.psu_square_ratio *= p[4];
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto& r = readings[i];
      out[i] = power::server_power(s, r.gpu_sum_W, has_fans ? r.fan_frac : p[5], r.busy).ac_W - r.node_W;
    }
  });
}

Posterior fit_feeder_level(const EntryBase& base, std::size_t level, double n, double meter_frac,
                           const std::vector<FeederReading>& readings) {
  const auto own = base.read<power::FeederParams>();
  const std::string prefix = std::string(power::FeederParams::level_names[level]) + "_";
  std::vector<PriorParameter> prior = {base.prior(prefix + "load_loss_W", 3.0),
                                       {"meter_ratio", 1.0 - meter_frac, 1.0 + meter_frac, false}};
  const bool idles = base.value(prefix + "no_load_loss_W") > 0.0;  // a busway without a core has none
  if (idles) prior.push_back(base.prior(prefix + "no_load_loss_W", 3.0));
  const bool has_var =
      std::all_of(readings.begin(), readings.end(), [](const auto& r) { return std::isfinite(r.output_var); });
  if (!has_var) prior.push_back(base.prior("load_power_factor_frac", 1.03, "power_factor_frac"));
  const double rated_VA = n * own.level[level].rating_VA;
  return fit_posterior(prior, times_of(readings), [&](std::span<const double> p, std::span<double> out) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto& r = readings[i];
      const double S_VA = has_var ? std::hypot(r.output_W, r.output_var) : r.output_W / std::min(1.0, p.back());
      const double x = S_VA / rated_VA;
      out[i] = p[1] * (r.output_W + n * ((idles ? p[2] : 0.0) + p[0] * x * x)) - r.input_W;
    }
  });
}

}  // namespace TIDEWATT_NAMESPACE::study
