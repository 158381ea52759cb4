#include <fmt/format.h>

#include <functional>

#include "evidence_causes.hpp"
#include "evidence_kernels.hpp"
#include "evidence_levels.hpp"
#include "evidence_life.hpp"
#include "evidence_spread.hpp"
#include "groups.hpp"
#include "row_term.hpp"
#include "run_refusal.hpp"
#include "tidewatt/base/error.hpp"
#include "training_runs.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

std::string plan_text(const EvidenceRun& run) {
  const auto& p = run.plan;
  return fmt::format("{}, {} x {}, TP{} CP{} PP{} EP{}, batch {} x {} tokens, {}", run.model, p.n_gpu, run.device, p.tp,
                     p.cp, p.pp, p.ep, p.global_batch_sequences, p.sequence_tokens, p.precision);
}

void training(const std::vector<EvidenceRun>& runs, const Context& context, std::vector<Row>& rows) {
  for (const EvidenceRun& run : runs)
    if (context.wants(run.row.id))
      rows.push_back(held_to_run(
          judged(run.row, plan_text(run), run.per_second ? "tokens/s" : "s", published_unit(run, step_s(run))),
          run_refusal(run)));
}

const EvidenceRun& run_named(const std::vector<EvidenceRun>& runs, const std::string& id) {
  for (const EvidenceRun& r : runs)
    if (r.row.id == id) return r;
  throw InputError(fmt::format("no published run '{}'", id));
}

/// GPUs and nodes at rest and in training, energy per token.
void watts(const Node& levels, const std::vector<EvidenceRun>& runs, std::vector<Row>& rows) {
  for (const Node& r : listed(levels, "gpu_rest")) {
    const std::string gpu = text_of(r, "gpu");
    const double die_degC = number_of(r, "die_degC");
    const bool up = r.find("clock_MHz") != nullptr, context = up || r.find("context") != nullptr;
    const double clock_MHz = up ? number_of(r, "clock_MHz") : 0.0;
    const std::string state = up        ? fmt::format("without work at {:.0f} MHz", clock_MHz)
                              : context ? "with a context, no work"
                                        : "at rest";
    rows.push_back(judged(row_of(r, "watts"), fmt::format("{} {} at {:.0f} degC", gpu, state, die_degC), "W",
                          rest_W(gpu, die_degC, context, clock_MHz * 1e6)));
  }
  for (const Node& r : listed(levels, "node_rest"))
    rows.push_back(judged(row_of(r, "watts"), fmt::format("{} at rest, 22 degC", text_of(r, "server")), "W",
                          node_rest_W(text_of(r, "gpu"), text_of(r, "server"))));
  for (const Node& r : listed(levels, "node_training")) {
    const EvidenceRun& run = run_named(runs, text_of(r, "run"));
    rows.push_back(held_to_run(judged(row_of(r, "watts"), fmt::format("node of {}", plan_text(run)), "W",
                                      training_node_W(run, r.find("immersed") != nullptr)),
                               run_refusal(run)));
  }
  const Node training_list = evidence_file("evidence_training.toml");
  for (const Node& r : listed(levels, "energy")) {
    const EvidenceRun run = run_from(training_list, r);
    rows.push_back(held_to_run(
        judged(row_of(r, "joule_per_token"), fmt::format("GPUs of {}", plan_text(run)), "J", joule_per_token(run)),
        run_refusal(run)));
  }
}

void inference(const Node& levels, std::vector<Row>& rows) {
  for (const Node& r : listed(levels, "service")) {
    const auto tp = static_cast<std::int64_t>(number_of(r, "tp")),
               batch = static_cast<std::int64_t>(number_of(r, "batch"));
    const ServedLoad load{reference_service(tp, batch), "h100_sxm_700W", "dgx_h100_ndr"};
    rows.push_back(judged(
        row_of(r, "watts"),
        fmt::format("{} on {} x H100 at full queue, at most {} requests: per GPU", text_of(r, "model"), tp, batch), "W",
        service_gpu_W(shape_named(levels, text_of(r, "model")), load)));
  }
  for (const Node& r : listed(levels, "batch")) {
    const auto tp = static_cast<std::int64_t>(number_of(r, "tp")),
               batch = static_cast<std::int64_t>(number_of(r, "batch"));
    ServedLoad load{reference_service(tp, batch), "a100_sxm_400W", "dgx_a100_hdr"};
    load.service.prompt_tokens = static_cast<std::int64_t>(number_of(r, "prompt_tokens"));
    load.service.output_tokens = static_cast<std::int64_t>(number_of(r, "output_tokens"));
    rows.push_back(judged(row_of(r, "tokens_per_s"),
                          fmt::format("{} on {} x A100, batch {}, {} + {} tokens: per GPU", text_of(r, "model"), tp,
                                      batch, load.service.prompt_tokens, load.service.output_tokens),
                          "tokens/s", batch_tokens_per_s(shape_named(levels, text_of(r, "model")), load)));
  }
}

/// Failures of other fleets, and what a restart costs.
void failures(const Node& levels, const std::vector<EvidenceRun>& runs, std::vector<Row>& rows) {
  for (const Node& r : listed(levels, "failures")) {
    const double n_gpu = number_of(r, "n_gpu");
    rows.push_back(judged(row_of(r, "hours"),
                          fmt::format("{:.0f} GPUs at the rates of {}: between failures", n_gpu, text_of(r, "rates")),
                          "h", hours_between_failures(text_of(r, "rates"), n_gpu)));
  }
  for (const Node& r : listed(levels, "failure_rate"))
    rows.push_back(judged(row_of(r, "per_1000_server_days"),
                          fmt::format("interruptions of 1,000 servers a day at the rates of {}", text_of(r, "rates")),
                          "", 24.0 / hours_between_failures(text_of(r, "rates"), 8000.0)));
  for (const Node& r : listed(levels, "restart"))
    rows.push_back(judged(row_of(r, "seconds"),
                          fmt::format("{:.0f} GPUs, times of job {}: from a failure to the next iteration",
                                      number_of(r, "n_gpu"), text_of(r, "job")),
                          "s", restart_s(text_of(r, "job"), text_of(r, "model"), number_of(r, "n_gpu"))));
  for (const Node& r : listed(levels, "lost_time"))
    rows.push_back(judged(row_of(r, "percent"),
                          fmt::format("{:.0f} GPUs, job {} at the rates of {}, ten days walked: share of time lost",
                                      number_of(r, "n_gpu"), text_of(r, "job"), text_of(r, "rates")),
                          "%",
                          100.0 * lost_frac(text_of(r, "rates"), text_of(r, "job"), text_of(r, "model"),
                                            number_of(r, "n_gpu"), number_of(r, "iteration_s"))));
  for (const Node& r : listed(levels, "slow_gpu")) {
    const double slower = term("E4.slower_percent", number_of(r, "slower_percent"));
    const EvidenceRun& run = run_named(runs, text_of(r, "run"));
    rows.push_back(held_to_run(judged(row_of(r, "percent"),
                                      fmt::format("one GPU {:.1f} % slower in the run of {}: longer step",
                                                  number_of(r, "slower_percent"), text_of(r, "run")),
                                      "%", 100.0 * slow_gpu_frac(run, 1.0 - 0.01 * slower)),
                               run_refusal(run)));
  }
}

/// Spread between chips and nodes of other fleets.
void spread(const Node& levels, std::vector<Row>& rows) {
  for (const Node& r : listed(levels, "clock_range"))
    rows.push_back(
        judged(row_of(r, "percent"),
               fmt::format("eight {} at their limit in a dense GEMM: fastest less slowest clock", text_of(r, "gpu")),
               "%", 100.0 * node_clock_range_frac(text_of(r, "gpu"), text_of(r, "server"))));
  for (const Node& r : listed(levels, "node_scatter")) {
    const auto published = training_runs();
    const TrainingRun& run = run_named(published, text_of(r, "run"));
    const workload::IterationModel model(model_entry(run.model), run.plan, compute_entry(run.device),
                                         network_entry(run.network));
    rows.push_back(judged(row_of(r, "percent"),
                          fmt::format("{} nodes of eight {} in one job: standard deviation of their power",
                                      run.plan.n_gpu / 8, text_of(r, "gpu")),
                          "%", 100.0 * node_power_scatter_frac(text_of(r, "gpu"), text_of(r, "server"), model)));
  }
}

ProductShape product_shape(const Node& row) {
  const auto& sides = std::get<Node::Array>(member(row, "shape").value);
  const auto side = [&](std::size_t i) { return static_cast<double>(std::get<std::int64_t>(sides.at(i).value)); };
  return {side(0), side(1), side(2)};
}

/// Single products, memory and collectives.
void kernels(const Node& list, std::vector<Row>& rows) {
  for (const Node& r : listed(list, "product")) {
    const ProductShape shape = product_shape(r);
    const std::string gpu = text_of(r, "gpu"), precision = text_of(r, "precision");
    rows.push_back(judged(row_of(r, "TF"),
                          fmt::format("{}: product of {:.0f} x {:.0f} x {:.0f}, {}", gpu, shape.rows, shape.columns,
                                      shape.inner, precision),
                          "TF", product_FLOP_per_s(gpu, precision, shape) * 1e-12));
  }
  for (const Node& r : listed(list, "memory"))
    rows.push_back(judged(row_of(r, "TB_per_s"),
                          fmt::format("{}: bandwidth of a memory-bound kernel", text_of(r, "gpu")), "TB/s",
                          memory_B_per_s(text_of(r, "gpu")) * 1e-12));
  for (const Node& r : listed(list, "all_reduce")) {
    const auto n = static_cast<std::int64_t>(number_of(r, "n_gpu"));
    const double bytes = number_of(r, "bytes");
    rows.push_back(judged(
        row_of(r, "GB_per_s"),
        fmt::format("{}: bus bandwidth of an all-reduce of {:.0f} MB, {} GPUs", text_of(r, "network"), bytes * 1e-6, n),
        "GB/s", all_reduce_bus_B_per_s(text_of(r, "network"), n, bytes) * 1e-9));
  }
}

/// Services whose format is published.
void services(const Node& list, const Node& levels, std::vector<Row>& rows) {
  const auto load_of = [](const Node& r, std::int64_t batch, std::int64_t output) {
    ServedLoad load{reference_service(static_cast<std::int64_t>(number_of(r, "tp")), batch), text_of(r, "gpu"),
                    text_of(r, "network")};
    load.service.prompt_tokens = static_cast<std::int64_t>(number_of(r, "prompt_tokens"));
    load.service.output_tokens = output;
    return load;
  };
  for (const Node& r : listed(list, "service_rate")) {
    const ServedLoad load = load_of(r, static_cast<std::int64_t>(number_of(r, "batch")),
                                    static_cast<std::int64_t>(number_of(r, "output_tokens")));
    rows.push_back(judged(
        row_of(r, "tokens_per_s"),
        fmt::format("{} on {} x {}, at most {} requests, {} + {} tokens, {}: per GPU", text_of(r, "model"),
                    load.service.tp, load.gpu, load.service.max_batch, load.service.prompt_tokens,
                    load.service.output_tokens, text_of(r, "precision")),
        "tokens/s", service_tokens_per_s(shape_named(levels, text_of(r, "model")), load, text_of(r, "precision"))));
  }
  for (const Node& r : listed(list, "first_token")) {
    const ServedLoad load = load_of(r, 1, 1);
    rows.push_back(judged(row_of(r, "seconds"),
                          fmt::format("{} on {} x {}, one prompt of {} tokens, {}", text_of(r, "model"),
                                      load.service.tp, load.gpu, load.service.prompt_tokens, text_of(r, "precision")),
                          "s", prompt_s(shape_named(levels, text_of(r, "model")), load, text_of(r, "precision"))));
  }
}

}  // namespace

std::vector<Row> evidence_kernel_rows(const Context&) {
  const Node list = evidence_file("evidence_kernels.toml");
  std::vector<Row> rows;
  kernels(list, rows);
  services(list, evidence_file("evidence_levels.toml"), rows);
  return rows;
}

std::vector<Row> product_fit_rows(const Context&) {
  const Node list = evidence_file("evidence_kernels.toml");
  std::vector<Row> rows;
  for (const Node& r : listed(list, "product_fit")) {
    const ProductShape shape = product_shape(r);
    const std::string gpu = text_of(r, "gpu"), precision = text_of(r, "precision");
    const EvidenceRow row = row_of(r, "TF");
    rows.push_back(
        calibrated(judged(row,
                          fmt::format("{}: {:.0f} x {:.0f} x {:.0f}, {}, before a limiter acts", gpu, shape.rows,
                                      shape.columns, shape.inner, precision),
                          "TF", brief_product_FLOP_per_s(gpu, precision, shape) * 1e-12),
                   fmt::format("sets what a product alone reaches: exact at {:.4f}; {}",
                               exact_product_efficiency(gpu, precision, shape, row.expected * 1e12), row.where)));
  }
  return rows;
}

std::vector<Row> evidence_training_rows(const Context& context) {
  std::vector<Row> rows;
  training(evidence_runs(), context, rows);
  return rows;
}

std::vector<Row> evidence_level_rows(const Context&) {
  const Node levels = evidence_file("evidence_levels.toml");
  const auto runs = evidence_runs();
  std::vector<Row> rows;
  watts(levels, runs, rows);
  inference(levels, rows);
  failures(levels, runs, rows);
  spread(levels, rows);
  return rows;
}

}  // namespace TIDEWATT_NAMESPACE::validate
