#include "study/explain_swing.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tiny.hpp"

using namespace tidewatt;

namespace {

const study::SwingCause& cause(const study::SwingReport& r, const std::string& name) {
  for (const auto& c : r.causes)
    if (c.name == name) return c;
  throw std::runtime_error("no cause " + name);
}

const study::SwingLever& lever(const study::SwingReport& r, const std::string& name) {
  for (const auto& l : r.levers)
    if (l.name == name) return l;
  throw std::runtime_error("no lever " + name);
}

/// Of this run's own fleet.
study::SwingReport explained(std::vector<std::string> set, const std::string& tables = "") {
  for (const char* more : {"run.start=2024-07-20T04:00:00", "run.duration_h=12", "run.macro_step_s=300",
                           "hall.a.plant=prescribed_llama3_day"})
    set.insert(set.begin(), more);
  const auto scenario = tiny(tables, std::move(set));
  return study::explain_swing(scenario, sim::run(scenario), {0, 1});
}

}  // namespace

TEST_CASE("a swing is taken apart into its links, each switched off in turn", "[explain]") {
  const auto r = explained({});
  CHECK(r.swing_percent > 0.2);
  // Without moving coolant nothing moves; leakage is how a warm chip loses clock under its power limit.
  CHECK(cause(r, "coolant").without_percent.mean < 0.02);
  CHECK(cause(r, "leakage").without_percent.mean < 0.25 * r.swing_percent);
  CHECK(cause(r, "gating").adds_points.mean > 0.0);
  CHECK(cause(r, "spread").adds_points.mean > 0.0);
  CHECK(cause(r, "thermal limiter").adds_points.mean == Approx(0.0).margin(1e-9));  // nobody is near the target
  for (const auto& c : r.causes)
    CHECK(c.adds_points.mean == Approx(r.swing_percent - c.without_percent.mean).margin(1e-12));
  CHECK(std::is_sorted(r.causes.begin(), r.causes.end(),
                       [](const auto& a, const auto& b) { return a.adds_points.mean > b.adds_points.mean; }));

  CHECK(lever(r, "coolant -3 K").tokens_percent.mean > 0.0);
  CHECK(lever(r, "coolant +3 K").tokens_percent.mean < 0.0);
  CHECK(lever(r, "cap 90 %").tokens_percent.mean < -1.0);
  CHECK(lever(r, "cap 90 %").energy_per_token_percent.mean < 0.0);
  CHECK(lever(r, "liquid").tokens_percent.mean > lever(r, "coolant -3 K").tokens_percent.mean);

  REQUIRE(r.hottest.size() == 5);
  REQUIRE(r.slowest.size() == 5);
  CHECK(r.hottest[0].die_K >= r.hottest[4].die_K);
  CHECK(r.slowest[0].own_Hz <= r.slowest[4].own_Hz);
  for (const auto& g : r.hottest) CHECK(g.slot >= 4);  // the rear row breathes preheated air
  const auto text = study::swing_text(r);
  for (const char* word : {"leakage", "gating", "rack", "slot", "tokens"}) CHECK(text.find(word) != std::string::npos);
}

TEST_CASE("each term of the models is worth something where it acts", "[explain]") {
  // A hot afternoon on outside air, with a host that fails: every term acts. Without a term, its line would be zero.
  const auto r =
      explained({"run.start=2024-07-20T12:00:00", "run.duration_h=3", "hall.a.plant=outside_air_evaporative",
                 "hall.a.gpu.compute.host_gap_s=0.12", "job.main.life.tear_down_s=3", "job.main.life.detect_s=8"},
                "\n[[event]]\nname = \"host\"\nkind = \"failure\"\njob = \"main\"\nat_s = 5400.3\n");
  for (const char* name : {"leakage", "gated share", "fast limit", "own clocks", "staircase", "spread's tail",
                           "host gap", "spread of a stop", "saturating pads", "air density"}) {
    INFO(name);
    CHECK(std::abs(cause(r, name).adds_MW.mean) > 1e-6 * r.mean_MW);
  }
  CHECK(cause(r, "host gap").adds_MW.mean < 0.0);
  CHECK(cause(r, "leakage").without_percent.mean < r.swing_percent);
  const auto text = study::power_text(r);
  for (const auto& c : r.causes) CHECK(text.find(c.name) != std::string::npos);
}

TEST_CASE("the flat twin of a day has nothing to explain", "[explain]") {
  // The first hour would hold the dies' rise from cold, which held fans do not follow: 0.03 %. Its quarter hour does not count.
  const auto r = explained({"hall.a.plant.min_degC=24", "hall.a.plant.max_degC=24", "job.main.life.start_s=2760"});
  CHECK(r.swing_percent < 0.001);
  for (const auto& c : r.causes) CHECK(std::abs(c.adds_points.mean) < 0.001);
}

TEST_CASE("without hours to compare there is nothing to explain", "[explain]") {
  const auto scenario = tiny();
  CHECK_THROWS_AS(study::explain_swing(scenario, sim::run(scenario)), InputError);
}
