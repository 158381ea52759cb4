#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::bench {

/// One measured figure. NaN: not measured, for the reason in `how`.
struct Figure {
  std::string key;
  double value;
  std::string how;  ///< the run and its timing
};

struct Options {
  bool quick = false;                   ///< seconds instead of minutes: fewer GPUs, shorter stretches, no scenarios
  bool grid_only = false;               ///< the figures of the site's waveform and nothing else
  std::string scenarios = "scenarios";  ///< folder of the scenario files
  std::size_t n_thread = 0;             ///< for the figures that use all cores; 0: all cores
  std::function<void(const Figure&)> on_figure;  ///< called as each figure is ready
};

/// Measures this machine and the engine on it. Figures per core are timed by the thread's own processor time, best of
/// several, so that other work on the machine does not count; figures of whole runs are wall times.
/// @throws InputError if the scenario folder lacks a file that is not optional
std::vector<Figure> run_benchmarks(const Options& options);

}  // namespace TIDEWATT_NAMESPACE::bench
