#include "tidewatt/thermal/fan_controller.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/catalog/catalog.hpp"

using namespace tidewatt;
using thermal::FanController;
using thermal::FanControllerParams;
using thermal::FanGroupParams;

namespace {

/// Grand Teton's GPU table with one degree of hysteresis on both sides; no PID.
FanGroupParams gpu_table() {
  FanGroupParams g;
  g.name = "gpu";
  g.threshold_K = {49, 59, 64, 69, 74, 82};
  g.speed_frac = {0.50, 0.65, 0.75, 0.80, 0.85, 1.0};
  g.hysteresis_up_K = g.hysteresis_down_K = 1.0;
  return g;
}

FanControllerParams quick(std::vector<FanGroupParams> groups) {
  FanControllerParams p;
  p.groups = std::move(groups);
  p.slew_frac = 1.0;
  return p;
}

}  // namespace

TEST_CASE("a fan table is a staircase: the output of the highest threshold at or below the reading") {
  const auto g = gpu_table();
  CHECK(thermal::fan_table_frac(g, 20.0) == 0.50);
  CHECK(thermal::fan_table_frac(g, 58.999) == 0.50);
  CHECK(thermal::fan_table_frac(g, 59.0) == 0.65);
  CHECK(thermal::fan_table_frac(g, 79.0) == 0.85);  // flat from 74 °C on: weather reaches the die unanswered
  CHECK(thermal::fan_table_frac(g, 120.0) == 1.0);
}

TEST_CASE("lines between thresholds meet the staircase at every threshold") {
  auto g = gpu_table();
  g.line = true;
  for (std::size_t i = 0; i < g.threshold_K.size(); ++i)
    CHECK(thermal::fan_table_frac(g, g.threshold_K[i]) == Approx(g.speed_frac[i]));
  CHECK(thermal::fan_table_frac(g, 54.0) == Approx(0.575));
}

TEST_CASE("hysteresis compares with the last accepted reading, so small moves around a threshold change nothing") {
  FanController fans(quick({gpu_table()}), 0.5);
  const auto at = [&](double K) {
    const double reading[] = {K};
    return fans.sample(reading);
  };
  CHECK(at(73.5) == 0.80);
  CHECK(at(74.4) == 0.80);  // within a degree of 73.5: not accepted
  CHECK(at(74.6) == 0.85);
  CHECK(at(73.7) == 0.85);  // within a degree of 74.6
  CHECK(at(73.5) == 0.80);
}

TEST_CASE("a steady excess integrates above the set point, is held near it and cleared below") {
  auto g = gpu_table();
  g.regulates = true, g.set_point_K = 79.0, g.gain_per_K = 0.035, g.integral_gain_per_K_s = 0.00035,
  g.clears_below_K = 3.0;
  g.hysteresis_up_K = g.hysteresis_down_K = 0.0;
  auto p = quick({g});
  p.sample_s = 3.0;
  FanController fans(p, 0.85);
  const double above[] = {80.0}, near[] = {77.0}, below[] = {75.5};
  for (int i = 1; i <= 20; ++i) CHECK(fans.sample(above) == Approx(0.85 + 0.035 + 0.00035 * 3.0 * i));
  const double held = fans.speed_frac();
  CHECK(fans.sample(near) == Approx(held));
  CHECK(fans.sample(below) == Approx(0.85));
  CHECK(fans.sample(above) == Approx(0.85 + 0.035 + 0.00035 * 3.0));  // from nothing again
}

TEST_CASE("the largest wish of all groups rules, failures included, and the PWM moves by no more than its slew") {
  auto other = gpu_table();
  other.name = "inlet", other.threshold_K = {25, 40}, other.speed_frac = {0.40, 0.9};
  auto p = quick({gpu_table(), other});
  p.slew_frac = 0.1;
  FanController fans(p, 0.5);
  const double cool[] = {60.0, 26.0}, hot_room[] = {60.0, 41.0},
               blind[] = {60.0, std::numeric_limits<double>::quiet_NaN()};
  CHECK(fans.sample(cool) == Approx(0.6));
  CHECK(fans.sample(cool) == Approx(0.65));
  for (int i = 0; i < 3; ++i) fans.sample(hot_room);
  CHECK(fans.speed_frac() == Approx(0.9));
  CHECK(fans.asked_frac(0) == 0.65);
  for (int i = 0; i < 5; ++i) fans.sample(blind);
  CHECK(fans.speed_frac() == Approx(0.8));
  for (int i = 0; i < 5; ++i) fans.sample(cool, 1);
  CHECK(fans.speed_frac() == Approx(1.0));
}

TEST_CASE("a controller of the catalog: Grand Teton holds 85 % from 74 to 79 degC of the hottest GPU, and adds above") {
  auto p = thermal::read_fan_controller(catalog::Catalog().values("fan_controller", "grand_teton_h100_700W"), "x");
  REQUIRE(p.groups.size() == 16);
  std::size_t gpu = 0;
  while (p.groups[gpu].name != "gpu_tray_gpu") ++gpu;
  FanController fans(p, 0.5);
  std::vector<double> reading(p.groups.size());
  for (std::size_t i = 0; i < reading.size(); ++i) reading[i] = p.groups[i].margin ? -60.0 : 293.15;
  const auto settled = [&](double degC) {
    reading[gpu] = degC + 273.15;
    for (int i = 0; i < 6; ++i) fans.sample(reading);
    return fans.speed_frac();
  };
  CHECK(settled(76.0) == Approx(0.85));
  CHECK(settled(78.9) == Approx(0.85));
  CHECK(settled(81.0) > 0.92);
  CHECK(settled(75.0) == Approx(0.85));
}

TEST_CASE("tables that do not fit together are findings, all at once") {
  auto falling = gpu_table(), uneven = gpu_table();
  falling.name = "falling", falling.threshold_K[2] = 50;
  uneven.name = "uneven", uneven.speed_frac.pop_back();
  std::string said;
  try {
    FanController fans(quick({falling, uneven}));
  } catch (const InputError& e) {
    said = e.what();
  }
  CHECK(said.find("group.falling") != std::string::npos);
  CHECK(said.find("group.uneven") != std::string::npos);
}
