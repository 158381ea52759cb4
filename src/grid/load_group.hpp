#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// Leaves the grid when a value is beyond a limit for longer than a time, without a pause.
struct Trip {
  double limit = 0.0;  ///< pu or Hz
  double after_s = 0.0;
  bool below = true;
  std::string setting;  ///< the key that sets it, with its value
};

/// A part of a site's load whose units act alike: supplies with their settings, servers, a plant's drives.
struct LoadGroup {
  std::string name;
  double power_W = 0.0;  ///< at nominal voltage, before the disturbance
  std::vector<Trip> voltage, frequency;
  double current_ratio = std::numeric_limits<double>::infinity();  ///< largest current over the one at nominal voltage
  double return_low_pu = 0.9, return_high_pu = 1.1;                ///< healthy in between
  double return_s = 0.0;                                           ///< healthy that long before the way back begins
  double ramp_s = 0.0;                                             ///< straight way back; 0: at once
  bool returns = true;                                             ///< false: its load stopped and stays away
  bool stops = false;            ///< nothing carries its servers while it is away: they lose power, and their job stops
  std::int64_t count_limit = 0;  ///< departures within the window that keep it away; 0: never
  double count_window_s = 0.0;
  double count_below_pu = 0.0;  ///< > 0: sags below this are counted, not departures, and the last one makes it leave
  std::string count_setting;
  /// Units between one phase and neutral, a third on each; else of three phases, which judge the lowest.
  bool per_phase = false;
};

/// What a group did during a record.
struct GroupTrace {
  std::vector<double> share_frac;  ///< on the grid, [sample]
  std::int64_t left_at = -1;       ///< sample at which it first left; −1: never
  std::string why;                 ///< the setting that made it leave
  bool locked = false;             ///< its counter was full
};

/// A site's answer to a voltage.
struct SiteAnswer {
  std::vector<double> power_W;        ///< drawn from the grid, [sample]
  std::vector<double> current_ratio;  ///< over the current before, [sample]
  std::vector<GroupTrace> groups;
};

/// Plays a voltage (and frequency) into groups of load:
///
///     on the grid      P = P_0 min(1, r V),  I = P/V:  constant power up to the current limit r (in pu of V = 1)
///     away             P = 0, from the sample on in which a limit was exceeded for longer than its time
///     back             after return_s of healthy voltage, on a straight line over ramp_s; unless its counter is full
///
/// Balanced voltages, rms. Assumptions: units of a group act together; a group that is away takes nothing from the grid,
/// whether a battery carries it or it stopped; batteries do not run empty within the record.
/// @param v_pu voltage, [sample]  @param f_Hz frequency, [sample], or empty: nominal  @param step_s between samples, > 0
/// @throws InputError if lengths differ or there is no load
SiteAnswer play(std::span<const LoadGroup> groups, std::span<const double> v_pu, std::span<const double> f_Hz,
                double step_s);

}  // namespace TIDEWATT_NAMESPACE::grid
