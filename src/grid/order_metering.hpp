#pragma once
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// Means of a site's power over equal intervals without a gap.
struct MeterRecord {
  double first_s = 0.0;  ///< begin of the first one, since the start of the run
  double step_s = 0.0;
  std::vector<double> mean_W;  ///< [interval]
  /// Mean over a span, partial intervals by their share; NaN where the record does not reach. @param from_s, until_s since the start of the run
  double over_W(double from_s, double until_s) const;
};

/// An order of the utility to draw no more than a limit.
struct MeteredOrder {
  double begin_s = 0.0, end_s = 0.0;  ///< since the start of the run
  double notice_s = 0.0;              ///< time from its notice to its begin
  double limit_W = 0.0;
};

/// How an order is judged.
struct OrderMetering {
  std::vector<double> settlement_s = {300.0, 900.0};  ///< lengths of the intervals that are billed
  double clock_s = 0.0;  ///< time of day at the start of the run: intervals begin at whole multiples of their length
  /// The baseline is the mean load over this time before its notice, as far as the record reaches.
  double baseline_s = 3600.0;
  double response_s = 60.0;    ///< means over which the response is seen
  double rebound_s = 3600.0;   ///< time after the order in which the load is compared with the baseline
  double settled_frac = 0.02;  ///< back: within this of the baseline
};

/// Intervals of one length that are wholly within the order.
struct OrderSettlement {
  double interval_s = 0.0;
  std::size_t n = 0, n_over = 0;           ///< counts
  double worst_W = 0.0, worst_at_s = 0.0;  ///< largest mean, begin of its interval
  double over_J = 0.0;                     ///< above the limit, summed over intervals
  /// Least reduction of an interval over the asked one; 1: exactly as asked; NaN: not known.
  double given_frac = 0.0;
  bool met() const { return n > 0 && n_over == 0; }
};

/// An order is judged by the settlement intervals that lie wholly within it: met if the mean of none is above the limit, and not judged
/// if there is none.
enum class OrderVerdict { met, not_met, not_judged };
/// Of all lengths together.
OrderVerdict verdict(std::span<const OrderSettlement> settlements);
std::string_view name(OrderVerdict verdict);  ///< met | not met | not judged
/// Largest mean above a limit, W; 0 if none is.
double short_W(std::span<const OrderSettlement> settlements, double limit_W);

/// What a site did with an order.
struct OrderAnswer {
  MeteredOrder order;
  double baseline_W = 0.0;
  double mean_W = 0.0;                        ///< over the order
  double asked_frac = 0.0, given_frac = 0.0;  ///< reductions over the baseline: baseline − limit, baseline − mean
  double asked_J = 0.0, given_J = 0.0;        ///< the same as energies
  std::vector<OrderSettlement> settlements;
  /// From the begin of the order to the first mean from which on all are at the limit or below; NaN: never.
  double response_s = 0.0;
  /// Largest excess of a mean after the order over the baseline, in the shortest settlement interval; 0 or more.
  double rebound_W = 0.0;
  double rebound_J = 0.0;  ///< energy above the baseline there
  double back_s = 0.0;     ///< from the order's end until a mean is within `settled_frac` of the baseline; NaN: never
};

/// The settlement intervals of an order, one entry per length. Those that begin before the record or end after it are left out.
/// @throws InputError for a step or a length that is not above 0
std::vector<OrderSettlement> settle_order(const MeterRecord& record, const MeteredOrder& order,
                                          const OrderMetering& how = {});

/// Judges an order by metered means, as a settlement does: no single millisecond counts.
///
///     met: mean over every whole interval of the settlement ≤ limit
///
/// Intervals are of the clock; those that only touch the order are left out. @throws InputError for a record that does not hold
/// the order and a time before it, or settings out of order
OrderAnswer judge_order(const MeterRecord& record, const MeteredOrder& order, const OrderMetering& how = {});

}  // namespace TIDEWATT_NAMESPACE::grid
