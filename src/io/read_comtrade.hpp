#pragma once
#include <string>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::io {

/// One analogue channel of a record, primary or secondary as written.
struct ComtradeSeries {
  std::string name, phase, unit;
  std::vector<double> values;  ///< in `unit`, [sample]; NaN: missing
};

/// A record as a relay wrote it.
struct ComtradeRecord {
  std::string station;
  double line_Hz = 60.0;
  std::vector<double> time_s;  ///< since the first sample, [sample]
  std::vector<ComtradeSeries> channels;
};

/// Reads a COMTRADE record (revisions 1991 to 2013; .cfg with its .dat beside it, or .cff; ASCII, BINARY, BINARY32, FLOAT32;
/// any number of sampling rates, or none: then the stamps count). The number of samples is that of the data, whatever the header
/// says. Missing values: 99999, hex 8000, hex 80000000, an empty field.
/// @throws InputError with error and place
ComtradeRecord read_comtrade(const std::string& path);

/// Voltage in pu of its value at the start, every 1 ms from the first sample on, [sample]: a channel in pu as it is, else of the
/// first three voltages the lowest rms over the cycle before, over its own mean of the first two cycles.
/// @throws InputError if the record has no voltage, or less than two cycles
std::vector<double> sag_of(const ComtradeRecord& record);

}  // namespace TIDEWATT_NAMESPACE::io
