#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tidewatt::io {

/// One analog channel of a record.
struct ComtradeChannel {
  std::string id;    ///< e.g. "pcc_P"
  std::string unit;  ///< e.g. "W", "pu", "Hz"
  std::span<const double> values;
};

/// Where and when a record was taken.
struct ComtradeHeader {
  std::string station = "tidewatt", device = "pcc";
  double rate_Hz = 1000.0;  ///< samples per second, constant
  double line_Hz = 60.0;
  std::int64_t start_unix_us = 0;  ///< of the first sample, UTC
  std::int64_t trigger_us = 0;     ///< after the first sample
};

enum class ComtradeFormat : std::uint8_t { ascii, binary };

/// The two files of a record after IEEE C37.111-1999.
struct Comtrade {
  std::string cfg;        ///< text, CRLF line ends
  std::vector<char> dat;  ///< ASCII lines, or 16-bit two's complement little-endian
};

/// Values are stored as whole numbers i with x = a i + b, a and b from each channel's extremes, so that the largest
/// rounding error is a/2 = (max − min)/(2 · 65,534) in binary (± 32,767; −32,768 means missing) and
/// (max − min)/(2 · 199,998) in ASCII (± 99,999). A constant channel is exact. Numbers that are not finite are missing.
/// @throws InputError if there is no channel, lengths differ, a text holds a comma or line end, or a time stamp would
/// not fit (2^31 samples in binary, 10 digits of µs)
Comtrade comtrade(const ComtradeHeader& header, std::span<const ComtradeChannel> channels, ComtradeFormat format);

}  // namespace tidewatt::io
