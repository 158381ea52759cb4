#pragma once
#include <string>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::io {

/// One analogue channel of a record, primary or secondary as written.
struct ComtradeSeries {
  std::string name, phase, unit;  ///< printable: control bytes and bytes that are not UTF-8 as \xNN
  std::vector<double> values;     ///< in `unit`, [sample]; NaN: missing
};

/// A record as a relay wrote it.
struct ComtradeRecord {
  std::string station;
  double line_Hz = 60.0;       ///< 0: the header says none
  std::vector<double> time_s;  ///< since the first sample, [sample]
  std::vector<ComtradeSeries> channels;
  std::vector<std::string> notes;  ///< what was left out or does not agree
};

/// Reads a COMTRADE record (revisions 1991 to 2013; .cfg with its .dat beside it, or .cff; ASCII, BINARY, BINARY32, FLOAT32;
/// any number of sampling rates, or none: then the stamps count, in µs or ns as the header's times have digits, times the header's
/// factor). The number of samples is that of the data; a note says where the header has another one. Missing values: 99999, hex 8000,
/// hex 80000000, an empty field. Fields are separated by commas, or by semicolons if the second line has no comma; then numbers may have
/// decimal commas. NUL and 0x1A behind lines and data are filling.
/// @throws InputError with error and place; also if rates and stamps differ by more than 2 %, or sample numbers do not count up
ComtradeRecord read_comtrade(const std::string& path);

}  // namespace TIDEWATT_NAMESPACE::io
