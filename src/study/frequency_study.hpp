#pragma once
#include <string>
#include <vector>

#include "tidewatt/grid/frequency_reserves.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// One machine that represents a system, with its reserves, and the events on it.
struct FrequencyOptions {
  std::string grid = "ercot_like_60GVA";  ///< catalog entry of kind grid
  std::string reserves;  ///< catalog entry of kind frequency_reserves; empty: governors without a deadband alone
  std::string catalog_overlay;
  double step_W = 0.0;  ///< change of load; above 0 also a loss of generation
  double at_s = 1.0;    ///< when
  double length_s = 60.0;
  std::string result, window;  ///< or a recorded waveform; its first power is the one at rest
};

struct FrequencyRun {
  FrequencyOptions options;
  double nominal_Hz = 0.0;
  std::vector<double> deviation_Hz;       ///< [ms] at the ends of the bins
  std::vector<double> reserve_W, shed_W;  ///< [ms]
  grid::ReserveState state;               ///< at the end
  grid::ReserveParams reserves;
  double event_s = 0.0;  ///< of the step; 0 with a waveform
};

/// @throws InputError for an unknown entry or window, or options that do not belong together
FrequencyRun play_frequency(const FrequencyOptions& options);

std::string frequency_text(const FrequencyRun& run);  ///< for people
std::string frequency_json(const FrequencyRun& run);  ///< one JSON object on one line
/// time_s, deviation in Hz, reserve and shed load in MW, every 10 ms.
std::string frequency_csv(const FrequencyRun& run);

}  // namespace TIDEWATT_NAMESPACE::study
