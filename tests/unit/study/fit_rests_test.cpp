#include "study/fit_rests.hpp"

#include "base/random.hpp"
#include "catch.hpp"
#include "shared_data.hpp"
#include "study/fit_job_log.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {
// Rests of 11 s behind the start and 14 s around the first evaluation's start, as LoRA jobs have; later evaluations begin with 1.2 s of waiting.
const NodeLevels truth{2600, 6200, 5300, 0, 0, 0, 2600, 0.0, 1.2, 0.5};
const std::vector<WorkInterval> work = {{0, 150, NodeWork::train},   {150, 160, NodeWork::evaluate},
                                        {160, 190, NodeWork::train}, {190, 200, NodeWork::evaluate},
                                        {200, 230, NodeWork::train}, {230, 240, NodeWork::evaluate}};
const std::vector<Rest> rests = {{2.0, 13.0}, {138.0, 152.0}};

NodePowerLog shown(double noise_W) {
  NodePowerLog log;
  for (double t = 1.0; t < 240.0; t += 2.01) log.time_s.push_back(t);
  log.node_W = log_of(node_wave(truth, with_rests(work, rests)), truth, 2.0, log.time_s);
  for (std::size_t i = 0; i < log.node_W.size(); ++i)
    log.node_W[i] += noise_W * random::normal(4, random::Purpose::jitter, i);
  return log;
}
}  // namespace

TEST_CASE("rests that the events do not tell are found in the log", "[study][fit_rests]") {
  const auto found = find_rests(shown(30.0));
  REQUIRE(found.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(found[i].begin_s == Approx(rests[i].begin_s).margin(2.5));
    CHECK(found[i].end_s == Approx(rests[i].end_s).margin(2.5));
  }
  NodePowerLog evaluations;  // levels of an evaluation are no rest, nor are two low readings
  for (int i = 0; i < 60; ++i) {
    evaluations.time_s.push_back(2.0 * i);
    evaluations.node_W.push_back(i % 10 < 5 ? 6000.0 : 4000.0);
  }
  CHECK(find_rests(evaluations).empty());
  evaluations.node_W[30] = evaluations.node_W[31] = 2000.0;
  CHECK(find_rests(evaluations).empty());
  CHECK(find_rests({{0.0}, {1.0}}).empty());
}

TEST_CASE("rests are cut out of the work around them", "[study][fit_rests]") {
  const auto cut = with_rests(work, rests);
  REQUIRE(cut.size() == 10);
  CHECK(cut[1].work == NodeWork::idle);
  CHECK(cut[1].end_s == 13.0);
  CHECK(cut[4].work == NodeWork::idle);  // over the end of the first block into the evaluation
  CHECK(cut[4].start_s == 150.0);
  const std::vector<WorkInterval> counted = {{0, 100, NodeWork::train, 50}};
  const std::vector<Rest> quarter = {{0, 25}};
  CHECK(with_rests(counted, quarter)[1].iterations == 38);
  // An evaluation that begins with a rest has no notch of its own.
  CHECK(power::WaveMeter(node_wave(truth, cut)).energy_J(152.0, 160.0) == Approx(8.0 * truth.evaluate_W));
  CHECK(power::WaveMeter(node_wave(truth, cut)).energy_J(190.0, 200.0) == Approx(8.8 * 5300 + 1.2 * 2600));
}

TEST_CASE("levels beside rests come back with edges and the notch's width", "[study][fit_rests]") {
  const auto log = shown(30.0);
  const auto f = fit_node_power(log, work, 2.0, find_rests(log));
  CHECK(f.levels.train_W == Approx(6200).epsilon(0.005));
  CHECK(f.levels.evaluate_W == Approx(5300).epsilon(0.02));
  CHECK(f.levels.idle_W == Approx(2600).epsilon(0.03));
  CHECK(f.fit["rest1_end_s"] == Approx(13.0).margin(0.5));
  CHECK(f.fit["rest2_begin_s"] == Approx(138.0).margin(0.5));
  CHECK(f.levels.notch_s == Approx(1.2).margin(0.4));
  CHECK(f.fit.rms < 60.0);
  CHECK(fit_node_power(log, work, 2.0).fit.rms > 500.0);  // one level for work and rest misses both
}

TEST_CASE("published LoRA runs: rests of 5740 are those of 5742", "[study][fit_rests]") {
  const auto folder = shared_data("mlperf_h100_8node_llama2");
  if (!folder) {
    WARN("reference data absent");
    return;
  }
  const auto fit = [&](const char* stem) {
    const auto log =
        read_job_log(*folder / (std::string(stem) + "_ac.csv"), *folder / (std::string(stem) + "_events.csv"), 0.0);
    const auto run = log.part(0.0, log.run_s);
    return fit_node_power(run, log.work, 2.0, find_rests(run));
  };
  const auto one = fit("result_5740-240517044141819407406_10"), other = fit("result_5742-240517053836692164828_3");
  for (const auto* f : {&one, &other}) CHECK(f->fit.rms < 200.0);  // 955 and 938 W with one level for work and rest
  CHECK(one.levels.train_W == Approx(other.levels.train_W).epsilon(0.01));
  CHECK(one.levels.evaluate_W == Approx(other.levels.evaluate_W).epsilon(0.02));
  CHECK(one.levels.idle_W == Approx(other.levels.idle_W).epsilon(0.02));
}
