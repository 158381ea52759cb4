#include "study/reduced_fleet.hpp"

#include "catch.hpp"
#include "sim/shipped_scenarios.hpp"
#include "tidewatt/workload/job_params.hpp"

using namespace tidewatt;

namespace {

sim::Scenario shipped(const std::string& name, std::vector<std::string> set = {}) {
  sim::LoadOptions load;
  load.set = std::move(set);
  return sim::load_scenario(name, load);
}

}  // namespace

TEST_CASE("a smaller fleet keeps each replica's work and what its storage takes to load") {
  const auto whole = shipped("llama3_405b_day");
  const auto reduced = study::reduced_fleet(whole);
  CHECK(reduced.whole.empty());
  CHECK(reduced.n_gpu == 512);
  CHECK(reduced.share == Approx(512.0 / 16384.0));
  const auto &plan = reduced.scenario.jobs.front().plan, &before = whole.jobs.front().plan;
  CHECK(plan.micro_batches() == before.micro_batches());
  CHECK(plan.pp == before.pp);
  // The checkpoint holds the model, whatever the number of replicas.
  const auto &life = reduced.scenario.jobs.front().life, &life_before = whole.jobs.front().life;
  const workload::JobSize size{plan.n_gpu, 5.7e12}, size_before{before.n_gpu, 5.7e12};
  CHECK(workload::load_s(life, size) == Approx(workload::load_s(life_before, size_before)));
  for (const bool async : {false, true})
    CHECK(workload::checkpoint_blocking_s(life, size, async) ==
          Approx(workload::checkpoint_blocking_s(life_before, size_before, async)));
  CHECK_NOTHROW(sim::check(reduced.scenario));
}

TEST_CASE("a battery and orders in watts are as much smaller as the fleet") {
  const auto smoothed = shipped("llama3_405b_smoothed");
  REQUIRE(smoothed.battery);
  const auto reduced = study::reduced_fleet(smoothed);
  CHECK(reduced.scenario.battery->power_W == Approx(reduced.share * smoothed.battery->power_W));
  CHECK(reduced.scenario.battery->smoothing_s == smoothed.battery->smoothing_s);
  CHECK(reduced.scaled.at("mitigation." + smoothed.mitigation_names.battery + ".power_MW") == reduced.share);
  const auto order = shipped("curtailment_cap");
  const auto less = study::reduced_fleet(order);
  REQUIRE(less.whole.empty());
  CHECK(less.scenario.events.front().limit_W == Approx(less.share * order.events.front().limit_W));
}

TEST_CASE("racks stay whole, and so do their replicas") {
  const auto reduced = study::reduced_fleet(shipped("gb200_nvl72_row"));
  CHECK(reduced.n_gpu % 72 == 0);
  CHECK(reduced.n_gpu == reduced.scenario.jobs.front().plan.n_gpu);
  CHECK_NOTHROW(sim::check(reduced.scenario));
}

TEST_CASE("jobs on whole racks keep their racks' spares; on named racks the fleet stays whole") {
  const auto whole = shipped("gb300_nvl72_moe");
  const auto reduced = study::reduced_fleet(whole);
  CHECK(reduced.whole.empty());
  CHECK(reduced.n_gpu % 72 == 0);
  // 64 of the 72 GPUs of a rack work.
  CHECK(reduced.scenario.jobs.front().plan.n_gpu * 72 <= reduced.n_gpu * 64);
  CHECK_NOTHROW(sim::check(reduced.scenario));
  CHECK(study::reduced_fleet(shipped("gb300_nvl72_moe", {"job.main.placement.first_rack=0"})).share == 1.0);
}

TEST_CASE("every shipped scenario has a fleet for replays, and where a device has a size of its own the whole one") {
  for (const auto& name : sim::shipped_scenarios()) {
    INFO(name);
    const auto whole = shipped(name);
    const auto reduced = study::reduced_fleet(whole);
    CHECK_NOTHROW(sim::check(reduced.scenario));
    CHECK(reduced.n_gpu > 0);
    if (!reduced.whole.empty()) CHECK(reduced.share == 1.0);
  }
  CHECK(study::reduced_fleet(shipped("islanding")).whole.find("the site has") == 0);
}
