#pragma once
#include <cstdint>
#include <span>

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
/// Other movement is what stays inside the dead band d, at which both say the same; d = 0 leaves it out. Simpler than rainflow counting: nested cycles are cut at their turning
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

/// A converter's reactive power within its apparent-power rating, active power first.
struct TIDEWATT_API ReactiveParams {
  double rating_VA = 0.0;
  double target_power_factor_frac = 1.0;  ///< at the connection, lagging; 1: all reactive power compensated
};
struct TIDEWATT_API ReactivePoint {
  double var = 0.0;            ///< given by the converter, positive when drawn
  double pcc_var = 0.0;        ///< at the connection
  double not_given_var = 0.0;  ///< asked beyond sqrt(S² − P²)
  bool limited = false;
};
/// @param converter_W active power of the converter  @param pcc_W, load_var at the connection without its help
/// @throws InputError for a rating not above 0 or a power factor outside (0, 1]
TIDEWATT_API ReactivePoint compensate(const ReactiveParams& params, double converter_W, double pcc_W, double load_var);

struct TIDEWATT_API ReactiveMeters {
  std::int64_t n_limited = 0;   ///< bins in which the rating left too little beside the active power
  double not_given_vars = 0.0;  ///< ∫ |asked − given|
  double most_var = 0.0;        ///< largest given, either sign
};
/// A chunk of 1 ms means.  @param converter_W active power of the converter  @param pcc_W at the connection
/// @param pcc_var in: without its help, out: with it; all of one length  @throws InputError if not
TIDEWATT_API void compensate(const ReactiveParams& params, std::span<const double> converter_W,
                             std::span<const double> pcc_W, std::span<double> pcc_var, ReactiveMeters& meters);

}  // namespace TIDEWATT_NAMESPACE::mitigation
