#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "grid/machine_response.hpp"
#include "grid/torsional.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// A power system of several machines, and the options of the study.
struct MachineOptions {
  std::string grid_case = "kundur_two_area";  ///< catalog entry of kind grid_case
  double bus = 0.0;  ///< number of the bus where the site connects; 0: the one with the largest load
  std::string catalog_overlay;
  std::string raw, dyr;             ///< a network of one's own in place of the entry: paths, both or neither
  std::string loads = "impedance";  ///< own network: what its loads keep constant: impedance, current or power
  std::string shaft = "power";      ///< own network: output of a governor: power, or torque

  std::string window;                 ///< response: recorded window; empty: the first one
  double begin_s = 0.0;               ///< response: where in the window to begin, 0 or more
  double length_s = 60.0;             ///< response: how much of it, 10 to 86,400 s
  std::vector<double> shaft_Hz;       ///< response: shaft modes of turbines nearby, 0.5 to 200 Hz each
  double shaft_damping_frac = 0.001;  ///< response: damping of these, 1e-5 to 0.4

  double swing_W = 0.0;        ///< sweep: height of the square wave, above 0
  double duty_frac = 0.5;      ///< sweep: share of the period at the high level, 0.01 to 0.99
  double from_s = 0.5;         ///< sweep: shortest period, 0.1 to 1000 s
  double to_s = 6.0;           ///< sweep: longest period, above from_s
  std::int64_t points = 120;   ///< sweep: periods, 2 to 10,000
  double damping_frac = -1.0;  ///< sweep: given to every swing mode; below 0: the case's own
  double deadband_Hz = 0.036;  ///< sweep: deviation that is allowed
};

/// A recorded waveform against a power system.
struct MachineRun {
  MachineOptions options;
  double bus = 0.0;
  std::string window;
  double first_s = 0.0, length_s = 0.0;  ///< of the simulated part, in run time
  double step_s = 1e-3;
  grid::MachineResponse response;
  std::vector<grid::TorsionalFinding> shafts;
};

/// Square waves of every period at one bus.
struct PeriodSweep {
  MachineOptions options;
  double bus = 0.0;
  std::vector<double> period_s, peak_to_peak_Hz;  ///< [period], of the machine that swings most
  std::vector<grid::GridMode> modes;              ///< swing modes
  std::vector<grid::WorstBus> buses;              ///< at the worst period, worst bus first
  double worst_s = 0.0, worst_Hz = 0.0;
  double within_deadband_W = 0.0;  ///< largest swing that stays within the deadband
};

/// @param result path of a result file (HDF5)
/// @throws InputError for an unknown case, bus or window, or an option out of range; SolverError as grid::machine_response
MachineRun play_waveform(const std::string& result, const MachineOptions& options);
/// @throws InputError for an unknown case or bus, or an option out of range
PeriodSweep sweep_periods(const MachineOptions& options);

std::string machines_text(const MachineRun& run);  ///< for people
std::string machines_json(const MachineRun& run);  ///< one JSON object on one line
std::string machines_csv(const MachineRun& run);   ///< time_s and each machine's deviation, Hz
std::string sweep_text(const PeriodSweep& sweep);  ///< for people
std::string sweep_json(const PeriodSweep& sweep);  ///< one JSON object on one line
std::string sweep_csv(const PeriodSweep& sweep);   ///< period_s, peak_to_peak_mHz
std::string sweep_svg(const PeriodSweep& sweep);   ///< the same as a picture

}  // namespace TIDEWATT_NAMESPACE::study
