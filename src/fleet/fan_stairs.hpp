#pragma once
// Fans that a board controller runs in steps: where a node settles, or between which steps it cycles. Private to fleet.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "fan_table.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

/// What a node remembers between steps.
struct FanMemory {
  double accepted_K;                  ///< reading that the table holds on to; NaN: none yet
  double term_frac;                   ///< PID term at the lowest reading that acts, its integral included; 0: cleared
  double before_frac = std::nan("");  ///< speed at the step's begin; NaN: that of its first part
};

/// The node's hottest die against the fans' mean speed: its rise over the air falls as 1/f,
///     T(f) = die_K + K_per_frac (f − at_frac) at_frac/f.
struct FanPlant {
  double die_K, at_frac, K_per_frac;  ///< K_per_frac < 0
  double inlet_K;
  double K_per_s = 0.0;    ///< drift of the die at rest through the step; die_K is that of its middle
  double air_lag_s = 0.0;  ///< lag of the die behind its air
  double fan_lag_s = 0.0;  ///< time constant with which it follows the fans
};

/// Where the fans are through a step.
struct FanSpeeds {
  double mean_frac, mean_cube;  ///< mean speed, for the flow; mean of its cube, for the watts
  double low_frac, high_frac;   ///< steps between which the node cycles; equal: it rests
  bool cycles() const { return high_frac > low_frac; }
  double accepted_K, term_frac;  ///< FanMemory afterwards
  std::size_t level;             ///< step of the table, or the lower one of two
  double end_frac;               ///< at the step's end; of a cycle its mean
  /// At one speed all the time. @param frac ÷ full speed, 0 to 1  @param accepted_K reading held, K  @param term_frac ÷ full speed
  TIDEWATT_INLINE static FanSpeeds steady(double frac, double accepted_K, double term_frac, std::size_t level) {
    return {frac, frac * frac * frac, frac, frac, accepted_K, term_frac, level, frac};
  }
};

/// What most nodes do: rest where they are. Of a node that holds on to a reading, the mean temperatures of its die in between which
/// it does; none where no reading is accepted yet, or the table is a line without steps.
struct FanStanding {
  double lowest_K = std::numeric_limits<double>::infinity(), highest_K = -lowest_K;
  double clears_K = -std::numeric_limits<double>::infinity();  ///< up to it a term ends
  double frac = 1.0;                                           ///< speed there
  double accepted_K = std::nan(""), term_frac = 0.0;
  std::size_t level = 0;
  /// Whether a die on its way has the controller do more than to rest.
  TIDEWATT_INLINE bool leaves(double die_K) const { return (die_K > highest_K) | (die_K < lowest_K); }
};

/// The die of a node at rest through a step.
struct RestingDie {
  double low_K, high_K, end_K;
};

/// The groups of a server's fan controller whose readings a fleet knows: the hottest die and the inlet. Sensors read whole degrees
/// [assumed]; groups without a model ask for no higher speed than these [assumed].
class FanStairs {
 public:
  /// @throws InputError if no group senses the dies, or one has no thresholds
  explicit FanStairs(thermal::FanControllerParams controller);

  using Memory = FanMemory;
  using Plant = FanPlant;
  using Speeds = FanSpeeds;
  using Standing = FanStanding;
  /// The hottest die at another mean speed, K.
  TIDEWATT_INLINE static double at(const Plant& plant, double frac) {
    return plant.die_K + plant.K_per_frac * (frac - plant.at_frac) * plant.at_frac / frac;
  }
  /// By which a die that moves with its air is behind it. One that its fans hold at an edge is not.
  TIDEWATT_INLINE static double lag_K(const Plant& plant) { return plant.K_per_s * plant.air_lag_s; }
  /// The die in moving air, some time after the step's middle.
  TIDEWATT_INLINE static Plant behind_air(Plant plant, double after_s) {
    plant.die_K += plant.K_per_s * after_s - lag_K(plant);
    return plant;
  }
  /// Where a node settles. The table's step is held where the mean reading stays within the hysteresis of the accepted one. Where
  /// one step is too slow and the next too fast for that, the node cycles between both: the die goes from T_down towards T(f_low)
  /// until T_up, then towards T(f_high) until T_down. With one time constant, the times of both are in the ratio
  ///     t_low : t_high = ln (T(f_low) − T_down)/(T(f_low) − T_up) : ln (T_up − T(f_high))/(T_down − T(f_high)),
  /// which is a mean speed and a mean cube. The PID term holds its highest value until the die has fallen `clears_below_K` under its
  /// set point.
  Speeds settled(const Memory& memory, const Plant& plant, double step_s) const;
  /// Speeds over a step in which the air drifts. A step much longer than the lags follows the die at rest, part by part: from step to
  /// step of the table, through cycles, and along the edge of the PID term. A shorter step follows the controller in parts of a second, the
  /// die with the lag of its sink, until the node rests or cycles. No cycle is followed in time.
  /// @param rests once everything has settled at the present powers  @param now in this step
  /// @param may_rest false: rest() has just said that it does not
  Speeds speeds(const Memory& memory, const Plant& rests, const Plant& now, double step_s, bool may_rest = true) const;
  /// Whether a step is long in this sense: then speeds() does not look at `now`.
  TIDEWATT_INLINE static bool is_long(double fan_lag_s, double step_s) {
    constexpr double lags_to_rest = 5.0;
    return step_s >= lags_to_rest * fan_lag_s;
  }
  /// Where a node would rest at an inlet.
  Standing standing(const Memory& memory, double inlet_K) const;
  /// Its temperatures through a step in which the air moves.
  TIDEWATT_INLINE static RestingDie through(const Standing& stands, const Plant& rests, double step_s) {
    const double middle_K = at(behind_air(rests, 0.0), stands.frac), moves_K = 0.5 * std::abs(rests.K_per_s) * step_s;
    return {middle_K - moves_K, middle_K + moves_K, middle_K + 0.5 * rests.K_per_s * step_s};
  }
  /// Whether it goes on resting at all of them.
  TIDEWATT_INLINE static bool rests_through(const Standing& stands, const RestingDie& die) {
    const bool warm = stands.leaves(die.high_K), cold = stands.leaves(die.low_K), clears = die.low_K <= stands.clears_K;
    return !(warm | cold | clears);
  }
  /// Its speeds. @param accepted_K reading at the step's end
  TIDEWATT_INLINE static Speeds resting(const Standing& stands, double accepted_K) {
    return Speeds::steady(stands.frac, accepted_K, stands.term_frac, stands.level);
  }
  /// The reading that a node holds on to which rested. @param end_K its die
  TIDEWATT_INLINE double accepted_K(double before_K, double end_K) const { return steps_.accepted(before_K, end_K); }
  /// The same in steps of a few samples, with cycles followed in time; the closed form is compared with it.
  Speeds followed(const Memory& memory, const Plant& now, double step_s) const;
  /// At rest at a reading, without memory.
  double at_rest_frac(double die_K, double inlet_K) const;
  /// What its controller asks for in a cold room.
  double least_frac() const { return least_frac_; }
  const thermal::FanControllerParams& controller() const { return controller_; }
  std::size_t die_group() const { return die_; }
  std::optional<std::size_t> inlet_group() const { return inlet_; }

 private:
  double floor_of(double reads_K) const;
  double floor_frac(double inlet_K) const {
    if (!inlet_) return 0.0;
    const auto i = degree_place(inlet_K - celsius_K + 0.5);
    return i < floor_frac_.size() ? floor_frac_[i] : floor_of(shown_K(inlet_K));
  }
  Speeds followed_at(const FanTable::Edges& edges, double held_frac, double floor_frac, double die_K,
                     double step_s) const;
  Speeds in_parts(const Memory& memory, const Plant& rests, const Plant& now, double step_s) const;
  double level_frac(std::size_t level, double term_frac, double floor_frac) const {
    return std::clamp(std::max(floor_frac, table().speed_frac[level] + term_frac), 0.0, 1.0);
  }
  Speeds settled_in_steps(const Memory& memory, double floor_frac, const Plant& plant, double step_s) const;
  Speeds course(Memory memory, double floor_frac, const Plant& rests, double step_s) const;
  double term(double held_frac, std::size_t level, double floor_frac, const Plant& plant, double step_s) const;
  const thermal::FanGroupParams& table() const { return controller_.groups[die_]; }
  thermal::FanControllerParams controller_;
  std::size_t die_ = 0;
  std::optional<std::size_t> inlet_;
  double least_frac_ = 0.0;
  FanRegulation regulation_;
  FanTable steps_;
  std::vector<double> floor_frac_;  ///< by whole degree of the inlet; empty: no group senses it
};

TIDEWATT_INLINE FanStairs::Standing FanStairs::standing(const Memory& memory, double inlet_K) const {
  if (table().line || std::isnan(memory.accepted_K)) return {};
  constexpr double never = -std::numeric_limits<double>::infinity();
  const FanTable::Edges edges = steps_.edges(memory.accepted_K);
  return {edges.lower_K,
          std::min(edges.upper_K, regulation_.on_K),
          memory.term_frac > 0.0 ? regulation_.off_K : never,
          level_frac(edges.level, memory.term_frac, floor_frac(inlet_K)),
          memory.accepted_K,
          memory.term_frac,
          edges.level};
}

/// [group] what the controller reads in a cold server, K: groups without a model stay so, and ask for their lowest speed.
std::vector<double> cold_readings_K(const FanStairs& stairs, double inlet_K);

}  // namespace TIDEWATT_NAMESPACE::fleet
