#include "validate/row.hpp"

#include <limits>

#include "catch.hpp"

using namespace tidewatt::validate;

TEST_CASE("a value passes within its relative tolerance and not beyond") {
  CHECK(against("W", "", "s", 10.0, 10.79, 0.08, "").verdict == Verdict::pass);
  CHECK(against("W", "", "s", 10.0, 10.81, 0.08, "").verdict == Verdict::fail);
  CHECK(against("W", "", "s", -10.0, -11.0, 0.2, "").error == Approx(-0.1));
  CHECK(against("W", "", "s", 10.0, std::numeric_limits<double>::quiet_NaN(), 1e9, "").verdict == Verdict::fail);
}

TEST_CASE("an interval counts the distance to its nearer end") {
  CHECK(within("D", "", "%", 0.7, 2.5, 1.0, 0.0, "").error == 0.0);
  CHECK(within("D", "", "%", 0.7, 2.5, 0.69, 0.0, "").verdict == Verdict::fail);
  CHECK(within("D", "", "%", 1.0, 2.0, 2.2, 0.1, "").error == Approx(0.1));
}

TEST_CASE("an absolute tolerance is in the row's unit") {
  CHECK(within_absolute("T", "", "K", 63.0, 67.9, 5.0, "").verdict == Verdict::pass);
  CHECK(within_absolute("T", "", "K", 63.0, 57.9, 5.0, "").verdict == Verdict::fail);
}

TEST_CASE("a fitted row is shown but is no prediction") {
  CHECK(calibrated(against("W9", "", "TF", 430, 431, 0.0, ""), "fitted here").verdict == Verdict::calibrated);
  CHECK(skipped("P5", "", "", "no file").verdict == Verdict::skipped);
}
