#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "grid/grid_modes.hpp"
#include "grid/grid_play.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// A network with its controls from RAW and DYR files, and what happens on it.
struct NetworkOptions {
  std::string raw, dyr;  ///< paths
  std::int64_t bus = 0;  ///< number of the bus where the site connects, a count; 0: the one with the largest load

  double step_W = 0.0;  ///< change of the site's load; below 0: load that is lost
  double ramp_s = 0.0;  ///< duration of the change; 0: a step
  std::string trip;     ///< unit that is switched off, BUS-ID; empty: none
  double at_s = 1.0;    ///< when step, ramp or trip begin, above 0

  std::string result;    ///< or a recorded waveform: path of a result file
  std::string window;    ///< empty: the first one
  double begin_s = 0.0;  ///< where in the window to begin
  /// The mean over this time from there on is dispatched; the simulation begins after it.
  double dispatch_s = 10.0;

  double length_s = 60.0;
  double time_step_s = 0.005;       ///< of the solution
  std::string loads = "impedance";  ///< what the network's loads keep constant: impedance, current or power
  /// What the site keeps constant; supplies: a model on which voltage and frequency act back.
  std::string site = "power";

  double site_W = 0.0;                       ///< supplies: initial load; 0 with a waveform: the dispatched power
  double rating_W = 0.0;                     ///< supplies: rated power; 0: the load at rest
  double gain_ratio = 1.0;                   ///< supplies: loop gain over the control's own
  std::string control = "psu_single_phase";  ///< supplies: catalog entry of kind supply_control
  std::string catalog_overlay;
  std::string shaft = "power";  ///< output of a governor: power, or torque
};

/// What a network did.
struct NetworkRun {
  NetworkOptions options;
  std::int64_t bus = 0;
  grid::GridTrace trace;
  std::vector<std::int64_t> bus_number;  ///< [bus]
  bool has_answer = false;               ///< a step, ramp or trip: `answer` has its figures
  grid::GridAnswer answer;
  double dispatch_W = 0.0;            ///< waveform: taken as dispatched
  std::vector<grid::GridMode> modes;  ///< supplies: of the whole network at rest, rightmost first
};

/// Shares of a load that keeps `constant`: impedance, current or power. @param key for findings
grid::LoadShares load_shares(const std::string& key, const std::string& constant, std::vector<Finding>& findings);
/// A governor's output, power or torque.
grid::ShaftInput shaft_input(const std::string& output, std::vector<Finding>& findings);

/// @throws InputError with findings of both files, for an unknown bus, unit or window, or an option out of range; SolverError
NetworkRun play_network(const NetworkOptions& options);

std::string network_text(const NetworkRun& run);  ///< for people
std::string network_json(const NetworkRun& run);  ///< one JSON object on one line
/// time_s, mean_Hz, each machine's deviation in Hz and power in MW, voltage in pu at the site's bus.
std::string network_csv(const NetworkRun& run);

}  // namespace TIDEWATT_NAMESPACE::study
