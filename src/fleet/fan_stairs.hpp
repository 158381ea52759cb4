#pragma once
// Fans that a board controller runs in steps: where a node settles, or between which steps it cycles. Private to fleet.
#include <optional>
#include <vector>

#include "tidewatt/thermal/fan_controller.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

/// Those groups of a server's fan controller that a fleet knows the readings of: its hottest die and its inlet. Sensors read whole degrees
/// [assumed]; the groups without a model ask for no more than these [assumed].
class FanStairs {
 public:
  /// @throws InputError if no group senses the dies, or one has no thresholds
  explicit FanStairs(thermal::FanControllerParams controller);

  /// What a node remembers between steps.
  struct Memory {
    double accepted_K;  ///< reading that the table holds on to; NaN: none yet
    double term_frac;   ///< of the PID term
  };
  /// The node's hottest die against the fans' mean speed: T(f) = die_K + K_per_frac (f − at_frac).
  struct Plant {
    double die_K, at_frac, K_per_frac;  ///< K_per_frac < 0
    double inlet_K;
  };
  /// Where the fans are through a step.
  struct Speeds {
    double mean_frac, power_frac;  ///< for the flow; whose cube is the mean cube, for the watts
    double low_frac, high_frac;    ///< steps between which the node cycles; equal: it rests
    bool cycles() const { return high_frac > low_frac; }
    double accepted_K, term_frac;  ///< Memory afterwards
    std::size_t level;             ///< step of the table, or the lower one of two
  };
  /// Where a node settles. The table's step is held where the mean reading stays within the hysteresis of the accepted one. Where
  /// one step is too slow and the next too fast for that, the node cycles between both: the die goes from T_down towards T(f_low)
  /// until T_up, then towards T(f_high) until T_down. With one time constant, the times of both are in the ratio
  ///     t_low : t_high = ln (T(f_low) − T_down)/(T(f_low) − T_up) : ln (T_up − T(f_high))/(T_down − T(f_high)),
  /// which is a mean speed and a mean cube. The PID term holds its highest value until the die has fallen `clears_below_K` under its
  /// set point.
  Speeds settled(const Memory& memory, const Plant& plant, double step_s) const;
  /// The mean over a step: where the node settles, as far as its table has come there: from step to step as its mean die passes their
  /// edges. No cycle is followed in time.
  /// @param aim where it settles once everything rests at the present powers  @param now in this step
  Speeds arrived(const Memory& memory, const Speeds& aim, const Plant& now) const;
  /// The same in steps of a few samples, in which cycles are followed: what the closed form is compared with.
  Speeds followed(const Memory& memory, const Plant& now, double step_s) const { return settled(memory, now, step_s); }
  /// At rest at a reading, without memory.
  double at_rest_frac(double die_K, double inlet_K) const;
  /// What its controller asks for in a cold room.
  double least_frac() const { return least_frac_; }
  const thermal::FanControllerParams& controller() const { return controller_; }
  std::size_t die_group() const { return die_; }
  std::optional<std::size_t> inlet_group() const { return inlet_; }

 private:
  Speeds on_line(const Memory& memory, const Plant& plant) const;
  double floor_frac(double inlet_K) const;
  std::size_t level_of(double accepted_K) const;
  bool reached(double& accepted_K, std::size_t& level, const Speeds& aim, double floor_frac, const Plant& now) const;
  double accepted(double before_K, double die_K) const;
  double level_frac(std::size_t level, double term_frac, double floor_frac) const;
  double lower_K(std::size_t level, double accepted_K) const;
  double upper_K(std::size_t level, double accepted_K) const;
  double term(double held_frac, std::size_t level, double floor_frac, const Plant& plant, double step_s) const;
  const thermal::FanGroupParams& table() const { return controller_.groups[die_]; }
  thermal::FanControllerParams controller_;
  std::size_t die_ = 0;
  std::optional<std::size_t> inlet_;
  double least_frac_ = 0.0;
};

}  // namespace TIDEWATT_NAMESPACE::fleet
