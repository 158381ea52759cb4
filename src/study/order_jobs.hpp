#pragma once
#include <limits>
#include <string>
#include <vector>

#include "grid/order_metering.hpp"
#include "io/result_file.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// What one job gave for an order. Times are since the start of the run; NaN: it did not happen.
struct OrderJob {
  std::string name;
  std::string may;        ///< cap, pause or never; empty: the scenario does not say
  std::int64_t tier = 0;  ///< 0: none
  double before_W = 0.0;  ///< mean of the baseline's time, at the servers' AC inputs
  double before_tokens_per_s = 0.0;
  /// Baseline less what it drew and trained, from the order's notice until it is back.
  double given_J = 0.0, given_tokens = 0.0;
  double given_frac = 0.0;  ///< of its energy, within the order: 1 − mean ÷ baseline
  double capped_s = nan, lowest_cap_s = nan, paused_s = nan, stopped_s = nan, released_s = nan;
  double back_s = nan;  ///< from the order's end until a mean of its tokens is within `settled_frac` of the baseline
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
};

/// What every job gave for an order, from its rows of macro steps and the log. @returns nothing if the result has no power of jobs
std::vector<OrderJob> order_jobs(const sim::Scenario& scenario, io::ResultFile& result, const grid::MeteredOrder& order,
                                 const grid::OrderMetering& how);

}  // namespace TIDEWATT_NAMESPACE::study
