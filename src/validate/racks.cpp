#include <fmt/format.h>

#include <array>
#include <cmath>

#include "groups.hpp"
#include "racks_runs.hpp"
#include "run_refusal.hpp"
#include "training_runs.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

std::string plan_text(const RackRun& run) {
  const auto& p = run.plan;
  return fmt::format("{}, {} x {}, TP{} CP{} PP{} EP{}, batch {}, {}; {}", run.model, p.n_gpu, run.device, p.tp, p.cp,
                     p.pp, p.ep, p.global_batch_sequences, p.precision, run.what);
}

/// Value of the fitted parameter that all other rows of the device, precision and kind of model together choose: the
/// geometric mean of what each of them asks for.
double others_choose(const std::vector<RackRun>& runs, const std::vector<double>& exact, std::size_t left_out) {
  double sum = 0.0, n = 0.0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool same = runs[i].device == runs[left_out].device &&
                      runs[i].plan.precision == runs[left_out].plan.precision &&
                      runs[i].model.starts_with("deepseek") == runs[left_out].model.starts_with("deepseek");
    if (i != left_out && same && exact[i] > 0.0) sum += std::log(exact[i]), n += 1.0;
  }
  return n > 0.0 ? std::exp(sum / n) : 0.0;
}

std::string left_out_text(const RackRun& run, double value) {
  if (value == 0.0) return "the only row of its device and format";
  auto gpu = compute_entry(run.device);
  fitted_parameter(gpu, run) = value;
  return fmt::format("left out, the others of its device and format give {:+.1f} %",
                     100.0 * (step_s(run, gpu, pace_of(run)) / run.expected_s - 1.0));
}

struct Cause {
  std::string_view id, likely;
};
/// Written after the first computation, which changed nothing else: what the misses have in common with what the model leaves
/// out.
constexpr std::array causes = {
    Cause{"R2/b200-8-air", "a later release: the same plan took 1.51 s half a year before"},
    Cause{"R2/b200-8-water", "a later release: the same plan took 1.51 s half a year before"},
    Cause{"R3/b200-8",
          "the efficiency comes from 405B across nodes, whose exposed traffic it holds too; one node has none"},
    Cause{"R3/gb300-512",
          "exchanges of one short micro-batch per replica, of which the model hides more than the run does"},
    Cause{"R3/b200-64", "as R3/b200-8; gradients of a short step hide less than the model lets them expose"},
    Cause{"R5/70b-gb300-fsdp", "release: the same plan is published as 7.25 s and, five months later, 6.24 s"},
    Cause{"R5/405b-h100", "software: the same GPUs and plan family reach 878 TF in MLPerf and 737 TF here"},
    Cause{"R5/dsv3-gb300-mx", "release: the row that sets the ratio of grouped products is seven months older"},
    Cause{"R5/dsv3-b300-mx",
          "recomputation and the extra prediction module, neither of which is published for this run"},
    Cause{"R5/dsv3-b200-mx",
          "recomputation of latent projections and the extra prediction module, which its recipe names"},
    Cause{"R6/8b-tp8", "tensor-parallel collectives below the bandwidth that large ones reach"},
    Cause{"R6/8b-tp8-async", "as R6/8b-tp8"},
    Cause{"R6/70b-fp8", "fp8 covers a part of the linear layers, with scales found in every pass"},
    Cause{"R6/70b-fp8-async", "as R6/70b-fp8; overlap of less than 90 %"}};

std::string likely_cause(const std::string& id) {
  for (const Cause& c : causes)
    if (c.id == id) return fmt::format("likely {}; ", c.likely);
  return "";
}

}  // namespace

std::vector<Row> racks_rows(const Context& context) {
  const std::vector<RackRun> runs = rack_runs();
  const bool notes = context.only.empty();  // the fits that leave one out, ten times the work of the rows
  std::vector<double> exact;
  exact.reserve(runs.size());
  for (const RackRun& run : runs) exact.push_back(notes ? exact_parameter(run) : 0.0);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RackRun& run = runs[i];
    if (!context.wants(run.id)) continue;
    std::string note = notes ? left_out_text(run, others_choose(runs, exact, i)) : "";
    if (const std::string excess = memory_excess(run); !excess.empty()) note += "; " + excess;
    Row row = against(run.id, plan_text(run), "s", run.expected_s, step_s(run), run.tolerance_frac, run.source, note);
    if (row.verdict == Verdict::fail) row.note = likely_cause(run.id) + row.note;
    if (run.fitted)
      row =
          calibrated(std::move(row), fmt::format("sets its device's efficiency in this format (or the ratio of grouped "
                                                 "products): exact at {:.4f}",
                                                 exact[i]));
    rows.push_back(held_to_run(std::move(row), run_refusal(run)));
  }
  return rows;
}

}  // namespace TIDEWATT_NAMESPACE::validate
