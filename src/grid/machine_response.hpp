#pragma once
#include <span>
#include <string>
#include <vector>

#include "grid_case.hpp"
#include "grid_modes.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// What a site's waveform does to a power system of several machines.
struct MachineResponse {
  struct Machine {
    double bus = 0.0, peak_to_peak_Hz = 0.0, lowest_Hz = 0.0, highest_Hz = 0.0, rms_Hz = 0.0;
  };
  std::vector<Machine> machines;
  double peak_to_peak_rad = 0.0;                             ///< largest of any rotor against the inertia-weighted mean
  double voltage_lowest_pu = 0.0, voltage_highest_pu = 0.0;  ///< at the site's bus
  double bus_lowest_Hz = 0.0, bus_highest_Hz = 0.0;          ///< its frequency, deviation from nominal
  /// Swing modes and how much of the waveform's swing is near each.
  struct Excited {
    GridMode mode;
    double line_W = 0.0;  ///< amplitude of the load's strongest line within a quarter of the mode's frequency
    double line_Hz = 0.0;
    double deviation_Hz = 0.0;  ///< of the machine that it moves most, if that line never ended (linear)
  };
  std::vector<Excited> modes;
  double left_out_slower_s = 0.0;    ///< the waveform's moving mean over this was left out; 0: its whole mean only
  std::vector<double> time_s;        ///< [sample]
  std::vector<double> frequency_Hz;  ///< [sample × machine] deviation from nominal
  std::vector<double> voltage_pu;    ///< [sample] at the site's bus
  /// [sample] there: rise of the voltage's angle over the last 100 ms, over 2π of them.
  std::vector<double> bus_frequency_Hz;
};

/// The waveform on top of the bus's load, less its mean over the first 10 s (which belongs to the dispatch), solved with the
/// full equations from rest (`play`, four steps to a piece of `merge_s`); and each mode's answer to the nearest line, linear. A case without governors cannot keep its
/// frequency after a lasting change of load: there the waveform's mean over the last 20 s is left out, twice, and the output says
/// so. Both use past values only: an event after the first 10 s has no effect before it happens.
/// @param load_W means over `step_s`  @param merge_s pieces of constant load, energy kept; samples of the answer
/// @throws SolverError where the network cannot supply it, InputError for a bus that is not there or too short a waveform
MachineResponse machine_response(const GridCase& c, std::int64_t site_bus, std::span<const double> load_W,
                                 double step_s, double merge_s = 0.02);

/// The bus at which the same swing moves some machine most (linear, lines below 10 Hz), and by how much.
struct WorstBus {
  double bus = 0.0, peak_to_peak_Hz = 0.0;
};
/// @param wave its bus is not used  @returns buses with a load, worst first
std::vector<WorstBus> worst_buses(const PowerNetwork& n, const LinearGrid& linear, SquareWave wave);

}  // namespace TIDEWATT_NAMESPACE::grid
