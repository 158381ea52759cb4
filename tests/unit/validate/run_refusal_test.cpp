#include "validate/run_refusal.hpp"

#include <algorithm>

#include "catch.hpp"
#include "validate/declared_key.hpp"

using namespace tidewatt;
using namespace tidewatt::validate;

namespace {

template <class Run>
const Run& named(const std::vector<Run>& runs, const std::string& id) {
  return *std::find_if(runs.begin(), runs.end(), [&](const Run& r) { return r.id == id; });
}

}  // namespace

TEST_CASE("run takes the plan of every published run that sets or tests an efficiency by its iteration", "[validate]") {
  for (const TrainingRun& run : training_runs()) {
    INFO(run.id);
    CHECK(run_refusal(run).empty());
  }
  CHECK(run_refusal(host_gap_run()).empty());
}

TEST_CASE("validate refuses what run refuses: memory, and servers with several stages", "[validate]") {
  const auto runs = rack_runs();
  CHECK_THAT(run_refusal(named(runs, "R5/dsv3-b200-mx")), Catch::Contains("plan.n_gpu: one GPU of stage"));
  CHECK(run_refusal(named(runs, "R5/dsv3-b300-mx")).empty());  // above the memory, within the estimate's uncertainty
  RackRun fits = named(runs, "R1/h100-512");
  CHECK(run_refusal(fits).empty());
  fits.plan.tp = 2, fits.plan.cp = 2, fits.plan.rank_order = "tp-cp-pp-dp";
  CHECK_THAT(run_refusal(fits), Catch::Contains("plan.pp: a server of 8 GPUs would hold several pipeline stages"));
  for (const RackRun& run : runs)
    if (!run_refusal(run).empty()) {
      INFO(run.id);
      CHECK_FALSE(mend_of(run.id).empty());
    }
  for (const EvidenceRun& run : evidence_runs())
    if (!run_refusal(run).empty()) {
      INFO(run.row.id);
      CHECK_FALSE(mend_of(run.row.id).empty());
    }
}

TEST_CASE("a refused row does not pass and says why; one that set a parameter stays calibrated", "[validate]") {
  const Row good = against("x", "", "s", 1.0, 1.0, 0.1, "");
  CHECK(held_to_run(good, "").verdict == Verdict::pass);
  const Row held = held_to_run(good, "plan.pp: two stages");
  CHECK(held.verdict == Verdict::fail);
  CHECK(held.error == good.error);
  CHECK_THAT(held.note, Catch::StartsWith("run refuses this plan: plan.pp"));
  CHECK(held_to_run(calibrated(good, "sets it"), "memory").verdict == Verdict::calibrated);
}
