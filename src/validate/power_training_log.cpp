#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "groups.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/reader.hpp"
#include "tidewatt/catalog/catalog.hpp"
#include "tidewatt/dvfs/operating_point.hpp"
#include "tidewatt/workload/dip_wave.hpp"
#include "tidewatt/workload/iteration.hpp"

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

template <class Params>
Params read(const Node& values, const char* name) {
  std::vector<Finding> findings;
  TableReader reader(values, name, findings);
  Params params;
  params.fields(reader);
  if (!findings.empty()) throw InputError(std::move(findings));
  return params;
}

/// Clock that the power limiter leaves while a rank computes: the mix of all passes of the first stage, die at 60 degC.
double governed_Hz(const Node& gpu_entry, const Timeline& t, double reference_Hz) {
  const power::GpuModel gpu(read<power::GpuPowerParams>(*gpu_entry.find("power"), "gpu.power"));
  const auto governor = read<dvfs::GovernorParams>(*gpu_entry.find("governor"), "gpu.governor");
  dvfs::PhaseMix mix;
  for (const Segment& segment : t.classes.front()) {
    const PhaseKind& k = t.kinds[segment.kind];
    if (!(k.matrix_s > 0.0)) continue;
    mix.matrix_s += k.matrix_s, mix.memory_s += k.memory_s, mix.link_s += k.link_s, mix.wait_s += k.wait_s;
    mix.active_matrix_s += k.matrix_activity * k.matrix_s;
    mix.hbm_s += k.hbm_frac_matrix * k.matrix_s + k.hbm_frac_memory * k.memory_s;
    mix.full_link_s += k.link_frac * k.link_s;
  }
  return dvfs::operating_point(gpu, {}, mix, reference_Hz, 0.0, gpu.leakage_temperature_factor(333.15),
                               gpu.params().tdp_W - governor.cap_margin_W, gpu.clock_max_Hz(), 0.0)
      .clock_Hz;
}

/// P6, the period: 64 micro-batches as logged; the log does not say how the 512 GPUs are cut, nor that matrix products
/// are fp8: 810 TF per GPU are above the bf16 peak that the catalog's efficiencies allow.
void period(const MlperfLog& log, std::vector<Row>& out) {
  const catalog::Catalog catalog;
  const Node entry = catalog.values("gpu", "h100_sxm_700W");
  auto gpu = read<ComputeParams>(*entry.find("compute"), "gpu.compute");
  gpu.matrix_FLOP_per_s *= 2.0;
  gpu.attention_efficiency_frac *= 0.5;
  ParallelPlan plan;
  plan.n_gpu = 512, plan.tp = 4, plan.pp = 8, plan.virtual_stages = 12, plan.micro_batch_sequences = 2;
  plan.global_batch_sequences = 2048, plan.sequence_tokens = 2048;
  plan.sequence_parallel = plan.fused_attention = plan.dp_overlap = plan.pp_overlap = true;
  plan.recompute = "none", plan.sharding = "zero1", plan.gradient_bytes = 2, plan.tp_overlap_frac = 0.5;
  const IterationModel model(read<ModelShape>(catalog.values("model", "gpt3_175b"), "model"), plan, gpu,
                             read<NetworkParams>(catalog.values("network", "dgx_h100_ndr"), "network"));
  const double one[] = {1.0};
  const double clock_Hz = governed_Hz(entry, model.iteration(one), gpu.reference_clock_Hz);
  const double pace[] = {clock_Hz / gpu.reference_clock_Hz};
  double mean_s = 0.0;
  const auto steps = log.steps();
  for (const auto& s : steps) mean_s += s.duration_s / static_cast<double>(steps.size());
  out.push_back(against(
      "P6/period", "GPT-3 175B, 512 H100, TP4 PP8 DP16, 64 micro-batches of 2: seconds per step from the plan", "s",
      mean_s, seconds(model.iteration(pace).period), 0.10, "mlperf_v4",
      fmt::format(
          "{:.0f} MHz under the power limit; fp8 matrix products at twice the bf16 rate and the bf16 efficiency; TP4 "
          "PP8, 12 virtual stages and half-hidden tensor-parallel traffic are assumed (the log gives batch 2,048 "
          "and 64 accumulation steps); fp8 casts, scaling and the host are not in it",
          clock_Hz * 1e-6)));
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
