#include "fan_stairs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::fleet {
namespace {

/// Share of the time at the upper step: the die goes towards `warm_K` until `up_K`, then towards `cool_K` until `down_K`.
TIDEWATT_INLINE double share_of_cycle(double warm_K, double cool_K, double up_K, double down_K) {
  if (warm_K <= up_K) return 0.0;
  if (cool_K >= down_K) return 1.0;
  const double warming = math::log((warm_K - down_K) / (warm_K - up_K)),
               cooling = math::log((up_K - cool_K) / (down_K - cool_K));
  return cooling / (warming + cooling);
}
double falls_K_per_frac(const FanStairs::Plant& plant, double frac) {
  return -plant.K_per_frac * plant.at_frac * plant.at_frac / (frac * frac);
}
/// Between which readings the controller does no more than to rest: above the lowest, up to the highest.
struct RestRange {
  double lowest_K, highest_K;
};
TIDEWATT_INLINE RestRange rest_range(const FanTable::Edges& edges, const FanRegulation& regulation, double term_frac) {
  return {term_frac > 0.0 ? std::max(edges.lower_K, regulation.off_K) : edges.lower_K,
          std::min(edges.upper_K, regulation.on_K)};
}

/// Time after which it does more. With the lag τ the die goes to where it would rest.
/// @param soon e^{t/τ} of a time before which it is as good as at once
TIDEWATT_INLINE double leaves_after_s(const FanTable::Edges& edges, const FanRegulation& regulation, double term_frac,
                                      double die_K, double goes_to_K, double lag_s, double soon) {
  constexpr double never = std::numeric_limits<double>::infinity();
  const auto [lowest_K, highest_K] = rest_range(edges, regulation, term_frac);
  if (die_K > highest_K || die_K <= lowest_K) return 0.0;
  const double edge_K = goes_to_K > die_K ? highest_K : lowest_K;
  const bool passes = goes_to_K > highest_K || goes_to_K <= lowest_K;
  if (!passes) return never;
  const double ratio = (die_K - goes_to_K) / (edge_K - goes_to_K);
  return ratio < soon ? 0.0 : lag_s * math::log(ratio);
}

/// How many more times a die that rests may move by `by_K` until its controller does more than to rest.
TIDEWATT_INLINE double rests_for(const FanTable::Edges& edges, const FanRegulation& regulation, double term_frac,
                                 double die_K, double by_K) {
  constexpr double slack = 1e-6, most = 1e6;  // of a part; parts
  const auto [lowest_K, highest_K] = rest_range(edges, regulation, term_frac);
  const double n = (by_K > 0.0 ? highest_K - die_K : die_K - lowest_K) / std::abs(by_K) - slack;
  return n > 0.0 ? std::min(most, std::floor(n)) : 0.0;
}

/// Whether a node is in a cycle: at one of its two steps, its die between the edges where it turns.
TIDEWATT_INLINE bool in_cycle(const FanTable& steps, const FanStairs::Speeds& aim, const FanTable::Edges& edges,
                              const FanStairs::Plant& now) {
  // Where it has settled, a die's mean differs from that at rest by its lag behind the weather.
  constexpr double slack_K = 0.2;
  if (!aim.cycles() || (edges.level != aim.level && edges.level != aim.level + 1)) return false;
  const double mean_K = FanStairs::at(now, aim.mean_frac);
  return mean_K <= steps.upper_K(aim.level, edges.accepted_K) + slack_K &&
         mean_K >= steps.lower_K(aim.level + 1, edges.accepted_K) - slack_K;
}

}  // namespace

std::vector<double> cold_readings_K(const FanStairs& stairs, double inlet_K) {
  constexpr double cold_K = 100.0, cold_margin_K = -150.0;
  const auto& groups = stairs.controller().groups;
  std::vector<double> out(groups.size());
  std::transform(groups.begin(), groups.end(), out.begin(),
                 [](const auto& g) { return g.margin ? cold_margin_K : cold_K; });
  if (const auto inlet = stairs.inlet_group()) out[*inlet] = shown_K(inlet_K);
  return out;
}

FanStairs::FanStairs(thermal::FanControllerParams controller) : controller_(std::move(controller)) {
  const auto& groups = controller_.groups;
  const auto senses = [&](thermal::FanSense what) {
    return static_cast<std::size_t>(
        std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.senses == what; }) - groups.begin());
  };
  die_ = senses(thermal::FanSense::die);
  if (die_ == groups.size()) throw InputError("fan controller: no group senses the dies");
  if (const auto inlet = senses(thermal::FanSense::inlet); inlet < groups.size()) inlet_ = inlet;
  for (const auto i : {die_, inlet_.value_or(die_)})
    if (groups[i].threshold_K.empty() || groups[i].margin)
      throw InputError("fan controller: group " + groups[i].name + " needs thresholds in degrees");
  least_frac_ = table().speed_frac.front();
  regulation_ = FanRegulation(table(), controller_.sample_s);
  if (inlet_) least_frac_ = std::max(least_frac_, groups[*inlet_].speed_frac.front());
  steps_ = FanTable(table());
  for (std::int64_t degC = lowest_degC; inlet_ && degC < lowest_degC + n_degC; ++degC)
    floor_frac_.push_back(floor_of(static_cast<double>(degC) + celsius_K));
}

/// The PID term once a step has passed, at rest at its mean. A reading over the set point adds its gain at once and integrates until the die
/// is back under the lowest reading that acts; then the term is held until it is cleared.
TIDEWATT_INLINE double FanStairs::term(double held_frac, std::size_t level, double floor_frac, const Plant& plant,
                                       double step_s) const {
  const auto die_K = [&](double term_frac) { return at(plant, level_frac(level, term_frac, floor_frac)); };
  if (regulation_.clears(held_frac, die_K(held_frac))) held_frac = 0.0;
  if (die_K(held_frac) <= regulation_.on_K) return held_frac;
  const double kicked_frac = std::max(held_frac, regulation_.kick_frac), kicked_K = die_K(kicked_frac);
  if (kicked_K <= regulation_.on_K) return kicked_frac;
  const double by_frac = regulation_.frac_per_s * step_s;
  const double over_K = kicked_K + lag_K(plant) - regulation_.on_K;
  return std::min(
      1.0,
      kicked_frac + std::min(by_frac, over_K / falls_K_per_frac(plant, level_frac(level, kicked_frac, floor_frac))));
}

double FanStairs::at_rest_frac(double die_K, double inlet_K) const {
  const double table_frac = thermal::fan_table_frac(table(), die_K);
  return inlet_ ? std::max(table_frac, thermal::fan_table_frac(controller_.groups[*inlet_], inlet_K)) : table_frac;
}

/// @param edges of the reading held at this die
TIDEWATT_INLINE FanStairs::Speeds FanStairs::followed_at(const FanTable::Edges& edges, double held_frac,
                                                         double floor_frac, double die_K, double step_s) const {
  const auto& g = table();
  double more_frac = 0.0;
  if (regulation_.acts(die_K)) {
    const double above_K = shown_K(die_K) - g.set_point_K;
    held_frac = std::max(held_frac, g.gain_per_K * regulation_.excess_K) + g.integral_gain_per_K_s * above_K * step_s;
    more_frac = g.gain_per_K * (above_K - regulation_.excess_K);
  } else if (die_K <= regulation_.off_K) {
    held_frac = 0.0;
  }
  const double frac = level_frac(edges.level, held_frac + more_frac, floor_frac);
  return Speeds::steady(frac, edges.accepted_K, std::min(1.0, held_frac), edges.level);
}

/// In parts of a second, those together in which nothing changes. The die begins where it had the mean of the step at the speed that this
/// mean was taken at.
TIDEWATT_CLONES
FanStairs::Speeds FanStairs::in_parts(const Memory& memory, const Plant& rests, const Plant& now, double step_s) const {
  constexpr double most_s = 1.0;  // samples are at any time after the die has passed an edge
  const double n_part = std::ceil(step_s / most_s), part_s = step_s / n_part, lag_s = rests.fan_lag_s;
  const double follows = 1.0 - math::exp(-part_s / lag_s), rest_K = at(rests, now.at_frac),
               two_parts = 1.0 / ((1.0 - follows) * (1.0 - follows));
  Plant die = now;
  die.die_K = rest_K + (now.die_K - rest_K) / math::mean_decay(step_s / lag_s);
  Speeds s{};
  s.accepted_K = std::isnan(memory.accepted_K) ? shown_K(die.die_K) : memory.accepted_K, s.term_frac = memory.term_frac;
  const double floor_frac = this->floor_frac(now.inlet_K);
  double sum = 0.0, cubes = 0.0;
  for (double left = n_part;;) {
    const FanTable::Edges edges = steps_.edges(steps_.accepted(s.accepted_K, die.die_K));
    s = followed_at(edges, s.term_frac, floor_frac, die.die_K, part_s);
    const double goes_to_K = at(rests, s.mean_frac),
                 after_s = leaves_after_s(edges, regulation_, s.term_frac, die.die_K, goes_to_K, lag_s, two_parts),
                 n = std::min(left, std::max(1.0, std::floor(after_s / part_s)));
    sum += n * s.mean_frac, cubes += n * s.mean_cube;
    left -= n;
    if (left <= 0.0) break;
    die.die_K += (goes_to_K - die.die_K) * (n == 1.0 ? follows : 1.0 - math::exp(-n * part_s / lag_s));
  }
  s.mean_frac = s.low_frac = s.high_frac = sum / n_part, s.mean_cube = cubes / n_part;
  return s;
}

/// What the inlet's group asks for at a reading.
double FanStairs::floor_of(double reads_K) const {
  const auto& g = controller_.groups[*inlet_];
  if (g.line) return thermal::fan_table_frac(g, reads_K);
  const std::size_t n = n_reached(g.threshold_K, reads_K);
  return g.speed_frac[n == 0 ? 0 : n - 1];
}

TIDEWATT_CLONES
FanStairs::Speeds FanStairs::speeds(const Memory& memory, const Plant& rests_in_it, const Plant& now, double step_s,
                                    bool may_rest) const {
  const bool is_long = FanStairs::is_long(rests_in_it.fan_lag_s, step_s);
  Plant rests = rests_in_it;
  // In a short step dies are not behind their air by all of their lag: it may just have begun to move.
  if (!is_long) rests.K_per_s = 0.0;
  const double accepted_K = std::isnan(memory.accepted_K) ? shown_K(now.die_K) : memory.accepted_K;
  if (table().line) return settled({accepted_K, memory.term_frac}, rests, step_s);
  if (const auto stands = standing({accepted_K, memory.term_frac}, now.inlet_K);
      may_rest && (is_long || !stands.leaves(now.die_K))) {
    const auto die = through(stands, rests, step_s);
    if (rests_through(stands, die)) return resting(stands, steps_.accepted(accepted_K, die.end_K));
  }
  const double floor_frac = this->floor_frac(rests.inlet_K);
  if (is_long) return course({accepted_K, memory.term_frac}, floor_frac, rests, step_s);
  const Speeds aim = settled_in_steps({accepted_K, memory.term_frac}, floor_frac, rests, step_s);
  return in_cycle(steps_, aim, steps_.edges(accepted_K), now) ? aim : in_parts(memory, rests, now, step_s);
}

FanStairs::Speeds FanStairs::followed(const Memory& memory, const Plant& now, double step_s) const {
  if (table().line) return settled(memory, now, step_s);
  return followed_at(steps_.edges(steps_.accepted(memory.accepted_K, now.die_K)), memory.term_frac,
                     floor_frac(now.inlet_K), now.die_K, step_s);
}

/// A step in parts, in each of which the die at rest moves by little. The die follows a change of the speed with the sink's lag τ, which is
/// 1 − φ(x) of it on average over a time x, φ(x) = (1 − e^{−x/τ}) τ/x. A kernel moves to its mean speed f̃ at the begin and evenly by
/// 2 (f_end − f̃) through the step, of which the lag leaves c = φ(s) − 2 (1 − φ(s)) τ/s: f̃ is chosen so that both means are equal.
TIDEWATT_INLINE FanStairs::Speeds FanStairs::course(Memory memory, double floor_frac, const Plant& rests,
                                                    double step_s) const {
  constexpr double part_K = 0.03, most_parts = 24.0;
  const double n_part = std::clamp(std::ceil(std::abs(rests.K_per_s) * step_s / part_K), 1.0, most_parts);
  const double part_s = step_s / n_part;
  double low_frac = 1.0, high_frac = 0.0, cubes = 0.0, felt = 0.0, now_frac = memory.before_frac;
  Speeds s{};
  for (double part = 0.5; part < n_part;) {
    const Plant plant = behind_air(rests, part * part_s - 0.5 * step_s);
    s = settled_in_steps(memory, floor_frac, plant, part_s);
    const double left_s = step_s - (part - 0.5) * part_s;
    if (std::isnan(now_frac)) now_frac = memory.before_frac = s.mean_frac;
    if (s.mean_frac != now_frac)
      felt += (s.mean_frac - now_frac) * (1.0 - math::mean_decay(left_s / rests.fan_lag_s)) * left_s / step_s;
    // Parts in which it goes on resting are passed over.
    const double by_K = rests.K_per_s * part_s, die_K = at(plant, s.mean_frac),
                 n = s.cycles() ? 1.0
                                : 1.0 + std::min(n_part - part - 0.5, rests_for(steps_.edges(s.accepted_K), regulation_,
                                                                                s.term_frac, die_K, by_K));
    if (n > 1.0) s.accepted_K = steps_.accepted(s.accepted_K, die_K + (n - 1.0) * by_K);
    memory.accepted_K = s.accepted_K, memory.term_frac = s.term_frac, now_frac = s.mean_frac;
    low_frac = std::min(low_frac, s.mean_frac), high_frac = std::max(high_frac, s.mean_frac);
    cubes += n * s.mean_cube;
    part += n;
  }
  const double phi = math::mean_decay(step_s / rests.fan_lag_s), c = phi - 2.0 * (1.0 - phi) * rests.fan_lag_s / step_s;
  s.end_frac = now_frac, s.mean_cube = cubes / n_part;
  s.mean_frac =
      std::clamp((felt + memory.before_frac * (1.0 - phi) - s.end_frac * c) / (1.0 - phi - c), low_frac, high_frac);
  return s;
}

TIDEWATT_CLONES
FanStairs::Speeds FanStairs::settled(const Memory& memory, const Plant& plant, double step_s) const {
  const auto& g = table();
  const double floor_frac = this->floor_frac(plant.inlet_K);
  if (g.line) {
    // The line and the plant meet once: one rises, the other falls.
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 40; ++i) {
      const double f = 0.5 * (low + high);
      (std::max(floor_frac, thermal::fan_table_frac(g, at(plant, f))) > f ? low : high) = f;
    }
    return Speeds::steady(high, memory.accepted_K, 0.0, 0);
  }
  return settled_in_steps(memory, floor_frac, plant, step_s);
}

TIDEWATT_INLINE FanStairs::Speeds FanStairs::settled_in_steps(const Memory& memory, double floor_frac,
                                                              const Plant& plant, double step_s) const {
  double accepted_K = std::isnan(memory.accepted_K) ? shown_K(plant.die_K) : memory.accepted_K;
  const std::size_t n = table().threshold_K.size();
  const FanTable::Edges edges = steps_.edges(accepted_K);
  std::size_t level = edges.level;
  bool rose = false, fell = false;
  for (std::size_t i = 0; i < 2 * n; ++i) {
    const double term_frac = term(memory.term_frac, level, floor_frac, plant, step_s),
                 frac = level_frac(level, term_frac, floor_frac), die_K = at(plant, frac);
    const bool up = i == 0 ? die_K > edges.upper_K : level + 1 < n && die_K > steps_.upper_K(level, accepted_K),
               down = !up && (i == 0 ? die_K < edges.lower_K : level > 0 && die_K < steps_.lower_K(level, accepted_K));
    if ((up && fell) || (down && rose)) {
      const std::size_t low = up ? level : level - 1;
      const double low_frac = level_frac(low, term_frac, floor_frac),
                   high_frac = level_frac(low + 1, term_frac, floor_frac);
      const double up_K = steps_.upper_K(low, accepted_K), down_K = steps_.lower_K(low + 1, accepted_K);
      const double warm_K = at(plant, low_frac) + lag_K(plant), cool_K = at(plant, high_frac) + lag_K(plant);
      const double share = share_of_cycle(warm_K, cool_K, up_K, down_K);
      const double mean = low_frac + share * (high_frac - low_frac),
                   cube = low_frac * low_frac * low_frac +
                          share * (high_frac * high_frac * high_frac - low_frac * low_frac * low_frac);
      return {mean, cube, low_frac, high_frac, (share > 0.5 ? up_K + 0.5 : down_K - 0.5), term_frac, low, mean};
    }
    if (!up && !down) return Speeds::steady(frac, steps_.accepted(accepted_K, die_K), term_frac, level);
    rose = up, fell = down;
    accepted_K = up ? steps_.upper_K(level, accepted_K) + 0.5 : steps_.lower_K(level, accepted_K) - 0.5;
    level += up ? 1 : static_cast<std::size_t>(-1);
  }
  const double frac = level_frac(level, memory.term_frac, floor_frac);
  return Speeds::steady(frac, accepted_K, memory.term_frac, level);
}

}  // namespace TIDEWATT_NAMESPACE::fleet
