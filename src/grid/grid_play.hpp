#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "grid_system.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// What a site draws over time, on top of its bus's load: linear between points, a jump where two have one time.
struct SitePoint {
  double at_s = 0.0;
  std::complex<double> load_VA = 0.0;
};

/// A waveform as points in the middle of pieces of `merge_s`, each the piece's mean plus `offset_W`.
/// @param load_W means over `step_s` [sample]
std::vector<SitePoint> site_points(std::span<const double> load_W, double step_s, double merge_s, double offset_W);

/// A unit or branch that is switched off.
struct GridTrip {
  double at_s = 0.0;
  std::int64_t bus = 0;  ///< of the unit; from-bus of a branch
  std::int64_t to = 0;   ///< 0: a unit
  std::string id;
};

struct GridPlayOptions {
  double length_s = 20.0;
  double step_s = 0.005;  ///< largest; jumps are met exactly
};

/// What a network did. Rows are steps, the first is the state at rest; a jump has two rows of one time.
struct GridTrace {
  std::vector<std::string> unit;    ///< names
  std::vector<bool> machine;        ///< [unit] has inertia
  std::vector<double> time_s;       ///< [row]
  std::vector<double> mean_Hz;      ///< [row] frequency of the centre of inertia, deviation
  std::vector<double> speed_Hz;     ///< [row × unit] deviation; 0 for converters and units that are off
  std::vector<double> angle_rad;    ///< [row × unit]
  std::vector<double> power_W;      ///< [row × unit] electrical
  std::vector<double> voltage_pu;   ///< [row × bus]
  std::vector<double> voltage_rad;  ///< [row × bus]
  std::size_t site_bus = 0;         ///< index of the site's bus
  std::vector<bool> connected;      ///< [unit] at the end
  double stored_J = 0.0;            ///< Σ H S of the machines that are connected at the end
  double nominal_Hz = 60.0;
};

/// Plays a site's load and switched units on a network from rest.
/// @param site by time, not before 0; empty: nothing  @throws InputError for trips that are not there or times out of order, SolverError
GridTrace play(GridSystem& system, const std::vector<SitePoint>& site, const std::vector<GridTrip>& trips,
               const GridPlayOptions& options);
/// The same, each row given away as it comes. @param row takes time and values  @throws InputError, SolverError as above
void play(GridSystem& system, const std::vector<SitePoint>& site, const std::vector<GridTrip>& trips,
          const GridPlayOptions& options, const std::function<void(double time_s, const GridState&)>& row);

/// Figures of a response to one event.
struct GridAnswer {
  double event_s = 0.0;
  double before_Hz = 0.0;                ///< largest deviation of any machine before the event
  double power_step_W = 0.0;             ///< of the summed electrical power of the machines that stay, at the event
  double rocof_Hz_per_s = 0.0;           ///< of the mean frequency just after the event
  double expected_rocof_Hz_per_s = 0.0;  ///< −f_0 ΔP_e/(2 Σ H S)
  double extremum_Hz = 0.0, extremum_s = 0.0;  ///< mean frequency's largest deviation, seconds after the event
  double settled_Hz = 0.0;                     ///< mean over the last tenth
  double first_mean_Hz = 0.0;                  ///< mean frequency over 2 s after the event
  std::vector<double> machine_first_Hz;        ///< [unit] the same of each machine; 0 for converters
};
/// @param event_s when it happens, above 0 and before the trace's end  @throws InputError
GridAnswer grid_answer(const GridTrace& trace, double event_s);

}  // namespace TIDEWATT_NAMESPACE::grid
