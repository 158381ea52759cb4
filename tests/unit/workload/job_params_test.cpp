#include "tidewatt/workload/job_params.hpp"

#include <filesystem>

#include "catch.hpp"
#include "tidewatt/base/reader.hpp"
#include "tidewatt/workload/failures.hpp"

using namespace tidewatt;
using namespace tidewatt::workload;

namespace {

/// Every file of a catalog folder reads without a finding.
template <class Params>
std::vector<Params> read_folder(const std::string& folder) {
  std::vector<Params> out;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(TIDEWATT_SOURCE_DIR) + "/catalog/" + folder)) {
    INFO(entry.path().string());
    const Node node = parse_toml_file(entry.path().string());
    std::vector<Finding> findings;
    TableReader reader(node, "", findings);
    for (const char* key : {"schema", "kind", "name", "sources", "assumed"}) reader.child(key);
    out.emplace_back().fields(reader);
    reader.finish();
    for (const auto& f : findings) FAIL_CHECK(f.text());
  }
  return out;
}

}  // namespace

TEST_CASE("job and failure files read without findings", "[workload][catalog]") {
  const auto jobs = read_folder<JobParams>("job");
  CHECK(jobs.size() >= 5);
  for (const JobParams& j : jobs) CHECK(checkpoint_blocking_s(j, {1024, 1e12}, true) > 0.0);
  for (const FailureRates& f : read_folder<FailureRates>("failures"))
    CHECK((f.repair_s.empty() || f.repair_s.size() == f.causes.size()));
}

TEST_CASE("checkpoints: the slower of one GPU's copy and the storage that all share", "[workload][job]") {
  JobParams j;
  j.checkpoint_base_s = 2, j.storage_B_per_s = 100e9, j.checkpoint_per_gpu_B_per_s = 1e9, j.load_per_gpu_B_per_s = 2e9;
  // 1 TB from 100 GPUs: 10 s to copy, 10 s to store; from 10 GPUs the copy rules, from 1,000 the storage.
  CHECK(checkpoint_blocking_s(j, {100, 1e12}, false) == Approx(12.0));
  CHECK(checkpoint_blocking_s(j, {10, 1e12}, false) == Approx(102.0));
  CHECK(checkpoint_blocking_s(j, {1000, 1e12}, false) == Approx(12.0));
  CHECK(checkpoint_blocking_s(j, {1000, 1e12}, true) == Approx(3.0));
  CHECK(checkpoint_drain_s(j, {1000, 1e12}) == Approx(10.0));
  CHECK(load_s(j, {10, 1e12}) == Approx(50.0));
}

TEST_CASE("stages of a ramp are equal and reach neither nothing nor all", "[workload][job]") {
  JobParams j;
  j.soft_stages = 9;
  for (std::int64_t k = 0; k < 9; ++k) CHECK(soft_share(j, k) == Approx(0.1 * static_cast<double>(k + 1)));
  j.soft_style = "clock", j.soft_clock_frac = 0.55;
  CHECK(soft_share(j, 0) == Approx(0.55));
  CHECK(soft_share(j, 8) == Approx(0.95));
}

TEST_CASE("set-up time of communicators", "[workload][W15]") {
  JobParams j;
  j.initialise_base_s = 0;
  j.initialise = "naive";
  CHECK(initialise_s(j, {2048, 0}) == Approx(1047).epsilon(0.1));
  j.initialise = "improved";
  CHECK(initialise_s(j, {2048, 0}) == Approx(361).epsilon(0.1));
  j.initialise = "current";
  CHECK(initialise_s(j, {2048, 0}) < 5.0);
  CHECK(initialise_s(j, {12288, 0}) < 30.0);
}
