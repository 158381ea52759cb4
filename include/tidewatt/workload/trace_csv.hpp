#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"
#include "tidewatt/workload/trace.hpp"

namespace TIDEWATT_NAMESPACE::workload {

/// Format of a recorded file. Every property is given; none is guessed from the numbers.
struct TIDEWATT_API TraceFormat {
  std::string time_column;             ///< header of the column of times
  std::string time_format;             ///< s | ms | us | ns (counted from any origin, or since 1970) | iso8601
  std::vector<std::string> columns;    ///< channels, in this order; empty: every column but the time
  std::string unit;                    ///< of the channels: W | kW | MW (power), pct | frac (activity)
  std::string sample_holds = "after";  ///< after (valid from its time on) | before (mean since the last sample)
  double gap_s = 0.0;                  ///< longest accepted gap between samples
  std::string gap = "refuse";          ///< longer gaps: refuse | hold (the last sample continues; the gap is listed)

  void fields(FieldVisitor& v);
};

/// Reads CSV text with one header line. Times are decimal digits down to the nanosecond, exact; numbers are those of
/// std::from_chars. The sample at the open end lasts as long as its neighbour. Sample times stay irregular if they are.
/// @throws InputError with every defect, its line and column: unknown or doubled column, wrong number of fields, not a
///   number, negative or absurd value, time that does not rise, gap, fewer than two samples
TIDEWATT_API Trace parse_trace(std::string_view text, const std::string& file, const TraceFormat& format);
/// The same from a regular file of at most 256 MiB.
TIDEWATT_API Trace read_trace(const std::string& path, const TraceFormat& format);

}  // namespace TIDEWATT_NAMESPACE::workload
