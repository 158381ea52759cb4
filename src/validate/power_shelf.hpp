#pragma once
#include "tidewatt/base/tick.hpp"
#include "tidewatt/power/store.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// A shelf of rectifiers with hold-up capacitors and a battery unit beside it on one bus.
struct PowerShelfParams {
  double rating_W = 0.0;         ///< output of the rectifiers
  double overload_ratio = 1.0;   ///< short-time output over rating that they still carry
  double efficiency_frac = 1.0;  ///< alternating current to bus
  double holdup_J = 0.0;         ///< of the hold-up capacitors, at the bus
  double holdup_charge_W = 0.0;  ///< with which they are refilled
  double restart_s = 0.0;        ///< from the return of the input to regulated output
  double bus_V = 0.0;            ///< regulated by rectifiers
  double holdup_bus_V = 0.0;     ///< while they live on their capacitors
  double battery_bus_V = 0.0;    ///< regulated by the battery unit
  double trigger_bus_V = 0.0;    ///< below it the battery unit counts
  double trigger_s = 0.0;        ///< how long below until it is triggered
  double start_s = 0.0;          ///< from the trigger to its output
  double standby_s = 0.0;        ///< how long above until it goes back to standby
  double recharge_W = 0.0;       ///< battery's charging power while the input is good
  power::StoreParams battery;
  void fields(FieldVisitor& v);
};

enum class BatteryUnit : std::uint8_t { standby, starting, delivering };

struct PowerShelfState {
  double holdup_J = 0.0, holdup_carry_J = 0.0;
  power::StoreState battery;
  BatteryUnit unit = BatteryUnit::standby;
  Tick input_good_for = 0;  ///< since the input returned
  Tick below_for = 0;       ///< bus below the trigger
  Tick above_for = 0;       ///< bus above it while the battery unit delivers
  Tick starting_for = 0;
  double bus_V = 0.0;  ///< at the end of the last step; 0: dead
  bool operator==(const PowerShelfState&) const = default;
};

struct PowerShelfMeters {
  CompensatedSum input_J;           ///< out of the alternating-current side
  CompensatedSum rectifier_loss_J;  ///< (1/η − 1) of what the rectifiers give to bus, capacitors and battery
  CompensatedSum holdup_in_J, holdup_out_J;
  CompensatedSum load_J;  ///< served
  CompensatedSum unserved_J;
  power::StoreMeters battery;
  std::int64_t n_overload = 0;  ///< pieces in which the load was beyond what the source could carry: bus lost
  /// |input + hold-up out − … | over what moved; the battery's own balance is in `battery`.
  double closure() const;
};

/// Bus of a rack through a loss of input, exact to the nanosecond between its events.
///
///     input good for restart_s:   rectifiers carry load, refill capacitors and battery;   P_in = P_out/η
///     else battery unit delivers: battery carries the load
///     else E_h > 0:               E_h' = −P_load   (bus at holdup_bus_V)
///     else:                       bus dead, load not served
///
/// The battery unit is triggered once the bus has been below the trigger voltage for trigger_s, and delivers start_s later;
/// it returns to standby once the bus has been above it for standby_s. Assumption: the bus capacitance (under 1 J between
/// its limits) is left out beside the hold-up energy. Source: Open Rack V3 rectifier and battery requirements [@orv3].
class PowerShelf {
 public:
  explicit PowerShelf(const PowerShelfParams& params);  ///< @throws InputError
  PowerShelfState start() const;                        ///< input good, capacitors full
  /// @param duration >= 0  @param load_W constant over it, >= 0  @param input_good voltage within the rectifiers' range
  /// @throws InputError for a negative load or duration
  void step(Tick duration, double load_W, bool input_good, PowerShelfState& state, PowerShelfMeters& meters) const;
  const power::Store& battery() const { return battery_; }

 private:
  enum class Source : std::uint8_t { rectifier, battery, holdup, none };
  Source source(const PowerShelfState& s, double load_W, bool input_good) const;
  double bus_V(Source from) const;
  Tick piece(const PowerShelfState& s, Source from, double load_W, bool input_good, Tick left) const;
  void move(Tick d, Source from, double load_W, bool input_good, PowerShelfState& s, PowerShelfMeters& m) const;
  void unit_after(Tick d, PowerShelfState& s) const;
  PowerShelfParams p_;
  power::Store battery_;
  Tick restart_, trigger_, start_, standby_;
};

}  // namespace TIDEWATT_NAMESPACE::validate
