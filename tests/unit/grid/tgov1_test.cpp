#include "grid/tgov1.hpp"

#include "network_case.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

TEST_CASE("a lasting deviation settles at −ω/R − D ω, the share T2/T3 of it at once behind the valve") {
  auto g = model_of<Tgov1>("0.05 0.1 1.2 0 2.1 7 0.5");
  std::vector<double> x(2), rate(2);
  g.rest(0.8, x);
  g.rates(x, 0.0, rate);
  CHECK(largest(rate) < 1e-14);
  CHECK(g.mechanical_pu(x, 0.0) == Approx(0.8));
  const auto at = [&](double, const std::vector<double>& y, std::vector<double>& r) { g.rates(y, -0.002, r); };
  integrate(x, 0.6, 1e-3, at);
  CHECK(g.mechanical_pu(x, -0.002) == Approx(0.8 + 0.04 * 0.3 + 0.001).epsilon(0.01));
  integrate(x, 100.0, 5e-3, at);
  CHECK(g.mechanical_pu(x, -0.002) == Approx(0.8 + 0.04 + 0.001).epsilon(1e-6));
}

TEST_CASE("the valve has limits") {
  auto g = model_of<Tgov1>("0.05 0.1 1.1 0.3 0 7 0");
  std::vector<StateLimit> limits(2);
  g.limits(limits);
  CHECK((limits[0].low == 0.3 && limits[0].high == 1.1));
  CHECK(findings_of<Tgov1>("0.05 0.1 0.3 1.1 0 7 0").size() == 1);
  CHECK(findings_of<Tgov1>("0 0.1 1.1 0.3 0 7 0").size() == 1);
}
