// Cases that once hung, aborted or lied: each is small and says what must hold.
#include <fmt/format.h>

#include <cmath>

#include "base/text.hpp"
#include "catch.hpp"
#include "tidewatt/sim/run.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

namespace {

std::string failure(const char* name, const char* at_s) {
  return std::string("\n[[event]]\nname = \"") + name + "\"\nkind = \"failure\"\njob = \"main\"\nat_s = " + at_s + "\n";
}

}  // namespace

TEST_CASE("two failures at the same nanosecond, and one at the job's start, end and are counted") {
  const std::vector<std::string> short_run = {"run.duration_h=0.05"};
  CHECK(figure(run(tiny(failure("a", "60.5") + failure("b", "60.5"), short_run)), "n_interruptions_unexpected") == 2);
  CHECK(figure(run(tiny(failure("a", "0"), {"run.duration_h=0.02", "job.main.life.start_s=0"})), "energy_closure") <
        1e-11);
}

TEST_CASE("a pause asked for by an event interrupts once, as planned, and is no failure") {
  const auto r = run(tiny("\n[[event]]\nname = \"p\"\nkind = \"pause\"\njob = \"main\"\nat_s = 60\nduration_s = 10\n"));
  CHECK(figure(r, "n_interruptions_planned") == 1);
  CHECK(figure(r, "n_interruptions_unexpected") == 0);
}

namespace {
std::string pause_event(const char* name, int at_s, int duration_s) {
  return fmt::format("\n[[event]]\nname = \"{}\"\nkind = \"pause\"\njob = \"main\"\nat_s = {}\nduration_s = {}\n", name,
                     at_s, duration_s);
}
std::string pause_order(const char* name, int at_s, int duration_s, double limit_MW) {
  return fmt::format(
      "\n[[event]]\nname = \"{}\"\nkind = \"curtailment\"\nby = \"pause\"\nat_s = {}\nduration_s = {}\nlimit_MW = {}\n",
      name, at_s, duration_s, limit_MW);
}
}  // namespace

TEST_CASE("every pause of a job takes place, whatever their order in the file; nested ones are one") {
  const std::vector<std::string> set = {"run.duration_h=0.2"};
  const auto two = run(tiny(pause_event("p", 100, 60) + pause_event("q", 400, 60), set));
  CHECK(figure(two, "n_interruptions_planned") == 2);
  const auto turned = run(tiny(pause_event("q", 400, 60) + pause_event("p", 100, 60), set));
  for (const char* key : {"n_interruptions_planned", "tokens_per_s_mean", "pcc_mean_MW", "pcc_min_MW"})
    CHECK(figure(turned, key) == figure(two, key));
  const auto one = run(tiny(pause_event("p", 200, 60), set)),
             nested = run(tiny(pause_event("p", 200, 60) + pause_event("q", 210, 10), set));
  for (const char* key : {"n_interruptions_planned", "pcc_mean_MW"}) CHECK(figure(nested, key) == figure(one, key));
}

TEST_CASE("overlapping orders by pauses last until the latest end; one above the draw does nothing") {
  const std::vector<std::string> set = {"run.duration_h=0.2", "run.macro_step_s=10", "run.macro_step_max_s=10"};
  const auto energy = [&](const std::string& events) { return figure(run(tiny(events, set)), "it_mean_MW"); };
  const double both = energy(pause_order("a", 200, 150, 0.10) + pause_order("b", 300, 150, 0.10)),
               whole = energy(pause_order("a", 200, 250, 0.10));
  CHECK(both == whole);
  CHECK(energy(pause_order("b", 300, 150, 0.10) + pause_order("a", 200, 150, 0.10)) == whole);
  const auto free = run(tiny(pause_order("a", 200, 150, 100.0), set));
  CHECK(figure(free, "n_interruptions_planned") == 0);
  CHECK(figure(run(tiny(pause_order("a", 200, 150, 0.10), set)), "n_interruptions_planned") == 1);
  // Given while the job starts, it holds the job before its first iteration.
  const auto early = run(tiny(pause_order("a", 5, 300, 0.10), set));
  CHECK(figure(early, "n_interruptions_planned") == 1);
  CHECK(figure(early, "it_mean_MW") < 0.999 * figure(free, "it_mean_MW"));
}

TEST_CASE("a battery that only stands by keeps books that close") {
  const char* battery = "\n[[mitigation]]\nname = \"b\"\nkind = \"site_battery\"\ncatalog = \"site_battery_10MW\"\n";
  CHECK(figure(run(tiny(battery, {"run.duration_h=0.0005"})), "energy_closure") < 1e-11);
}

TEST_CASE("the frequency stands still until the load changes") {
  const auto r = run(tiny("", {"run.duration_h=0.001", "job.main.life.start_s=100"}));
  CHECK(figure(r, "freq_deviation_max_mHz") < 1e-3);
}

TEST_CASE("smoothing does not throttle idle GPUs when a job begins") {
  const char* smoothing =
      "\n[[mitigation]]\nname = \"s\"\nkind = \"gpu_smoothing\"\nfloor_ratio = 0.5\nramp_up_W_per_s = 100\n"
      "ramp_down_W_per_s = 100\nhysteresis_s = 1\n";
  const std::vector<std::string> begin = {"run.duration_h=0.005", "job.main.life.start_s=5"};
  CHECK(figure(run(tiny(smoothing, begin)), "pcc_min_MW") >= 0.999 * figure(run(tiny("", begin)), "pcc_min_MW"));
}

TEST_CASE("what cannot be meant is refused before it runs") {
  CHECK_THAT(refusal({"run.start=hello"}), Catch::Contains("run.start"));
  CHECK_THAT(refusal({"run.duration_h=0.050000012"}), Catch::Contains("whole number of milliseconds"));
  CHECK_THAT(refusal({"hall.a.clock_lock_MHz=4000"}), Catch::Contains("outside the V/f table"));
  CHECK_THAT(refusal({"job.main.network.gpus_per_node=4"}), Catch::Contains("GPUs per node"));
}

TEST_CASE("a cap that the lowest clock exceeds is said, not hidden") {
  const auto low_W = [](Engine& e) {
    for (const auto& p : e.ports())
      if (p.name == "hall.a.cap_W") return p.low;
    return 0.0;
  };
  Engine usual(tiny("", {"run.duration_h=0.05"}));
  CHECK(low_W(usual) == 200.0);  // an H100's driver takes no less
  Engine engine(tiny("", {"run.duration_h=0.05", "hall.a.gpu.power.power_limit_min_W=0"}));
  CHECK(low_W(engine) < 200.0);
  // The least that may be asked for is what the lowest clock needs while dies are cool. They warm, and leak more.
  for (const auto& p : engine.ports())
    if (p.name == "hall.a.cap_W") engine.write(p.name, p.low);
  const auto r = engine.finish();
  bool said = false;
  for (const auto& a : r.arrays)
    if (a.path == "/events/kind")
      for (const auto& kind : std::get<std::vector<std::string>>(a.values)) said = said || kind == "cap_not_held";
  CHECK(said);
}

TEST_CASE("a start is as steep as in the resolved advance: fans and leakage are not those of the whole iteration") {
  const std::vector<std::string> begin = {"run.duration_h=0.006", "job.main.plan.global_batch_sequences=512"};
  const auto scenario = tiny("", begin);
  const auto fast = run(scenario), slow = run(reference_of(scenario));
  for (const char* key : {"pcc_step_1s_max_MW", "pcc_ramp_up_max_MW_per_s"}) {
    CAPTURE(key);
    CHECK(figure(fast, key) == Approx(figure(slow, key)).epsilon(3e-4));
  }
}

TEST_CASE("so it is where limiters move clocks within kinds: supplies lose more of what comes on top of much") {
  LoadOptions o;
  o.set = {"hall.a.n_gpu=1024", "job.main.plan.n_gpu=1024", "job.main.plan.global_batch_sequences=128",
           "run.duration_h=0.01"};
  const auto s = load_scenario(std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/llama3_405b_transients.toml", o);
  const auto fast = run(s), slow = run(reference_of(s));
  CHECK(figure(fast, "pcc_step_1s_max_MW") == Approx(figure(slow, "pcc_step_1s_max_MW")).epsilon(8e-4));
  CHECK(figure(fast, "pcc_ramp_up_max_MW_per_s") == Approx(figure(slow, "pcc_ramp_up_max_MW_per_s")).epsilon(5e-4));
}

TEST_CASE("the hottest die of a row is no cooler than a job in the middle of an iteration, beside idle servers") {
  const auto r =
      run(tiny("\n[[event]]\nname = \"f\"\nkind = \"fan_wall_out\"\nhall = \"a\"\nat_s = 60\nduration_s = 0\n"
               "out_frac = 0.2\n",
               {"hall.a.n_gpu=256", "job.main.plan.global_batch_sequences=1024", "run.duration_h=0.05"}));
  const auto &site = reals(r, "/day/die_max_K"), &job = reals(r, "/job/main/die_max_K"),
             &mean = reals(r, "/day/die_mean_K");
  REQUIRE(site.size() == job.size());
  for (std::size_t i = 0; i < site.size(); ++i) {
    CHECK(site[i] >= job[i]);
    CHECK(site[i] >= mean[i]);
  }
}

TEST_CASE("the hottest die while dies rise is that of the reference: behind a save, in long iterations, in cut ones") {
  const auto hottest_K = [](const std::string& more, const std::vector<std::string>& set) {
    auto scenario = tiny(more, set);
    const double fast_degC = figure(run(scenario), "die_max_degC");
    scenario.run.reference = true;
    return fast_degC - figure(run(scenario), "die_max_degC");
  };
  const std::vector<std::string> two_minutes = {"run.duration_h=0.0375"};  // 135 s
  auto saves = two_minutes, longer = two_minutes;
  saves.emplace_back("job.main.life.checkpoint_interval_s=55");
  longer.emplace_back("job.main.plan.global_batch_sequences=1024");
  CHECK(hottest_K("", saves) > -0.1);  // −1.1 K where a jump held a save
  CHECK(hottest_K("", longer) > -0.15);
  CHECK(hottest_K(failure("f", "75"), longer) > -0.15);  // −0.8 K in the iteration that a failure cuts
}

TEST_CASE("power that GPUs lower slowly falls as steeply as in the reference: fans do not wait for a step's end") {
  const auto s = tiny(
      "\n[[mitigation]]\nname = \"smoothing\"\nkind = \"gpu_smoothing\"\nfloor_ratio = 0.65\nramp_up_W_per_s = 700\n"
      "ramp_down_W_per_s = 100\nhysteresis_s = 2\n" +
          failure("a", "70"),
      {"job.main.life.detect_s=30"});
  const char* fall = "pcc_ramp_down_max_MW_per_s";
  CHECK(figure(run(s), fall) == Approx(figure(run(reference_of(s)), fall)).epsilon(0.03));
}
