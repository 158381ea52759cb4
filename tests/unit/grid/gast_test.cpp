#include "grid/gast.hpp"

#include "network_case.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

TEST_CASE("a lasting deviation settles at −ω/R, unless the exhaust limits it to A_T") {
  auto g = model_of<Gast>("0.05 0.5 0.5 3 0.9 2 1.2 0 0");
  for (const double speed : {-0.002, -0.02}) {
    std::vector<double> x(3), rate(3);
    g.rest(0.8, x);
    g.rates(x, 0.0, rate);
    CHECK(largest(rate) < 1e-14);
    integrate(x, 200.0, 1e-2,
              [&](double, const std::vector<double>& y, std::vector<double>& r) { g.rates(y, speed, r); });
    // Limited: x = A + K (A − x), so x = A.
    CHECK(g.mechanical_pu(x, speed) == Approx(speed > -0.01 ? 0.84 : 0.9).epsilon(1e-6));
  }
}

TEST_CASE("turbine damping takes D ω off the shaft") {
  auto g = model_of<Gast>("0.05 0.5 0.5 3 1 2 1.2 0 2");
  std::vector<double> x(3);
  g.rest(0.8, x);
  CHECK(g.mechanical_pu(x, 0.01) == Approx(0.78));
}
