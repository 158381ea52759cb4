#include "workload/mlperf_log.hpp"

#include <optional>
#include <utility>

#include "catch.hpp"
#include "shared_data.hpp"

using namespace tidewatt;
using namespace tidewatt::workload;

namespace {

void skip() { WARN("skipped: no measurement files"); }

MlperfLog h100_log(const std::string& sensor) {
  const auto folder = *shared_data("mlperf_h100_512gpu_gpt3");
  const std::string run = (folder / "result_5849-240518014016374832336_1_").string();
  return read_mlperf_log(run + sensor + ".csv", run + "events.csv");
}

/// From each `<name>_start` to the next `<name>_stop`; an open one is left out.
std::vector<std::pair<Tick, Tick>> spans(const MlperfLog& log, const std::string& name) {
  std::vector<std::pair<Tick, Tick>> out;
  std::optional<Tick> begin;
  for (const auto& e : log.events) {
    if (e.key == name + "_start") begin = e.at;
    if (e.key == name + "_stop" && begin) out.emplace_back(*begin, e.at), begin.reset();
  }
  return out;
}

}  // namespace

TEST_CASE("512 H100 training GPT-3: nodes, steps and evaluations of the published log", "[workload][trace][P5]") {
  if (!shared_data("mlperf_h100_512gpu_gpt3")) return skip();
  const MlperfLog log = h100_log("ac");
  CHECK(log.power.n_channel() == 64);
  CHECK(log.power.n_segment() == 1702);
  CHECK(log.power.names.front() == "node1");
  CHECK(log.power.gaps.empty());
  const auto steps = log.steps();
  CHECK(steps.size() == 288);
  double mean_s = 0.0;
  for (const auto& s : steps) mean_s += s.duration_s / static_cast<double>(steps.size());
  CHECK(mean_s == Approx(10.63).epsilon(0.002));
  const auto evaluations = spans(log, "eval"), blocks = spans(log, "block");
  REQUIRE(evaluations.size() == 24);
  REQUIRE(blocks.size() == 24);
  CHECK(spans(log, "run").size() == 1);
  const Trace total = log.power.total();
  double evaluating_W = 0.0, training_W = 0.0;
  for (const auto& [begin, end] : evaluations) evaluating_W += total.over(0, begin, end).mean / 24.0;
  for (const auto& [begin, end] : blocks) training_W += total.over(0, begin, end).mean / 24.0;
  INFO("evaluation " << evaluating_W << " W, training " << training_W << " W");
  CHECK(evaluating_W == Approx(404e3).epsilon(0.02));
  CHECK(training_W == Approx(442e3).epsilon(0.02));
}

TEST_CASE("the other published logs read too", "[workload][trace]") {
  if (!shared_data("mlperf_b200_1node")) return skip();
  const auto b200 = *shared_data("mlperf_b200_1node");
  for (const char* run : {"llama2_70b_lora_0", "llama2_70b_lora_1", "llama2_70b_lora_2", "stable_diffusion_0",
                          "stable_diffusion_1", "stable_diffusion_2"}) {
    const MlperfLog log = read_mlperf_log((b200 / (std::string(run) + "_power.csv")).string(),
                                          (b200 / (std::string(run) + "_events.csv")).string());
    CHECK(log.power.n_channel() == 1);
    CHECK(spans(log, "run").size() == 1);
    const auto all = log.power.over(0, 0, log.power.length());
    CHECK(all.mean > 8e3);
    CHECK(all.mean < 11e3);
  }
  if (!shared_data("mlperf_h100_512gpu_gpt3")) return;
  const auto eos =
      read_mlperf_events((*shared_data("mlperf_h100_512gpu_gpt3") / "eos_11616gpu_gpt3_events.csv").string(), 0);
  CHECK(eos.size() == 144);
  CHECK(eos.front().value == "gpt3");
}
