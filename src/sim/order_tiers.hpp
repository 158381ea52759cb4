#pragma once
// Private to sim: orders of the utility that jobs meet tier by tier.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "fleet/site.hpp"
#include "tidewatt/base/tick.hpp"
#include "tidewatt/sim/kinds.hpp"

namespace TIDEWATT_NAMESPACE::sim {

struct Scenario;

/// Keeps the connection below an order's limit by caps and pauses of jobs, tier by tier: a sampled controller, once per macro step.
/// Orders by pauses are the same with one tier of all jobs, of which each pauses whole: a job that is about to work counts with all its
/// GPUs may draw, so that it does not start and then stop.
///
///     excess = P − limit (1 − margin) − Σ over paused jobs of what they still draw above idle
///     excess > 0: caps of the first tier that can still give:  share ← share · clamp(1 − excess/W, 0.7, 1)
///                 then its pauses, in the order of the scenario, until their W covers the excess above the limit
///     excess < 0: caps of the last tier that gave rise:         share ← share · clamp(1 − excess/W, 1, 1.05)
///
/// where P is the mean of the connection over the step before and W what the jobs of the tier drew in it above idle. A tier is asked
/// only when the one before has given all that it may and P is still too high in the step after that. A paused job stays paused until
/// the order ends, because each start costs time; caps of its own and earlier tiers are held as long. A job is never capped below
/// `lowest_cap_W`, nor touched if it may not be. Feeders and plants are not in W, so a step takes a little less than is needed.
class OrderTiers {
 public:
  /// Ranks the jobs of a scenario. @param by tiers or pause: whose orders it meets
  OrderTiers(const Scenario& scenario, const fleet::Fleet& fleet, OrderMeans by);
  /// Any job may give up power.
  bool used() const { return !rank_.empty(); }
  bool acts(Tick now) const;       ///< an order has been given and has not ended
  Tick next_edge(Tick now) const;  ///< of any order by tiers: given, in force, over
  /// A limit ordered from outside, without an end; infinite: none.
  void set_outside(double limit_W) { outside_W_ = limit_W; }
  /// Some job is capped or paused.
  bool holds() const;
  /// A job is paused by an order.
  bool paused(std::size_t job) const { return job < state_.paused.size() && state_.paused[job] != 0; }
  bool capped(std::size_t job) const { return share(job) < 1.0; }  ///< below its usual cap
  /// Its cap ÷ its usual cap. @returns dimensionless, 0 to 1
  double share(std::size_t job) const { return job < state_.share.size() ? state_.share[job] : 1.0; }
  /// Cap of a job's GPUs. @param usual_W without the order
  double cap_W(std::size_t job, double usual_W) const;

  /// Power of a job's servers without work, at their inputs.
  void set_idle(std::size_t job, double W) { idle_W_[job] = W; }
  /// What a job drew since the last measurement. @param J energy so far at its servers' inputs  @param now its clock
  /// @param starts it is about to work: it starts, or is down after a failure
  void measure(std::size_t job, double J, Tick now, bool starts);
  /// What becomes of a job, for the log; `job` is the number of jobs for the site.
  struct Act {
    std::size_t job;
    std::string kind, text;
  };
  /// @param mean_W of the connection over the last macro step
  std::vector<Act> follow(Tick now, double mean_W);

  struct State {
    std::vector<double> share;  ///< [job] cap ÷ usual cap
    std::vector<std::uint8_t> paused;
    std::vector<double> J, drawn_W;    ///< [job] energy when last measured, mean power since the time before
    std::vector<Tick> at;              ///< [job]
    std::vector<std::uint8_t> starts;  ///< [job] it is about to work
    bool short_said = false;           ///< the log says that the order cannot be met
    template <class A>
    void archive(A& a) {
      auto& [shares, stopped, energy, mean, measured, coming, said] = *this;
      a(shares, stopped, energy, mean, measured, coming, said);
    }
  };
  template <class A>
  void archive(A& a) {
    a(state_);
  }

 private:
  struct Order {
    Tick given = 0, begin = 0, end = 0;
    double limit_W = 0.0;
  };
  /// Jobs that may give up the same thing in the same tier; caps come before pauses.
  struct Rank {
    std::int64_t tier = 0;
    bool pauses = false;
    std::vector<std::size_t> jobs;
  };
  double free_W(std::size_t job) const;
  double coming_W(std::size_t job) const;
  bool at_floor(std::size_t job) const;
  double limit_W(Tick now) const;
  std::string tier_text(const Rank& rank) const;
  void release(std::vector<Act>& acts);
  bool take_caps(const Rank& rank, double excess_W, std::vector<Act>& acts);
  bool take_pauses(const Rank& rank, double excess_W, std::vector<Act>& acts);
  void take(double excess_W, double over_W, bool in_force, std::vector<Act>& acts);
  void give(double room_W, std::vector<Act>& acts);

  OrderMeans by_;
  std::vector<Order> orders_;
  std::vector<Rank> rank_;                  ///< in the order in which they give
  std::vector<double> gpus_W_;              ///< [job] all its GPUs at their caps
  std::vector<double> usual_W_, lowest_W_;  ///< [job] caps
  std::vector<double> idle_W_;              ///< [job]
  double outside_W_ = std::numeric_limits<double>::infinity();
  State state_;
};

}  // namespace TIDEWATT_NAMESPACE::sim
