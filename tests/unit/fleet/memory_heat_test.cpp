#include "fleet/memory_heat.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::fleet;
using namespace tidewatt::sim;

namespace {

double largest(const Result& r, const std::string& path) {
  double out = 0.0;
  for (const double x : reals(r, path))
    if (!std::isnan(x)) out = std::max(out, x);
  return out;
}

const std::vector<std::string> longer = {"run.duration_h=0.3"};

std::vector<std::string> with(std::vector<std::string> more) {
  more.insert(more.begin(), longer.begin(), longer.end());
  return more;
}

}  // namespace

TEST_CASE("a run knows how warm its memory is: mean, warmest, every GPU", "[memory]") {
  const auto r = run(tiny("", longer));
  const auto& die = reals(r, "/fleet/die_K");
  const auto& memory = reals(r, "/fleet/memory_K");
  REQUIRE(memory.size() == die.size());
  for (std::size_t g = 0; g < die.size(); ++g) {
    CHECK(memory[g] > die[g] - 10.0);
    CHECK(memory[g] < die[g] + 10.0);
  }
  CHECK(figure(r, "memory_max_degC") > figure(r, "memory_mean_degC"));
  CHECK(figure(r, "memory_max_degC") == Approx(largest(r, "/day/memory_max_K") - 273.15));
  // Without traffic of its own it would be cooler than the die.
  CHECK(figure(run(tiny("", with({"hall.a.gpu.power.hbm_W=0"}))), "memory_mean_degC") <
        figure(r, "memory_mean_degC") - 1.0);
}

TEST_CASE("memory at its limit slows the clock, and is named", "[memory]") {
  const auto free = run(tiny("", longer));
  const double limit_degC = std::floor(figure(free, "memory_max_degC")) - 6.0;
  const auto held = run(tiny("", with({"hall.a.gpu.memory.limit_degC=" + std::to_string(limit_degC)})));
  CHECK(largest(free, "/day/limiter_memory_frac") == 0.0);
  CHECK(largest(held, "/day/limiter_memory_frac") > 0.0);
  CHECK(largest(held, "/day/limiter_thermal_frac") == 0.0);
  CHECK(figure(held, "memory_max_degC") < limit_degC + 1.0);
  CHECK(figure(held, "tokens_per_s_mean") < figure(free, "tokens_per_s_mean"));
  CHECK(figure(held, "energy_closure") < 1e-12);
}

TEST_CASE("a GPU without a memory branch has no memory temperature", "[memory]") {
  const auto r = run(tiny("", {"hall.a.gpu=h200_sxm_700W", "hall.a.server=hgx_h200"}));
  CHECK(std::isnan(figure(r, "memory_max_degC")));
  for (const auto& a : r.arrays) CHECK(a.path != "/fleet/memory_K");
}
