#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "groups.hpp"
#include "training_runs.hpp"
#include "tidewatt/workload/dip_wave.hpp"

namespace tidewatt::validate {
namespace {

using namespace workload;

/// Levels of one half of the run, W.
struct Levels {
  double training = 0.0, evaluating = 0.0;
  std::vector<double> harmonic;
};

std::vector<double> harmonics(const std::vector<double>& place, const std::vector<double>& value) {
  return fit_periodic(place, value, 1.0, 3).amplitude;
}

/// Mean over the second half of evaluations, without their first 2 s, which still show training.
double evaluation_W(const Trace& total, const std::vector<MlperfLog::Span>& spans, std::size_t first, std::size_t n) {
  double sum = 0.0;
  for (std::size_t i = first; i < first + n; ++i)
    sum += total.over(0, spans[i].begin + 2 * ns_per_s, spans[i].end).mean / static_cast<double>(n);
  return sum;
}

/// P5: a plateau with one lagged dip and an evaluation level, fitted to the first half, against the second half;
/// harmonics of the model are taken at the instants at which the second half was sampled.
void halves(const MlperfLog& log, const std::string& sensor, std::vector<Row>& out) {
  const Trace total = log.power.total();
  const auto evals = log.spans("eval"), blocks = log.spans("block");
  const std::size_t half = blocks.size() / 2;
  const Tick middle = blocks[half].begin;
  // The first block holds the start of the job, the run's end stops the second half.
  const PlacedSamples first = place_in_steps(log, total, 0, blocks[1].begin, middle);
  const PlacedSamples second = place_in_steps(log, total, 0, middle, blocks.back().end);
  const DipWave wave = fit_dip(first);
  double mean = 0.0;
  std::vector<double> predicted;
  for (std::size_t i = 0; i < second.value.size(); ++i) {
    predicted.push_back(wave.at(second.place_frac[i]));
    mean += second.value[i] / static_cast<double>(second.value.size());
  }
  const auto measured = harmonics(second.place_frac, second.value), model = harmonics(second.place_frac, predicted);
  const std::string what =
      "GPT-3 175B, 512 H100, " + sensor + " sensor, first half of the run fitted, second predicted: ";
  const std::string note =
      fmt::format("plateau {:.1f} kW, dip {:.1f} kW over {:.2f} s, sensor lag {:.2f} s", wave.plateau * 1e-3,
                  wave.depth * 1e-3, wave.width_frac * wave.period_s, wave.lag_s);
  const std::string id = "P5/" + sensor + "/";
  out.push_back(against(id + "mean", what + "mean while training", "kW", mean * 1e-3, wave.mean() * 1e-3, 0.02,
                        "mlperf_v4", note));
  out.push_back(against(id + "evaluation", what + "level while evaluating", "kW",
                        evaluation_W(total, evals, half, evals.size() - half) * 1e-3,
                        evaluation_W(total, evals, 0, half) * 1e-3, 0.03, "mlperf_v4"));
  out.push_back(against(id + "fundamental", what + "amplitude", "kW", measured[0] * 1e-3, model[0] * 1e-3, 0.15,
                        "mlperf_v4", note));
  out.push_back(
      against(id + "second", what + "amplitude", "kW", measured[1] * 1e-3, model[1] * 1e-3, 0.15, "mlperf_v4", note));
}

/// P6, the period: the plan that training_runs.hpp lists, with the step that the log shows.
void period(const MlperfLog& log, std::vector<Row>& out) {
  double mean_s = 0.0;
  const auto steps = log.steps();
  for (const auto& s : steps) mean_s += s.duration_s / static_cast<double>(steps.size());
  const auto runs = training_runs();
  const auto& run = run_named(runs, "P6/period");
  out.push_back(against("P6/period", run.what, "s", mean_s, iteration_s(run), 0.10, "mlperf_v4"));
}

}  // namespace

std::vector<Row> training_log_rows(const Context& context) {
  const auto run = context.data / "mlperf_h100_512gpu_gpt3" / "result_5849-240518014016374832336_1";
  if (!std::filesystem::exists(run.string() + "_events.csv"))
    return {skipped("P5", "GPT-3 175B, 512 H100: second half of the run from the first", "mlperf_v4",
                    "no measurement files"),
            skipped("P6/period", "GPT-3 175B, 512 H100: seconds per step from the plan", "mlperf_v4",
                    "no measurement files")};
  std::vector<Row> out;
  for (const std::string sensor : {"ac", "dc"})
    halves(read_mlperf_log(run.string() + "_" + sensor + ".csv", run.string() + "_events.csv"), sensor, out);
  period(read_mlperf_log(run.string() + "_ac.csv", run.string() + "_events.csv"), out);
  return out;
}

}  // namespace tidewatt::validate
