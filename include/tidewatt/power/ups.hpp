#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "tidewatt/base/tick.hpp"
#include "tidewatt/base/version.hpp"
#include "tidewatt/power/store.hpp"

namespace TIDEWATT_NAMESPACE::power {

/// An uninterruptible supply (or a group of equal ones that act together): losses, transfer to battery, and return to the source.
struct TIDEWATT_API UpsParams {
  double rating_W = 0.0;                ///< output
  bool eco = false;                     ///< the source feeds the load through a static switch; else double conversion
  double no_load_loss_frac = 0.0;       ///< of rating, while the converters run
  double proportional_loss_frac = 0.0;  ///< loss proportional to the load, as a fraction of the rating
  double quadratic_loss_frac = 0.0;     ///< loss proportional to the square of the load, as a fraction of the rating
  double eco_loss_frac = 0.0;           ///< of the load in eco operation
  double eco_gap_s = 0.0;               ///< interruption of a transfer out of eco operation
  double low_pu = 0.0;                  ///< lowest source voltage that is accepted
  double high_pu = 0.0;                 ///< highest source voltage that is accepted
  double return_s = 0.0;                ///< time of good source voltage before the return begins
  double walk_in_s = 0.0;               ///< linear rise of the power drawn from the source after a return
  std::int64_t lockout_count = 0;       ///< transfers within the window after which it stays on battery; 0: never
  double lockout_window_s = 0.0;        ///< window of the lockout
  double overload_ratio = 1.0;          ///< output over rating beyond which the load is dropped
  double recharge_W = 0.0;              ///< from the source into the battery
  StoreParams battery;                  ///< of one unit
  void fields(FieldVisitor& v);
};

enum class UpsMode : std::uint8_t { normal, on_battery, returning, locked, off };

struct TIDEWATT_API UpsState {
  UpsMode mode = UpsMode::normal;
  Tick now = 0;
  Tick good_for = 0, walk_for = 0;
  Tick gap_left = 0;                ///< of a transfer out of eco operation
  std::array<Tick, 8> transfers{};  ///< latest transfers, oldest first
  std::int64_t n_transfer_kept = 0;
  bool dark = false;  ///< the load was dropped and has not returned
  StoreState battery;
  template <class A>
  void archive(A& a) {
    a(mode, now, good_for, walk_for, gap_left, transfers, n_transfer_kept, dark, battery);
  }
};

struct TIDEWATT_API UpsMeters {
  CompensatedSum drawn_J, served_J, unserved_J, loss_J;
  StoreMeters battery;
  std::int64_t n_transfer = 0, n_lockout = 0, n_input_limited = 0;
  std::int64_t n_off = 0;  ///< times that the load was dropped: battery empty or too weak, or overload
  /// |drawn + discharged − charged − served − loss| / (drawn + discharged)
  /// Relative, dimensionless.
  double closure() const;
  template <class A>
  void archive(A& a) {
    a(drawn_J, served_J, unserved_J, loss_J, battery, n_transfer, n_lockout, n_input_limited, n_off);
  }
};

/// Power through an uninterruptible supply, bin by bin.
///
///     loss = P_r (a_0 + a_1 x + a_2 x²),  x = P/P_r          (eco: e P)
///     source good, normal:     drawn = P + loss + recharge, at most the input limit
///     on battery or locked:    drawn = 0
///     returning:               drawn <= (t/t_walk)(P + loss)
///     battery gives P + loss − drawn; if it cannot, the load is dropped (mode off) until the source returns
///
/// A source outside its voltage band is left within the bin. The return waits for return_s of good voltage. The
/// lockout_count-th transfer within the window locks it on battery until `release`, as reported for the loss of
/// 1,500 MW on 10 July 2024 [@nerc_incident_2024]; a locked supply whose battery is empty goes off.
/// Assumptions: one group acts as one; power factor of the input is 1; the gap of a transfer out of eco operation
/// counts as not served here (the supplies' hold-up bridges it).
class TIDEWATT_API Ups {
 public:
  explicit Ups(const UpsParams& params);  ///< @throws InputError
  UpsState start() const {
    UpsState s;
    s.battery = battery_.start();
    return s;
  }
  void release(UpsState& state) const;  ///< manual return out of `locked`
  /// Drops the load now: off until the source has been good for return_s; a locked supply stays locked.
  void drop(UpsState& state, UpsMeters& meters) const;

  /// One bin of 1 ms. @param limit_W the most that may be drawn (a generator's acceptance)  @param served_W out
  /// @return drawn from the source
  double bin(double load_W, double source_pu, double limit_W, double& served_W, UpsState& state,
             UpsMeters& meters) const;
  /// A chunk of 1 ms means; spans of equal length. @throws InputError if not
  void step(std::span<const double> load_W, std::span<const double> source_pu, std::span<double> drawn_W,
            std::span<double> served_W, UpsState& state, UpsMeters& meters) const;
  /// Loss at a steady output.
  double loss_W(double load_W, bool eco) const;
  const Store& battery() const { return battery_; }
  const UpsParams& params() const { return p_; }

 private:
  void transfer(UpsState& s, UpsMeters& m) const;
  void decide(bool good, UpsState& s, UpsMeters& m) const;
  UpsParams p_;
  Store battery_;
  Tick return_, walk_, window_, gap_;
};

}  // namespace TIDEWATT_NAMESPACE::power
