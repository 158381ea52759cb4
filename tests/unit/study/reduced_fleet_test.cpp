#include "study/reduced_fleet.hpp"

#include "catch.hpp"
#include "sim/shipped_scenarios.hpp"

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
  CHECK(reduced.scenario.jobs.front().life.storage_B_per_s ==
        Approx(reduced.share * whole.jobs.front().life.storage_B_per_s));
  CHECK_NOTHROW(sim::check(reduced.scenario));
}

TEST_CASE("a battery and orders in watts are as much smaller as the fleet") {
  const auto smoothed = shipped("llama3_405b_smoothed");
  REQUIRE(smoothed.battery);
  const auto reduced = study::reduced_fleet(smoothed);
  CHECK(reduced.scenario.battery->power_W == Approx(reduced.share * smoothed.battery->power_W));
  CHECK(reduced.scenario.battery->smoothing_s == smoothed.battery->smoothing_s);
  CHECK(reduced.with_share.contains("mitigation." + smoothed.mitigation_names.battery + ".power_MW"));
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
