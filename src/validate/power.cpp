#include <fmt/format.h>

#include "catalog_in_use.hpp"
#include "groups.hpp"
#include "power_groups.hpp"
#include "silicon.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/reader.hpp"
#include "training_runs.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

template <class Params>
Params entry(const char* kind, const char* name) {
  const Node values = catalog_in_use().values(kind, name);
  std::vector<Finding> findings;
  TableReader r(values, kind, findings);
  Params p;
  p.fields(r);
  r.finish();
  if (!findings.empty()) throw InputError(findings);
  return p;
}

/// Llama 3 8B on one node: fully sharded data parallelism, no pipeline.
workload::IterationModel llama3_8b_node(const GpuCase& gpu) {
  workload::ParallelPlan plan;
  plan.n_gpu = 8;
  plan.global_batch_sequences = 64;
  plan.sequence_tokens = 8192;
  plan.fused_attention = plan.dp_overlap = true;
  plan.recompute = "full";
  plan.sharding = "fsdp";
  return {entry<workload::ModelShape>("model", "llama3_8b"), plan, gpu.compute,
          entry<workload::NetworkParams>("network", "dgx_h100_ndr")};
}

workload::IterationModel llama3_405b(const GpuCase& gpu) {
  workload::ParallelPlan plan;
  plan.n_gpu = 16384, plan.tp = 8, plan.pp = 16, plan.virtual_stages = 8;
  plan.global_batch_sequences = 2048, plan.sequence_tokens = 8192;
  plan.layers_removed_first = plan.layers_removed_last = 1;
  plan.sequence_parallel = plan.fused_attention = plan.dp_overlap = plan.pp_overlap = true;
  plan.sharding = "fsdp", plan.rank_order = "tp-cp-pp-dp";
  return {entry<workload::ModelShape>("model", "llama3_405b"), plan, gpu.compute,
          entry<workload::NetworkParams>("network", "llama3_roce")};
}

struct Governed {
  double gpu_W, clock_Hz, ac_W;
};

/// Mean GPU of a node whose governor holds the mean power, at rest in `inlet_K`.
Governed governed_node(const GpuCase& gpu, const ServerCase& server, const dvfs::PhaseMix& mix, double inlet_K) {
  const power::GpuModel model(gpu.power);
  const double reference_Hz = gpu.compute.reference_clock_Hz;
  double clock_Hz = 0.0;
  const auto s = steady_node(
      gpu, server,
      [&](double die_K) {
        const double factor = model.leakage_temperature_factor(die_K);
        const auto p = dvfs::operating_point(model, {}, mix, reference_Hz, 0.0, factor,
                                             dvfs::limit_W(gpu.power.tdp_W, gpu.governor), model.clock_max_Hz(), 1.5e9);
        clock_Hz = p.clock_Hz;
        const auto w = dvfs::phase_power(model, {}, mix, reference_Hz, p.clock_Hz, 0.0);
        return w.at_W(factor);
      },
      inlet_K);
  return {s.gpu_sum_W() / 8.0, clock_Hz, power::server_power(server.power, s.gpu_sum_W(), s.fan_frac, true).ac_W};
}

/// Switching of an H100 whose context runs nothing: that of the anchor.
double context_activity() {
  const Node anchors = catalog_in_use().values("anchors", "h100_sxm_700W_anchors");
  return std::get<double>(anchors.find("context")->find("matrix_frac")->value);
}

void h100_levels(std::vector<Row>& rows) {
  const GpuCase gpu = gpu_case("h100_sxm_700W");
  const ServerCase server = server_case("dgx_h100");
  const power::GpuModel model(gpu.power);
  const double inlet_K = 22.0 + zero_degC_K, f_ref = gpu.compute.reference_clock_Hz;
  const char* source = "public traces of 8xH100 nodes";
  const auto level = [&](const power::GpuModel& state, double clock_Hz) {
    dvfs::PhaseMix wait;
    wait.wait_s = 1.0;
    return steady_node(gpu, server, power_of(gpu, state, wait, f_ref, clock_Hz), inlet_K).gpu_sum_W() / 8.0;
  };
  const auto gated = [&](double leakage_ratio, double activity) {  // what is on while no kernel spins
    auto p = gpu.power;
    p.leakage_W *= leakage_ratio, p.wait_activity = activity;
    return power::GpuModel(p);
  };
  const char* fitted =
      "board and the activities of waiting and of a bare context come from these levels at typical temperatures";
  rows.push_back(
      calibrated(against("P1/idle", "8xH100, no context, per GPU", "W", 71,
                         level(gated(gpu.power.rest_leakage_ratio, 0.0), model.idle_clock_Hz()), 0.10, source),
                 fitted));
  rows.push_back(calibrated(against("P1/context", "CUDA context, waiting", "W", 110,
                                    level(gated(1.0, context_activity()), model.clock_max_Hz()), 0.10, source),
                            fitted));
  rows.push_back(calibrated(
      against("P1/stall", "spinning kernels in a stall", "W", 155, level(model, model.clock_max_Hz()), 0.10, source),
      fitted));
  const double one[] = {1.0};
  const auto small = llama3_8b_node(gpu);
  const auto plateau = governed_node(gpu, server, mean_mix(small.iteration(one), 0), inlet_K);
  rows.push_back(against(
      "P1/plateau", "Llama 3 8B from its plan, 8xH100 sharded, 64 x 8,192 tokens", "W", 550, plateau.gpu_W, 0.10,
      source,
      fmt::format("the traces' plan is not published; every plan tried would be power-limited (here {:.0f} MHz), so "
                  "their GPUs must have waited for a host that is not modelled",
                  plateau.clock_Hz * 1e-6)));
  const auto large = llama3_405b(gpu);
  const auto full = governed_node(gpu, server, mean_mix(large.iteration(one), 7), inlet_K);
  rows.push_back(within("P2", "8xH100 node in the Llama 3 405B plan, air, 22 degC", "kW", 7.75, 8.5, full.ac_W * 1e-3,
                        0.07, "arXiv 2412.08602; arXiv 2506.14551", fmt::format("{:.0f} W per GPU", full.gpu_W)));
}

/// Activity at which the mean GPU of a resting node takes `target_W`.
double activity_for(const GpuCase& gpu, const ServerCase& server, const power::GpuModel& model, dvfs::PhaseMix mix,
                    double clock_Hz, double inlet_K, double target_W) {
  double lo = 0.0, hi = 2.0;
  for (int i = 0; i < 50; ++i) {
    mix.active_matrix_s = 0.5 * (lo + hi) * mix.matrix_s;
    const auto s =
        steady_node(gpu, server, power_of(gpu, model, mix, gpu.compute.reference_clock_Hz, clock_Hz), inlet_K);
    (s.gpu_W[0] < target_W ? lo : hi) = 0.5 * (lo + hi);
  }
  return 0.5 * (lo + hi);
}

void a100_clocks(std::vector<Row>& rows) {
  const GpuCase gpu = gpu_case("a100_sxm_400W");
  const ServerCase server = server_case("dgx_a100");
  const power::GpuModel model(gpu.power);
  const double inlet_K = 22.0 + zero_degC_K;
  dvfs::PhaseMix mix;
  mix.matrix_s = 1.0;
  const double a = activity_for(gpu, server, model, mix, 1.005e9, inlet_K, 135.0);
  mix.active_matrix_s = a;
  const double clock_MHz[] = {1005, 1110, 1200, 1305}, expected_W[] = {135, 152, 179, 225};
  for (int i = 0; i < 4; ++i) {
    const auto s = steady_node(gpu, server,
                               power_of(gpu, model, mix, gpu.compute.reference_clock_Hz, clock_MHz[i] * 1e6), inlet_K);
    Row r = against(fmt::format("P3/{:.0f}", clock_MHz[i]), "A100, compute-bound kernel, locked clock in MHz", "W",
                    expected_W[i], s.gpu_W[0], 0.10, "public clock-locked A100 power");
    rows.push_back(i == 0 ? calibrated(std::move(r), fmt::format("sets the kernel's activity, {:.3f}", a))
                          : std::move(r));
  }
}

/// Whether a training step holds the A100's highest clock: what decides at which clock its efficiency is fitted.
void a100_step(std::vector<Row>& rows) {
  const GpuCase gpu = gpu_case("a100_sxm_400W");
  const power::GpuModel model(gpu.power);
  const auto runs = training_runs();
  const TrainingRun& run = run_named(runs, "W1");
  const workload::IterationModel step(model_entry(run.model), run.plan, gpu.compute, network_entry(run.network));
  const auto timeline = step.iteration({{1.0}});
  double W = 0.0;
  for (std::int64_t stage = 0; stage < run.plan.pp; ++stage)
    W += steady_node(gpu, server_case("dgx_a100"),
                     power_of(gpu, model, mean_mix(timeline, static_cast<std::size_t>(stage)),
                              gpu.compute.reference_clock_Hz, model.clock_max_Hz()),
                     22.0 + zero_degC_K)
             .gpu_sum_W() /
         static_cast<double>(8 * run.plan.pp);
  rows.push_back(within("P3/step", "A100 in the plan of W1 at 1,410 MHz without a limit: mean watts", "W", 400, 600, W,
                        0.0, "Acme trace (2023)",
                        "at a limit of 400 W, percentiles 90 and 99 of two training fleets are 395-404 and 439-442 W, "
                        "the highest sample 600: their steps meet the limit, so they do not hold this clock"));
}

void v100_caps(std::vector<Row>& rows) {
  const GpuCase gpu = gpu_case("v100_pcie_250W");
  const power::GpuModel model(gpu.power);
  const double f_ref = gpu.compute.reference_clock_Hz;
  const double mean_W[] = {99, 120, 144, 165, 182, 203, 218}, throughput[] = {0.52, 0.68, 0.84, 0.91, 0.95, 0.98, 1.00};
  const double K_per_W = gpu.package.die_base_K_per_W + gpu.package.base_sink_K_per_W + gpu.package.sink_air_K_per_W;
  dvfs::PhaseMix mix;  // a fifth of ResNet-50's time at full clock is bound by memory (normalisation, activations) [K]
  mix.matrix_s = 0.8, mix.memory_s = 0.2;
  mix.hbm_s = 0.85 * mix.memory_s + 0.2 * mix.matrix_s;
  const auto factor = [&](double W) { return model.leakage_temperature_factor(25.0 + zero_degC_K + K_per_W * W); };
  double lo = 0.0, hi = 2.0;
  for (int i = 0; i < 60; ++i) {
    mix.active_matrix_s = 0.5 * (lo + hi) * mix.matrix_s;
    const auto p = dvfs::phase_power(model, {}, mix, f_ref, f_ref, 0.0);
    (p.at_W(factor(mean_W[6])) < mean_W[6] ? lo : hi) = 0.5 * (lo + hi);
  }
  for (int i = 0; i < 7; ++i) {
    const auto p = dvfs::operating_point(model, {}, mix, f_ref, 0.0, factor(mean_W[i]), mean_W[i], f_ref, 1.2e9);
    const double duration_s = dvfs::phase_power(model, {}, mix, f_ref, p.clock_Hz, 0.0).duration_s;
    Row r = against(
        fmt::format("P4/{}", 100 + 25 * i),
        "V100 ResNet-50 under a cap in W, at the mean power measured, throughput against no cap", "", throughput[i],
        1.0 / duration_s, 0.06, "ml-energy/zeus power traces",
        i == 0
            ? fmt::format(
                  "{:.0f} MHz; the share of time that memory binds at full clock, 0.2, is assumed and decides: at this "
                  "clock without it {:.3f}",
                  p.clock_Hz * 1e-6, p.clock_Hz / f_ref)
            : fmt::format("{:.0f} MHz", p.clock_Hz * 1e-6));
    rows.push_back(
        i == 6
            ? calibrated(std::move(r),
                         fmt::format("sets ResNet-50's activity, {:.3f}; V/f of the card is from BERT on the same card",
                                     mix.active_matrix_s / mix.matrix_s))
            : std::move(r));
  }
}

/// Water-cooled B200 server: the electrical numbers of the air-cooled entry on a cold plate.
void b200_node(std::vector<Row>& rows) {
  GpuCase gpu = gpu_case("b200_sxm_1000W");
  gpu.package = gpu_case("gb200_1200W").package;
  const ServerCase server = server_case("hgx_b200_liquid");
  const double liquid_K = 30.0 + zero_degC_K, one[] = {1.0};
  const char* source = "MLCommons training_results_v5.0";
  const auto busy = governed_node(gpu, server, mean_mix(llama3_405b(gpu).iteration(one), 7), liquid_K);
  rows.push_back(within(
      "B200/load", "8xB200 on water, training at the power limit", "kW", 9.63, 10.05, busy.ac_W * 1e-3, 0.07, source,
      fmt::format("{:.0f} W per GPU at {:.0f} MHz; every B200 number is assumed", busy.gpu_W, busy.clock_Hz * 1e-6)));
  dvfs::PhaseMix wait;
  wait.wait_s = 1.0;
  const power::GpuModel model([&] {
    auto resting = gpu.power;
    resting.leakage_W *= resting.rest_leakage_ratio, resting.wait_activity = 0.0;
    return resting;
  }());
  const auto rest = steady_node(
      gpu, server, power_of(gpu, model, wait, gpu.compute.reference_clock_Hz, model.idle_clock_Hz()), liquid_K);
  const double rest_W = power::server_power(server.power, rest.gpu_sum_W(), rest.fan_frac, false).ac_W;
  rows.push_back(against("B200/floor", "same node between phases, clocks down", "kW", 2.9, rest_W * 1e-3, 0.15, source,
                         fmt::format("{:.0f} W per GPU at {:.0f} degC; idle B200 elsewhere read 137-143 W at 30-33 "
                                     "degC, so hardly anything of them is gated off: "
                                     "what is too much is the host's idle power, assumed, 1.3-2.3 kW",
                                     rest.gpu_W[0], rest.die_K[0] - zero_degC_K)));
}

}  // namespace

std::vector<Row> power_rows(const Context& context) {
  std::vector<Row> rows;
  h100_levels(rows);
  b200_node(rows);
  a100_clocks(rows);
  a100_step(rows);
  v100_caps(rows);
  node_power_rows(context, rows);
  const auto more = training_log_rows(context);
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

}  // namespace TIDEWATT_NAMESPACE::validate
