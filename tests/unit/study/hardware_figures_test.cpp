#include "study/hardware_figures.hpp"

#include <algorithm>

#include "catch.hpp"
#include "study/new_scenario.hpp"
#include "tidewatt/workload/compute.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {

sim::Scenario racks(const std::string& rack, std::int64_t n_gpu) {
  NewScenario o;
  o.rack = rack;
  o.n_gpu = n_gpu;
  o.duration_h = 0.05;
  return sim::load_scenario_text(new_scenario(o), "new", "");
}

}  // namespace

TEST_CASE("cabinets are counted, not domains: two of an NVL36x2 hold one domain of 72") {
  const auto one = hardware_figures(racks("gb200_nvl72", 144)), two = hardware_figures(racks("gb200_nvl36x2", 144));
  CHECK(one.n_rack == 2);
  CHECK(two.n_rack == 4);
  CHECK(one.scale_up_gpus == 72);
  CHECK(two.scale_up_gpus == 72);
  // A server of eight GPUs is a domain of its own; a part-filled rack counts.
  auto s = tiny();
  s.halls.front().hall.servers_per_rack = 3;
  CHECK(hardware_figures(s).n_rack == 6);  // 16 servers
  CHECK(hardware_figures(s).scale_up_gpus == 8);
}

TEST_CASE("the peak is that of the job's number format") {
  auto s = racks("gb200_nvl72", 72);
  const auto& gpu = s.halls.front().compute;
  s.jobs.front().plan.precision = "bf16";
  CHECK(hardware_figures(s).precision == "bf16");
  CHECK(hardware_figures(s).peak_FLOP_per_s == gpu.matrix_FLOP_per_s);
  s.jobs.front().plan.precision = "fp8";
  CHECK(hardware_figures(s).precision == "fp8");
  CHECK(hardware_figures(s).peak_FLOP_per_s == gpu.fp8_FLOP_per_s);
}

TEST_CASE("tokens per joule are the tokens of all jobs over the energy at the connection") {
  const auto s = tiny("", {"run.duration_h=0.2"});
  auto r = sim::run(s);
  add_hardware_figures(hardware_figures(s), r);
  double tokens = 0.0;
  for (const double t : reals(r, "/jobs/tokens")) tokens += t;
  const auto& in_J = reals(r, "/energy/in_J");
  REQUIRE(tokens > 0.0);
  // The connection is the level with the most energy.
  CHECK(figure(r, "tokens_per_J") == Approx(tokens / *std::max_element(in_J.begin(), in_J.end())).epsilon(1e-9));
  CHECK(figure(r, "n_rack") == 8.0);
  const auto place = [&](const char* key) {
    return std::find_if(r.summary.begin(), r.summary.end(), [&](const auto& f) { return f.first == key; }) -
           r.summary.begin();
  };
  CHECK(place("n_rack") == place("n_gpu") + 1);
  CHECK(place("tokens_per_J") == place("tokens_per_s_mean") + 1);
}

TEST_CASE("a stopped run has no figures") {
  sim::Result stopped;
  add_hardware_figures(hardware_figures(tiny()), stopped);
  CHECK(stopped.summary.empty());
}
