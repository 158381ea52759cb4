#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "grid/machine_response.hpp"
#include "tidewatt/sim/result.hpp"

namespace TIDEWATT_NAMESPACE::sim {

struct Scenario;

/// What the recorded window does to the power system that the scenario's `grid.case` names.
struct GridCaseAnswer {
  grid::MachineResponse response;
  std::size_t worst_machine = 0;  ///< the one that swings most
  double window_begin_s = 0.0;    ///< time in the run at which the simulated part begins
  /// When the case's voltage or frequency would trip the site's own curve; −1: never, or no curve.
  double leaves_at_s = -1.0;
  std::string leaves_why;
};

/// One way: the site's waveform acts on the case, whose answer does not change the waveform. The mean of the simulated part
/// belongs to the dispatch (see grid::machine_response). @param arrays of the result, with the recorded window
/// @throws InputError if the window is not among them, SolverError where the case's network cannot supply the swing
GridCaseAnswer answer_of_grid_case(const Scenario& scenario, const std::vector<NamedArray>& arrays);

/// Into the summary (grid_case_…) and the arrays (/grid_case/…).
void add_grid_case(const Scenario& scenario, const GridCaseAnswer& answer, Result& result);

}  // namespace TIDEWATT_NAMESPACE::sim
