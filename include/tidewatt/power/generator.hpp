#pragma once
#include <cstdint>
#include <span>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/sum.hpp"
#include "tidewatt/base/tick.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::power {

/// Equal machines on one island bus: standby diesels, or turbines that carry a site of their own.
struct TIDEWATT_API GeneratorParams {
  std::int64_t n_unit = 0;            ///< machines
  double unit_W = 0.0;                ///< rating of one machine
  double start_s = 0.0;               ///< from the order to the first unit on the bus
  double sync_interval_s = 0.0;       ///< between further units
  double load_step_frac = 1.0;        ///< of online capacity that may be taken at once
  double load_step_interval_s = 0.0;  ///< until the next step may follow
  double ramp_W_per_s = 0.0;          ///< fastest change of one unit's mechanical power
  double governor_s = 0.0;            ///< lag of the governor and fuel system
  double droop_pu = 0.0;              ///< speed deviation for full power
  double reset_s = 0.0;               ///< integral time that brings the frequency back; 0: none
  double inertia_s = 0.0;             ///< H, kinetic energy over rating
  double damping_pu = 0.0;            ///< D, power per unit of frequency, on online rating
  double nominal_Hz = 0.0;            ///< frequency
  double low_Hz = 0.0;                ///< the generators trip below this frequency
  double high_Hz = 0.0;               ///< the generators trip above this frequency
  double trip_s = 0.0;                ///< time outside these frequencies until the trip
  double fuel_no_load_frac = 0.0;     ///< of rated heat input, per online unit
  double efficiency_frac = 1.0;       ///< electrical over heat input at rating
  void fields(FieldVisitor& v);
};

/// Turbines of the site's own: in parallel with the grid at a fixed output, alone once the site is an island.
struct TIDEWATT_API TurbineParams {
  GeneratorParams generator;
  double dispatch_W = 0.0;
};

struct TIDEWATT_API GeneratorState {
  bool ordered = false;  ///< to run
  bool tripped = false;
  Tick running_for = 0;  ///< since the order
  std::int64_t n_online = 0;
  double kinetic_J = 0.0;  ///< of the machines online
  double kinetic_carry_J = 0.0;
  double mechanical_W = 0.0;
  double set_pu = 0.0;      ///< integral part of the governor
  double accepted_W = 0.0;  ///< load that is accepted now
  Tick step_for = 0;        ///< since the last step of accepted load
  Tick outside_for = 0;     ///< frequency outside its band
  bool operator==(const GeneratorState&) const = default;
  template <class A>
  void archive(A& a) {
    a(ordered, tripped, running_for, n_online, kinetic_J, kinetic_carry_J, mechanical_W, set_pu, accepted_W, step_for,
      outside_for);
  }
};

struct TIDEWATT_API GeneratorMeters {
  CompensatedSum mechanical_J, electrical_J, damping_J, joined_J, left_J, fuel_J, unserved_J;
  double lowest_Hz = 1e300, highest_Hz = -1e300;
  std::int64_t n_trip = 0, n_ramp_limited = 0, n_power_limited = 0;
  /// |mechanical + joined − electrical − damping − left − kinetic| / mechanical
  /// Relative, dimensionless.
  double closure(const GeneratorState& now, double kinetic_before_J) const;
  template <class A>
  void archive(A& a) {
    a(mechanical_J, electrical_J, damping_J, joined_J, left_J, fuel_J, unserved_J, lowest_Hz, highest_Hz, n_trip,
      n_ramp_limited, n_power_limited);
  }
};

/// Frequency and fuel of an island, exact in energy.
///
///     W' = P_m − P_e − D S (f/f_0 − 1),   f = f_0 sqrt(W/(H S))                      (S: rating online)
///     P_m' = (P_c − P_m)/T_g within ± n r and [0, S],   P_c = S [x − (f/f_0 − 1)/R],   x' = −(f/f_0 − 1)/(R T_i)
///     heat input = n Q_0 + slope · P_m
///
/// A load step ΔP against units that ramp at their limit dips by f_0 ΔP²/(4 H S r) (closed form for D = 0, small dips),
/// the cost of a ramp limit; the trip, the limits and the unserved energy are counted. Load is accepted in
/// steps: `limit_W` is the load that the bus accepts now. Assumptions: units share evenly; voltage regulator ideal;
/// frequency at the start of a bin acts over it. Source: Kundur, ch. 3 and 11 [@kundur].
class TIDEWATT_API Generator {
 public:
  explicit Generator(const GeneratorParams& params);  ///< @throws InputError
  GeneratorState off() const { return {}; }
  /// @throws InputError above the rating
  GeneratorState running(double load_W) const;  ///< all units online, at rest under the load
  /// Orders the units to start, or to leave the bus at once; a tripped set stays off until `reset`.
  void order(bool run, GeneratorState& state, GeneratorMeters& meters) const;
  /// Trips the set now: it leaves the bus and stays off until `reset`.
  void trip(GeneratorState& state, GeneratorMeters& meters) const;
  /// After a trip: the machines are off and may be ordered again.
  void reset(GeneratorState& state) const { state = {}; }
  double limit_W(const GeneratorState& state) const;  ///< load that may be put on the bus now
  /// Of the island's bus; 0 with no unit online.
  double frequency_Hz(const GeneratorState& state) const;
  /// One bin of 1 ms. @param load_W asked from the bus, >= 0  @return served
  /// Power in W.
  double bin(double load_W, GeneratorState& state, GeneratorMeters& meters) const;
  /// A chunk of 1 ms bins, [n] each: load asked, load served (out), frequency (out). @throws InputError if lengths
  /// differ
  void step(std::span<const double> load_W, std::span<double> served_W, std::span<double> frequency_Hz,
            GeneratorState& state, GeneratorMeters& meters) const;
  const GeneratorParams& params() const { return p_; }

 private:
  double rating_W(const GeneratorState& s) const { return static_cast<double>(s.n_online) * p_.unit_W; }
  void join(GeneratorState& s, GeneratorMeters& m) const;
  void leave(GeneratorState& s, GeneratorMeters& m) const;
  void accept(double load_W, GeneratorState& s) const;
  void turn(double electrical_W, GeneratorState& s, GeneratorMeters& m) const;
  GeneratorParams p_;
  double lag_;
  Tick start_, sync_, step_, trip_;
};

}  // namespace TIDEWATT_NAMESPACE::power
