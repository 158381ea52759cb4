#include "fan_stairs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::fleet {
namespace {

constexpr double zero_degC_K = 273.15;

/// std::floor() and std::ceil() of some hundreds, without a call.
TIDEWATT_INLINE double whole_below(double x) {
  const auto i = static_cast<double>(static_cast<std::int64_t>(x));
  return i > x ? i - 1.0 : i;
}
TIDEWATT_INLINE double whole_above(double x) { return -whole_below(-x); }
TIDEWATT_INLINE double reading_K(double K) { return whole_below(K - zero_degC_K + 0.5) + zero_degC_K; }
/// Whole degrees by which a reading has to move until it is accepted.
TIDEWATT_INLINE double step_K(double hysteresis_K) { return whole_below(hysteresis_K + 1e-9) + 1.0; }
/// Number of thresholds up to a reading. A loop over all of them is faster than a search.
TIDEWATT_INLINE std::size_t n_reached(const std::vector<double>& threshold_K, double reading_K) {
  std::size_t n = 0;
  for (const double edge_K : threshold_K) n += edge_K <= reading_K ? 1 : 0;
  return n;
}
/// Share of the time at the upper step, from the times in which the die warms at the lower one and cools at the upper one.
double share_of_cycle(double warming, double cooling) { return cooling / (warming + cooling); }
TIDEWATT_INLINE double at(const FanStairs::Plant& plant, double frac) {
  return plant.die_K + plant.K_per_frac * (frac - plant.at_frac);
}

}  // namespace

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
  if (inlet_) least_frac_ = std::max(least_frac_, groups[*inlet_].speed_frac.front());
}

TIDEWATT_INLINE double FanStairs::level_frac(std::size_t level, double term_frac, double floor_frac) const {
  return std::clamp(std::max(floor_frac, table().speed_frac[level] + term_frac), 0.0, 1.0);
}

/// Mean temperature above which a node leaves a step upwards: the first reading that the table can accept at or over the next threshold.
TIDEWATT_INLINE double FanStairs::upper_K(std::size_t level, double accepted_K) const {
  const double threshold_K = table().threshold_K[level + 1], by_K = step_K(table().hysteresis_up_K);
  const double accepted = accepted_K + by_K * whole_above((threshold_K - accepted_K) / by_K - 1e-9);
  return accepted - 0.5;
}

/// And below which it leaves it downwards: the first acceptable reading under the step's own threshold.
TIDEWATT_INLINE double FanStairs::lower_K(std::size_t level, double accepted_K) const {
  const double threshold_K = table().threshold_K[level], by_K = step_K(table().hysteresis_down_K);
  double accepted = upper_K(level - 1, accepted_K) + 0.5;
  do accepted -= by_K;
  while (accepted >= threshold_K - 1e-9);
  return accepted + 0.5;
}

/// Mean of the PID term over a step. A reading over the set point adds its gain at once and integrates; the sum is held until the term
/// is cleared.
TIDEWATT_INLINE double FanStairs::term(double held_frac, std::size_t level, double floor_frac, const Plant& plant,
                       double step_s) const {
  const auto& g = table();
  if (!g.regulates) return 0.0;
  const double first_K = g.set_point_K - zero_degC_K + g.regulates_above_K,
               on_K = whole_below(first_K + 1e-9) + 1.0 + zero_degC_K,  // the lowest reading that acts
      off_K = whole_above(g.set_point_K - zero_degC_K - g.clears_below_K - 1e-9) - 1.0 + zero_degC_K;
  const auto die_K = [&](double term_frac) { return at(plant, level_frac(level, term_frac, floor_frac)); };
  if (die_K(held_frac) <= off_K + 0.5) return 0.0;
  const double edge_K = on_K - 0.5, excess_K = on_K - g.set_point_K;
  if (die_K(held_frac) <= edge_K) return held_frac;
  const double kicked_frac = std::max(held_frac, g.gain_per_K * excess_K), falls_K = -plant.K_per_frac;
  if (die_K(kicked_frac) <= edge_K) return kicked_frac;
  const double half_s = 0.5 * step_s, needed_frac = kicked_frac + (die_K(kicked_frac) - edge_K) / falls_K,
               integrated_frac = kicked_frac + g.integral_gain_per_K_s * excess_K * half_s;
  if (needed_frac <= integrated_frac) return std::min(needed_frac, 1.0);
  const double gain = g.gain_per_K + g.integral_gain_per_K_s * half_s,
               over_K = (die_K(integrated_frac) - edge_K) / (1.0 + gain * falls_K);
  return std::clamp(integrated_frac + gain * std::max(0.0, over_K), 0.0, 1.0);
}

double FanStairs::at_rest_frac(double die_K, double inlet_K) const {
  const double table_frac = thermal::fan_table_frac(table(), die_K);
  return inlet_ ? std::max(table_frac, thermal::fan_table_frac(controller_.groups[*inlet_], inlet_K)) : table_frac;
}

/// The reading that the table holds on to after a step. Dies pass every whole degree, so it moves by the hysteresis and one.
TIDEWATT_INLINE double FanStairs::accepted(double before_K, double die_K) const {
  const auto& g = table();
  const double reads_K = reading_K(die_K);
  double kept_K = std::isnan(before_K) ? reads_K : before_K;
  while (reads_K > kept_K + g.hysteresis_up_K + 1e-9) kept_K += step_K(g.hysteresis_up_K);
  while (reads_K < kept_K - g.hysteresis_down_K - 1e-9) kept_K -= step_K(g.hysteresis_down_K);
  return kept_K;
}

TIDEWATT_INLINE std::size_t FanStairs::level_of(double accepted_K) const {
  const std::size_t n = n_reached(table().threshold_K, accepted_K + 1e-9);
  return n == 0 ? 0 : n - 1;
}

/// From the table's step towards the one where the node settles, as the die passes the edges. @return whether it is there
TIDEWATT_INLINE bool FanStairs::reached(double& accepted_K, std::size_t& level, const Speeds& aim, double floor_frac,
                        const Plant& now) const {
  // Where it has settled, a die's mean differs from that at rest by its lag behind the weather.
  constexpr double slack_K = 0.2;
  const auto die_K = [&] { return at(now, level_frac(level, aim.term_frac, floor_frac)); };
  while (level < aim.level && die_K() > upper_K(level, accepted_K) - slack_K)
    accepted_K = upper_K(level++, accepted_K) + 0.5;
  const std::size_t top = aim.cycles() ? aim.level + 1 : aim.level;
  while (level > top && die_K() < lower_K(level, accepted_K) + slack_K) accepted_K = lower_K(level--, accepted_K) - 0.5;
  if (!aim.cycles()) return level == aim.level;
  if (level != aim.level && level != top) return false;
  const double mean_K = at(now, aim.mean_frac);
  const bool over = mean_K > upper_K(aim.level, accepted_K) + slack_K,
             under = mean_K < lower_K(top, accepted_K) - slack_K;
  level = over ? top : under ? aim.level : level;
  return !over && !under;
}

/// What the inlet's group asks for.
TIDEWATT_INLINE double FanStairs::floor_frac(double inlet_K) const {
  if (!inlet_) return 0.0;
  const auto& g = controller_.groups[*inlet_];
  const double reads_K = reading_K(inlet_K);
  if (g.line) return thermal::fan_table_frac(g, reads_K);
  const std::size_t n = n_reached(g.threshold_K, reads_K);
  return g.speed_frac[n == 0 ? 0 : n - 1];
}

TIDEWATT_CLONES
FanStairs::Speeds FanStairs::arrived(const Memory& memory, const Speeds& aim, const Plant& now) const {
  if (table().line) return aim;
  double accepted_K = std::isnan(memory.accepted_K) ? reading_K(now.die_K) : memory.accepted_K;
  const double floor_frac = this->floor_frac(now.inlet_K);
  Speeds s = aim;
  std::size_t level = level_of(accepted_K);
  if (reached(accepted_K, level, s, floor_frac, now)) {
    if (!s.cycles()) s.accepted_K = accepted(accepted_K, at(now, s.mean_frac));
    return s;
  }
  // Still at another step, or on the way from one edge of a cycle to the other.
  const double frac = level_frac(level, s.term_frac, floor_frac);
  return {frac, frac, frac, frac, accepted(accepted_K, at(now, frac)), s.term_frac, level};
}

/// Where the line and the plant meet: one rises, the other falls.
FanStairs::Speeds FanStairs::on_line(const Memory& memory, const Plant& plant) const {
  const double floor_frac = this->floor_frac(plant.inlet_K);
  double low = 0.0, high = 1.0;
  for (int i = 0; i < 40; ++i) {
    const double f = 0.5 * (low + high);
    (std::max(floor_frac, thermal::fan_table_frac(table(), at(plant, f))) > f ? low : high) = f;
  }
  return {high, high, high, high, memory.accepted_K, 0.0, 0};
}

TIDEWATT_CLONES
FanStairs::Speeds FanStairs::settled(const Memory& memory, const Plant& plant, double step_s) const {
  if (table().line) return on_line(memory, plant);
  double accepted_K = std::isnan(memory.accepted_K) ? reading_K(plant.die_K) : memory.accepted_K;
  const double floor_frac = this->floor_frac(plant.inlet_K);
  const std::size_t n = table().threshold_K.size();
  std::size_t level = level_of(accepted_K);
  bool rose = false, fell = false;
  for (std::size_t i = 0; i < 2 * n; ++i) {
    const double term_frac = term(memory.term_frac, level, floor_frac, plant, step_s),
                 frac = level_frac(level, term_frac, floor_frac), die_K = at(plant, frac);
    const bool up = level + 1 < n && die_K > upper_K(level, accepted_K),
               down = !up && level > 0 && die_K < lower_K(level, accepted_K);
    if ((up && fell) || (down && rose)) {
      const std::size_t low = up ? level : level - 1;
      const double low_frac = level_frac(low, term_frac, floor_frac),
                   high_frac = level_frac(low + 1, term_frac, floor_frac);
      const double up_K = upper_K(low, accepted_K), down_K = lower_K(low + 1, accepted_K);
      const double warm_K = at(plant, low_frac), cool_K = at(plant, high_frac);
      const double share = warm_K > up_K && cool_K < down_K
                               ? share_of_cycle(math::log((warm_K - down_K) / (warm_K - up_K)),
                                                math::log((up_K - cool_K) / (down_K - cool_K)))
                           : warm_K > up_K ? 1.0
                                           : 0.0;
      const double mean = low_frac + share * (high_frac - low_frac),
                   cube = low_frac * low_frac * low_frac +
                          share * (high_frac * high_frac * high_frac - low_frac * low_frac * low_frac);
      return {mean, std::cbrt(cube), low_frac, high_frac, (share > 0.5 ? up_K + 0.5 : down_K - 0.5), term_frac, low};
    }
    if (!up && !down) {
      return {frac, frac, frac, frac, accepted(accepted_K, die_K), term_frac, level};
    }
    rose = up, fell = down;
    accepted_K = up ? upper_K(level, accepted_K) + 0.5 : lower_K(level, accepted_K) - 0.5;
    level += up ? 1 : static_cast<std::size_t>(-1);
  }
  const double frac = level_frac(level, memory.term_frac, floor_frac);
  return {frac, frac, frac, frac, accepted_K, memory.term_frac, level};
}

}  // namespace TIDEWATT_NAMESPACE::fleet
