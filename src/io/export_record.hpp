#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "read_waveform.hpp"
#include "result_origin.hpp"

namespace TIDEWATT_NAMESPACE::io {

/// One quantity of a record.
struct ExportChannel {
  std::string name;  ///< "pcc_P"
  std::string unit;  ///< "MW", "Mvar", "pu" or "Hz"
  std::vector<double> values;
};

/// Input for another program: equally spaced samples and their origin.
struct ExportRecord {
  std::string stem;                     ///< file names begin with it
  std::string station = "tidewatt";     ///< at most 64 characters, no comma
  std::vector<std::string> provenance;  ///< lines of text: program, scenario, window, how samples were made
  std::int64_t start_unix_us = 0;       ///< of the first sample, as if local standard time were UTC
  double first_s = 0.0;                 ///< of the first sample, since the start of the run
  double step_s = 1e-3;                 ///< between samples
  double trigger_s = 0.0;               ///< after the first sample
  double line_Hz = 60.0;                ///< nominal
  std::vector<ExportChannel> channels;  ///< P, Q, voltage, frequency, of equal length
  std::size_t n_sample() const { return channels.empty() ? 0 : channels.front().values.size(); }
};

/// Which samples of a window are written.
struct ExportCut {
  std::optional<double> begin_s;   ///< since the start of the run; absent: the window's first sample
  std::optional<double> length_s;  ///< absent: to the window's end
  double step_s = 0.0;             ///< 0: every sample; else a whole number of samples, as means
  bool peaks = false;              ///< two samples per step: its smallest and largest, in the order in which they occur
};

/// A record of P and Q in MW and Mvar, voltage in pu and frequency in Hz.
///
///     mean of a step = (1/n) Σ x_i    (the energy of P and Q is kept; peaks and RMS are not)
///     peaks: min and max of a step at t and t + step/2, the earlier of the two first (RMS and energy are not kept)
///
/// The trigger is the first event within the record, else its first sample.
/// @throws InputError if the cut is outside the window, the step does not divide it, or a sample is not finite
ExportRecord make_export_record(const Waveform& window, const ResultOrigin& origin, const ExportCut& cut);

/// "2024-07-20T14:00:00" (or with a blank) as µs since 1970, read as UTC. @throws InputError
std::int64_t parse_start_us(const std::string& start_time);

/// An instant as "dd/mm/yyyy,hh:mm:ss.ssssss". @param unix_us µs since 1970
std::string comtrade_stamp(std::int64_t unix_us);

}  // namespace TIDEWATT_NAMESPACE::io
