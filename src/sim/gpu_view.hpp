#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fleet/fan_cycle.hpp"
#include "tidewatt/dvfs/governor.hpp"
#include "tidewatt/sim/result.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Which GPU to look at, and how closely.
struct GpuChoice {
  std::int64_t node = -1;  ///< server, counted over the site; -1: the hottest GPU of the first job, or the slowest
  std::int64_t slot = 0;
  bool slowest = false;  ///< the one that all others wait for
  std::int64_t n_iteration = 3;
  double settle_s = 20.0;  ///< simulated before, so that the governor settles
  double mean_s = 480.0;   ///< means are over the iterations of at least this time; the last ones are shown
  double step_s = 1e-3;
};

/// A few iterations of one GPU under the sampled governor, as a logger would record them. One entry per step.
struct GpuView {
  std::string job;
  std::int64_t row = 0, rack = 0, node = 0, slot = 0, stage = 0;
  double air_K = 0.0;  ///< at its package: what explains the run's mean die temperature
  double iteration_s = 0.0;
  double point_Hz = 0.0, point_W = 0.0, point_die_K = 0.0;  ///< what the run has: operating point, mean power, mean die
  double mean_Hz = 0.0, mean_W = 0.0, mean_die_K = 0.0;     ///< of the replay; the clock weighted with matrix work
  double step_W = 0.0,
         point_step_W = 0.0;  ///< largest |P(t + 1 s) − P(t)| of means of 20 ms, of the mean iteration; of the run
  std::array<double, dvfs::n_held> held_frac{};  ///< [Held] share of the samples
  /// Its server's fans under their controller, sample by sample; absent: they follow a straight line.
  std::optional<fleet::FanCycle> fans;
  double board_peak_W = 0.0;  ///< that bounds each phase, see dvfs::peak_W; infinite: the entry does not know it
  /// The clock is the governor's, as the board's own readings are: work is slower where the peak bounds it.
  std::vector<double> time_s, clock_Hz, power_W, die_K;
  std::vector<double> shown_W, shown_degC;  ///< by the sensors: trailing mean of 1 s every 100 ms; whole degrees
  std::vector<std::uint8_t> held;           ///< dvfs::Held at the last sample
};

/// Replays one GPU of the run that `result` is of, at the time of its fleet snapshot (warmest inlet): its own chip, package,
/// class and waits; phases of the iteration as they were then; the governor of `hall.gpu.sampling` at its sampling period, power
/// and package in exact steps of `step_s`, power of a phase averaged over its kernels. The rank it waits for keeps the run's
/// pace, so that only this GPU's own clock moves; the slowest of all goes at its own pace. Iterations are without scatter. The run
/// takes means, clocks by kind and their course from the same governor's replay of three chips in the mean package
/// (fleet/class_course.hpp); what is left between the two is how this GPU differs from the plane through them.
/// @throws InputError where the run has no such picture, or no such GPU at work
GpuView view_gpu(const Scenario& scenario, const Result& result, const GpuChoice& choice = {});

/// One figure by both: what the sampled governor makes of it, and what the run has.
struct GpuFigure {
  const char *key, *title;  ///< in JSON, with its unit; in the text
  double sampled, run;
};
/// What `run` and `--show gpu` say of the same GPU. Text and JSON are made of these.
std::vector<GpuFigure> compared(const GpuView& view);

/// Name of a clock's limiter, as in the CSV file.
const char* name_of(dvfs::Held held);
std::string gpu_view_text(const GpuView& view);  ///< figures beside those of the run
std::string gpu_view_csv(const GpuView& view);   ///< one line per step
/// One line per sample of its server's fan controller; empty without one.
std::string gpu_fans_csv(const GpuView& view);
std::string gpu_view_svg(const GpuView& view);  ///< power, clock and die against time

}  // namespace TIDEWATT_NAMESPACE::sim
