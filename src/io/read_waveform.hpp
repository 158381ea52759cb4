#pragma once
#include <string>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::io {

/// A recorded window of a result file, 1 ms means.
struct Waveform {
  std::string window;
  double first_s = 0.0, step_s = 1e-3;
  std::vector<double> pcc_W, pcc_var, bus_pu, frequency_Hz;
};

/// Names of the windows in a result file, ascending. @throws InputError if it is no result, CorruptFileError if it
/// is not as written (verified_file.hpp)
std::vector<std::string> waveform_windows(const std::string& path);
/// @param window empty: the first  @throws InputError naming the windows there are, and as above
Waveform read_waveform(const std::string& path, const std::string& window);

}  // namespace TIDEWATT_NAMESPACE::io
