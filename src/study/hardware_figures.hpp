#pragma once
#include <cstdint>
#include <string>

#include "tidewatt/sim/result.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// Machines of a scenario, known before it runs.
struct HardwareFigures {
  std::int64_t n_rack =
      0;  ///< cabinets of all halls, each as full as `servers_per_rack` says, the last may be part-filled
  std::int64_t scale_up_gpus = 0;  ///< GPUs of one scale-up domain of the jobs' network; 0: the jobs have several
  /// Dense peak of one GPU at its reference clock, in its job's number format: mean over the jobs' GPUs.
  double peak_FLOP_per_s = 0.0;
  std::string precision;  ///< the jobs' formats: bf16 | fp8 | mxfp8 | nvfp4, several with commas
};

/// Cabinets, domain, peak rate and format:  n_rack = Σ_halls ⌈n_gpu / (GPUs per server × servers per rack)⌉
/// @throws InputError if the scenario has no hall or no job
HardwareFigures hardware_figures(const sim::Scenario& scenario);

/// Adds them to a result's summary, and tokens of all jobs' completed iterations per joule drawn at the connection over the whole
/// run, start and pauses included:  tokens_per_J = Σ_jobs tokens / (P_mean t)
///
/// null where the site drew nothing. A run that was stopped has no summary and gets none.
/// @param hardware of the scenario that was run
void add_hardware_figures(const HardwareFigures& hardware, sim::Result& result);

/// A line that names them, before a run.
std::string hardware_text(const HardwareFigures& hardware);

}  // namespace TIDEWATT_NAMESPACE::study
