#include "grid/grid_stepper.hpp"

#include "network_case.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

namespace {

double speed_at_the_end(double step_s) {
  auto s = shipped_network("kundur_two_area", 7);
  return play(s, {{0.1, 0.0}, {0.1, -1e6}}, {}, {1.1, step_s}).speed_Hz.back();
}

}  // namespace

TEST_CASE("half the step, a quarter of the error") {
  const double exact = speed_at_the_end(2.5e-4), coarse = std::abs(speed_at_the_end(0.008) - exact),
               fine = std::abs(speed_at_the_end(0.004) - exact);
  CHECK(coarse / fine == Approx(4.0).epsilon(0.15));
}

TEST_CASE("a system at rest stays there") {
  auto s = shipped_network("ieee39", 20);
  GridStepper stepper;
  GridState y = s.rest();
  std::vector<double> rate(y.x.size());
  stepper.settle(s, y, 0.0);
  for (int i = 0; i < 200; ++i) {
    s.rates(y, rate);
    stepper.step(s, y, rate, 0.005, 0.005 * i);
  }
  for (std::size_t i = 0; i < y.x.size(); ++i) CHECK(std::abs(y.x[i] - s.rest().x[i]) < 1e-7);
}

TEST_CASE("states stay within their bounds and leave them again") {
  // Field voltage limited to 1.6: a sag drives it there, its end brings it back.
  const std::string controls =
      "1 'GENCLS' 1 0 0 /\n2 'GENROU' 1 8 0.03 0.4 0.05 6.5 0 1.8 1.7 0.3 0.55 0.25 0.2 0 0 /\n2 'SEXS' 1 0.1 10 200 "
      "0.05 0 1.6 /";
  auto s = system_of(two_buses(20), controls, {{0, 0}, {0, 0}, {0, 0}});
  const double before = s.unit(1).readout(s.part(std::span<const double>(s.rest().x), 1), s.rest().v[1]).field_pu;
  REQUIRE(before < 1.5);
  GridStepper stepper;
  GridState y = s.rest();
  std::vector<double> rate(y.x.size());
  double highest = 0.0;
  for (int i = 0; i < 4000; ++i) {
    s.set_site(i >= 100 && i < 1000 ? std::complex<double>(0.0, 150e6) : 0.0);
    stepper.settle(s, y, 0.0);
    s.rates(y, rate);
    stepper.step(s, y, rate, 0.005, 0.005 * i);
    const double field = s.unit(1).readout(s.part(std::span<const double>(y.x), 1), y.v[1]).field_pu;
    highest = std::max(highest, field);
  }
  CHECK(highest == 1.6);
  CHECK(s.unit(1).readout(s.part(std::span<const double>(y.x), 1), y.v[1]).field_pu == Approx(before).epsilon(0.05));
}

TEST_CASE("a load that no voltage supplies is a solver error with its time") {
  auto s = system_of(two_buses(20), "1 'GENCLS' 1 0 0 /\n2 'GENCLS' 1 4 0 /", {{0, 0}, {0, 0}, {1, 0}});
  CHECK_THROWS_AS(play(s, {{1.0, 0.0}, {2.0, 5e9}}, {}, {3.0, 0.005}), SolverError);
}
