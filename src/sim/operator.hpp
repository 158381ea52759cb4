#pragma once
// Private to sim: what the site's operators do about orders of the utility.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "tidewatt/base/tick.hpp"

namespace TIDEWATT_NAMESPACE::sim {

struct Scenario;

/// Holds the connection below an order's limit by the GPUs' power cap: a sampled controller, once per macro step.
///
///     cap ← cap · clamp(target/P, 0.8, 1.02),   P mean connection power of the step before, target = limit (1 − margin)
///
/// from the order's notice on, never above the usual cap, which is back at the order's end, and never below the lowest one
/// (sim::lowest_cap): what an order asks beyond it is not met, and an event says so. With P = a + b · cap the
/// error shrinks by a/P per step; a cap that does not bind yet goes on falling. Orders are metered by means of minutes
/// (grid/order_metering.hpp), so single milliseconds may be above the limit. Pauses and storage are not its business.
class CapOperator {
 public:
  explicit CapOperator(const Scenario& scenario);
  bool acts(Tick now) const;       ///< an order that caps meet has been given and has not ended
  Tick next_edge(Tick now) const;  ///< of any order by caps: given, in force, over
  /// A limit ordered from outside, without an end; infinite: none.
  void set_outside(double limit_W) { outside_W_ = limit_W; }
  /// Caps differ from those without orders.
  bool lowers_caps() const { return share_ < 1.0; }
  /// Whether it may ever act: orders by caps, or one from outside.
  bool used() const { return !orders_.empty() || outside_W_ < std::numeric_limits<double>::infinity(); }
  /// @param mean_W of the connection over the last macro step  @param least_share at which every GPU has its lowest cap
  void follow(Tick now, double mean_W, double least_share);
  /// Caps over the usual ones.
  double share() const { return share_; }
  template <class A>
  void archive(A& a) {
    a(share_);
  }

 private:
  struct Order {
    Tick given = 0, begin = 0, end = 0;
    double limit_W = 0.0;
  };
  std::vector<Order> orders_;
  double outside_W_ = std::numeric_limits<double>::infinity();
  double share_ = 1.0;
};

/// The facility's power brake: a wire to the boards. A GPU reads it at its governor's samples, so its clock is limited from
/// one sampling period after the event's begin until one after its end. Pure functions of time.
class PowerBrake {
 public:
  explicit PowerBrake(const Scenario& scenario);
  bool pulled(std::size_t hall, Tick now) const;
  /// Next time at which clocks change anywhere; no iteration is computed across it in one piece.
  Tick next_edge(Tick now) const;

 private:
  struct Pull {
    std::size_t hall;
    Tick begin, end;
  };
  std::vector<Pull> pulls_;
};

}  // namespace TIDEWATT_NAMESPACE::sim
