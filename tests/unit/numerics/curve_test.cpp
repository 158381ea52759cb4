#include "tidewatt/numerics/curve.hpp"

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using numerics::Curve;

TEST_CASE("a curve meets its points, is linear between them and holds its ends") {
  const std::vector<double> x{-1.0, 0.5, 4.0}, y{2.0, -1.0, 6.0};
  const Curve c(x, y);
  for (std::size_t i = 0; i < x.size(); ++i) CHECK(c(x[i]) == y[i]);
  CHECK(c(-0.25) == Approx(0.5).epsilon(1e-15));
  CHECK(c(2.25) == Approx(2.5).epsilon(1e-15));
  CHECK(c(-9.0) == 2.0);
  CHECK(c(9.0) == 6.0);
  CHECK(c.outside(-1.1));
  CHECK(!c.outside(4.0));
  CHECK(c.slope(-0.5) == Approx(-2.0));
  CHECK(c.slope(0.5) == Approx(2.0));
  CHECK(c.slope(5.0) == 0.0);
}

TEST_CASE("a curve's abscissas must increase") {
  const std::vector<double> y{0.0, 1.0, 2.0};
  CHECK_THROWS_AS(Curve(std::vector<double>{0.0, 1.0, 1.0}, y), InputError);
  CHECK_THROWS_WITH(Curve(std::vector<double>{0.0, 2.0, 1.5}, y), Catch::Contains("1.5 follows 2"));
  CHECK_THROWS_AS(Curve(std::vector<double>{0.0, 1.0}, y), InputError);
  CHECK_THROWS_AS(Curve(std::vector<double>{}, std::vector<double>{}), InputError);
  CHECK(Curve(std::vector<double>{3.0}, std::vector<double>{7.0})(-1.0) == 7.0);
}
