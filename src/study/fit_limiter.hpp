#pragma once
#include <vector>

#include "fit_posterior.hpp"
#include "tidewatt/dvfs/governor.hpp"
#include "tidewatt/power/gpu.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// One GPU under a load that switches on and off below a power limit.
struct LimiterLog {
  std::vector<double> time_s, power_W;  ///< mean over the window before each reading
  std::vector<double> load_frac;        ///< share of the time since the reading before that was under load
  std::vector<double> limit_W;
  double die_K = 0.0;  ///< mean under load
  double limited_Hz =
      0.0;  ///< median clock while the limit acts; 0: not in the table, so that the work's activity is hardly known
  double limited_W = 0.0;  ///< median power of the same readings
};

/// Governor and GPU as the engine has them, at one temperature. The clock is the mean that dvfs::SampledGovernor dithers around, because steps of
/// 15 MHz have no derivative.
struct LimiterModel {
  power::GpuModel gpu;
  dvfs::GovernorParams limits;
  dvfs::SampledGovernorParams sampling;
  std::vector<PriorParameter> prior;  ///< window_s, cap_margin_W, activity_work, rest_W
};
/// @param base gpu entry  @param governor entry of kind governor
LimiterModel limiter_model(const std::string& base, const std::string& governor, const LimiterLog& log);

/// What the sensor reads of the governor's run under the log's load, W, [reading].
std::vector<double> limited_W(const LimiterModel& model, std::span<const double> p, const LimiterLog& log,
                              double sensor_window_s);

/// The limiter's window, its margin and the power at rest. The activity of the work is fitted too, but only to carry the clock: it hardly shows.
/// @throws InputError for a log without load or limit
Posterior fit_limiter(const LimiterModel& model, const LimiterLog& log, double sensor_window_s);

}  // namespace TIDEWATT_NAMESPACE::study
