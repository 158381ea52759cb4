#include "tidewatt/base/math.hpp"

#include <cmath>

#include "catch.hpp"
#include "tidewatt/base/sum.hpp"

using namespace tidewatt;

TEST_CASE("exp and log agree with long double to 1e-14") {
  double worst_exp = 0.0, worst_log = 0.0;
  for (int i = -200000; i <= 200000; ++i) {
    const double x = i * 0.0007;
    const long double reference = std::exp(static_cast<long double>(x));
    worst_exp = std::max(worst_exp, static_cast<double>(std::abs(math::exp(x) / reference - 1)));
    const double y = std::exp(x * 0.5) * 1.0000001;
    const long double ln = std::log(static_cast<long double>(y));
    worst_log = std::max(worst_log, static_cast<double>(std::abs(math::log(y) - ln) / std::max(1.0L, std::abs(ln))));
  }
  CHECK(worst_exp < 1e-14);
  CHECK(worst_log < 1e-14);
}

TEST_CASE("mean decay joins its series and its closed form") {
  for (double x : {1e-12, 1e-4, 0.0499999, 0.0500001, 1.0, 30.0}) {
    const long double reference = -std::expm1(-static_cast<long double>(x)) / static_cast<long double>(x);
    CHECK(std::abs(static_cast<double>(math::mean_decay(x) / reference - 1)) < 1e-14);
  }
}

TEST_CASE("a compensated sum keeps what a plain one loses") {
  CompensatedSum s;
  double plain = 0.0;
  for (int i = 0; i < 10'000'000; ++i) {
    s.add(0.1);
    plain += 0.1;
  }
  CHECK(std::abs(s.value() / 1e6 - 1.0) < 1e-15);
  CHECK(std::abs(plain / 1e6 - 1.0) > 1e-11);
}
