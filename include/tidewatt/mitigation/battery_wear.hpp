#pragma once
#include <cstdint>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::mitigation {

/// Life of a battery in cycles and years.
struct TIDEWATT_API BatteryWearParams {
  double cycles_full = 0.0;     ///< cycles of full depth until end of life
  double depth_exponent = 0.0;  ///< N(D) = cycles_full · D^−k
  double calendar_s = 0.0;      ///< life at rest
  double dead_band_frac = 0.0;  ///< swings of charge below it are throughput, not cycles
  void fields(FieldVisitor& v);
};

struct TIDEWATT_API BatteryWearState {
  double turn_frac = -1.0;     ///< charge at the last turning point; −1: nothing seen yet
  double extreme_frac = 0.0;   ///< furthest since then
  double last_frac = 0.0;      ///< charge when last seen
  std::int64_t direction = 0;  ///< +1 rising, −1 falling, 0 not known yet
  bool operator==(const BatteryWearState&) const = default;
  template <class A>
  void archive(A& a) {
    a(turn_frac, extreme_frac, last_frac, direction);
  }
};

struct TIDEWATT_API BatteryWearMeters {
  double cycle_life_frac = 0.0;  ///< used by half cycles
  /// Used by swings inside the dead band, and by a half cycle that is not complete yet.
  double throughput_life_frac = 0.0;
  double calendar_life_frac = 0.0;
  double full_cycles = 0.0;  ///< Σ |Δs|/2
  std::int64_t n_half_cycle = 0;
  template <class A>
  void archive(A& a) {
    a(cycle_life_frac, throughput_life_frac, calendar_life_frac, full_cycles, n_half_cycle);
  }
  /// Share of the life that is used, all causes together; 1: end of life.
  double life_frac() const { return cycle_life_frac + throughput_life_frac + calendar_life_frac; }
};

/// Wear by half cycles between turning points, each with its own depth, and by time.
///
///     half cycle of depth D uses   ½ D^k / N_full;   other movement uses   ½ |Δs| d^(k−1)/N_full
///
/// Movement inside the dead band d counts as throughput; both measures agree at d; d = 0 leaves it out. Simpler than rainflow
/// counting: nested cycles are cut at their turning
/// points, which for k > 1 gives too little for a small swing on a large one; exact for k = 1 and for cycles of one
/// depth. Assumption: linear accumulation. Source: throughput-and-depth life curves as battery makers publish them; the
/// catalog's figures are assumed with a range.
class TIDEWATT_API BatteryWear {
 public:
  explicit BatteryWear(const BatteryWearParams& params);  ///< @throws InputError
  /// The state of charge after another `elapsed_s`.
  void push(double soc_frac, double elapsed_s, BatteryWearState& state, BatteryWearMeters& meters) const;
  /// ½ D^k/N_full: share of the life that one half cycle of this depth uses.
  double half_cycle_life_frac(double depth_frac) const;

 private:
  BatteryWearParams p_;
  double band_slope_;
};

}  // namespace TIDEWATT_NAMESPACE::mitigation
