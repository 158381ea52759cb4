#pragma once
#include <span>
#include <vector>

#include "entry_base.hpp"
#include "fit_posterior.hpp"
#include "tidewatt/power/feeder.hpp"
#include "tidewatt/power/server.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// A server's reading at its AC input against what its parts draw.
struct ServerReading {
  double time_s, gpu_sum_W, node_W;
  double fan_frac;  ///< NaN: not in the table
  bool busy;        ///< its GPUs are in a job
};
/// host_W, host_idle_W, gpu_conversion_ratio, fans_W, psu_loss_ratio (÷ the base's PSU losses) and, where no reading has its fan speed, fan_frac:
/// power::server_power against node_W. @param base server entry  @throws InputError for fewer readings than parameters
Posterior fit_server(const EntryBase& base, const std::vector<ServerReading>& readings);

/// Two meters around one level of a feeder.
struct FeederReading {
  double time_s, input_W, output_W;
  double output_var;  ///< NaN: not in the table
};
/// Losses of `n` equal branches between two meters whose gains differ by up to `meter_frac` (95 %):
///
///     P_in = g (P_out + n [P_0 + P_k (S_out/(n S_r))²]),   S_out² = P_out² + Q_out², or P_out/φ without Q
///
/// φ: power_factor_frac, with the base's range. Without g, half a percent between meters would pass for a loss of half a percent.
/// @param level of FeederParams: 0 rack, 1 row, 2 hall, 3 site
Posterior fit_feeder_level(const EntryBase& base, std::size_t level, double n_branch, double meter_frac,
                           const std::vector<FeederReading>& readings);

/// [reading] time, s.
template <class Reading>
std::vector<double> times_of(const std::vector<Reading>& readings) {
  std::vector<double> out;
  out.reserve(readings.size());
  for (const auto& r : readings) out.push_back(r.time_s);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
