#include "grid/model_test.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

namespace {
Perc1Site site(double W) {
  LoadSettings s;
  s.group.power_W = W;
  s.group.voltage = {{0.85, 0.0, true, ""}};
  s.group.return_s = 2.0, s.group.ramp_s = 1.0, s.group.current_ratio = 1.25;
  const LoadSettings parts[] = {s};
  return perc1_site(parts);
}
const SourceParams source{345e3, 5e9, 10.0, 1.0};
}  // namespace

TEST_CASE("behind a source nothing moves in a flat start; a step lowers the voltage and constant power stays") {
  const auto tests = model_tests(site(100e6), source);
  const auto& flat = tests[0];
  for (std::size_t i = 0; i < flat.power_pu.size(); i += 500) CHECK(flat.power_pu[i] == Approx(1.0).margin(1e-9));
  // 100 MW on 5 GVA: V² + 2 r p V... the source's own equation.
  CHECK(flat.voltage_pu[0] == Approx(*Source(source).voltage_pu(100e6, 0.0)));
  const auto& step = tests[1];
  CHECK(step.power_pu.back() == Approx(1.0).margin(1e-6));
  CHECK(step.voltage_pu.back() < 0.97);
  CHECK(step.voltage_pu.back() > 0.96);
}

TEST_CASE("a deep dip sheds the load at once and it is back after its own times; 115 % does not move it") {
  const auto tests = model_tests(site(100e6), source);
  const auto dip = std::find_if(tests.begin(), tests.end(), [](const auto& t) { return t.name == "low voltage"; });
  REQUIRE(dip != tests.end());
  CHECK(dip->power_pu[1100] == Approx(0.0).margin(1e-9));
  CHECK(dip->power_pu.back() == Approx(1.0).margin(1e-6));
  CHECK(dip->answer.find("90 % of it are back 2.9") != std::string::npos);
  // A dip that the load rides through is told as such, not as a return after 0 s.
  auto rides = site(100e6);
  for (auto& r : rides.records) r.params.Vcease = 0.0, r.params.Fcease = 0.0, r.params.Ipmax = 20.0;
  for (const auto& t : model_tests(rides, source))
    if (t.name == "low voltage")
      CHECK(t.answer.find("90 % of it are back within 10 ms of the source") != std::string::npos);
  for (const auto& t : tests)
    if (t.name == "high voltage" || t.name == "frequency") CHECK(t.power_pu[1500] == Approx(1.0).margin(1e-3));
}

TEST_CASE("a source that cannot feed the load is refused") {
  CHECK_THROWS_AS(model_tests(site(4e9), source), RefusedError);
  CHECK_THROWS_AS(model_tests(Perc1Site{}, source), InputError);
}
