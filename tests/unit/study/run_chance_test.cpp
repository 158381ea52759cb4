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
