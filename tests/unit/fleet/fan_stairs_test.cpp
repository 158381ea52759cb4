#include "fleet/fan_stairs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/catalog/catalog.hpp"

using namespace tidewatt;
using fleet::FanStairs;

namespace {

constexpr double zero_K = 273.15, hour_s = 3600.0, no_term = 0.0;
constexpr double none = std::numeric_limits<double>::quiet_NaN();

thermal::FanControllerParams grand_teton() {
  return thermal::read_fan_controller(catalog::Catalog().values("fan_controller", "grand_teton_h100_700W"), "x");
}

/// A die of `at_80` °C at 80 % that cools there by 0.45 K per percent.
FanStairs::Plant plant(double at_80) { return {at_80 + zero_K, 0.80, -45.0, 295.0}; }
double die_degC(double at_80, double frac) { return at_80 - 45.0 * (frac - 0.80) * 0.80 / frac; }

/// A node of that plant in air that warms evenly, by a controller that is read each second and a sink of 25 s.
struct Server {
  const FanStairs& stairs;
  double at_80, K_per_s;
  FanStairs::Memory memory;
  double frac, die_degC;
  double mean_frac = 0.0, mean_degC = 0.0, mean_cube = 0.0;
  void run(double duration_s) {
    for (double t = 0.5; t < duration_s; t += 1.0) {
      const auto s = stairs.followed(memory, {die_degC + zero_K, frac, -45.0, 295.0}, 1.0);
      memory = {s.accepted_K, s.term_frac};
      frac = s.mean_frac;
      die_degC += (::die_degC(at_80 + K_per_s * (t - 0.5 * duration_s), frac) - die_degC) / 25.0;
      mean_frac += frac / duration_s, mean_degC += die_degC / duration_s, mean_cube += frac * frac * frac / duration_s;
    }
  }
};

}  // namespace

TEST_CASE("between two thresholds fans rest at the table's step, whatever the weather does to the die") {
  const FanStairs stairs(grand_teton());
  for (const double at_80 : {71.0, 72.0, 73.0}) {
    const auto s = stairs.settled({71 + zero_K, no_term}, plant(at_80), hour_s);
    CHECK(s.mean_frac == 0.80);
    CHECK(s.low_frac == s.high_frac);
  }
  // Flat at 85 % from 74 °C to the set point.
  for (const double at_85 : {75.0, 77.0, 79.0})
    CHECK(stairs.settled({76 + zero_K, no_term}, {at_85 + zero_K, 0.85, -45.0, 295.0}, hour_s).mean_frac == 0.85);
}

TEST_CASE("where one step is too slow and the next too fast, fans hold the threshold with a share of each") {
  const FanStairs stairs(grand_teton());
  double before = 0.80;
  for (double at_80 = 73.6; at_80 < 74.61; at_80 += 0.1) {
    const auto s = stairs.settled({72 + zero_K, no_term}, plant(at_80), hour_s);
    INFO(at_80);
    REQUIRE(s.low_frac == 0.80);
    REQUIRE(s.high_frac == 0.85);
    CHECK(s.mean_frac > before);
    before = s.mean_frac;
    // Accepted readings are even: 74 °C reads from 73.5 °C on and 72 °C up to 72.5 °C.
    const double share = (s.mean_frac - 0.80) / 0.05;
    const double warming = std::log((at_80 - 72.5) / (at_80 - 73.5)), at_85 = die_degC(at_80, 0.85);
    const double cooling = std::log((73.5 - at_85) / (72.5 - at_85));
    CHECK(share == Approx(cooling / (warming + cooling)));
    // Watts follow the mean cube, which is more than the cube of the mean.
    const double cube = 0.512 + share * (0.85 * 0.85 * 0.85 - 0.512);
    CHECK(s.mean_cube == Approx(cube));
    CHECK(s.mean_cube > std::pow(s.mean_frac, 3));
  }
  // Readings that the table accepts by twos: an odd one holds on to 75 °C instead of 74 °C.
  CHECK(stairs.settled({73 + zero_K, no_term}, plant(74.2), hour_s).low_frac == 0.80);
  CHECK(stairs.settled({73 + zero_K, no_term}, plant(74.2), hour_s).high_frac == 0.80);
}

TEST_CASE("a step that moves the die by less than the hysteresis stays where it came from") {
  const FanStairs stairs(grand_teton());
  const FanStairs::Plant stiff{73.2 + zero_K, 0.80, -5.0, 295.0};
  CHECK(stairs.settled({72 + zero_K, no_term}, stiff, hour_s).mean_frac == 0.80);
  CHECK(stairs.settled({74 + zero_K, no_term}, stiff, hour_s).mean_frac == 0.85);
}

TEST_CASE("above the set point the PID term holds the die, and stays until it is cleared") {
  const FanStairs stairs(grand_teton());
  const auto at = [&](double at_85, double term) {
    return stairs.settled({78 + zero_K, term}, {at_85 + zero_K, 0.85, -45.0, 295.0}, hour_s);
  };
  CHECK(at(79.4, 0.0).term_frac == 0.0);
  CHECK(at(79.6, 0.0).term_frac == Approx(0.035 + 0.00035 * 3.0));  // the sample that sees it is integrated
  const auto hot = at(82.0, 0.0);  // the first reading over 79 °C is 80 °C, from 79.5 °C on
  CHECK(82.0 - 45.0 * (hot.mean_frac - 0.85) * 0.85 / hot.mean_frac == Approx(79.5).margin(0.05));
  CHECK(at(79.0, hot.term_frac).mean_frac == Approx(hot.mean_frac));  // held
  CHECK(at(77.0, hot.term_frac).mean_frac == 0.85);                   // 74.5 °C with the term: cleared
  CHECK(at(95.0, 0.0).mean_frac == 1.0);
}

TEST_CASE("a long step has the mean of all that its fans do in it: a term that sets in, grows and stays") {
  // Without parts the term would act from the step's begin, or not at all.
  const FanStairs stairs(grand_teton());
  const double step_s = 1800.0, K_per_s = 2.0 / step_s;
  for (double at_80 = 80.2; at_80 < 82.6; at_80 += 0.3) {
    INFO(at_80);
    const double begin_80 = at_80 - 0.5 * K_per_s * step_s;
    Server node{stairs, at_80, K_per_s, {76 + zero_K, no_term}, 0.85, die_degC(begin_80 - 25.0 * K_per_s, 0.85)};
    node.run(step_s);
    auto rests = plant(at_80);
    rests.K_per_s = K_per_s, rests.air_lag_s = rests.fan_lag_s = 25.0;
    const auto s = stairs.speeds({76 + zero_K, no_term, 0.85}, rests, rests, step_s);
    // The kernel's die: at once at its mean speed with the sink's lag, then evenly on to the last one.
    const double missing = 25.0 / step_s,
                 felt = s.mean_frac - (s.mean_frac - 0.85) * missing - (s.end_frac - s.mean_frac) * missing;
    CHECK(die_degC(at_80 - 25.0 * K_per_s, felt) == Approx(node.mean_degC).margin(0.05));
    CHECK(s.mean_cube == Approx(node.mean_cube).epsilon(4e-3));
    CHECK(s.end_frac == Approx(node.frac).margin(2e-3));
    CHECK(s.term_frac == Approx(node.memory.term_frac).margin(2e-3));
  }
}

TEST_CASE("short steps follow the term in time, as long as the die on its way is over the set point") {
  const FanStairs stairs(grand_teton());
  const double lag_s = 25.0, at_80 = 83.4;  // with the kick alone it rests above 79.5 degC
  const auto in_steps = [&](double step_s) {
    FanStairs::Memory memory{76 + zero_K, no_term};
    double frac = 0.85, die = 70.0;
    for (double t = 0.0; t < 600.0; t += step_s) {
      auto rests = plant(at_80);
      rests.fan_lag_s = lag_s, rests.die_K += die_degC(at_80, frac) - at_80,
      rests.K_per_frac *= 0.8 * 0.8 / frac / frac;
      rests.at_frac = frac;
      const double rest = die_degC(at_80, frac), mean_part = lag_s / step_s * (1.0 - std::exp(-step_s / lag_s));
      auto now = rests;
      now.die_K = rest + (die - rest) * mean_part + zero_K, now.K_per_frac *= 1.0 - mean_part;
      const auto s = stairs.speeds(memory, rests, now, step_s);
      memory = {s.accepted_K, s.term_frac};
      const double end = die_degC(at_80, s.mean_frac);
      die = end + (die - end) * std::exp(-step_s / lag_s), frac = s.mean_frac;
    }
    return memory.term_frac;
  };
  Server node{stairs, at_80, 0.0, {76 + zero_K, no_term}, 0.85, 70.0};
  node.run(600.0);
  CHECK(node.memory.term_frac > 0.045);
  CHECK(in_steps(10.0) == Approx(node.memory.term_frac).margin(1e-3));
  CHECK(in_steps(60.0) == Approx(node.memory.term_frac).margin(3e-3));  // at rest the term would be 0.050
}

TEST_CASE("the reference reads whole degrees, and its term integrates while they are over the set point") {
  const FanStairs stairs(grand_teton());
  const auto at = [&](double degC, double term) {
    return stairs.followed({76 + zero_K, term}, {degC + zero_K, 0.85, -45.0, 295.0}, 10.0);
  };
  CHECK(at(79.4, 0.0).mean_frac == 0.85);
  CHECK(at(79.6, 0.0).term_frac == Approx(0.035 + 0.00035 * 10.0));
  CHECK(at(79.6, 0.1).term_frac == Approx(0.1 + 0.00035 * 10.0));
  CHECK(at(80.6, 0.0).mean_frac == Approx(0.85 + 2 * 0.035 + 2 * 0.00035 * 10.0));
  CHECK(at(76.0, 0.1).term_frac == 0.1);
  CHECK(at(75.4, 0.1).term_frac == 0.0);
}

TEST_CASE("a die that runs away moves no reading, and takes no time") {
  const FanStairs stairs(grand_teton());
  const FanStairs::Memory memory{70.0 + zero_K, no_term, 0.8};
  for (const double die_K : {-1e30, 1e30, 1e304, std::numeric_limits<double>::infinity()}) {
    const FanStairs::Plant gone{die_K, 0.80, -45.0, 295.0};
    for (const double step_s : {1.0, 1800.0}) {
      const auto s = stairs.speeds(memory, gone, gone, step_s);
      CHECK(s.mean_frac >= 0.0);
      CHECK(s.mean_frac <= 1.0);
    }
  }
}

TEST_CASE("a hot inlet asks for more than the dies do, and a controller that feels no die is refused") {
  const FanStairs stairs(grand_teton());
  CHECK(stairs.settled({50 + zero_K, no_term}, {50 + zero_K, 0.5, -45.0, 46 + zero_K}, hour_s).mean_frac == 0.90);
  CHECK(stairs.at_rest_frac(40 + zero_K, 41 + zero_K) == 0.55);
  auto blind = grand_teton();
  for (auto& g : blind.groups) g.senses = thermal::FanSense::none;
  CHECK_THROWS_AS(FanStairs(blind), InputError);
}

TEST_CASE("with lines instead of steps fans settle where the line meets the die") {
  auto p = grand_teton();
  for (auto& g : p.groups) g.line = g.line || g.senses == thermal::FanSense::die;
  const auto s = FanStairs(p).settled({none, no_term}, plant(72.0), hour_s);
  CHECK(s.mean_frac == Approx(0.80 + (die_degC(72.0, s.mean_frac) - 69.0) * 0.01));
  CHECK(s.low_frac == s.high_frac);
}

TEST_CASE("every controller of the catalog runs in fleets: the table of its dies, no lower than that of its inlet") {
  const catalog::Catalog catalog;
  for (const char* name :
       {"grand_teton_h100_700W", "grand_teton_h100_500W", "grand_teton_mi300x_750W", "grand_teton_mi300x_650W"}) {
    INFO(name);
    const FanStairs stairs(thermal::read_fan_controller(catalog.values("fan_controller", name), "x"));
    const auto& groups = stairs.controller().groups;
    REQUIRE(stairs.inlet_group().has_value());
    const auto &dies = groups[stairs.die_group()], &inlet = groups[*stairs.inlet_group()];
    for (double die = 30.0; die < 90.0; die += 0.5)
      CHECK(stairs.at_rest_frac(die + zero_K, 27 + zero_K) ==
            std::max(thermal::fan_table_frac(dies, die + zero_K), thermal::fan_table_frac(inlet, 27 + zero_K)));
    CHECK(stairs.least_frac() == std::max(dies.speed_frac.front(), inlet.speed_frac.front()));
  }
}
