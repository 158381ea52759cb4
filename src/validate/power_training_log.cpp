#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "catalog_in_use.hpp"
#include "dip_wave.hpp"
#include "evidence_runs.hpp"
#include "groups.hpp"
#include "plan_power.hpp"
#include "silicon.hpp"
#include "training_runs.hpp"
#include "workload/mlperf_log.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

using namespace workload;

// The nodes of this log stand in immersion: no fans; how warm their dies are is not published (assumed, 50 to 70 degC).
constexpr double die_K = 60.0 + zero_degC_K;
const char* source = "mlperf_v4";

// The age of a node's last reading: the log has one every 2 s of each, at its own time.
constexpr double publication_s = 2.0, bin_s = 1e-3;

/// P6, the period between the ends of steps, in which the time lies that the logged duration of a step leaves out.
void period(const MlperfLog& log, const TrainingRun& run, std::vector<Row>& out) {
  const Trace total = log.power.total();
  const double mean_s = place_in_steps(log, total, 0, 0, total.length()).period_s;
  double step_s = 0.0;
  const auto steps = log.steps();
  for (const auto& s : steps) step_s += s.duration_s / static_cast<double>(steps.size());
  out.push_back(against("P6/period", run.what, "s", mean_s, iteration_s(run), 0.10, source,
                        fmt::format("from step to step; a step alone is logged as {:.2f} s", step_s)));
}

/// The plan's mean node over one iteration, W in bins of 1 ms.
std::vector<double> node_wave(const TrainingRun& run) {
  const IterationModel model(model_entry(run.model), run.plan, compute_entry(run.device), network_entry(run.network));
  const Node job = catalog_in_use().values("job", "megatron_175b");
  const auto wave =
      plan_power("h100_sxm_700W", "dgx_h100", model, number_of(job, "jitter_sigma_frac"), die_K).mean_node();
  std::vector<double> W;
  W.reserve(wave.bin_J.size());
  for (const double J : wave.bin_J) W.push_back(J / bin_s);
  W.pop_back();  // the last bin is part of a millisecond
  return W;
}

PlacedSamples placed(const std::vector<double>& W) {
  PlacedSamples out;
  const double n = static_cast<double>(W.size());
  out.period_s = n * bin_s;
  for (std::size_t i = 0; i < W.size(); i += 5) {
    out.place_frac.push_back((static_cast<double>(i) + 0.5) / n);
    out.value.push_back(W[i]);
  }
  return out;
}

/// The plan's samples as the log's meters show them.
PlacedSamples metered(const std::vector<double>& W, double lag_s) {
  return placed(through_meters(W, bin_s, publication_s, lag_s));
}

/// Largest fall below the plateau as the meter shows it.
double seen_dip_frac(const DipWave& wave) {
  double lowest = wave.plateau;
  for (int i = 0; i < 1000; ++i) lowest = std::min(lowest, wave.at(i * 1e-3));
  return 1.0 - lowest / wave.plateau;
}

/// P6, plateau and dip: both curves as a plateau with one dip, the log's through its meter's lag.
void plateau_and_dip(const MlperfLog& log, const TrainingRun& run, std::vector<Row>& out) {
  const Trace total = log.power.total();
  auto measured = place_in_steps(log, total, 0, 0, total.length());
  for (double& W : measured.value) W /= static_cast<double>(log.power.n_channel());
  const DipWave seen = fit_dip(measured);
  const auto wave = node_wave(run);
  const DipWave bare = fit_dip(placed(wave)), planned = fit_dip(metered(wave, seen.lag_s));
  out.push_back(against(
      "P6/plateau", "same: node power between the dips, from the plan, against its meters", "W", seen.plateau,
      planned.plateau, 0.07, source,
      fmt::format("nominal chips, dies at {:.0f} degC assumed, no fans: the nodes are immersed", die_K - zero_degC_K)));
  out.push_back(within(
      "P6/dip", "same: the dip of each iteration, from the plan, through the meters", "", 0.10, 0.20,
      seen_dip_frac(planned), 0.0, source,
      fmt::format("the log's: {:.1f} % through a lag of {:.2f} s ({:.0f} % for {:.2f} s); the plan's without: {:.0f} % "
                  "for {:.2f} s",
                  100.0 * seen_dip_frac(seen), seen.lag_s, 100.0 * seen.depth / seen.plateau,
                  seen.width_frac * seen.period_s, 100.0 * bare.depth / bare.plateau,
                  bare.width_frac * bare.period_s)));
}

/// Mean power of a node over the distinct series: a node whose samples are all those of another counts once.
Trace distinct_mean(const Trace& power) {
  Trace out = power;
  std::sort(out.value.begin(), out.value.end());
  out.value.erase(std::unique(out.value.begin(), out.value.end()), out.value.end());
  const double n = static_cast<double>(out.n_channel());
  out.names.assign(out.n_channel(), "");
  out = out.total();
  for (double& W : out.value[0]) W /= n;
  return out;
}

constexpr std::size_t n_line = 6;

int dominant(const std::vector<double>& lines) {
  return 1 + static_cast<int>(std::max_element(lines.begin(), lines.end()) - lines.begin());
}

/// P6, lines and dip of the distinct nodes: the log's own, and the plan's through the meters' window and the lag that the log's dip shows.
void lines_and_dip(const MlperfLog& log, const TrainingRun& run, std::vector<Row>& out) {
  const Trace mean = distinct_mean(log.power);
  const auto measured = place_in_steps(log, mean, 0, 0, mean.length());
  const DipWave seen = fit_dip(measured);
  const auto plan = metered(node_wave(run), seen.lag_s);
  const DipWave planned = fit_dip(plan);
  const std::string note =
      fmt::format("readings up to {:.0f} s old, lag of {:.2f} s from the log's dip; equal nodes count once",
                  publication_s, seen.lag_s);
  const auto row = [&](const char* id, const char* what, const char* unit, double expected, double got, double frac) {
    out.push_back(against(id, std::string("same: ") + what, unit, expected, got, frac, source, note));
  };
  const auto log_W = line_amplitudes(measured, n_line);
  const auto plan_W = line_amplitudes(plan, n_line);
  row("P6/line-1", "amplitude of the iteration's first line at the meters", "W", log_W[0], plan_W[0], 0.25);
  row("P6/line-2", "amplitude of its second line", "W", log_W[1], plan_W[1], 0.25);
  row("P6/line-3", "amplitude of its third line", "W", log_W[2], plan_W[2], 0.25);
  out.push_back(within_absolute("P6/dominant", "same: the line with most energy, of six", "", dominant(log_W),
                                dominant(plan_W), 0.0, source, note));
  const auto energy_J = [](const DipWave& w) { return (w.plateau - w.mean()) * w.period_s; };
  const auto depth_W = [](const DipWave& w) { return seen_dip_frac(w) * w.plateau; };
  row("P6/trough", "lowest power of the iteration at the meters", "W", seen.plateau - depth_W(seen),
      planned.plateau - depth_W(planned), 0.10);
  row("P6/energy", "energy that the dip leaves out, a node and iteration", "J", energy_J(seen), energy_J(planned),
      0.25);
  row("P6/width", "that energy over the depth at the meters", "s", energy_J(seen) / depth_W(seen),
      energy_J(planned) / depth_W(planned), 0.25);
}

}  // namespace

std::vector<Row> training_log_rows(const Context& context) {
  const auto file = context.data / "mlperf_h100_512gpu_gpt3" / "result_5849-240518014016374832336_1";
  if (!std::filesystem::exists(file.string() + "_events.csv"))
    return {
        skipped("P6/period", "GPT-3 175B, 512 H100: seconds per step from the plan", source, "no measurement files"),
        skipped("P6/plateau", "same: node power between the dips", source, "no measurement files"),
        skipped("P6/dip", "same: the dip of each iteration", source, "no measurement files"),
        skipped("P6/line", "same: lines of the iteration and energy of its dip", source, "no measurement files")};
  std::vector<Row> out;
  const auto log = read_mlperf_log(file.string() + "_ac.csv", file.string() + "_events.csv");
  const auto runs = training_runs();
  const auto& run = run_named(runs, "P6/period");
  period(log, run, out);
  plateau_and_dip(log, run, out);
  lines_and_dip(log, run, out);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::validate
