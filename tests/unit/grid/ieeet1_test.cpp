#include "grid/ieeet1.hpp"

#include "network_case.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

namespace {
const std::string values = "0.02 20 0.2 9 -9 1 0.314 0.063 0.35 0 1 0.0185 2 0.0874";
}  // namespace

TEST_CASE("at rest the regulator feeds the field and its saturation, and nothing moves") {
  for (const std::string& record : {values, "0" + values.substr(4)}) {
    auto e = model_of<Ieeet1>(record);
    std::vector<double> x(4), rate(4);
    e.rest({2.0, 2.0, 0.8}, 1.02, x);
    CHECK(e.field_pu(x, {}) == 2.0);
    CHECK(x[1] == Approx(2.0 * (1.0 + 0.0874)).epsilon(1e-12));  // K_E + S(E_2)
    e.rates(x, {1.02, 0.0, 2.0}, rate);
    CHECK(largest(rate) < 1e-12);
  }
}

TEST_CASE("a lasting error moves the regulator by K_A times itself; its limits are those of the record") {
  auto e = model_of<Ieeet1>(values);
  std::vector<double> x(4);
  e.rest({1.0, 1.0, 0.5}, 1.0, x);
  const double before = x[1];
  integrate(x, 40.0, 2e-3,
            [&](double, const std::vector<double>& y, std::vector<double>& r) { e.rates(y, {0.99, 0.0, 1.0}, r); });
  CHECK(x[1] - before == Approx(20.0 * 0.01).epsilon(1e-6));
  std::vector<StateLimit> limits(4);
  e.limits(limits);
  CHECK(limits[1].high == 9.0);
  CHECK(limits[1].low == -9.0);
  CHECK(findings_of<Ieeet1>("0 20 0.2 -9 9 1 0.314 0.063 0.35 1 1 0.0185 2 0.0874").size() == 2);
}
