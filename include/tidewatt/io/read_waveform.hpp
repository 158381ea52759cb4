#pragma once
#include <string>
#include <vector>

namespace tidewatt::io {

/// A recorded window of a result file, 1 ms means.
struct Waveform {
  std::string window;
  double first_s = 0.0, step_s = 1e-3;
  std::vector<double> pcc_W, pcc_var, bus_pu, frequency_Hz;
};

/// Names of the windows that a result file holds. @throws InputError if it is no result
std::vector<std::string> waveform_windows(const std::string& path);
/// @throws InputError naming the windows there are
Waveform read_waveform(const std::string& path, const std::string& window);

}  // namespace tidewatt::io
