#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// The electronic part of the composite load CMLDBLU2; its motors, static part and feeder are absent.
struct CompositeLoad {
  double MVA = 0.0;  ///< base, > 0
  double PFel = 1.0;
  double Vd1 = 0.0, Vd2 = 0.0;  ///< pu: begins to fall; is zero; a straight line between
  double Frcel = 1.0;           ///< fraction that returns with the voltage
};
/// CMLDBLU1 (PSS/E 33 and 34) has one value less, Frcel, and no whole numbers; CMLDBLU2 (35 and later) has both.
enum class CompositeRevision : std::uint8_t { one, two };
/// One record: bus 'USRLOD' id 'CMLDBLU2', 7 numbers of the header, 2 whole numbers, 133 values, /
/// @source PNNL's large-load examples for header and electronic part, WECC's model for the order of the 133 values
std::string cmpldw_record(std::int64_t bus, const std::string& id, const CompositeLoad& load,
                          CompositeRevision revision = CompositeRevision::two);

/// A load that repeats, as LINJBL injects it: a square wave.
struct RepeatingLoad {
  double begin_s = 0.0;
  double duty = 0.5;  ///< share of a period at the high level, in (0, 1)
  double Hz = 1.0;
  std::int64_t n_period = 1;
  double peak_to_peak_MW = 0.0;
};
/// One record: bus 'USRLOD' id 'LINJBL', header, 4 whole numbers (constant power, single period, on P), 8 values, /
/// @source PNNL's LINJBL for PSS/E 34 to 36
std::string linjbl_record(std::int64_t bus, const std::string& id, const RepeatingLoad& load);

/// The square wave whose fundamental is the largest line (grid/power_line.hpp) of a power:
///
///     fundamental of a square wave of height H and duty D = (2 H/π) sin πD
///
/// Its duty is the share of samples above the middle between the 5th and the 95th percentile.
/// @param P_W [sample]  @param step_s between samples  @param begin_s when it begins, in the other program's time
/// @throws InputError if there is no line: the power is too short or constant
RepeatingLoad repeating_load(std::span<const double> P_W, double step_s, double begin_s, double lowest_Hz = 0.02);

}  // namespace TIDEWATT_NAMESPACE::grid
