#pragma once
// Private to sim: limits of the GPUs of every hall, from all their sources.
#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "fleet/fleet_state.hpp"
#include "fleet/site.hpp"
#include "operator.hpp"
#include "order_tiers.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// The user's or an outside controller's limits, the utility's orders, the facility's power brake and the memory's temperature,
/// together the `Controls` of every hall:
///
///     cap = order's share × limit (a job's own: OrderTiers),   lock = min(limit, braked clock),   target = min(die's target, memory's limit − lead)
///
/// where the lead is how much warmer than their dies the warmest stacks of the hall were in the last macro step.
class HallControls {
 public:
  HallControls(const Scenario& scenario, const fleet::Fleet& fleet);

  /// Of a hall's GPUs: the scenario's, or a controller's outside.
  struct Limits {
    double cap_W = 0.0, clock_lock_Hz = 0.0;
    bool operator==(const Limits&) const = default;
    template <class A>
    void archive(A& a) {
      a(cap_W, clock_lock_Hz);
    }
  };
  const std::vector<Limits>& limits() const { return state_.limits; }
  void set_limits(std::size_t hall, const Limits& wanted) { state_.limits[hall] = wanted; }
  void set_limits(std::vector<Limits> wanted) { state_.limits = std::move(wanted); }
  /// @throws InputError if a hall's GPUs cannot meet its limits
  void check() const;

  /// Limits of a hall's GPUs from `now` on.
  fleet::Controls at(std::size_t hall, Tick now) const;
  /// An order that caps or jobs meet acts now or ends now: it wants to know what the connection drew.
  bool follows_order(Tick now) const {
    return order_acts(now) || orders_.lowers_caps() || any_of_jobs(&OrderTiers::holds) || order_edge(now - 1) == now;
  }
  /// A limit ordered from outside, without an end; infinite: none. Jobs meet it if they say what they give up, else caps of all.
  void set_order(double limit_W);
  bool order_acts(Tick now) const { return orders_.acts(now) || any_of_jobs(&OrderTiers::acts, now); }
  void follow_order(Tick now, double mean_W) { orders_.follow(now, mean_W, least_share()); }
  /// Whether an order by caps has brought every GPU to its lowest cap.
  bool at_lowest_caps() const { return orders_.lowers_caps() && orders_.share() <= least_share(); }
  /// Lowest cap of a hall's GPUs under an order by caps, W. @pre follows_order
  double lowest_cap_W(std::size_t hall) const { return lowest_cap_W_[hall]; }
  /// Whether the brake of a hall is pulled or released at `now`, not before.
  bool brake_moves(std::size_t hall, Tick now) const {
    return brake_.pulled(hall, now) != brake_.pulled(hall, now - 1);
  }
  bool braked(std::size_t hall, Tick now) const { return brake_.pulled(hall, now); }
  /// When an order or the brake next moves.
  Tick next_edge(Tick now) const { return std::min(order_edge(now), brake_.next_edge(now)); }
  /// Sets the halls' caps to those of one occupant, whose job an order by tiers may have lowered; beyond the last: to the halls' own.
  void hold_caps(std::size_t occupant, Tick now, std::vector<fleet::Controls>& held) const {
    for (std::size_t h = 0; h < held.size(); ++h) held[h].cap_W = by_jobs_.front().cap_W(occupant, at(h, now).cap_W);
  }
  /// Those by tiers of jobs, and those by pauses of all jobs.
  std::span<OrderTiers> by_jobs() { return by_jobs_; }
  bool jobs_meet_orders() const { return any_of_jobs(&OrderTiers::used); }
  /// Power of a job's servers without work, at their inputs.
  void set_idle(std::size_t job, double W) {
    for (OrderTiers& by : by_jobs_)
      if (by.used()) by.set_idle(job, W);
  }
  /// A job is paused by an order.
  bool paused(std::size_t job) const { return any_of_jobs(&OrderTiers::paused, job); }
  Tick brake_edge(Tick now) const { return brake_.next_edge(now); }
  /// Takes the memory's lead of the macro step that has just passed.
  void see_memory(const fleet::FleetState& state, const fleet::FleetSignals& signals);

  struct State {
    std::vector<Limits> limits;         ///< [hall]
    std::vector<double> memory_lead_K;  ///< [hall]
    template <class A>
    void archive(A& a) {
      auto& [of_hall, lead] = *this;
      a(of_hall, lead);
    }
  };
  template <class A>
  void archive(A& a) {
    a(state_, orders_, by_jobs_);
  }

 private:
  void find_lowest_caps();
  double least_share() const;
  Tick order_edge(Tick now) const {
    return std::min({orders_.next_edge(now), by_jobs_[0].next_edge(now), by_jobs_[1].next_edge(now)});
  }
  template <class Of, class... Args>
  bool any_of_jobs(Of of, Args... args) const {
    return std::ranges::any_of(by_jobs_, [&](const OrderTiers& by) { return (by.*of)(args...); });
  }
  const Scenario& scenario_;
  const fleet::Fleet& fleet_;
  std::vector<double> lowest_cap_W_;  ///< [hall]; empty while no order is met by caps
  CapOperator orders_;
  std::array<OrderTiers, 2> by_jobs_;
  PowerBrake brake_;
  State state_;
};

}  // namespace TIDEWATT_NAMESPACE::sim
