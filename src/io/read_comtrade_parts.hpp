#pragma once
// Private to the COMTRADE reader: what its two sources share.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "read_comtrade.hpp"

namespace TIDEWATT_NAMESPACE::io::comtrade {

/// What the configuration says of the data.
struct Header {
  std::string file;
  char separator = ',';
  std::size_t n_status = 0;
  bool oldest = false;                                ///< 1991: other marks of missing values
  bool critical = false;                              ///< no rate: times are the stamps'
  std::uint32_t rate_line = 0;                        ///< of the first rate
  std::vector<std::pair<double, std::size_t>> rates;  ///< Hz, last sample
  std::vector<std::pair<double, double>> scale;       ///< a, b
  std::string encoding;
  double stamp_s = 1e-6;  ///< length of a stamp's unit, s
};

/// The data's file, or its section of a combined one.
struct Data {
  std::string file, bytes;
};

/// A number of the configuration or the data: with a decimal comma where fields have semicolons between them.
/// @param out the number, in any unit; unchanged if it is not one
bool parse(std::string_view text, char separator, double& out);

/// Fills channels and times. @throws InputError with every finding
void read_data(const Data& data, const Header& header, ComtradeRecord& record);

}  // namespace TIDEWATT_NAMESPACE::io::comtrade
