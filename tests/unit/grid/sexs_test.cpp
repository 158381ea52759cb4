#include "grid/sexs.hpp"

#include "network_case.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

TEST_CASE("at rest nothing moves; a lasting error gives K times itself, a sudden one K TA/TB") {
  auto e = model_of<Sexs>("0.1 10 100 0.02 -5 5");
  std::vector<double> x(2), rate(2);
  e.rest({2.0, 2.0, 0.8}, 1.02, x);
  ExciterInput in{1.02, 0.0, 2.0};
  e.rates(x, in, rate);
  CHECK(largest(rate) < 1e-12);
  CHECK(e.field_pu(x, in) == 2.0);
  in.voltage_pu -= 0.01;
  const auto step = [&](double, const std::vector<double>& y, std::vector<double>& r) { e.rates(y, in, r); };
  integrate(x, 0.2, 1e-3, step);
  CHECK(x[1] == Approx(2.0 + 100.0 * 0.01 * 0.1).epsilon(0.02));
  integrate(x, 120.0, 5e-3, step);
  CHECK(x[1] == Approx(3.0).epsilon(1e-3));
}

TEST_CASE("the stabiliser adds to the reference; limits hold the field") {
  auto e = model_of<Sexs>("1 10 50 0.05 -4 4.5");
  std::vector<double> x(2), rate(2);
  e.rest({1.0, 1.0, 0.5}, 1.0, x);
  e.rates(x, {1.03, 0.03, 1.0}, rate);
  CHECK(largest(rate) < 1e-10);
  std::vector<StateLimit> limits(2);
  e.limits(limits);
  CHECK((limits[1].low == -4.0 && limits[1].high == 4.5));
  CHECK(findings_of<Sexs>("1 10 50 0.05 5 -5").size() == 1);
}
