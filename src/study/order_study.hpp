#pragma once
#include <string>
#include <vector>

#include "grid/order_metering.hpp"
#include "order_jobs.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::study {

struct OrderOptions {
  grid::OrderMetering how;  ///< its clock is that of the run
  std::string order;        ///< name of the event; empty: every order of the scenario
};

/// What is known of one order of a scenario after a run.
struct OrderReport {
  std::string name, means;  ///< of the event; cap, pause, storage or tiers
  grid::OrderAnswer answer;
  double highest_ms_W = 0.0;      ///< largest millisecond within the order; not metered
  double highest_before_W = 0.0;  ///< the same over the baseline's time
  double short_W = 0.0;           ///< largest mean of a settlement above the limit; 0: met
  std::vector<OrderJob> jobs;     ///< empty: the result does not say what jobs drew
};

struct OrderStudy {
  std::string file, result;
  double step_s = 0.0;  ///< of the result's means
  std::vector<OrderReport> orders;
  std::vector<std::string> notes;  ///< why the result may not be this scenario's
};

/// Judges the curtailment orders of a scenario by the power that a run of it drew, from the finest means that its result keeps.
/// @param result path of a result file  @throws InputError if the scenario has no such order, or the result ends before it
OrderStudy judge_orders(const sim::Scenario& scenario, const std::string& file, const std::string& result,
                        const OrderOptions& options);

std::string orders_text(const OrderStudy& s);  ///< for people
std::string orders_json(const OrderStudy& s);  ///< one JSON object on one line

}  // namespace TIDEWATT_NAMESPACE::study
