#include "study/run_interval.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "study/run_interval_parts.hpp"
#include "tidewatt/base/node.hpp"
#include "tidewatt/sim/look_up.hpp"
#include "tidewatt/sim/run.hpp"

using namespace tidewatt;

namespace {

const std::string folder = std::string(TIDEWATT_SOURCE_DIR) + "/scenarios";
const std::string day = folder + "/llama3_405b_day.toml";

sim::LoadOptions options(std::vector<std::string> set) {
  sim::LoadOptions load;
  load.set = std::move(set);
  return load;
}

}  // namespace

TEST_CASE("a smaller fleet keeps each replica's work") {
  const auto scenario = sim::load_scenario(day);
  const auto reduced = study::detail::reduced_fleet(scenario);
  CHECK(reduced.refusal.empty());
  CHECK(reduced.n_gpu == 512);
  const auto small = sim::load_scenario(day, options(reduced.set));
  CHECK(small.halls.front().hall.n_gpu == 512);
  CHECK(small.jobs.front().plan.micro_batches() == scenario.jobs.front().plan.micro_batches());
}

TEST_CASE("a replay's battery is as much smaller as its fleet, and so are draws of its size") {
  const auto scenario = sim::load_scenario(folder + "/llama3_405b_smoothed.toml");
  REQUIRE(scenario.battery);
  const auto reduced = study::detail::reduced_fleet(scenario);
  CHECK(reduced.refusal.empty());
  const auto small = sim::load_scenario(folder + "/llama3_405b_smoothed.toml", options(reduced.set));
  const double share = 512.0 / 16384.0;
  CHECK(reduced.share == Approx(share));
  CHECK(small.battery->power_W == Approx(share * scenario.battery->power_W));
  CHECK(small.battery->energy_J == Approx(share * scenario.battery->energy_J));
  CHECK(small.battery->standby_W == Approx(share * scenario.battery->standby_W));
  CHECK(small.battery->smoothing_s == scenario.battery->smoothing_s);
  const auto source = study::interval_source(folder + "/llama3_405b_smoothed.toml", {}, 0.0);
  const auto part = study::detail::device_draws(scenario, reduced, source, options(reduced.set));
  REQUIRE(part.draws.size() == study::detail::interval_draws);
  double mean_W = 0.0;
  for (const auto& draw : part.draws) {
    auto set = reduced.set;
    set.insert(set.end(), draw.begin(), draw.end());
    mean_W += sim::load_scenario(folder + "/llama3_405b_smoothed.toml", options(set)).battery->standby_W /
              static_cast<double>(part.draws.size());
  }
  CHECK(mean_W == Approx(share * 55e3).epsilon(0.02));  // the catalog's 10 to 100 kW, even
}

TEST_CASE("a small site is replayed as it is, one with an order in megawatts not at all") {
  const auto small = sim::load_scenario(
      day, options({"hall.a.n_gpu=512", "job.main.plan.n_gpu=512", "job.main.plan.global_batch_sequences=64"}));
  CHECK(study::detail::reduced_fleet(small).set.empty());
  for (const char* name : {"curtailment_cap.toml", "islanding.toml"})
    CHECK_FALSE(study::detail::reduced_fleet(sim::load_scenario(folder + "/" + name)).refusal.empty());
}

TEST_CASE("device draws take whole rows of the GPU's draws and move the other inputs within their ranges") {
  const auto scenario = sim::load_scenario(day);
  const auto source = study::interval_source(day, {}, 0.0);
  const auto part = study::detail::device_draws(scenario, {}, source, {});
  REQUIRE(part.draws.size() == study::detail::interval_draws);
  const auto drawn = sim::load_scenario(day, options(part.draws[3]));
  const auto& power = drawn.halls.front().gpu;
  // Anchors hold leakage and board together: what rests at 71 W does so in each draw, within two errors of 1.2 W.
  const power::GpuModel gpu(power);
  const double rest_W = power.board_W + power.rest_leakage_ratio * power.leakage_W *
                                            gpu.leakage_temperature_factor(306.15) *
                                            gpu.leakage_voltage_factor(gpu.voltage(345e6).V);
  CHECK(std::abs(rest_W - 71.0) < 2.5);
  CHECK(power.leakage_W != scenario.halls.front().gpu.leakage_W);
  // A value that the scenario sets stays.
  const auto set = options({"hall.a.gpu.power.leakage_W=40"});
  const auto held = study::detail::device_draws(sim::load_scenario(day, set), {}, source, set);
  for (const auto& item : held.draws[0]) CHECK(item.rfind("hall.a.gpu.power.leakage_W=", 0) != 0);
}

TEST_CASE("weather is drawn where it decides, by whole days") {
  const auto scenario = sim::load_scenario(day);
  const auto part = study::detail::weather_draws(scenario);
  REQUIRE(part.draws.size() == study::detail::interval_draws);
  for (const auto& draw : part.draws) CHECK_NOTHROW(sim::load_scenario(day, options(draw)));
  const auto inlet = sim::load_scenario(day, options({"hall.a.plant=prescribed_llama3_day"}));
  CHECK(study::detail::weather_draws(inlet).draws.empty());
  CHECK_FALSE(study::detail::weather_draws(inlet).note.empty());
}

TEST_CASE("a run's interval is positive, in order, and says what it rests on") {
  const auto load = options({"hall.a.n_gpu=512", "job.main.plan.n_gpu=512", "job.main.plan.global_batch_sequences=64",
                             "run.duration_h=2", "run.start=2024-07-20T12:00:00"});
  const auto scenario = sim::load_scenario(day, load);
  auto base = sim::run(scenario, {1, {}});
  const auto interval = study::run_interval(study::interval_source("llama3_405b_day", load, 0.0), scenario, base);
  INFO(study::interval_text(interval, base));
  CHECK(interval.n_draw >= 8);
  CHECK(interval.n_gpu == 512);
  const auto json = nlohmann::json::parse(study::interval_json(interval));
  CHECK(json["parts"].size() == 3);
  study::add_intervals(interval, base.summary);
  for (const char* key : {"pcc_mean_MW", "pcc_step_1s_max_MW", "pcc_ramp_down_max_MW_per_s", "pue"}) {
    INFO(key);
    const double low = sim::figure(base, std::string(key) + "_p05"),
                 high = sim::figure(base, std::string(key) + "_p95");
    CHECK(low > 0.0);
    CHECK(low < high);
    CHECK(json["monte_carlo_error"][key]["p05"].get<double>() > 0.0);
  }
  // Assumed inputs move the megawatts by percents, not by factors; other seeds of 512 chips hardly.
  const auto find = [&](const study::IntervalPart& part) {
    for (const auto& f : part.figures)
      if (f.key == "pcc_mean_MW") return f;
    return study::FigureInterval{};
  };
  const auto device = find(interval.parts[0]), seed = find(interval.parts[2]);
  CHECK(seed.p95 - seed.p05 < device.p95 - device.p05);
}
