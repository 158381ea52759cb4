#pragma once
#include <string>
#include <vector>

#include "perc1_site.hpp"
#include "tidewatt/grid/source.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// Voltage of a source and the response of records behind it.
struct ModelTest {
  std::string name;   ///< "flat start", "voltage step", "low voltage", "high voltage", "frequency"
  std::string input;  ///< what the source does, in words
  std::vector<double> time_s, source_pu, voltage_pu, power_pu;  ///< [sample]; power over the one before
  std::string answer;                                           ///< in words, with figures
};

/// Tests that planners require of a dynamic model, run with our own PERC1 behind a source with an impedance (grid/source.hpp):
/// unity power factor, 1 ms steps, the voltage of a step from the power of the step before. The flat start begins at the
/// voltage of the load's own power flow. Records have no frequency term: the frequency test shows that nothing moves.
/// @throws InputError if there are no records, or RefusedError if the source cannot feed them
std::vector<ModelTest> model_tests(const Perc1Site& site, const SourceParams& source);

}  // namespace TIDEWATT_NAMESPACE::grid
