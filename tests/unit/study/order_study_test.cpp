#include "study/order_study.hpp"

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "study_case.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/io/hdf5_sink.hpp"
#include "tidewatt/sim/run.hpp"

using namespace tidewatt;
using nlohmann::json;

TEST_CASE("an order of a scenario, judged by the means that its result keeps") {
  StudyCase c;
  c.write(
      "ordered.toml",
      "schema = 1\nbase = \"tiny.toml\"\n[[job]]\nname = \"main\"\n[job.life]\nplanned_stop_s = 0\n[[event]]\nname = "
      "\"order\"\nkind = \"curtailment\"\nby = \"pause\"\nat_s = 60\nnotice_s = 0\nduration_s = 40\nlimit_MW = 0.12\n");
  const auto scenario = sim::load_scenario(c.path("ordered.toml"));
  const auto file = c.path("ordered.h5");
  io::Hdf5Sink(file).write(sim::run(scenario));
  study::OrderOptions o;
  o.how.settlement_s = {10.0, 20.0};
  o.how.baseline_s = 30.0;
  o.how.response_s = 1.0;
  const auto s = study::judge_orders(scenario, c.path("ordered.toml"), file, o);
  REQUIRE(s.orders.size() == 1);
  const auto& a = s.orders[0].answer;
  CHECK(a.settlements[0].n == 4);
  CHECK(a.settlements[1].n == 2);
  CHECK(a.mean_W < a.baseline_W);
  CHECK(s.orders[0].highest_ms_W >= a.settlements[0].worst_W);
  CHECK(s.notes.empty());
  const auto j = json::parse(study::orders_json(s));
  CHECK(j["orders"][0]["by"] == "pause");
  CHECK(j["orders"][0]["met"].get<bool>() == (a.settlements[0].met() && a.settlements[1].met()));
  CHECK_THAT(study::orders_text(s), Catch::Contains("order 'order': at most 0.12 MW from 60 s to 100 s, by pause"));
  CHECK_THAT(study::orders_text(s), Catch::Contains("by metered means of 0.167, 0.333 min"));
  // Without tiers the one job gave: it drew and trained less, and stopped at once.
  REQUIRE(s.orders[0].jobs.size() == 1);
  const auto& job = s.orders[0].jobs[0];
  CHECK(job.given_frac > 0.0);
  CHECK(job.given_tokens > 0.0);
  CHECK(job.stopped_s >= 60.0);
  CHECK(j["jobs"][0]["order"] == "order");
  CHECK(j["jobs"][0]["tier"].is_null());
  CHECK(j["orders"][0]["short_MW"].get<double>() ==
        Approx(std::max(0.0, a.settlements[0].worst_W - 0.12e6) * 1e-6).margin(1e-12));
  // Another input than the run's is said; an unknown order and a scenario without one are errors.
  sim::LoadOptions changed;
  changed.set = {"event.order.limit_MW=0.05"};
  const auto other = sim::load_scenario(c.path("ordered.toml"), changed);
  CHECK(study::judge_orders(other, "x", file, o).orders[0].answer.order.limit_W == Approx(0.05e6));
  changed.set = {"event.order.limit_MW=0.5"};
  const auto idle = study::judge_orders(sim::load_scenario(c.path("ordered.toml"), changed), "x", file, o);
  CHECK_THAT(study::orders_text(idle), Catch::Contains("the order asks for nothing"));
  CHECK_THAT(study::orders_text(s), !Catch::Contains("asks for nothing"));
  o.order = "oder";
  CHECK_THROWS_WITH(study::judge_orders(scenario, "x", file, o), Catch::Contains("did you mean 'order'?"));
  CHECK_THROWS_AS(study::judge_orders(sim::load_scenario(c.path("tiny.toml")), "x", file, {}), InputError);
}
