#include "order_metering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

constexpr double same_s = 1e-6, never = std::numeric_limits<double>::quiet_NaN();

OrderSettlement settle(const MeterRecord& r, const MeteredOrder& o, double baseline_W, double interval_s,
                       double clock_s) {
  OrderSettlement out;
  out.interval_s = interval_s;
  out.given_frac = std::numeric_limits<double>::infinity();
  const double asked_W = baseline_W - o.limit_W;
  double at_s = std::ceil((o.begin_s + clock_s - same_s) / interval_s) * interval_s - clock_s;
  for (; at_s + interval_s <= o.end_s + same_s; at_s += interval_s) {
    const double W = r.over_W(at_s, at_s + interval_s);
    if (!std::isfinite(W)) continue;
    ++out.n;
    if (out.n == 1 || W > out.worst_W) out.worst_W = W, out.worst_at_s = at_s;
    if (W > o.limit_W) ++out.n_over, out.over_J += (W - o.limit_W) * interval_s;
    if (asked_W > 0.0) out.given_frac = std::min(out.given_frac, (baseline_W - W) / asked_W);
  }
  if (!std::isfinite(out.given_frac)) out.given_frac = never;
  return out;
}

/// When the last mean above the limit within the order has ended.
double response(const MeterRecord& r, const MeteredOrder& o, double mean_s) {
  double response_s = 0.0;
  bool over = false;
  for (double at_s = o.begin_s; at_s + mean_s <= o.end_s + same_s; at_s += mean_s) {
    over = r.over_W(at_s, at_s + mean_s) > o.limit_W;
    if (over) response_s = at_s + mean_s - o.begin_s;
  }
  return over ? never : response_s;
}

void rebound(const MeterRecord& r, const OrderMetering& how, OrderAnswer& a) {
  const double last_s =
      std::min(a.order.end_s + how.rebound_s, r.first_s + r.step_s * static_cast<double>(r.mean_W.size()));
  const double interval_s = *std::min_element(how.settlement_s.begin(), how.settlement_s.end());
  a.back_s = never;
  for (double at_s = a.order.end_s; at_s + how.response_s <= last_s + same_s; at_s += how.response_s) {
    const double W = r.over_W(at_s, at_s + how.response_s);
    a.rebound_J += std::max(0.0, W - a.baseline_W) * how.response_s;
    if (std::isnan(a.back_s) && std::abs(W - a.baseline_W) <= how.settled_frac * a.baseline_W)
      a.back_s = at_s + how.response_s - a.order.end_s;
  }
  for (double at_s = a.order.end_s; at_s + interval_s <= last_s + same_s; at_s += how.response_s)
    a.rebound_W = std::max(a.rebound_W, r.over_W(at_s, at_s + interval_s) - a.baseline_W);
}

}  // namespace

double MeterRecord::over_W(double from_s, double until_s) const {
  const double end_s = first_s + step_s * static_cast<double>(mean_W.size());
  if (!(from_s >= first_s - same_s && until_s <= end_s + same_s && until_s > from_s)) return never;
  double energy_J = 0.0;
  const auto first = static_cast<std::size_t>(std::max(0.0, std::floor((from_s - first_s) / step_s + 1e-9)));
  for (std::size_t i = first; i < mean_W.size(); ++i) {
    const double begin = first_s + step_s * static_cast<double>(i);
    if (begin >= until_s) break;
    energy_J += mean_W[i] * std::max(0.0, std::min(until_s, begin + step_s) - std::max(from_s, begin));
  }
  return energy_J / (until_s - from_s);
}

OrderVerdict verdict(std::span<const OrderSettlement> settlements) {
  auto out = OrderVerdict::not_judged;
  for (const auto& s : settlements) {
    if (s.n_over > 0) return OrderVerdict::not_met;
    if (s.n > 0) out = OrderVerdict::met;
  }
  return out;
}

std::string_view name(OrderVerdict verdict) {
  return verdict == OrderVerdict::met ? "met" : verdict == OrderVerdict::not_met ? "not met" : "not judged";
}

double short_W(std::span<const OrderSettlement> settlements, double limit_W) {
  double out = 0.0;
  for (const auto& s : settlements)
    if (s.n > 0) out = std::max(out, s.worst_W - limit_W);
  return out;
}

std::vector<OrderSettlement> settle_order(const MeterRecord& r, const MeteredOrder& order, const OrderMetering& how) {
  std::vector<OrderSettlement> out;
  for (const double interval_s : how.settlement_s) {
    if (!(r.step_s > 0.0 && interval_s > 0.0)) throw InputError("order: steps and intervals must be above 0");
    out.push_back(settle(r, order, never, interval_s, how.clock_s));
  }
  return out;
}

OrderAnswer judge_order(const MeterRecord& r, const MeteredOrder& order, const OrderMetering& how) {
  const double end_s = r.first_s + r.step_s * static_cast<double>(r.mean_W.size());
  if (!(r.step_s > 0.0) || how.settlement_s.empty() ||
      *std::min_element(how.settlement_s.begin(), how.settlement_s.end()) <= 0.0 || !(how.response_s > 0.0))
    throw InputError("order: steps and intervals must be above 0");
  const double known_s = order.begin_s - order.notice_s;
  if (!(order.end_s > order.begin_s) || order.end_s > end_s + same_s || known_s - how.response_s < r.first_s - same_s)
    throw InputError(
        fmt::format("order from {:g} s to {:g} s, known from {:g} s: the record holds {:g} s to {:g} s, and {:g} s "
                    "before the order is known are needed",
                    order.begin_s, order.end_s, known_s, r.first_s, end_s, how.response_s));
  OrderAnswer a;
  a.order = order;
  a.baseline_W = r.over_W(std::max(r.first_s, known_s - how.baseline_s), known_s);
  a.mean_W = r.over_W(order.begin_s, order.end_s);
  const double length_s = order.end_s - order.begin_s;
  a.asked_J = (a.baseline_W - order.limit_W) * length_s;
  a.given_J = (a.baseline_W - a.mean_W) * length_s;
  a.asked_frac = 1.0 - order.limit_W / a.baseline_W;
  a.given_frac = 1.0 - a.mean_W / a.baseline_W;
  for (const double s : how.settlement_s) a.settlements.push_back(settle(r, order, a.baseline_W, s, how.clock_s));
  a.response_s = response(r, order, how.response_s);
  rebound(r, how, a);
  return a;
}

}  // namespace TIDEWATT_NAMESPACE::grid
