#include <fmt/format.h>

#include <array>
#include <cmath>
#include <complex>

#include "power_groups.hpp"
#include "row_term.hpp"
#include "study/fit_job_log.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

using study::NodeWork;
using study::WorkInterval;

constexpr double publication_s = 2.0;

study::JobLog read(const std::filesystem::path& stem, const std::string& sensor, double iterations_per_token) {
  return study::read_job_log(stem.string() + "_" + sensor + ".csv", stem.string() + "_events.csv",
                             iterations_per_token);
}

double mean_of(const std::vector<double>& x) {
  double sum = 0.0;
  for (const double v : x) sum += v;
  return sum / static_cast<double>(x.size());
}

double evaluation_mean(const study::NodePowerLog& log, const std::vector<WorkInterval>& work) {
  std::vector<double> x;
  for (const auto& w : work)
    for (std::size_t i = 0; i < log.time_s.size() && w.work == NodeWork::evaluate; ++i)
      if (log.time_s[i] >= w.start_s + publication_s && log.time_s[i] < w.end_s) x.push_back(log.node_W[i]);
  return mean_of(x);
}

/// Amplitude of the q-th harmonic of the iteration: least squares in every training block, mean of the complex amplitudes.
double harmonic(const study::NodePowerLog& log, const std::vector<WorkInterval>& work, int q) {
  std::complex<double> sum = 0.0;
  int blocks = 0;
  for (const auto& w : work) {
    if (w.work != NodeWork::train) continue;
    const double omega = 2.0 * M_PI * q * static_cast<double>(w.iterations) / (w.end_s - w.start_s);
    std::array<double, 9> A{};  // normal equations of 1, cos, sin
    std::array<double, 3> b{};
    for (std::size_t i = 0; i < log.time_s.size(); ++i) {
      if (log.time_s[i] < w.start_s || log.time_s[i] >= w.end_s) continue;
      const double t = omega * (log.time_s[i] - w.start_s);
      const std::array<double, 3> u = {1.0, std::cos(t), std::sin(t)};
      for (std::size_t r = 0; r < 3; ++r) {
        b[r] += u[r] * log.node_W[i];
        for (std::size_t c = 0; c < 3; ++c) A[3 * r + c] += u[r] * u[c];
      }
    }
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t r = k + 1; r < 3; ++r) {
        const double f = A[3 * r + k] / A[3 * k + k];
        for (std::size_t c = k; c < 3; ++c) A[3 * r + c] -= f * A[3 * k + c];
        b[r] -= f * b[k];
      }
    const double s = b[2] / A[8], c = (b[1] - A[5] * s) / A[4];
    sum += std::complex<double>(c, -s);
    ++blocks;
  }
  return std::abs(sum) / blocks;
}

/// The second half's schedule from the first half's alone: blocks and evaluations go on at their mean pace.
std::vector<WorkInterval> extrapolated(const std::vector<WorkInterval>& first, std::size_t n) {
  const auto& a = first[0];
  const auto& z = first[first.size() - 2];  // the last block that was seen
  const double cycle_s = (z.start_s - a.start_s) / (0.5 * static_cast<double>(first.size()) - 1.0);
  const double block_s = z.end_s - z.start_s, pause_s = first.back().end_s - first.back().start_s;
  std::vector<WorkInterval> out;
  for (std::size_t k = 1; k <= n; ++k) {
    const double at = z.start_s + static_cast<double>(k) * cycle_s;
    out.push_back({at, at + block_s, NodeWork::train, z.iterations});
    out.push_back({at + block_s, at + block_s + pause_s, NodeWork::evaluate, 0});
  }
  return out;
}

void gpt3_rows(const std::filesystem::path& stem, const std::string& sensor, std::vector<Row>& rows) {
  const char* source = "MLCommons training_results_v4.0";
  const study::JobLog log = read(stem, sensor, 1.0 / (2048.0 * 2048.0));
  // The first block holds the start of the job; both halves are what is left of it.
  const std::vector<WorkInterval> first(log.work.begin() + 2, log.work.begin() + 24);
  const std::vector<WorkInterval> second(log.work.begin() + 24, log.work.end());
  const auto fit =
      study::fit_node_power(log.part(first.front().start_s + 4.0, first.back().end_s), first, publication_s);
  auto levels = fit.levels;
  levels.train_W = term("P5.train_W", levels.train_W), levels.evaluate_W = term("P5.evaluate_W", levels.evaluate_W);
  levels.dip_W = term("P5.dip_W", levels.dip_W), levels.dip_s = term("P5.dip_s", levels.dip_s);
  const auto measured = log.part(second.front().start_s, second.back().end_s);
  const auto ahead = extrapolated(first, second.size() / 2);
  study::NodePowerLog predicted{measured.time_s,
                                study::log_of(study::node_wave(levels, ahead), levels, publication_s, measured.time_s)};
  const auto id = [&](const char* what) { return fmt::format("P5/{}-{}", what, sensor); };
  const std::string what = fmt::format("GPT-3 175B on 64 nodes, {} meters, second half from the first: ", sensor);
  rows.push_back(against(
      id("mean"), what + "mean node power", "W", mean_of(measured.node_W), mean_of(predicted.node_W), 0.02, source,
      fmt::format("fitted: {:.0f} W, dips of {:.1f} s to {:.0f} W, meter window {:.1f} s; residual {:.0f} W",
                  fit.levels.train_W, fit.levels.dip_s, fit.levels.dip_W, fit.levels.window_s, fit.fit.rms)));
  rows.push_back(against(id("eval"), what + "mean in evaluations", "W", evaluation_mean(measured, second),
                         evaluation_mean(predicted, ahead), 0.03, source));
  for (int q : {1, 2})
    rows.push_back(against(id(q == 1 ? "first" : "second"),
                           what + (q == 1 ? "fundamental of the iteration" : "second harmonic"), "W",
                           harmonic(measured, second, q), harmonic(predicted, ahead, q), 0.15, source));
}

void llama2_rows(const std::filesystem::path& one, const std::filesystem::path& other, std::vector<Row>& rows) {
  for (const std::string sensor : {"ac", "dc"}) {
    const study::JobLog a = read(one, sensor, 0.0), b = read(other, sensor, 0.0);
    auto fit = study::fit_node_power(a.part(4.0, a.run_s), a.work, publication_s);
    fit.levels.train_W = term("fit/nodes.train_W", fit.levels.train_W);
    const auto measured = b.part(4.0, b.run_s);
    const auto shown = study::log_of(study::node_wave(fit.levels, b.work), fit.levels, publication_s, measured.time_s);
    rows.push_back(
        against("fit/nodes-" + sensor, "llama2-70b-lora on 8 nodes: fitted on one run, mean node power of the other",
                "W", mean_of(measured.node_W), mean_of(shown), 0.03, "MLCommons training_results_v4.0",
                fmt::format("train {:.0f} W, evaluate {:.0f} W", fit.levels.train_W, fit.levels.evaluate_W)));
  }
}

}  // namespace

void node_power_rows(const Context& context, std::vector<Row>& rows) {
  const auto gpt3 = context.data / "mlperf_h100_512gpu_gpt3" / "result_5849-240518014016374832336_1";
  const auto llama2 = context.data / "mlperf_h100_8node_llama2";
  if (std::filesystem::exists(gpt3.string() + "_ac.csv"))
    for (const std::string sensor : {"ac", "dc"}) gpt3_rows(gpt3, sensor, rows);
  else
    rows.push_back(skipped("P5", "GPT-3 175B on 64 nodes: second half from the first",
                           "MLCommons training_results_v4.0", "no mlperf_h100_512gpu_gpt3"));
  if (std::filesystem::exists(llama2))
    llama2_rows(llama2 / "result_5740-240517044141819407406_10", llama2 / "result_5742-240517053836692164828_3", rows);
  else
    rows.push_back(skipped("fit/nodes", "llama2-70b-lora on 8 nodes: one run from another",
                           "MLCommons training_results_v4.0", "no mlperf_h100_8node_llama2"));
}

}  // namespace TIDEWATT_NAMESPACE::validate
