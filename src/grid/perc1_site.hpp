#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "load_settings.hpp"
#include "perc1.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// One record of a site, for loads of equal settings.
struct Perc1Record {
  std::string group;  ///< the part that it represents
  double power_W = 0.0;
  Perc1Params params;
};

/// What a site does and its records do not, with the power that it could move.
struct Perc1Gap {
  std::string what;
  double power_W = 0.0;
};

/// A site's records, from its settings alone.
struct Perc1Site {
  std::vector<Perc1Record> records;
  std::vector<Perc1Gap> gaps;
  std::vector<LoadSettings> held;  ///< the parts that the records represent
  double remainder_W = 0.0;        ///< of parts that PERC1 does not represent: drives, motors
  double power_W() const;          ///< of all records
};

/// Largest number of records of a site.
inline constexpr std::size_t most_perc1_records = 8;

/// Records of all supplies; drives and motors are the remainder. A part whose thresholds are spread is cut into records of
/// equal share, as many as there is room for, those with the most power times spread first.
///
///     Vcease, Tcease    the part's lower limit with the shortest time; further limits are gaps
///     Vrecon, Trecon    return voltage, and the time that it must be good
///     Tramp             the way back; with times spread by ±w a straight line that meets the sum of all units' ramps
///                       at one half and at 90 %
///     Frecon            fraction of the units that return by themselves
///     Ipmax             Lfm times the current limit; constant power: what the lowest voltage needs at which it stays
///
/// All else at its default: reactive power is constant current, and the power flow gives it.
/// @param settings with powers
/// @throws InputError if more than eight supplies have power
Perc1Site perc1_site(std::span<const LoadSettings> settings);

/// A straight line that represents units that start at even times within ± spread and then rise over ramp_s each:
/// equal at one half and at 90 %.
struct StraightReturn {
  double begin_s = 0.0, length_s = 0.0;
};
/// @param begin_s middle of the units' beginnings
StraightReturn straight_return(double begin_s, double spread_s, double ramp_s);

}  // namespace TIDEWATT_NAMESPACE::grid
