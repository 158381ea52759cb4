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

/// One die against the fans' mean speed. @param follows share of a change that it follows
TIDEWATT_INLINE FanStairs::Plant die_plant(const Block& b, std::size_t lane, double die_K, double W, double front_W,
                                           double frac, double follows, double inlet_K, const Blown& x) {
  constexpr double least_K = 1e-3;
  const auto& m = b.type->modes[fan_step(frac)];
  const double sink_K = x.r[lane] * W / m.sink_air_W_per_K,
               preheat_K = b.rear[lane] != 0 ? x.full_preheat_K_per_W * front_W / frac : 0.0;
  const double falls_K = follows * (b.type->package.convection_exponent_ratio * sink_K + preheat_K) / frac;
  return {die_K, frac, -std::max(least_K, falls_K), inlet_K};
}

/// The largest of some lanes, the first one if several are.
TIDEWATT_INLINE std::size_t largest_lane(const double* x, std::size_t n) {
  const double most = hottest(x, n);
  std::size_t out = 0;
  while (out + 1 < n && x[out] != most) ++out;
  return out;
}

/// The hottest die of a node once everything rests at these powers, and as pauses ahead leave it in work.
template <std::size_t n_fixed>
TIDEWATT_INLINE FanStairs::Plant resting(const Lanes& mean_W, const Lanes& rear, const std::vector<double>& W_per_K,
                                         double dip_K, const Block& b, std::size_t node, double frac, const Blown& x) {
  const auto& m = b.type->modes[fan_step(frac)];
  const double K_per_W = m.steady_K_per_W;
  double front_W = 0.0;
  const std::size_t n = n_fixed > 0 ? n_fixed : b.n_gpu, first = node * n;
  for (std::size_t u = 0; u < n; ++u) front_W += b.rear[u] != 0 ? 0.0 : mean_W[first + u];
  const double rear_K = x.full_preheat_K_per_W * front_W / frac, inlet_K = x.inlet_K[node];
  double die_K[n_fixed > 0 ? n_fixed : n_lane] = {};
  TIDEWATT_LANE_LOOP
  for (std::size_t u = 0; u < n; ++u) {
    const std::size_t l = first + u;
    die_K[u] = std::fma(x.r[l], std::fma(K_per_W, mean_W[l], dip_K), std::fma(rear[l], rear_K, inlet_K));
  }
  const std::size_t at = largest_lane(die_K, n), lane = first + at;
  const double follows = with_leakage_loop(x.r[lane] * K_per_W, W_per_K[b.gpu[lane]]);
  auto out = die_plant(b, lane, die_K[at], mean_W[lane], front_W, frac, follows, inlet_K, x);
  out.fan_lag_s = m.per_rate_s[0];  // the sink's mode, the slowest, is what follows fans
  out.air_lag_s = m.die_air_lag_s;
  return out;
}

/// A block's nodes, one after another.
class Climb {
 public:
  TIDEWATT_INLINE Climb(const FleetState& state, const FleetTask& task, const Block& b, const Blown& x, Air& air)
      : state_(state), task_(task), b_(b), x_(x), air_(air), stairs_(*b.type->stairs), pauses_(pause_of(task) > 0) {}
  TIDEWATT_INLINE void node(std::size_t i) {
    const double frac = std::max(air_.fan_used_frac[i], b_.type->air.fan_min_frac);
    const FanStairs::Memory memory{state_.fan_accepted_K[b_.node[i]], state_.fan_term_frac[b_.node[i]],
                                   state_.fan_frac[b_.node[i]]};
    if (b_.type->follows_fans) {
      air_.stairs[i] = stairs_.followed(memory, now(i, hottest_lane(i), frac), x_.step_s);
      return;
    }
    auto& rest = air_.rest[i];
    const bool anew = rest.of_frac < 0.0;
    if (anew && !rests_as_predicted(i, memory)) look_at_rest(i, frac, memory);
    rest.of_frac = anew ? frac : rest.of_frac;
    if (!rest.rests) find_speeds(i, frac, memory, anew);
  }

 private:
  TIDEWATT_INLINE std::size_t hottest_lane(std::size_t i) const {
    return i * b_.n_gpu + largest_lane(x_.die_mean_K.x + i * b_.n_gpu, b_.n_gpu);
  }
  TIDEWATT_INLINE double hottest_K(std::size_t i) const { return hottest(x_.die_mean_K.x + i * b_.n_gpu, b_.n_gpu); }
  /// The hottest die in this step.
  TIDEWATT_INLINE FanStairs::Plant now(std::size_t i, std::size_t lane, double frac) const {
    const auto& rates = b_.type->modes[fan_step(frac)].rate_per_s;
    const double follows = 1.0 - math::mean_decay(std::min({rates[0], rates[1], rates[2]}) * x_.step_s);
    return die_plant(b_, lane, x_.die_mean_K[lane], x_.front_W[i] / x_.n_front, x_.front_W[i], frac, follows,
                     x_.inlet_K[i], x_);
  }
  /// A node that the prediction found at rest through a step as long as this one.
  TIDEWATT_INLINE bool rests_as_predicted(std::size_t i, const FanStairs::Memory& memory) {
    constexpr double near_frac = 0.02;
    auto& rest = air_.rest[i];
    const double guess_s = std::exchange(rest.guess_s, 0.0);
    if (!(std::abs(guess_s - x_.step_s) < near_frac * x_.step_s) || std::isnan(memory.accepted_K)) return false;
    // Pauses are jumped over where the fleet is as before them: the dies' mean with them is no reading of a table.
    rest.rests = stairs_.rests_on(memory, pauses_ ? memory.accepted_K : hottest_K(i), x_.inlet_K[i],
                                  air_.stairs[i].accepted_K, air_.stairs[i]);
    return rest.rests;
  }
  TIDEWATT_INLINE void look_at_rest(std::size_t i, double frac, const FanStairs::Memory& memory) {
    if (!std::exchange(gathered_, true)) {
      mean_W_ = air_.drawn_W != nullptr ? *air_.drawn_W : gather(state_.mean_W.data(), b_);
      for (std::size_t l = 0; l < n_lane; ++l) rear_[l] = b_.rear[l];
    }
    auto& rest = air_.rest[i];
    const auto& W_per_K = state_.W_per_K;
    rest.plant = b_.n_gpu == n_usual ? resting<n_usual>(mean_W_, rear_, W_per_K, task_.dip_K, b_, i, frac, x_)
                                     : resting<0>(mean_W_, rear_, W_per_K, task_.dip_K, b_, i, frac, x_);
    rest.plant.K_per_s = task_.inlet_K_per_s.empty() ? 0.0 : task_.inlet_K_per_s[b_.node[i]];
    const double now_K = pauses_ ? rest.plant.die_K : hottest_K(i);
    rest.rests = !stairs_.on_line() && !std::isnan(memory.accepted_K) &&
                 stairs_.rest(memory, rest.plant, now_K, x_.step_s, air_.stairs[i]);
  }
  /// @param anew where the node rests has just been found
  TIDEWATT_INLINE void find_speeds(std::size_t i, double frac, const FanStairs::Memory& memory, bool anew) {
    constexpr double near_K = 0.03;
    auto& rest = air_.rest[i];
    auto& s = air_.stairs[i];
    const bool is_long = FanStairs::is_long(rest.plant, x_.step_s), first = std::isnan(memory.accepted_K);
    // A long step looks at `now` only where the table has no reading yet.
    if (pauses_ || (is_long && !first)) {
      if (anew || !is_long) s = stairs_.speeds(memory, rest.plant, rest.plant, x_.step_s, first || !anew);
      return;
    }
    if (air_.fans_wait && !first) {
      s = {frac, frac, frac, frac, memory.accepted_K, memory.term_frac, 0, frac};
      rest.now.at_frac = 0.0, air_.fans_waited = true;
      return;
    }
    // A die that is where the fans' last change should have left it needs no second look.
    const std::size_t lane = hottest_lane(i);
    if (!anew && rest.now.at_frac > 0.0 && std::abs(x_.die_mean_K[lane] - FanStairs::at(rest.now, frac)) <= near_K)
      return;
    rest.now = now(i, lane, frac);
    s = stairs_.speeds(memory, rest.plant, rest.now, x_.step_s, first || !anew);
  }

  Lanes mean_W_, rear_;  ///< for nodes whose rest is not known yet
  const FleetState& state_;
  const FleetTask& task_;
  const Block& b_;
  const Blown& x_;
  Air& air_;
  const FanStairs& stairs_;
  const bool pauses_;
  bool gathered_ = false;
};

}  // namespace

TIDEWATT_CLONES
void climb(const FleetState& state, const FleetTask& task, const Block& b, const Blown& x, Air& air,
           std::array<double, n_lane>& mean_frac) {
  Climb nodes(state, task, b, x, air);
  for (std::size_t i = 0; i < b.n_node; ++i) {
    nodes.node(i);
    if (task.dark) continue;
    mean_frac[i] = air.stairs[i].mean_frac;
    air.fan_end_frac[i] = air.fan_aim_frac[i] = air.stairs[i].end_frac;
  }
}

}  // namespace TIDEWATT_NAMESPACE::fleet::detail
