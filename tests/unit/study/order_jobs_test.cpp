#include "study/order_jobs.hpp"

#include <cmath>

#include "catch.hpp"
#include "study_case.hpp"
#include "tidewatt/io/hdf5_sink.hpp"

using namespace tidewatt;

namespace {

NamedArray reals(const std::string& path, std::vector<double> values, const char* unit) {
  const std::uint64_t n = values.size();
  return {path, {"time"}, {n}, std::move(values), unit, "of a test"};
}

}  // namespace

TEST_CASE("what a job gave for an order is its baseline less what it drew and trained until it is back") {
  StudyCase c;
  auto scenario = sim::load_scenario(c.path("tiny.toml"));
  scenario.run.duration_s = 600.0;
  scenario.jobs[0].curtailment = sim::OrderTierParams{sim::OrderMay::pause, 3, 0.0};
  // 100 s of 1 kW and 10 tokens a second, 200 s of an order at 0.4 kW without tokens, 60 s of a start, then as before.
  sim::Result r;
  const std::vector<double> time = {0, 100, 300, 360};
  r.provenance = {{"start_time", "2024-07-20T00:00:00"}, {"scenario", ""}, {"seed", "1"}, {"version", "0"}};
  r.arrays = {reals("/job/main/time", time, "s"), reals("/job/main/it_W", {1000, 400, 700, 1000}, "W"),
              reals("/job/main/tokens_per_s", {10, 0, 0, 10}, "1/s"), reals("/events/time", {100.0, 300.0}, "s")};
  r.arrays.push_back(
      {"/events/kind", {"time"}, {2}, std::vector<std::string>{"order_pause", "order_release"}, "1", "what"});
  r.arrays.push_back({"/events/entity", {"time"}, {2}, std::vector<std::string>{"main", "main"}, "1", "whom"});
  const auto file = c.path("given.h5");
  io::Hdf5Sink(file).write(r);
  io::ResultFile result(file);
  grid::OrderMetering how;
  how.response_s = 20.0;
  const auto jobs = study::order_jobs(scenario, result, {150.0, 300.0, 50.0, 500.0}, how);
  REQUIRE(jobs.size() == 1);
  const auto& j = jobs[0];
  CHECK(j.tier == 3);
  CHECK(j.may == "pause");
  CHECK(j.before_W == Approx(1000.0));
  CHECK(j.given_frac == Approx(0.6));
  CHECK(j.back_s == Approx(60.0));
  CHECK(j.given_J == Approx(200.0 * 600.0 + 60.0 * 300.0));
  CHECK(j.given_tokens == Approx(260.0 * 10.0));
  CHECK(j.paused_s == 100.0);
  CHECK(j.released_s == 300.0);
  CHECK(std::isnan(j.capped_s));
}
