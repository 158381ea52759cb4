#include "cooling/heat_exchanger.hpp"

#include <cmath>

#include "hydronic_day.hpp"
#include "tidewatt/base/error.hpp"

using namespace hydronic_day;

TEST_CASE("exchangers: closed forms, limits, inverse") {
  CHECK(counterflow_effectiveness(2.0, 1.0) == Approx(2.0 / 3.0));
  CHECK(counterflow_effectiveness(2.0, 0.0) == Approx(1.0 - std::exp(-2.0)));
  CHECK(counterflow_effectiveness(0.0, 0.5) == 0.0);
  const double e = std::exp(-1.5 * 0.4);
  CHECK(counterflow_effectiveness(1.5, 0.6) == Approx((1.0 - e) / (1.0 - 0.6 * e)));
  CHECK(counterflow_heat_W(1e4, 2e3, 0.0, 300, 290) == 0.0);
  const double UA = counterflow_UA_W_per_K(2e4, 3e3, 5e3, 10.0);
  CHECK(counterflow_heat_W(UA, 3e3, 5e3, 310.0, 300.0) == Approx(2e4));
  CHECK(counterflow_heat_W(UA, 3e3, 5e3, 300.0, 310.0) == Approx(-2e4));
  CHECK_THROWS_AS(counterflow_UA_W_per_K(4e4, 3e3, 5e3, 10.0), InputError);
  CHECK(flow_scaled_UA(100.0, 1.0, 1.0) == Approx(100.0));
  CHECK(flow_scaled_UA(100.0, 0.5, 0.5) == Approx(100.0 * std::pow(0.5, 0.8)));
}
