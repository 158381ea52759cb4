#pragma once
#include <cstdint>
#include <span>

#include "tidewatt/base/version.hpp"
#include "tidewatt/power/store.hpp"

namespace TIDEWATT_NAMESPACE::power {

/// A store on a rack's direct-current side (capacitors in the supplies, a rack battery or supercapacitor) and its rule.
struct TIDEWATT_API RackStorageParams {
  StoreParams store;               ///< its rating, capacity and efficiencies
  double smoothing_s = 0.0;        ///< time constant of the mean that the input follows
  double soc_target_frac = 1.0;    ///< state of charge to return to
  double soc_return_s = 0.0;       ///< time constant of that return
  double ramp_up_W_per_s = 0.0;    ///< largest rise of the input; 0: not limited
  double ramp_down_W_per_s = 0.0;  ///< largest fall; 0: not limited
  void fields(FieldVisitor& v);
};

struct TIDEWATT_API RackStorageState {
  StoreState store;
  double smoothed_W = 0.0;   ///< the mean's memory
  double reference_W = 0.0;  ///< what the input should draw, after the ramp limit
  bool operator==(const RackStorageState&) const = default;
  template <class A>
  void archive(A& a) {
    a(store, smoothed_W, reference_W);
  }
};

/// Input power that follows the load's slow mean while the store takes the difference, without delay: the store sits on
/// the bus, and the upstream converter's current reference is what moves slowly.
///
///     f' = (L − f)/τ,   goal = f + (E_target − E)/τ_soc,   r within the ramps of its last value,
///     store gets r − L within its rating and bounds,   input = L + store
///
/// With a repeating peak of height ΔP and duty D the input settles at the mean, so the peak falls by (1 − D) ΔP less
/// losses while the store lasts; an isolated peak is covered for E/ΔP.
/// Assumptions: 1 ms means; the store follows within the bin; constant efficiencies. Energy and layout of the
/// capacitor shelf: published descriptions of the GB300 power shelf [@gb300_power_shelf].
class TIDEWATT_API RackStorage {
 public:
  explicit RackStorage(const RackStorageParams& params);  ///< @throws InputError
  /// At rest under a steady load, the store at its initial charge.
  RackStorageState start(double load_W) const { return {store_.start(), load_W, load_W}; }
  /// @param load_W 1 ms means, any length  @param drawn_W same length, may be the same memory  @throws InputError
  void step(std::span<const double> load_W, std::span<double> drawn_W, RackStorageState& state,
            StoreMeters& meters) const;
  /// Whether storage repeats itself under a repeated load: no bound of the charge was reached, and the remaining drift of mean
  /// and charge would change the input by less than `drift_W`.
  /// @param before,meters_before at a unit's begin  @param now,meters at its end  @param n_bin its 1 ms bins  @param drift_W >= 0
  bool repeats(const RackStorageState& before, const StoreMeters& meters_before, const RackStorageState& now,
               const StoreMeters& meters, std::int64_t n_bin, double drift_W) const;
  /// Adds the exchange since `before` `count` times; mean, input and charge are unchanged.
  /// @return energy by which the input is less than `count` times that exchange, so that the charge is unchanged, J
  double repeat(const RackStorageState& now, StoreMeters& meters, const RackStorageState& before,
                const StoreMeters& meters_before, double count) const;
  const Store& store() const { return store_; }

 private:
  RackStorageParams p_;
  Store store_;
  double gain_, target_J_, return_per_s_, up_W_, down_W_;
};

}  // namespace TIDEWATT_NAMESPACE::power
