// Fans in steps of a block's nodes: where each node would rest, and what its controller makes of a step.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "fleet_block.hpp"
#include "leakage_gain.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::fleet::detail {
namespace {

/// By how much a die rises with the fans' mean speed, K: negative. @param follows share of a change that it follows
TIDEWATT_INLINE double rises_K_per_frac(double follows, double exponent_ratio, double sink_K, double preheat_K,
                                        double frac) {
  constexpr double least_K = 1e-3;
  const double falls_K = follows * (exponent_ratio * sink_K + preheat_K) / frac;
  return -(least_K < falls_K ? falls_K : least_K);
}

/// FanStanding of a block's nodes, side by side.
struct StandingRows {
  NodeRow lowest_K, highest_K, clears_K, rests_frac;
  std::array<std::size_t, n_lane> level;
};
/// FanPlant of a block's nodes, side by side.
struct PlantRows {
  NodeRow die_K, K_per_frac, inlet_K, K_per_s, air_lag_s, lag_s;
};
/// What decides where a block's nodes rest, side by side.
struct Sides : StandingRows, PlantRows {
  using Mask = std::array<std::int64_t, n_lane>;  ///< as wide as a double
  NodeRow frac;                                   ///< mean speed so far
  NodeRow accepted_K, term_frac, before_frac;     ///< FanMemory
  NodeRow end_K;                                  ///< the die at the step's end
  Mask rests;
  Mask stays;       ///< on its way, but at no edge within this step
  NodeRow reads_K;  ///< what it holds on to then

  FanStairs::Memory memory(std::size_t i) const { return {accepted_K[i], term_frac[i], before_frac[i]}; }
  TIDEWATT_INLINE FanStairs::Standing standing(std::size_t i) const {
    return {lowest_K[i], highest_K[i], clears_K[i], rests_frac[i], accepted_K[i], term_frac[i], level[i]};
  }
  TIDEWATT_INLINE FanStairs::Plant plant(std::size_t i) const {
    return {die_K[i], frac[i], K_per_frac[i], inlet_K[i], K_per_s[i], air_lag_s[i], lag_s[i]};
  }
};

/// The hottest dies of nodes of `n` GPUs once everything rests at these powers, and as pauses ahead leave them in work.
TIDEWATT_INLINE void set_plants(const Lanes& mean_W, const std::vector<double>& W_per_K, double dip_K, const Block& b,
                                std::size_t n_node, std::size_t n, const Blown& x, Sides& s) {
  NodeRow steady_K_per_W, sink_air_W_per_K, front_W, rear_K, W, r, behind, leak_W_per_K;
  for (std::size_t i = 0; i < n_node; ++i) {
    const auto& m = b.type->modes[mode_step(*b.type, s.frac[i], 1.0, x.air_J_per_m3_K)];
    steady_K_per_W[i] = m.steady_K_per_W, sink_air_W_per_K[i] = m.sink_air_W_per_K;
    s.lag_s[i] = m.per_rate_s[0];  // the sink's mode, the slowest, is what follows fans
    s.air_lag_s[i] = m.die_air_lag_s;
  }
  const Lanes rear = rear_of(b);
  Lanes die_K, front;
  TIDEWATT_LANE_LOOP
  for (std::size_t l = 0; l < n_node * n; ++l) front[l] = b.rear[l] != 0 ? 0.0 : mean_W[l];
  fold_nodes(front, n_node, n, [](double sum_W, double lane_W) { return sum_W + lane_W; }, front_W);
  TIDEWATT_LANE_LOOP
  for (std::size_t i = 0; i < n_node; ++i) rear_K[i] = x.full_preheat_K_per_W * front_W[i] / s.frac[i];
  for (std::size_t i = 0; i < n_node; ++i) {
    const double K_per_W = steady_K_per_W[i], preheat_K = rear_K[i], inlet_K = x.inlet_K[i];
    TIDEWATT_LANE_LOOP
    for (std::size_t u = 0; u < n; ++u) {
      const std::size_t l = i * n + u;
      die_K[l] = std::fma(x.r[l], std::fma(K_per_W, mean_W[l], dip_K), std::fma(rear[l], preheat_K, inlet_K));
    }
  }
  hottest_of_nodes(die_K, n_node, n, s.die_K);
  for (std::size_t i = 0; i < n_node; ++i) {
    const std::size_t l = lane_of(die_K, s.die_K[i], i, n);
    W[i] = mean_W[l], r[i] = x.r[l], behind[i] = b.rear[l], leak_W_per_K[i] = W_per_K[b.gpu[l]];
  }
  const double ratio = b.type->package.convection_exponent_ratio;
  TIDEWATT_LANE_LOOP
  for (std::size_t i = 0; i < n_node; ++i) {
    const double follows = with_leakage_loop(r[i] * steady_K_per_W[i], leak_W_per_K[i]),
                 preheat_K = behind[i] != 0.0 ? rear_K[i] : 0.0;
    s.K_per_frac[i] = rises_K_per_frac(follows, ratio, r[i] * W[i] / sink_air_W_per_K[i], preheat_K, s.frac[i]);
    s.inlet_K[i] = x.inlet_K[i];
  }
}

/// A block's nodes.
class Climb {
 public:
  TIDEWATT_INLINE Climb(const FleetState& state, const FleetTask& task, const Block& b, const Blown& x, Air& air)
      : state_(state), task_(task), b_(b), x_(x), air_(air), stairs_(*b.type->stairs), pauses_(pause_of(task) > 0) {}
  /// All of them at once: which of those that are not known yet rest.
  TIDEWATT_INLINE void look(std::size_t n_node, std::size_t n_gpu) {
    bool any = false;
    for (std::size_t i = 0; i < n_node; ++i) any |= air_.rest[i].of_frac < 0.0;
    for (std::size_t i = 0; i < n_node; ++i) {
      const auto node = b_.node[i];
      s_.frac[i] = std::max(air_.fan_used_frac[i], b_.type->air.fan_min_frac);
      s_.accepted_K[i] = state_.fan_accepted_K[node], s_.term_frac[i] = state_.fan_term_frac[node];
      s_.before_frac[i] = state_.fan_frac[node];
    }
    if (!any) return;
    stand(s_.accepted_K, n_node);
    if (!all_as_predicted(n_node)) look_at_rest(n_node, n_gpu);
  }
  /// Finds nodes whose die reaches no edge within a short step: their fans keep their speed. The die approaches its rest with the sink's
  /// lag. Its start follows from the step's mean and the speed of that mean. Nodes that may cycle are not among them.
  TIDEWATT_INLINE void find_staying(std::size_t n_node) {
    bool any = false;
    Sides::Mask short_ones;
    for (std::size_t i = 0; i < n_node; ++i) {
      const auto& rest = air_.rest[i];
      s_.stays[i] = 0;
      short_ones[i] = !rest.rests && !FanStairs::is_long(rest.plant.fan_lag_s, x_.step_s) ? 1 : 0;
      any |= short_ones[i] != 0;
    }
    if (!any || air_.fans_wait || pauses_) return;
    NodeRow at_frac, begin_K, left;
    for (std::size_t i = 0; i < n_node; ++i) {
      const auto& p = air_.rest[i].plant;
      s_.die_K[i] = p.die_K, at_frac[i] = p.at_frac, s_.K_per_frac[i] = p.K_per_frac, s_.lag_s[i] = p.fan_lag_s;
    }
    const auto rest_K = [&](std::size_t i, double frac) {
      return FanStairs::at({s_.die_K[i], at_frac[i], s_.K_per_frac[i], 0.0}, frac);
    };
    TIDEWATT_LANE_LOOP
    for (std::size_t i = 0; i < n_node; ++i) {
      const double lags = x_.step_s / s_.lag_s[i], goes_to_K = rest_K(i, s_.frac[i]);
      left[i] = math::exp(-lags);
      begin_K[i] = goes_to_K + (x_.hottest_K[i] - goes_to_K) * lags / (1.0 - left[i]);
    }
    for (std::size_t i = 0; i < n_node; ++i) {
      const double known_K = s_.accepted_K[i];
      s_.reads_K[i] = std::isnan(known_K) ? known_K : stairs_.accepted_K(known_K, begin_K[i]);
    }
    stand(s_.reads_K, n_node);
    TIDEWATT_LANE_LOOP
    for (std::size_t i = 0; i < n_node; ++i) {
      const double goes_to_K = rest_K(i, s_.rests_frac[i]), end_K = goes_to_K + (begin_K[i] - goes_to_K) * left[i];
      const RestingDie die{std::min(begin_K[i], end_K), std::max(begin_K[i], end_K), end_K};
      s_.stays[i] = (FanStairs::rests_through(s_.standing(i), die) & (end_K == end_K)) ? 1 : 0;
    }
    for (std::size_t i = 0; i < n_node; ++i)
      if (short_ones[i] == 0 || (s_.stays[i] != 0 && comes_back(s_.standing(i), air_.rest[i].plant))) s_.stays[i] = 0;
  }
  TIDEWATT_INLINE void node(std::size_t i) {
    auto& rest = air_.rest[i];
    const bool anew = rest.of_frac < 0.0;
    rest.of_frac = anew ? s_.frac[i] : rest.of_frac;
    if (s_.stays[i] != 0)
      air_.stairs[i] = FanStairs::resting(s_.standing(i), s_.reads_K[i]), rest.now.at_frac = 0.0;
    else if (!rest.rests)
      find_speeds(i, s_.frac[i], s_.memory(i), anew);
  }
  /// A node whose fans are followed in time.
  TIDEWATT_INLINE void follow(std::size_t i) {
    const double frac = std::max(air_.fan_used_frac[i], b_.type->air.fan_min_frac);
    const FanStairs::Memory memory{state_.fan_accepted_K[b_.node[i]], state_.fan_term_frac[b_.node[i]]};
    air_.stairs[i] = stairs_.followed(memory, now(i, hottest_lane(i), frac), x_.step_s);
  }

 private:
  /// Whether a node that is to leave its step comes back from the next one: it may cycle between both.
  TIDEWATT_INLINE bool comes_back(const FanStairs::Standing& stands, const FanStairs::Plant& rests) const {
    constexpr double near_K = 0.6;  // edges are this close to their threshold
    const auto& table = stairs_.controller().groups[stairs_.die_group()];
    const double goes_to_K = FanStairs::at(rests, stands.frac);
    const bool up = goes_to_K > stands.highest_K;
    if (up ? stands.level + 1 >= table.speed_frac.size() : stands.level == 0) return false;
    const std::size_t next = up ? stands.level + 1 : stands.level - 1;
    const double there_K = FanStairs::at(rests, std::min(1.0, table.speed_frac[next] + stands.term_frac)),
                 threshold_K = table.threshold_K[up ? next : stands.level];
    return up ? there_K < threshold_K + near_K : there_K > threshold_K - near_K;
  }
  TIDEWATT_INLINE std::size_t hottest_lane(std::size_t i) const {
    return lane_of(x_.die_mean_K, x_.hottest_K[i], i, b_.n_gpu);
  }
  /// The hottest die in this step.
  TIDEWATT_INLINE FanStairs::Plant now(std::size_t i, std::size_t lane, double frac) const {
    const auto& m = b_.type->modes[mode_step(*b_.type, frac, 1.0, x_.air_J_per_m3_K)];
    const auto& rates = m.rate_per_s;
    const double follows = 1.0 - math::mean_decay(std::min({rates[0], rates[1], rates[2]}) * x_.step_s);
    const double sink_K = x_.r[lane] * (x_.front_W[i] / x_.n_front) / m.sink_air_W_per_K,
                 preheat_K = b_.rear[lane] != 0 ? x_.full_preheat_K_per_W * x_.front_W[i] / frac : 0.0;
    return {x_.hottest_K[i], frac,
            rises_K_per_frac(follows, b_.type->package.convection_exponent_ratio, sink_K, preheat_K, frac),
            x_.inlet_K[i]};
  }
  TIDEWATT_INLINE void stand(const NodeRow& accepted_K, std::size_t n_node) {
    for (std::size_t i = 0; i < n_node; ++i) {
      const auto s = stairs_.standing({accepted_K[i], s_.term_frac[i]}, x_.inlet_K[i]);
      s_.lowest_K[i] = s.lowest_K, s_.highest_K[i] = s.highest_K, s_.clears_K[i] = s.clears_K;
      s_.rests_frac[i] = s.frac, s_.level[i] = s.level;
    }
  }
  /// Nodes that the prediction found at rest through a step as long as this one. @returns whether they are all that is to be known
  TIDEWATT_INLINE bool all_as_predicted(std::size_t n_node) {
    constexpr double near_frac = 0.02;
    bool all = true;
    for (std::size_t i = 0; i < n_node; ++i) {
      auto& rest = air_.rest[i];
      if (rest.of_frac >= 0.0) continue;
      const double guess_s = std::exchange(rest.guess_s, 0.0);
      // Pauses are jumped over where the fleet is as before them: the dies' mean with them is no reading of a table.
      rest.rests = std::abs(guess_s - x_.step_s) < near_frac * x_.step_s &&
                   !s_.standing(i).leaves(pauses_ ? s_.accepted_K[i] : x_.hottest_K[i]);
      if (rest.rests) air_.stairs[i] = FanStairs::resting(s_.standing(i), air_.stairs[i].accepted_K);
      all &= rest.rests;
    }
    return all;
  }
  TIDEWATT_INLINE void look_at_rest(std::size_t n_node, std::size_t n_gpu) {
    const Lanes mean_W = air_.drawn_W != nullptr ? *air_.drawn_W : gather(state_.mean_W.data(), b_);
    set_plants(mean_W, state_.W_per_K, task_.dip_K, b_, n_node, n_gpu, x_, s_);
    const double step_s = x_.step_s, share = drift_in(task_, step_s).share;
    for (std::size_t i = 0; i < n_node; ++i)
      s_.K_per_s[i] = task_.inlet_K_per_s.empty() ? 0.0 : share * task_.inlet_K_per_s[b_.node[i]];
    const NodeRow& now_K = pauses_ ? s_.die_K : x_.hottest_K;
    TIDEWATT_LANE_LOOP
    for (std::size_t i = 0; i < n_node; ++i) {
      const auto stands = s_.standing(i);
      auto plant = s_.plant(i);
      const bool is_long = FanStairs::is_long(plant.fan_lag_s, step_s);
      plant.K_per_s = is_long ? plant.K_per_s : 0.0;
      const auto die = FanStairs::through(stands, plant, step_s);
      s_.end_K[i] = die.end_K;
      const bool stays = FanStairs::rests_through(stands, die), on_its_way = stands.leaves(now_K[i]);
      s_.rests[i] = (stays & (is_long | !on_its_way)) ? 1 : 0;
    }
    for (std::size_t i = 0; i < n_node; ++i) {
      auto& rest = air_.rest[i];
      if (rest.of_frac >= 0.0 || rest.rests) continue;
      rest.rests = s_.rests[i] != 0;
      if (rest.rests)
        air_.stairs[i] = FanStairs::resting(s_.standing(i), stairs_.accepted_K(s_.accepted_K[i], s_.end_K[i]));
      else
        rest.plant = s_.plant(i);
    }
  }
  /// @param anew where the node rests has just been found
  TIDEWATT_INLINE void find_speeds(std::size_t i, double frac, const FanStairs::Memory& memory, bool anew) {
    constexpr double near_K = 0.03;
    auto& rest = air_.rest[i];
    auto& s = air_.stairs[i];
    const bool is_long = FanStairs::is_long(rest.plant.fan_lag_s, x_.step_s), first = std::isnan(memory.accepted_K);
    // A long step looks at `now` only where the table has no reading yet.
    if (pauses_ || (is_long && !first)) {
      if (anew || !is_long) s = stairs_.speeds(memory, rest.plant, rest.plant, x_.step_s, first || !anew);
      return;
    }
    if (air_.fans_wait && !first) {
      s = FanStairs::Speeds::steady(frac, memory.accepted_K, memory.term_frac, 0);
      rest.now.at_frac = 0.0, air_.fans_waited = true;
      return;
    }
    // A die that is where the fans' last change should have left it needs no second look.
    if (!anew && rest.now.at_frac > 0.0 && std::abs(x_.hottest_K[i] - FanStairs::at(rest.now, frac)) <= near_K) return;
    rest.now = now(i, hottest_lane(i), frac);
    s = stairs_.speeds(memory, rest.plant, rest.now, x_.step_s, first || !anew);
  }

  Sides s_;  ///< set where any node's rest is not known yet
  const FleetState& state_;
  const FleetTask& task_;
  const Block& b_;
  const Blown& x_;
  Air& air_;
  const FanStairs& stairs_;
  const bool pauses_;
};

}  // namespace

TIDEWATT_CLONES
void climb(const FleetState& state, const FleetTask& task, const Block& b, const Blown& x, Air& air,
           NodeRow& mean_frac) {
  Climb nodes(state, task, b, x, air);
  if (b.type->follows_fans) {
    for (std::size_t i = 0; i < b.n_node; ++i) nodes.follow(i);
  } else {
    if (b.whole())
      nodes.look(n_usual, n_usual), nodes.find_staying(n_usual);
    else
      nodes.look(b.n_node, b.n_gpu), nodes.find_staying(b.n_node);
    for (std::size_t i = 0; i < b.n_node; ++i) nodes.node(i);
  }
  if (task.dark) return;
  for (std::size_t i = 0; i < b.n_node; ++i) {
    mean_frac[i] = air.stairs[i].mean_frac;
    air.fan_end_frac[i] = air.fan_aim_frac[i] = air.stairs[i].end_frac;
  }
}

}  // namespace TIDEWATT_NAMESPACE::fleet::detail
