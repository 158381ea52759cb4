#pragma once
// What a fan controller's group of whole degrees does at a temperature of the dies: its table and its PID term. Private to fleet.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "tidewatt/base/simd.hpp"
#include "tidewatt/thermal/fan_controller.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

inline constexpr double celsius_K = 273.15;
/// Whole degrees Celsius of the tables by degree.
inline constexpr std::int64_t lowest_degC = -50, n_degC = 200;

/// std::floor() of some hundreds, without a call.
TIDEWATT_INLINE double whole_below(double x) {
  if (!(std::abs(x) < 1e9)) return x;  // of a die that runs away
  const auto i = static_cast<double>(static_cast<std::int64_t>(x));
  return i > x ? i - 1.0 : i;
}
/// Of a temperature in degrees Celsius in a table by whole degrees; beyond any table where there is none.
TIDEWATT_INLINE std::size_t degree_place(double degC) {
  if (!(std::abs(degC) < 1e9)) return static_cast<std::size_t>(n_degC);
  return static_cast<std::size_t>(static_cast<std::int64_t>(whole_below(degC)) - lowest_degC);
}
TIDEWATT_INLINE double whole_above(double x) { return -whole_below(-x); }
/// Whole degrees by which a reading has to move until it is accepted.
TIDEWATT_INLINE double step_K(double hysteresis_K) { return whole_below(hysteresis_K + 1e-9) + 1.0; }
/// What a sensor shows of a temperature, K: whole degrees Celsius.
TIDEWATT_INLINE double shown_K(double temperature_K) {
  return whole_below(temperature_K - celsius_K + 0.5) + celsius_K;
}
/// Number of thresholds up to a reading. A loop over all of them is faster than a search.
TIDEWATT_INLINE std::size_t n_reached(const std::vector<double>& threshold_K, double reading_K) {
  std::size_t n = 0;
  for (const double edge_K : threshold_K) n += edge_K <= reading_K ? 1 : 0;
  return n;
}

/// The table of the group that senses the dies, by the reading that it holds on to. Readings are whole degrees: what follows from
/// them is known beforehand.
class FanTable {
 public:
  FanTable() = default;                              ///< none
  explicit FanTable(thermal::FanGroupParams group);  ///< with thresholds
  /// Where a table that holds on to a reading is, and the mean temperatures beyond which a node leaves that step: infinite where
  /// there is none.
  struct Edges {
    double accepted_K;
    std::size_t level;
    double upper_K, lower_K;
  };
  Edges edges(double accepted_K) const;                  ///< of a reading
  std::size_t level_of(double accepted_K) const;         ///< where a table with this reading is
  double accepted(double before_K, double die_K) const;  ///< K, the reading held after a step that ends at `die_K`
  double lower_K(std::size_t level, double accepted_K) const;  ///< mean die temperature below which it leaves a step
  double upper_K(std::size_t level, double accepted_K) const;  ///< and above which it does

 private:
  Edges edges_of(double accepted_K) const;
  thermal::FanGroupParams group_;
  std::vector<Edges> edges_;  ///< by whole degree; empty: no steps
};

/// The reading that the table holds on to after a step. Dies pass every whole degree, so it moves by the hysteresis and one.
TIDEWATT_INLINE double FanTable::accepted(double before_K, double die_K) const {
  const auto& g = group_;
  constexpr double sensed_K = 1e3;  // hotter ones have run away: the macro step's heat ends the run
  if (!(die_K > 0.0 && die_K < sensed_K)) return before_K;
  const double reads_K = shown_K(die_K);
  double kept_K = std::isnan(before_K) ? reads_K : before_K;
  while (reads_K > kept_K + g.hysteresis_up_K + 1e-9) kept_K += step_K(g.hysteresis_up_K);
  while (reads_K < kept_K - g.hysteresis_down_K - 1e-9) kept_K -= step_K(g.hysteresis_down_K);
  return kept_K;
}

TIDEWATT_INLINE std::size_t FanTable::level_of(double accepted_K) const {
  const std::size_t n = n_reached(group_.threshold_K, accepted_K + 1e-9);
  return n == 0 ? 0 : n - 1;
}

/// Mean temperature above which a node leaves a step upwards: the first reading that the table can accept at or over the next threshold.
TIDEWATT_INLINE double FanTable::upper_K(std::size_t level, double accepted_K) const {
  const double threshold_K = group_.threshold_K[level + 1], by_K = step_K(group_.hysteresis_up_K);
  const double accepted = accepted_K + by_K * whole_above((threshold_K - accepted_K) / by_K - 1e-9);
  return accepted - 0.5;
}

/// And below which it leaves it downwards: the first acceptable reading under the step's own threshold.
TIDEWATT_INLINE double FanTable::lower_K(std::size_t level, double accepted_K) const {
  const double threshold_K = group_.threshold_K[level], by_K = step_K(group_.hysteresis_down_K);
  double accepted = upper_K(level - 1, accepted_K) + 0.5;
  do accepted -= by_K;
  while (accepted >= threshold_K - 1e-9);
  return accepted + 0.5;
}

TIDEWATT_INLINE FanTable::Edges FanTable::edges(double accepted_K) const {
  if (const auto i = degree_place(accepted_K - celsius_K + 0.5);
      i < edges_.size() && edges_[i].accepted_K == accepted_K)
    return edges_[i];
  return edges_of(accepted_K);
}

/// The PID term of a group, by mean temperatures of the die. Readings are whole degrees.
struct FanRegulation {
  FanRegulation() = default;  ///< none
  /// @param sample_s between two readings, s
  FanRegulation(const thermal::FanGroupParams& group, double sample_s);
  double on_K = std::numeric_limits<double>::infinity();    ///< above it the term acts
  double off_K = -std::numeric_limits<double>::infinity();  ///< up to it the term is cleared
  double excess_K = 0.0;                                    ///< of the lowest reading that acts, over the set point
  double kick_frac = 0.0;   ///< what that reading asks for at once: it is integrated over the sample that sees it first
  double frac_per_s = 0.0;  ///< and in each second from then on
  /// Whether a die is over the set point.
  bool acts(double die_K) const { return die_K > on_K; }
  /// Whether a term ends at a die.
  bool clears(double term_frac, double die_K) const { return term_frac > 0.0 && die_K <= off_K; }
};

}  // namespace TIDEWATT_NAMESPACE::fleet
