#include "study/run_chance.hpp"

#include <cmath>

#include "catch.hpp"
#include "tidewatt/sim/look_up.hpp"
#include "tidewatt/sim/run.hpp"

using namespace tidewatt;

namespace {

sim::Scenario site() {
  return sim::load_scenario_text(
      "schema = 1\n[run]\nduration_h = 0.1\n[[hall]]\nname = \"a\"\nn_gpu = 128\ngpu = "
      "\"h100_sxm_700W\"\n[[job]]\nname = "
      "\"main\"\nmodel = \"llama3_8b\"\n[job.plan]\ntp = 8\npp = 1\n",
      "site", ".");
}

study::ChanceOptions few(std::int64_t n) {
  study::ChanceOptions o;
  o.n_input = n, o.n_day = 3;
  return o;
}

const study::FigureChance& figure(const study::Chance& c, const std::string& key) {
  for (const auto& f : c.figures)
    if (f.key == key) return f;
  throw std::runtime_error(key);
}

}  // namespace

TEST_CASE("a run's chance has five parts, draws as asked for, and the same bits again") {
  const auto s = site();
  const auto base = sim::run(s);
  const auto c = study::run_chance(s, base, few(4));
  REQUIRE(c.parts.size() == 5);
  CHECK(c.parts[2].name == "inputs");
  CHECK(c.parts[2].n_draw == 4);
  CHECK(c.parts[2].n_failed == 0);
  CHECK(c.parts[3].n_draw == 3);
  const auto again = study::run_chance(s, base, few(4));
  for (std::size_t i = 0; i < c.figures.size(); ++i) {
    INFO(c.figures[i].key);
    if (std::isfinite(c.figures[i].p05)) CHECK(c.figures[i].p05 == again.figures[i].p05);
  }
  const auto& mean = figure(c, "pcc_mean_MW");
  CHECK(mean.p05 < mean.p95);
  CHECK(figure(c, "throughput_swing_percent").note == "the run has no whole day of training");
}

TEST_CASE("without ranges and weather nothing moves a run but what the caller's rows missed by") {
  auto s = site();
  s.assumed.clear();
  study::ChanceOptions o = few(4);
  o.n_day = 0;
  o.model.logs["pcc_mean_MW"] = {-0.1, 0.0, 0.1};
  const auto base = sim::run(s);
  const auto c = study::run_chance(s, base, o);
  CHECK(c.parts[2].note == "no assumed input has a range");
  CHECK(figure(c, "pcc_mean_MW").p95 == Approx(std::exp(0.1) * sim::figure(base, "pcc_mean_MW")));
}

TEST_CASE("recomputation that a plan does not say widens the interval, which holds the runs with either word") {
  const std::string key = "job.main.plan.recompute";
  auto s = site();
  // No other input moves the run.
  std::erase_if(s.assumed, [&](const auto& a) { return a.key != key; });
  REQUIRE(s.assumed.size() == 1);
  auto& a = s.assumed.front();
  a.words = {"none", "full"}, a.values = {0.0, 3.0}, a.high = 3.0;
  const auto inputs = [](const sim::Scenario& of) {
    auto o = few(16);
    o.n_day = 0;
    const auto c = study::run_chance(of, sim::run(of), o);
    CHECK(c.parts[2].n_failed == 0);
    CHECK(c.parts[2].n_draw == (of.assumed.empty() ? 0 : 16));
    return figure(c, "iteration_s").parts;
  };
  const auto parts = inputs(s);
  REQUIRE(parts.contains("inputs"));
  const auto& of_inputs_s = parts.at("inputs");
  const double none_s = sim::figure(sim::run(s), "iteration_s"),
               full_s = sim::figure(sim::run(sim::with_values(s, {{key, 3.0}})), "iteration_s");
  CHECK(full_s > 1.15 * none_s);  // one forward pass more of three
  CHECK(of_inputs_s.p05 <= none_s * (1.0 + 1e-9));
  CHECK(of_inputs_s.p95 >= full_s * (1.0 - 1e-3));
  s.assumed.clear();
  CHECK_FALSE(inputs(s).contains("inputs"));
}

// At 423.0 s the failure hits the end of a plateau, where the load falls by a fifth more than anywhere in an iteration; a second later it
// does not. Draws change iterations, hence what the failure hits: both runs have the same ratios.
TEST_CASE("what drawn inputs do does not depend on the instant that an event has in the run", "[long]") {
  const auto mean_log = [](const char* at_s) {
    sim::LoadOptions options;
    options.set = {"hall.a.n_gpu=512",
                   "job.main.plan.n_gpu=512",
                   "job.main.plan.global_batch_sequences=64",
                   "job.main.life.load_per_gpu_GB_per_s=64",
                   "job.main.life.checkpoint_per_gpu_GB_per_s=64",
                   std::string("event.host_failure.at_s=") + at_s};
    const auto s = sim::load_scenario(TIDEWATT_SOURCE_DIR "/scenarios/llama3_405b_transients.toml", options);
    const auto base = sim::run(s);
    auto o = few(8);
    o.n_day = 0, o.n_instant = 1;
    const auto c = study::run_chance(s, base, o);
    double sum = 0.0;
    for (const double x : c.parts[2].logs.at("pcc_ramp_down_max_MW_per_s")) sum += x / 8.0;
    return std::pair(sim::figure(base, "pcc_ramp_down_max_MW_per_s"), sum);
  };
  const auto [unlucky, with_luck] = mean_log("423.0");
  const auto [usual, without] = mean_log("424.0");
  REQUIRE(unlucky > 1.15 * usual);
  CHECK(std::abs(with_luck - without) < 0.07);
}

// Parts of a plant fail at whole milliseconds, and an iteration does not last a whole number of them.
TEST_CASE("a run whose fans fail has draws of its inputs") {
  const auto s = sim::load_scenario_text(
      "schema = 1\n[run]\nduration_h = 0.1\n[[hall]]\nname = \"a\"\nn_gpu = 128\ngpu = "
      "\"h100_sxm_700W\"\n[[job]]\nname = "
      "\"main\"\nmodel = \"llama3_8b\"\n[job.plan]\ntp = 8\npp = 1\n[[event]]\nname = \"fans\"\nkind = "
      "\"fan_wall_out\"\nhall = \"a\"\nat_s = 100\nduration_s = 60\nout_frac = 0.5\n",
      "site", ".");
  auto o = few(2);
  o.n_day = 0, o.n_instant = 1;
  const auto c = study::run_chance(s, sim::run(s), o);
  CHECK(c.parts[2].n_draw == 2);
  CHECK(c.parts[2].n_failed == 0);
}
