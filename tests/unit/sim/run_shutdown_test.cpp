// Loss of coolant to its end: dies pass their shutdown temperature, nodes switch themselves off, the job is interrupted.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "tiny.hpp"
#include "workload/job_state.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

namespace {

const std::vector<std::string> liquid = {"hall.a.gpu=h100_sxm_700W_liquid", "hall.a.server=hgx_h100_liquid",
                                         "hall.a.plant=cdu_dry_cooler", "run.duration_h=0.25", "run.macro_step_s=10"};

std::vector<std::string> with(std::vector<std::string> more) {
  auto set = liquid;
  set.insert(set.end(), more.begin(), more.end());
  return set;
}

std::string units_out(double at_s, double duration_s, double out_frac = 1.0) {
  return "\n[[event]]\nname = \"units\"\nkind = \"cdu_out\"\nhall = \"a\"\nat_s = " + std::to_string(at_s) +
         "\nduration_s = " + std::to_string(duration_s) + "\nout_frac = " + std::to_string(out_frac) + "\n";
}

std::vector<std::pair<double, std::string>> events(const Result& r, const std::string& kind) {
  std::vector<std::string> kinds, texts;
  std::vector<double> t;
  for (const auto& a : r.arrays) {
    if (a.path == "/events/kind") kinds = std::get<std::vector<std::string>>(a.values);
    if (a.path == "/events/text") texts = std::get<std::vector<std::string>>(a.values);
    if (a.path == "/events/time") t = std::get<std::vector<double>>(a.values);
  }
  std::vector<std::pair<double, std::string>> out;
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (kinds[i] == kind) out.emplace_back(t[i], texts[i]);
  return out;
}

}  // namespace

TEST_CASE("plates without flow: throttling first, then shutdown ends the job, and it starts anew once coolant is back",
          "[shutdown]") {
  const auto r = run(tiny(units_out(300, 240), liquid));
  const auto fallen = events(r, "failure");
  REQUIRE(fallen.size() >= 1);
  CHECK(fallen.front().second.find("switched off by heat") != std::string::npos);
  const double after_s = fallen.front().first - 300.0;
  CHECK(after_s > 10.0);
  CHECK(after_s < 240.0);
  CHECK(figure(r, "n_interruptions_thermal") >= 1);
  CHECK(figure(r, "n_interruptions_unexpected") == figure(r, "n_interruptions_thermal"));
  CHECK(!events(r, "restart").empty());
  // It is seen as it happens, to 2 ms: a die of 1.5 J/K that draws 700 W warms by 0.93 K in that time, and less through its lid.
  CHECK(figure(r, "die_max_degC") >= 92.0);
  CHECK(figure(r, "die_max_degC") < 92.0 + 700.0 * 2e-3 / 1.5);
  CHECK(figure(r, "energy_closure") < 1e-12);
  CHECK(figure(r, "input_energy_error") < 1e-12);
}

TEST_CASE("a job waits in its outage until coolant is back: one loss is one interruption, however long it lasts",
          "[shutdown]") {
  const auto r = run(tiny(units_out(200, 500), liquid));
  CHECK(figure(r, "n_interruptions_thermal") == 1);
  CHECK(figure(r, "n_interruptions_unexpected") == 1);
  CHECK(events(r, "failure").size() == 1);
  REQUIRE(events(r, "restart").size() == 1);
  CHECK(events(r, "restart").front().first > 700.0);
  CHECK(events(r, "restart").front().first < 860.0);  // units need two minutes to come back
}

TEST_CASE("the same loss without a shutdown temperature only throttles: the term is what ends the job", "[shutdown]") {
  const std::string short_loss = units_out(300, 50);
  CHECK(figure(run(tiny(short_loss, liquid)), "n_interruptions_thermal") >= 1);
  const auto r = run(tiny(short_loss, with({"hall.a.gpu.governor.shutdown_degC=130"})));
  CHECK(figure(r, "n_interruptions_thermal") == 0);
  CHECK(events(r, "failure").empty());
  CHECK(figure(r, "die_max_degC") > 92.0);
}

TEST_CASE(
    "nodes that were switched off come back after their reset; until then spares stand in, as far as there are any",
    "[shutdown]") {
  const auto dry =
      run(tiny(units_out(300, 120), with({"job.main.life.thermal_reset_s=400", "job.main.life.spare_nodes=0"})));
  REQUIRE(!events(dry, "failure").empty());
  const double fell_s = events(dry, "failure").front().first;
  CHECK(!events(dry, "no_spare").empty());
  REQUIRE(!events(dry, "restart").empty());
  CHECK(events(dry, "restart").front().first > fell_s + 400.0);
  const auto in_place = run(tiny(units_out(300, 120), liquid));
  REQUIRE(!events(in_place, "restart").empty());
  CHECK(events(in_place, "restart").front().first < events(dry, "restart").front().first);
}

TEST_CASE("nobody is switched off while cooling holds", "[shutdown]") {
  CHECK(figure(run(tiny("", liquid)), "n_interruptions_thermal") == 0);
  CHECK(figure(run(tiny(units_out(300, 240, 0.5), liquid)), "n_interruptions_thermal") == 0);
}

TEST_CASE("a die that passes its limit within an iteration switches off, although it ends the iteration cooler",
          "[shutdown]") {
  const auto calm = run(tiny("", liquid));
  const double peak_degC = figure(calm, "die_max_degC");
  const auto limited = [&](double degC) {
    return figure(
        run(tiny("", with({"hall.a.gpu.governor.thermal_target_degC=110", "hall.a.gpu.governor.slowdown_degC=110",
                           "hall.a.gpu.governor.shutdown_degC=" + std::to_string(degC)}))),
        "n_interruptions_thermal");
  };
  CHECK(limited(peak_degC + 0.3) == 0);
  CHECK(limited(peak_degC - 0.3) >= 1);
}

TEST_CASE("when most fans of a hall fail, limits hold the dies as in the reference, and nobody is switched off",
          "[shutdown]") {
  LoadOptions o;
  o.set = {"hall.a.n_gpu=1024", "job.main.plan.n_gpu=1024", "job.main.plan.global_batch_sequences=128"};
  const auto scenario = load_scenario(std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/llama3_405b_cascade.toml", o);
  const auto jumps = run(scenario), edges = run(reference_of(scenario));
  const auto most = [](const Result& r, const char* path) {
    double out = 0.0;
    for (const double x : reals(r, path)) out = std::fmax(out, x);  // NaN where nothing iterates
    return out;
  };
  for (const auto* r : {&jumps, &edges}) CHECK(figure(*r, "n_interruptions_thermal") == 0.0);
  CHECK(most(jumps, "/day/limiter_thermal_frac") > 0.5);
  CHECK(most(jumps, "/day/limiter_thermal_frac") == Approx(most(edges, "/day/limiter_thermal_frac")).margin(0.02));
  CHECK(most(jumps, "/day/die_mean_K") == Approx(most(edges, "/day/die_mean_K")).margin(0.1));
  CHECK(figure(jumps, "tokens_per_s_mean") == Approx(figure(edges, "tokens_per_s_mean")).epsilon(1e-3));
  // A single die under the thermal limit: its peak within an iteration.
  CHECK(figure(jumps, "die_max_degC") == Approx(figure(edges, "die_max_degC")).margin(1.5));
}

TEST_CASE("dies that their thermal limit holds are not slowed down for the watts of a cooler moment", "[long]") {
  LoadOptions o;
  o.set = {"run.duration_h=1", "event=[{name='filter',kind='filter_blocked',hall='a',at_s=400,rack=5,out_frac=0.5}]"};
  const auto r = run(load_scenario(std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/gb300_nvl72_row.toml", o));
  // A die predicted at the power of the iteration before, which began cooler, is above the slowdown: clocks changed between 1.67 and
  // 1.035 GHz from one iteration to the next, and a node was switched off.
  CHECK(figure(r, "clock_slowest_MHz") > 1400.0);
  CHECK(figure(r, "die_max_degC") > 87.0);  // the limit acts
  CHECK(figure(r, "n_interruptions_thermal") == 0.0);
}

TEST_CASE("a rack that loses nearly all of its flow switches off within the iteration, as in the reference",
          "[shutdown][long]") {
  // The step before says nothing of how fast dies warm: the first iteration without flow ended at 141 degC before anyone looked.
  LoadOptions o;
  o.set = {"run.duration_h=0.3", "event=[{name='filter',kind='filter_blocked',hall='a',at_s=900,out_frac=0.97}]"};
  const auto scenario = load_scenario(std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/gb300_nvl72_row.toml", o);
  const auto jumps = run(scenario), edges = run(reference_of(scenario));
  for (const auto* r : {&jumps, &edges}) CHECK(figure(*r, "n_interruptions_thermal") == 1.0);
  CHECK(figure(jumps, "die_max_degC") == Approx(figure(edges, "die_max_degC")).margin(0.5));
  CHECK(figure(jumps, "tokens_per_s_mean") == Approx(figure(edges, "tokens_per_s_mean")).epsilon(1e-3));
}

namespace {

std::string plant_event(const std::string& name, const std::string& kind, double at_s, double duration_s,
                        double out_frac = 1.0) {
  return "\n[[event]]\nname = \"" + name + "\"\nkind = \"" + kind + "\"\nhall = \"a\"\nat_s = " + std::to_string(at_s) +
         "\nduration_s = " + std::to_string(duration_s) + "\nout_frac = " + std::to_string(out_frac) + "\n";
}

std::string text_of(const Result& r, const std::string& key) {
  for (const auto& [k, v] : r.summary)
    if (k == key) return std::holds_alternative<std::string>(v) ? std::get<std::string>(v) : "";
  throw std::runtime_error("no figure " + key);
}

const std::vector<std::string> in_air = {"run.duration_h=12", "hall.a.plant=outside_air_evaporative"};

}  // namespace

TEST_CASE("a hall without fans heats up to the shutdown of its servers and no further: what is off draws nothing",
          "[shutdown]") {
  const auto r = run(tiny(plant_event("fans", "fan_wall_out", 600, 0), in_air));
  CHECK(figure(r, "die_max_degC") < 95.0);  // shutdown_degC of 92, and 3 K
  CHECK(figure(r, "n_interruptions_thermal") <= 3);
  CHECK(figure(r, "energy_closure") < 1e-11);
  CHECK(reals(r, "/day/it_W").back() == 0.0);
  CHECK(text_of(r, "out_of_range").find("supply air of hall a reaches") == 0);
}

TEST_CASE(
    "a job that fell by heat restarts at most twice while parts of its plant are out, and again once they are back",
    "[shutdown]") {
  const auto lasting = run(tiny(plant_event("fans", "fan_wall_out", 600, 0, 0.95), in_air));
  REQUIRE(figure(lasting, "n_interruptions_thermal") >= 1);
  CHECK(figure(lasting, "n_interruptions_thermal") <= 3);
  auto never = in_air;
  never.push_back("job.main.life.thermal_restarts=0");
  CHECK(figure(run(tiny(plant_event("fans", "fan_wall_out", 600, 0, 0.95), never)), "n_interruptions_thermal") == 1);
  const auto over = run(tiny(plant_event("fans", "fan_wall_out", 600, 14400, 0.95), in_air));
  REQUIRE(!events(over, "restart").empty());
  CHECK(events(over, "restart").back().first > 15000.0);
}

TEST_CASE("a job waits until its inlet is back in the range in which its servers may start", "[shutdown]") {
  const std::string loss = plant_event("fans", "fan_wall_out", 600, 7200);
  const auto begins_s = [&](double inlet_max_degC) {
    auto set = in_air;
    set.push_back("hall.a.server.air.inlet_max_degC=" + std::to_string(inlet_max_degC));
    const auto r = run(tiny(loss, set));
    REQUIRE(!events(r, "restart").empty());
    return events(r, "restart").back().first;
  };
  CHECK(begins_s(25) > begins_s(60));
}

TEST_CASE("without heat rejection, chillers stop on the pressure of their condensers and servers switch off",
          "[shutdown]") {
  const auto r = run(tiny(plant_event("rejection", "rejection_out", 600, 0), with({"run.duration_h=12"})));
  CHECK(figure(r, "n_interruptions_thermal") >= 1);
  CHECK(figure(r, "n_interruptions_thermal") <= 3);
  CHECK(figure(r, "die_max_degC") < 95.0);
  CHECK(figure(r, "capacity_margin_min_percent") < 0.0);
  CHECK(text_of(r, "capacity_margin_part") == "rejection");
  CHECK(!text_of(r, "out_of_range").empty());
}

TEST_CASE("the column of job states names every code", "[shutdown]") {
  const auto r = run(tiny("", {"run.duration_h=0.1"}));
  for (const auto& a : r.arrays)
    if (a.path == "/day/job_state")
      for (std::size_t s = 0; s < workload::n_job_state; ++s)
        CHECK(a.long_name.find(" " + std::to_string(s) + " " + workload::name_of(static_cast<workload::JobState>(s))) !=
              std::string::npos);
}
