// How a hall's coolant is expected to move through a macro step.
#include "sim/planted_hall.hpp"

#include <cmath>

#include "catch.hpp"
#include "h100.hpp"
#include "tidewatt/cooling/prescribed_inlet.hpp"
#include "tidewatt/sim/run.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

namespace {

constexpr double step_s = 1800.0, base_s = 60.0;

/// As a plant that follows its weather leaves it at `coolant_K`.
PlantedHall hall(double coolant_K) {
  PlantedHall h;
  h.plant = std::make_shared<cooling::PrescribedInlet>(cooling::PrescribedInletParams{295, 305, 18000, 57600}, 0);
  h.supply_K = h.coolant_K = coolant_K;
  h.mean_K = coolant_K, h.last_s = step_s;
  return h;
}

}  // namespace

TEST_CASE("coolant keeps its mean and its rise through the step, and a bend is what that line misses at its ends") {
  const auto type = h100_node_type();
  for (const double bend : {0.0, 0.2}) {
    auto h = hall(300.0);
    const HallForecast::Hall to{300.0, 302.0, 301.0 + bend, 302.0, 301.0 + bend, 1};
    CHECK(bend_K(h, to, type) == Approx(bend).epsilon(0.2).margin(1e-9));
    expect(h, to, step_s, base_s);
    CHECK(h.coolant_K + 0.5 * step_s * h.coolant_K_per_s == Approx(301.0 + bend));
    CHECK(h.coolant_K_per_s * step_s == Approx(2.0));
    CHECK(h.air_K == h.coolant_K);
    CHECK(missed_K(h, type, 301.0 + bend, step_s) == Approx(0.0).margin(1e-9));
  }
}

TEST_CASE("the hot aisle's rise moves on as before, no further, and not after a short step") {
  const HallForecast::Hall to{300.0, 300.0, 300.0, 300.0, 300.0, 1};
  const auto expected_K_per_s = [&](double last_s, double seen_s, double next_s) {
    auto h = hall(300.0);
    h.last_s = last_s, h.rise_K = 12.3;
    see_rise(h, 12.0, seen_s, base_s);
    h.last_s = seen_s;
    expect(h, to, next_s, base_s);
    return h.rise_K_per_s;
  };
  CHECK(expected_K_per_s(1800.0, 1800.0, 1800.0) == Approx(0.3 / 1800.0));
  CHECK(expected_K_per_s(1800.0, 1800.0, 300.0) == Approx(0.3 / 1800.0));
  CHECK(expected_K_per_s(300.0, 600.0, 1200.0) * 0.5 * (600.0 + 1200.0) == Approx(0.3));
  CHECK(expected_K_per_s(120.0, 1800.0, 1800.0) == 0.0);
  CHECK(expected_K_per_s(1800.0, 120.0, 1800.0) == 0.0);
}

TEST_CASE("a macro step in which pads begin to be wetted is halved, one on either side is not") {
  LoadOptions o;
  o.set = {"hall.a.n_gpu=256", "job.main.plan.n_gpu=256", "job.main.plan.global_batch_sequences=32",
           "run.start=2024-07-20T08:00:00", "run.duration_h=8"};
  const auto r = run(load_scenario(std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/llama3_405b_day.toml", o));
  const auto &t = reals(r, "/day/time"), &wet = reals(r, "/day/water_kg_per_s");
  const auto first_wet = static_cast<std::size_t>(
      std::find_if(wet.begin(), wet.end(), [](double kg_per_s) { return kg_per_s > 0.0; }) - wet.begin());
  REQUIRE(first_wet > 2);
  REQUIRE(first_wet + 3 < t.size());
  CHECK(t[first_wet - 1] - t[first_wet - 2] > 1500.0);
  CHECK(std::min(t[first_wet + 1] - t[first_wet], t[first_wet + 2] - t[first_wet + 1]) <
        0.6 * (t[first_wet - 1] - t[first_wet - 2]));
  CHECK(t[first_wet + 3] - t[first_wet + 2] > 1500.0);
}
