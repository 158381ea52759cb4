// Halls with water plants: liquid in the servers, books at every level, failures of parts and what follows from them.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/sim/run.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

namespace {

using Sets = std::vector<std::string>;

Sets with(Sets a, const Sets& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const Sets liquid = {"hall.a.gpu.catalog=h100_sxm_700W_liquid", "hall.a.server=hgx_h100_liquid",
                     "hall.a.plant=cdu_dry_cooler"};
const Sets chilled = {"hall.a.plant=crah_chilled_water"};
const Sets hour = {"run.duration_h=0.5"};
const Sets mild = {"weather.day=typical"};  // on the hot day the liquid plant's chillers are used up
/// Boards at the cap: the fast limit, which short iterations meet, leaves dies too cool to be held by heat.
const Sets at_cap = {"hall.a.gpu.sampling.peak_ratio=2"};

std::string event(const std::string& kind, double at_s, double duration_s, double out_frac) {
  return "\n[[event]]\nname = \"parts\"\nkind = \"" + kind + "\"\nhall = \"a\"\nat_s = " + std::to_string(at_s) +
         "\nduration_s = " + std::to_string(duration_s) + "\nout_frac = " + std::to_string(out_frac) + "\n";
}

/// Mean of a day's column over [from, to) of the run; a row that is only partly in it counts by that part.
double mean(const Result& r, const std::string& column, double from_s, double to_s) {
  const auto& t = reals(r, "/day/time");
  const auto& x = reals(r, "/day/" + column);
  double sum = 0.0, spent_s = 0.0;  // rows are of different lengths
  for (std::size_t i = 0; i < t.size(); ++i) {
    const double end_s = i + 1 < t.size() ? t[i + 1] : to_s, length_s = std::min(end_s, to_s) - std::max(t[i], from_s);
    if (length_s > 0.0 && std::isfinite(x[i])) sum += x[i] * length_s, spent_s += length_s;
  }
  return sum / spent_s;
}

double largest(const Result& r, const std::string& column, double from_s, double to_s) {
  const auto& t = reals(r, "/day/time");
  const auto& x = reals(r, "/day/" + column);
  double out = -1e300;
  for (std::size_t i = 0; i < t.size(); ++i)
    if (t[i] >= from_s && t[i] < to_s && x[i] > out) out = x[i];
  return out;
}

}  // namespace

TEST_CASE("water plants cool simulated halls and every level of the books closes", "[hall]") {
  for (const auto& plant : {chilled, liquid}) {
    const auto r = run(tiny("", with(plant, with(hour, mild))));
    CHECK(figure(r, "energy_closure") < 1e-12);
    CHECK(figure(r, "pue") > 1.02);
    CHECK(figure(r, "pue") < 1.5);
    CHECK(figure(r, "capacity_margin_min_percent") > 0.0);
  }
}

TEST_CASE("cold plates hold the same GPUs cooler and faster, and most heat leaves with the liquid", "[hall]") {
  const auto air = run(tiny("", with(chilled, hour))), plates = run(tiny("", with(liquid, hour)));
  CHECK(figure(plates, "die_mean_degC") < figure(air, "die_mean_degC") - 5.0);
  CHECK(figure(plates, "tokens_per_s_mean") > figure(air, "tokens_per_s_mean"));
  // 95 % of the GPUs' heat: the rest of the server stands in air.
  const auto scenario = tiny("", with(liquid, hour));
  CHECK(mean(plates, "liquid_supply_K", 300, 1800) == Approx(scenario.halls[0].hydronic.loop_set_K).margin(1.5));
  CHECK(std::isnan(reals(air, "/day/liquid_supply_K").back()));
}

TEST_CASE("dies on cold plates follow the liquid's temperature, and its flow by the plate's own law", "[hall]") {
  const auto warm = run(tiny("", with(with(liquid, hour), {"hall.a.plant.loop_set_degC=40"})));
  const auto cool = run(tiny("", with(with(liquid, hour), {"hall.a.plant.loop_set_degC=36"})));
  CHECK(figure(warm, "die_mean_degC") - figure(cool, "die_mean_degC") == Approx(4.0).margin(1.2));
  // A quarter of the distribution units: plates get a quarter of their flow.
  const auto starved = run(tiny(event("cdu_out", 600, 0, 0.75), with(liquid, hour)));
  const double rise_K = mean(starved, "die_mean_K", 1500, 1800) - mean(starved, "liquid_supply_K", 1500, 1800);
  const double usual_K = mean(starved, "die_mean_K", 300, 600) - mean(starved, "liquid_supply_K", 300, 600);
  CHECK(rise_K > usual_K * 1.15);
  CHECK(figure(starved, "energy_closure") < 1e-12);
}

TEST_CASE("fan walls out: heat, throttling, a step of power, recovery", "[hall]") {
  const auto r = run(tiny(event("fan_wall_out", 600, 300, 0.9), with(with(chilled, hour), at_cap)));
  const double before_W = mean(r, "it_W", 400, 600), hot_W = mean(r, "it_W", 780, 900),
               after_W = mean(r, "it_W", 1500, 1800);
  CHECK(mean(r, "supply_K", 780, 900) > mean(r, "supply_K", 400, 600) + 10.0);
  CHECK(mean(r, "limiter_thermal_frac", 400, 600) == 0.0);
  CHECK(mean(r, "limiter_thermal_frac", 780, 900) > 0.5);
  CHECK(hot_W < 0.95 * before_W);
  CHECK(mean(r, "throughput_tokens_per_s", 780, 900) < 0.9 * mean(r, "throughput_tokens_per_s", 400, 600));
  CHECK(after_W == Approx(before_W).epsilon(0.02));
  CHECK(mean(r, "limiter_thermal_frac", 1500, 1800) == 0.0);
  CHECK(figure(r, "capacity_margin_min_percent") < 0.0);
  CHECK(figure(r, "energy_closure") < 1e-12);
}

TEST_CASE("the limiter keeps dies below shutdown while the liquid fails slowly", "[hall]") {
  const auto r = run(tiny(event("pump_out", 600, 600, 1.0), with(with(liquid, {"run.duration_h=1"}), at_cap)));
  CHECK(largest(r, "liquid_supply_K", 600, 1300) > mean(r, "liquid_supply_K", 300, 600) + 15.0);
  CHECK(figure(r, "die_max_degC") < 92.0);
  CHECK(mean(r, "limiter_thermal_frac", 1020, 1200) > 0.5);
  CHECK(mean(r, "liquid_supply_K", 2400, 3600) == Approx(mean(r, "liquid_supply_K", 300, 600)).margin(2.0));
  CHECK(figure(r, "energy_closure") < 1e-12);
}

TEST_CASE("heat that a user takes is part of what leaves, and is reported", "[hall]") {
  const Sets reuse = {"hall.a.plant.reuse_W_per_K=20000", "hall.a.plant.reuse_degC=25",
                      "hall.a.plant.reuse_max_kW=500"};
  const auto without = run(tiny("", with(liquid, hour))), r = run(tiny("", with(with(liquid, hour), reuse)));
  CHECK(std::isnan(figure(without, "heat_reused_MWh")));  // no user of heat
  CHECK(figure(r, "heat_reused_MWh") > 0.005);
  CHECK(figure(r, "energy_closure") < 1e-12);
}

TEST_CASE("an event after the end of the run changes nothing but the notes", "[hall]") {
  const auto quiet = run(tiny("", chilled)), later = run(tiny(event("fan_wall_out", 5000, 10, 1.0), chilled));
  CHECK(reals(quiet, "/day/it_W") == reals(later, "/day/it_W"));
}

TEST_CASE("parts that a plant does not have, and plates without liquid, are refused", "[hall]") {
  const auto refused = [](const std::string& more, const Sets& set) {
    try {
      tiny(more, set);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK(refused(event("chiller_out", 10, 10, 1.0), {}).find("has no such parts") != std::string::npos);
  CHECK(refused(event("cdu_out", 10, 10, 1.0), chilled).find("has no such parts") != std::string::npos);
  CHECK(refused("", {liquid[0], liquid[1]}).find("need a plant with liquid") != std::string::npos);
  CHECK(refused("", {liquid[1], liquid[2]}).find("air-cooled sink") != std::string::npos);
}

TEST_CASE("a generated year is entered at the run's date, and moves from day to day", "[hall]") {
  const Sets year = {"weather.day=typical_year", "run.start=2024-01-20T00:00:00", "run.duration_h=30",
                     "run.macro_step_s=600"};
  const auto winter = run(tiny("", year));
  const double first_K = mean(winter, "outdoor_drybulb_K", 0, 6 * 3600),
               next_K = mean(winter, "outdoor_drybulb_K", 86400, 86400 + 6 * 3600);
  CHECK(first_K != next_K);
  CHECK(first_K < 288.0);
  const auto day = run(
      tiny("", {"weather.day=typical", "run.start=2024-01-20T00:00:00", "run.duration_h=30", "run.macro_step_s=600"}));
  CHECK(mean(day, "outdoor_drybulb_K", 0, 6 * 3600) ==
        Approx(mean(day, "outdoor_drybulb_K", 86400, 86400 + 6 * 3600)).epsilon(1e-12));
}

TEST_CASE("every GPU with plates in the catalog runs in a water-cooled hall", "[hall]") {
  for (const auto& [gpu, server] :
       {std::pair{"h200_sxm_700W_liquid", "hgx_h200_liquid"}, std::pair{"b200_sxm_1000W_liquid", "hgx_b200_liquid"}}) {
    const auto r = run(tiny("", with(with(hour, mild), {std::string("hall.a.gpu=") + gpu,
                                                        std::string("hall.a.server=") + server, liquid[2]})));
    CHECK(figure(r, "energy_closure") < 1e-12);
    CHECK(figure(r, "die_max_degC") < 75.0);
    CHECK(figure(r, "capacity_margin_min_percent") > 0.0);
  }
}

TEST_CASE("all distribution units out for seconds: dies warm at once, the limiter holds them, and they recover",
          "[hall]") {
  // From about 25 s on, dies come so close to 92 degC that the length of the iteration in progress decides.
  const auto r = run(tiny(event("cdu_out", 600, 20, 1.0), with(liquid, hour)));
  CHECK(largest(r, "die_max_K", 600, 700) > largest(r, "die_max_K", 400, 600) + 15.0);
  CHECK(figure(r, "die_max_degC") < 92.0);
  CHECK(largest(r, "limiter_thermal_frac", 600, 700) > 0.25);
  CHECK(mean(r, "die_mean_K", 900, 1800) == Approx(mean(r, "die_mean_K", 400, 600)).margin(1.0));
  // The liquid itself hardly warms: the heat stands in the plates.
  CHECK(largest(r, "liquid_supply_K", 600, 700) < mean(r, "liquid_supply_K", 400, 600) + 3.0);
}

TEST_CASE("weather from a CSV file drives the run: the outdoor air of its hours", "[hall]") {
  const auto r = run(
      tiny("", {"weather.csv=\"weather.csv\"", "weather.climate=\"\"", "weather.day=\"dated\"", "run.duration_h=0.5"}));
  // 14 h has 34.7 degC, 15 h 35.0: a straight line between them.
  CHECK(mean(r, "outdoor_drybulb_K", 0, 1800) - 273.15 == Approx(34.7 + 0.3 * 0.25).margin(0.05));
}

TEST_CASE("a server's air is as dense as the weather's pressure makes it: thin air warms the rear row", "[hall]") {
  const auto hottest_degC = [&](double altitude_m, bool air_density) {
    // Fans at one speed, an inlet that is prescribed, no air from the hot aisle: nothing else knows the pressure.
    auto s = tiny("", {"weather.csv=\"weather_no_pressure.csv\"", "weather.climate=\"\"", "weather.day=\"dated\"",
                       "weather.altitude_m=" + std::to_string(altitude_m), "run.duration_h=0.25",
                       "hall.a.plant=prescribed_llama3_day", "hall.a.server=dgx_h100",
                       "hall.a.server.air.fan_min_frac=0.99", "hall.a.recirculation_frac=0"});
    s.run.air_density = air_density;
    return figure(run(s), "die_max_degC");
  };
  // At 2,500 m air has 74 % of its density at sea level, and the front row's heat warms it by a third more.
  CHECK(hottest_degC(2500.0, true) > hottest_degC(0.0, true) + 1.0);
  CHECK(hottest_degC(2500.0, false) == Approx(hottest_degC(0.0, false)).margin(0.01));
}
