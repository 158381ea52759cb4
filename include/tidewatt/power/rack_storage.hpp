#pragma once
#include <cstdint>
#include <span>

#include "tidewatt/base/version.hpp"
#include "tidewatt/power/store.hpp"

namespace TIDEWATT_NAMESPACE::power {

/// A store on a rack's direct-current side (capacitors in the supplies, a rack battery or supercapacitor) and its rule.
struct TIDEWATT_API RackStorageParams {
  StoreParams store;               ///< its rating, capacity and efficiencies
  double smoothing_s = 0.0;        ///< longest time constant of the input behind the load
  double learning_s = 0.0;         ///< time in which the droop narrows from the store's rating to nothing
  double ramp_up_W_per_s = 0.0;    ///< largest rise of the input; 0: not limited
  double ramp_down_W_per_s = 0.0;  ///< largest fall; 0: not limited
  void fields(FieldVisitor& v);
};

struct TIDEWATT_API RackStorageState {
  StoreState store;
  double low_W = 0.0, high_W = 0.0;                ///< ends of the droop: input with a full and with an empty store
  double reference_W = 0.0;                        ///< what the input drew last
  double seen_low_W = 0.0, seen_high_W = 0.0;      ///< the input's extremes in the present window
  double charge_low_J = 0.0, charge_high_J = 0.0;  ///< the charge's
  double goal_low_W = 0.0, goal_high_W = 0.0;      ///< to which the ends move: the last window's extremes
  std::int64_t n_bin = 0;                          ///< of the present window
  bool operator==(const RackStorageState&) const = default;
  template <class A>
  void archive(A& a) {
    a(store, low_W, high_W, reference_W, seen_low_W, seen_high_W, charge_low_J, charge_high_J, goal_low_W, goal_high_W,
      n_bin);
  }
};

/// Input power by droop: the emptier the store, the more the supply draws, and the store gives or takes the rest at once.
///
///     P_in = P_lo + (1 − σ)(P_hi − P_lo),   E' = P_in − L less losses   ⇒   τ P_in' = L − P_in,  τ = E_u/(P_hi − P_lo)
///
/// with usable energy E_u and its filled share σ. Between the ends the input is a mean of the load's past with positive weights,
/// so no rise, fall or peak of it exceeds the load's own, over any span. Fast repetition leaves its mean (ripple ΔP T/(4 τ) at
/// half duty); a slow square wave of height ΔP leaves edges of initial slope ΔP²/E_u.
/// The ends start as far apart as the store's rating, at the load. They move together by rating/`learning_s`, down to what the
/// input covered in the last window of 10 s or to E_u/`smoothing_s`, as long as the charge is in use (a fiftieth of it). A load
/// beyond an end pulls it when the last quarter of the charge (or room) is in use: what is missing to the load falls in
/// proportion to what the store has left, so it lets go gradually.
/// Assumptions: 1 ms means; the store follows within the bin; constant efficiencies. The makers' own control is not published;
/// energy and layout of the capacitor shelf: published descriptions of the GB300 power shelf [@gb300_power_shelf].
class TIDEWATT_API RackStorage {
 public:
  explicit RackStorage(const RackStorageParams& params);  ///< @throws InputError
  /// At rest under a steady load, the store at its initial charge.
  RackStorageState start(double load_W) const;
  /// @param load_W 1 ms means, any length  @param drawn_W same length, may be the same memory  @throws InputError
  void step(std::span<const double> load_W, std::span<double> drawn_W, RackStorageState& state,
            StoreMeters& meters) const;
  /// Whether storage repeats itself under a repeated load: no bound of the charge was reached, and what the ends of the droop
  /// and the charge still have to move would change the input by less than `drift_W`.
  /// @param before,meters_before at a unit's begin  @param now,meters at its end  @param n_bin its 1 ms bins  @param drift_W >= 0
  bool repeats(const RackStorageState& before, const StoreMeters& meters_before, const RackStorageState& now,
               const StoreMeters& meters, std::int64_t n_bin, double drift_W) const;
  /// Adds the exchange since `before` `count` times; droop, input and charge are unchanged.
  /// @return energy by which the input is less than `count` times that exchange, so that the charge is unchanged, J
  double repeat(const RackStorageState& now, StoreMeters& meters, const RackStorageState& before,
                const StoreMeters& meters_before, double count) const;
  const Store& store() const { return store_; }

 private:
  double time_constant_s(const RackStorageState& s) const { return usable_J_ / (s.high_W - s.low_W); }
  void pull_ends(RackStorageState& s, double load_W, double before_J) const;
  void move_ends(RackStorageState& s, double load_W) const;
  void watch(RackStorageState& s) const;
  RackStorageParams p_;
  Store store_;
  double usable_J_, least_W_, move_W_, up_W_, down_W_;
};

}  // namespace TIDEWATT_NAMESPACE::power
