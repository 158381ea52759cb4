#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "grid/supply_onset.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// A catalog entry of kind supply_control. @throws InputError for an unknown name
grid::SupplyControl read_supply_control(const std::string& control, const std::string& catalog_overlay,
                                        std::vector<Finding>& findings);

/// A site's supplies and their connection, and the options of the study.
struct StabilityOptions {
  std::string control = "psu_single_phase";  ///< catalog entry of kind supply_control
  std::string catalog_overlay;
  double load_W = 0.0;            ///< of the supplies
  double rating_W = 0.0;          ///< of the supplies; 0: the load
  double short_circuit_VA = 0.0;  ///< at the connection
  double x_over_r_ratio = 10.0;
  double source_pu = 1.0;
  double nominal_Hz = 60.0;
  double gain_ratio = 1.0;     ///< loop gain over the control's own
  double link_filter_s = 0.0;  ///< lag of the measured link energy; 0: the control's own

  bool map = false;                          ///< onset over short-circuit ratio and loop gain
  double ratio_from = 1.5, ratio_to = 20.0;  ///< short-circuit power over the supplies' rating
  double gain_from = 0.5, gain_to = 4.0;
  std::int64_t points = 24;  ///< of either axis

  double fit_stable_W = 0.0;    ///< an event to fit: no oscillation at this load; 0: nothing is fitted
  double fit_unstable_W = 0.0;  ///< oscillation from this load on
  double fit_Hz = 0.0;          ///< its frequency
  double fit_within_Hz = 1.0;   ///< frequencies this far off count
};

/// Onset at one short-circuit ratio and loop gain.
struct StabilityCell {
  double ratio = 0.0, gain_ratio = 0.0;  ///< dimensionless
  grid::SupplyOnset onset;
};

/// What makes supplies begin to oscillate between two loads, at one loop gain.
struct StabilityFit {
  double gain_ratio = 0.0, loop_Hz = 0.0;                          ///< dimensionless; crossover of the voltage loop
  double short_circuit_low_VA = 0.0, short_circuit_high_VA = 0.0;  ///< onset at the stable load, at the unstable one
  double frequency_Hz = 0.0;                                       ///< at the onset, in the middle of them
  bool fits = false;                                               ///< its frequency too
};

/// The answer.
struct Stability {
  StabilityOptions options;
  double loop_Hz = 0.0;               ///< crossover of the voltage loop at the loop gain
  std::vector<grid::GridMode> modes;  ///< at the load, rightmost first; empty: no operating point
  grid::RingDown simulated;           ///< at the load
  std::string refused;                ///< why there is no operating point
  grid::SupplyOnset onset, onset_in_time;
  grid::SupplyTrace trace;           ///< after a dip of 0.1 %, at the load
  std::vector<StabilityCell> cells;  ///< map, by gain, then ratio
  std::vector<StabilityFit> fits;
};

/// @throws InputError for an unknown control or an option out of range
Stability site_stability(const StabilityOptions& options);

std::string stability_text(const Stability& s);  ///< for people
std::string stability_json(const Stability& s);  ///< one JSON object on one line
std::string stability_csv(const Stability& s);   ///< the trace: time_s, power in MW, voltage_pu, link_ratio
/// One row per cell: load in MW, frequency in Hz; ratios without a unit.
std::string stability_map_csv(const Stability& s);
std::string stability_svg(const Stability& s);  ///< the map, or without one the trace (axes in MW and s)

}  // namespace TIDEWATT_NAMESPACE::study
