#include "sim/scenario_check.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "catch.hpp"
#include "sim/shipped_scenarios.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

namespace {

using Said = std::vector<std::pair<std::string, std::string>>;  // key, message

template <class Act>
Said findings_of(Act&& act) {
  Said out;
  try {
    act();
  } catch (const InputError& e) {
    for (const auto& f : e.findings()) out.emplace_back(f.key, f.message);
  }
  return out;
}

struct Change {
  std::vector<std::string> set;  ///< of a file
  std::function<void(Scenario&)> in_code;
};

HallSpec& hall(Scenario& s) { return s.halls.front(); }
JobSpec& job(Scenario& s) { return s.jobs.front(); }

/// What the file says with these overrides is what the scenario says when the same is changed in code.
void same_findings(const std::string& more, const std::vector<Change>& changes) {
  for (const auto& change : changes) {
    INFO(change.set.front());
    const Said of_file = findings_of([&] { tiny(more, change.set); });
    Scenario s = tiny(more);
    change.in_code(s);
    CHECK_FALSE(of_file.empty());
    CHECK(findings_of([&] { check(s); }) == of_file);
  }
}

}  // namespace

TEST_CASE("values out of range changed in code give the findings of a file") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  same_findings("", {
                        {{"hall.a.cap_W=6000"}, [](Scenario& s) { hall(s).hall.cap_W = 6000; }},
                        {{"hall.a.cap_W=nan"}, [&](Scenario& s) { hall(s).hall.cap_W = nan; }},
                        {{"hall.a.clock_lock_MHz=-1"}, [](Scenario& s) { hall(s).hall.clock_lock_Hz = -1e6; }},
                        {{"hall.a.gpu.power.tdp_W=10"}, [](Scenario& s) { hall(s).gpu.tdp_W = 10; }},
                        {{"hall.a.gpu.governor.window_s=-1"}, [](Scenario& s) { hall(s).governor.window_s = -1; }},
                        {{"hall.a.plant.supply_high_degC=61.3"},
                         [](Scenario& s) { hall(s).outside_air.supply_high_K = 61.3 + 273.15; }},
                        {{"job.main.plan.tp=-1"}, [](Scenario& s) { job(s).plan.tp = -1; }},
                        {{"job.main.life.start_s=-1"}, [](Scenario& s) { job(s).life.start_s = -1; }},
                        {{"job.main.network.gpus_per_node=0"}, [](Scenario& s) { job(s).network.gpus_per_node = 0; }},
                        {{"run.duration_h=-1"}, [](Scenario& s) { s.run.duration_s = -3600; }},
                        {{"run.seed=-1"}, [](Scenario& s) { s.run.seed = -1; }},
                        {{"grid.frequency.nominal_Hz=400"}, [](Scenario& s) { s.frequency.nominal_Hz = 400; }},
                        {{"grid.source.short_circuit_MVA=0"}, [](Scenario& s) { s.source.short_circuit_VA = 0; }},
                        {{"site.rules_from_s=-5"}, [](Scenario& s) { s.devices.rules_from_s = -5; }},
                        {{"record.window.sample.start_s=-1"}, [](Scenario& s) { s.windows.front().start_s = -1; }},
                    });
}

TEST_CASE("parts that contradict one another give the findings of a file") {
  same_findings(
      "",
      {
          {{"hall.a.cap_W=800"}, [](Scenario& s) { hall(s).hall.cap_W = 800; }},
          {{"hall.a.cap_W=20"}, [](Scenario& s) { hall(s).hall.cap_W = 20; }},
          {{"hall.a.clock_lock_MHz=30"}, [](Scenario& s) { hall(s).hall.clock_lock_Hz = 30e6; }},
          {{"hall.a.n_gpu=100"}, [](Scenario& s) { hall(s).hall.n_gpu = 100; }},
          {{"hall.a.gpu=h100_sxm_700W_liquid"}, [](Scenario& s) { hall(s).package.convection_exponent_ratio = 0; }},
          {{"hall.a.recirculation_frac=0.84", "hall.a.recirculation_sigma_ratio=1.5"},
           [](Scenario& s) { hall(s).hall.recirculation_frac = 0.84, hall(s).hall.recirculation_sigma_ratio = 1.5; }},
          {{"job.main.plan.pp=3"}, [](Scenario& s) { job(s).plan.pp = 3; }},
          {{"job.main.plan.n_gpu=256"}, [](Scenario& s) { job(s).plan.n_gpu = 256; }},
          {{"run.macro_step_s=600", "run.macro_step_max_s=60"},
           [](Scenario& s) { s.run.macro_step_s = 600, s.run.macro_step_max_s = 60; }},
          {{"run.start=2024-07-20T14:30:00"}, [](Scenario& s) { s.run.start = "2024-07-20T14:30:00"; }},
          {{"weather.day=dated"}, [](Scenario& s) { s.weather.day = WeatherDay::dated; }},
      });
}

TEST_CASE("events and mitigations changed in code give the findings of a file") {
  const std::string more = std::string(tiny_battery) + R"(
[[mitigation]]
name = "smooth"
kind = "gpu_smoothing"
floor_ratio = 0.6
ramp_up_W_per_s = 100
ramp_down_W_per_s = 100
hysteresis_s = 1

[[event]]
name = "sag"
kind = "sag"
at_s = 60
duration_s = 0.2
voltage_ratio = 0.7
)";
  same_findings(
      more,
      {
          {{"event.sag.voltage_ratio=1.5"}, [](Scenario& s) { s.events.front().voltage_ratio = 1.5; }},
          {{"event.sag.voltage_ratio=1.0"}, [](Scenario& s) { s.events.front().voltage_ratio = 1.0; }},
          {{"event.sag.kind=failure", "event.sag.job=nobody"},
           [](Scenario& s) { s.events.front().kind = EventKind::failure, s.events.front().job = "nobody"; }},
          {{"event.sag.kind=islanding"}, [](Scenario& s) { s.events.front().kind = EventKind::islanding; }},
          {{"mitigation.battery.power_MW=-1"}, [](Scenario& s) { s.battery->power_W = -1e6; }},
          {{"mitigation.battery.control_period_ms=20.5"}, [](Scenario& s) { s.battery->control_period_s = 0.0205; }},
          {{"mitigation.battery.soc_min_frac=0.95"}, [](Scenario& s) { s.battery->soc_min_frac = 0.95; }},
          {{"mitigation.smooth.floor_ratio=0.95"}, [](Scenario& s) { s.gpu_smoothing->floor_ratio = 0.95; }},
      });
}

TEST_CASE("devices and prices changed in code give the findings of a file") {
  const Said no_curve = findings_of([] {
    Scenario s = tiny();
    s.devices.back.emplace();
    check(s);
  });
  CHECK(std::find(no_curve.begin(), no_curve.end(),
                  Said::value_type{"site.load_settings", "limits and a way back come together"}) != no_curve.end());
  const std::string prices = "\n[economics]\ntariff = \"time_of_use_example\"\nfootprint = \"footprint_example\"\n";
  same_findings(prices,
                {{{"economics.tariff.price_USD_per_MWh=[40, 50]"},
                  [](Scenario& s) { s.economics->tariff.price_USD_per_J = {40 / 3.6e9, 50 / 3.6e9}; }},
                 {{"economics.devices_USD_per_year=-2"}, [](Scenario& s) { s.economics->devices_USD_per_year = -2; }}});
}

TEST_CASE("a scenario in code is refused with everything at once") {
  Scenario s = tiny();
  hall(s).hall.cap_W = 6000;
  job(s).life.start_s = -1;
  s.halls.push_back(hall(s));
  const Said all = findings_of([&] { check(s); });
  const auto has = [&](const char* key) {
    return std::any_of(all.begin(), all.end(), [&](const auto& f) { return f.first == key; });
  };
  CHECK(all.size() == 4);  // the cap is there twice
  CHECK(has("hall.a.cap_W"));
  CHECK(has("job.main.life.start_s"));
  CHECK(has("hall.a"));
  s = tiny();
  hall(s).hall.n_gpu = 1'000'000'000;
  CHECK_THROWS_AS(check(s), RefusedError);
}

TEST_CASE("what was read is accepted as it is, with its notes") {
  CHECK(check(tiny()).empty());
  Scenario s = tiny();
  s.windows.front().start_s = 1e5;
  REQUIRE(check(s).size() == 1);
  CHECK_THAT(check(s).front(), Catch::Contains("after the run's end"));
  for (const auto& name : shipped_scenarios()) {
    INFO(name);
    const Scenario shipped = load_scenario(name);
    CHECK(findings_of([&] { CHECK(check(shipped) == shipped.notes); }).empty());
  }
}

TEST_CASE("jobs may have different GPUs, each in halls of its own; one job may not") {
  const std::string second = R"(
[[hall]]
name = "b"
n_gpu = 64
gpu = "a100_sxm_400W"
server = "dgx_a100"
plant = "outside_air_evaporative"

[[job]]
name = "other"
model = "llama3_8b"
network = "dgx_a100_hdr"
life = "llama3_405b"

[job.plan]
n_gpu = 64
tp = 8
pp = 1
global_batch_sequences = 64
sequence_tokens = 8192
recompute = "full"
sharding = "fsdp"
)";
  const auto apart = run(tiny(second, {"run.duration_h=0.2"}));
  CHECK(std::get<double>(std::find_if(apart.summary.begin(), apart.summary.end(), [](const auto& f) {
                           return f.first == "energy_closure";
                         })->second) < 1e-11);
  const auto of = [&](std::size_t job, const std::string& key) {
    for (const auto& [k, v] : apart.jobs[job])
      if (k == key) return std::get<double>(v);
    return -1.0;
  };
  REQUIRE(apart.jobs.size() == 2);
  CHECK(of(0, "tokens") > 0.0);
  CHECK(of(1, "tokens") > 0.0);
  // A GPU of a third of the matrix rate: its utilisation is a share of its own peak.
  CHECK(of(1, "tflops_per_gpu") < 312.0);
  CHECK(of(1, "mfu_percent") == Approx(100.0 * of(1, "tflops_per_gpu") / 312.0).epsilon(1e-3));
  const auto spans = findings_of([&] {
    tiny(second, {"hall.b.n_gpu=128", "job.main.plan.n_gpu=160", "job.main.plan.global_batch_sequences=80",
                  "job.other.plan.n_gpu=32", "job.other.plan.global_batch_sequences=32"});
  });
  REQUIRE(spans.size() == 1);
  CHECK(spans.front().first == "hall.b.gpu");
  CHECK(spans.front().second.find("job 'main'") != std::string::npos);
}

TEST_CASE("servers with cold plates at a plant that cools no liquid are refused") {
  // Their plates had no flow: the run ended at its first step with heat that is no number.
  LoadOptions o;
  o.set = {"hall.b.plant=crah_chilled_water"};
  CHECK_THROWS_WITH(load_scenario(std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/reference/liquid.toml", o),
                    Catch::Contains("hall.b.plant: its liquid_frac is 0"));
}

TEST_CASE("what is changed in code is refused by run and Engine as by check, before anything is built", "[engine]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto event = [](EventKind kind, const char* of_hall) {
    EventParams e;
    e.name = "x", e.kind = kind, e.hall = of_hall, e.at_s = 60, e.duration_s = 60;
    return e;
  };
  const std::pair<const char*, std::function<void(Scenario&)>> edits[] = {
      {"hall.a.n_gpu", [](Scenario& s) { hall(s).hall.n_gpu = 63; }},
      {"job.main.plan.n_gpu", [](Scenario& s) { job(s).plan.n_gpu = 1024; }},
      {"hall", [](Scenario& s) { s.halls.clear(); }},
      {"job", [](Scenario& s) { s.jobs.clear(); }},
      {"run.macro_step_s", [](Scenario& s) { s.run.macro_step_s = 0; }},
      {"run.duration_h", [](Scenario& s) { s.run.duration_s = -1; }},
      {"weather.climate", [](Scenario& s) { s.climate.reset(); }},
      {"hall.a.cap_W", [](Scenario& s) { hall(s).hall.cap_W = -5; }},
      {"hall.a.cap_W", [&](Scenario& s) { hall(s).hall.cap_W = nan; }},
      {"hall.a.gpu.package.die_base_K_per_W", [&](Scenario& s) { hall(s).package.die_base_K_per_W = nan; }},
      {"event.x.hall", [&](Scenario& s) { s.events.push_back(event(EventKind::fan_wall_out, "nowhere")); }},
      {"record.window.sample.duration_s", [](Scenario& s) { s.windows.front().duration_s = -1; }},
      {"job.main.plan.tp", [](Scenario& s) { job(s).plan.tp = 0; }},
      {"hall.a.server.power.n_gpu", [](Scenario& s) { hall(s).server.n_gpu = 0; }},
      {"grid.frequency.nominal_Hz", [&](Scenario& s) { s.frequency.nominal_Hz = nan; }},
  };
  for (const auto& [key, edit] : edits) {
    INFO(key);
    Scenario s = tiny("", {"run.duration_h=0.01"});
    edit(s);
    const Said checked = findings_of([&] { check(s); });
    CHECK(std::any_of(checked.begin(), checked.end(), [&](const auto& f) { return f.first == key; }));
    CHECK(findings_of([&] { run(s); }) == checked);
    CHECK(findings_of([&] { const Engine engine(s); }) == checked);
  }
  Scenario large = tiny();
  hall(large).hall.n_gpu = 1'000'000'000;
  CHECK_THROWS_AS(run(large), RefusedError);
}

TEST_CASE("an engine at its end refuses another step, and a finished one every use", "[engine]") {
  Engine engine(tiny("", {"run.duration_h=0.01", "record.window.sample.start_s=20"}));
  while (!engine.done()) engine.step();
  CHECK_THROWS_WITH(engine.step(), Catch::Contains("the run ended at 36 s"));
  CHECK(engine.die_K().size() == 128);
  const Result result = engine.finish();
  CHECK(figure(result, "energy_closure") < 1e-11);
  const std::function<void()> uses[] = {[&] { engine.step(); },
                                        [&] { engine.advance_to(36); },
                                        [&] { engine.ports(); },
                                        [&] { engine.read("site.pcc_MW"); },
                                        [&] { engine.write("hall.a.cap_W", 600); },
                                        [&] { engine.release("hall.a.cap_W"); },
                                        [&] { engine.die_K(); },
                                        [&] { engine.clock_Hz(); },
                                        [&] { engine.inlet_K(); },
                                        [&] { engine.save(); },
                                        [&] { engine.restore("x"); },
                                        [&] { engine.finish(); }};
  for (const auto& use : uses) {
    const Said said = findings_of(use);
    REQUIRE(said.size() == 1);
    CHECK_THAT(said.front().second, Catch::Contains("this engine has finished"));
  }
  CHECK(engine.done());
  CHECK(engine.time_s() == 36.0);
}
