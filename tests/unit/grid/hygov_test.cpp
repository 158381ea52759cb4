#include "grid/hygov.hpp"

#include "network_case.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

TEST_CASE("at rest the head is 1 and the flow gives the power; a lasting deviation settles by the permanent droop") {
  auto g = model_of<Hygov>("0.05 0.3 5 0.05 0.5 1 1 0 1 1.2 0 0.08");
  std::vector<double> x(4), rate(4);
  g.rest(0.6, x);
  g.rates(x, 0.0, rate);
  CHECK(largest(rate) < 1e-12);
  CHECK(x[2] == Approx(0.6 / 1.2 + 0.08));
  integrate(x, 400.0, 1e-2,
            [&](double, const std::vector<double>& y, std::vector<double>& r) { g.rates(y, -0.005, r); });
  CHECK(g.mechanical_pu(x, -0.005) == Approx(0.6 + 1.2 * 0.005 / 0.05).epsilon(1e-4));
}

TEST_CASE("a gate that opens takes power away first: the water must be sped up") {
  auto g = model_of<Hygov>("0.05 0.3 5 0.05 0.5 1 1 0 1 1.2 0 0.08");
  std::vector<double> x(4), rate(4);
  g.rest(0.6, x);
  x[2] += 0.01;
  CHECK(g.mechanical_pu(x, 0.0) < 0.6);
  g.rates(x, 0.0, rate);
  CHECK(rate[3] > 0.0);
}

TEST_CASE("the gate moves at most with its velocity, within its limits") {
  auto g = model_of<Hygov>("0.05 0.3 5 0.05 0.5 0.1 0.95 0.05 1 1.2 0 0.08");
  std::vector<double> x(4), rate(4);
  g.rest(0.6, x);
  g.rates(x, -0.5, rate);
  CHECK(rate[1] == 0.1);
  std::vector<StateLimit> limits(4);
  g.limits(limits);
  CHECK((limits[1].low == 0.05 && limits[1].high == 0.95));
}
