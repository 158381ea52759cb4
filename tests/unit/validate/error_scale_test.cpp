#include "validate/error_scale.hpp"

#include <cmath>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::validate;

namespace {

LedgerLine line(std::string row, std::string source, double error, double tolerance = 0.1) {
  LedgerLine l;
  l.row = std::move(row), l.source = std::move(source), l.error = error, l.kind = "blind", l.tolerance = tolerance;
  return l;
}

}  // namespace

TEST_CASE("features are what is declared before a row is measured", "[validate][band]") {
  CHECK(error_class("R1/h100-512", 0.1, false).name == "software of the fits");
  CHECK(error_class("E1/ibm-7b-h100", 0.1, false).name == "other software");
  CHECK(error_class("E1/llama-65b", 0.15, false).name == "other software, a rule or a short step");
  CHECK(error_class("E1/llama31-8b", 0.15, false).name == "other software, whole runs");
  CHECK(error_class("E1/mpt-7b-a100", 0.1, false).name == "other software");  // not the whole run E1/mpt-7b
  CHECK(error_class("E2/rest-h100-41", 0.1, false).area == "node power");
  const Features lead = error_class("R1/h100-512", 0.1, false).features;
  CHECK(lead == Features{1.0});
  CHECK(error_class("E2/rest-h100-41", 0.1, false).features != lead);
}

TEST_CASE("each source counts by the root of its rows, the row's own not at all", "[validate][band]") {
  const std::vector<LedgerLine> lines = {line("R1/a", "one", 0.1), line("R1/b", "two", 0.1), line("R1/c", "two", 0.1),
                                         line("R1/d", "two", 0.1), line("R1/e", "two", 0.1)};
  const auto all = sized_errors(lines, "");
  REQUIRE(all.size() == 5);
  CHECK(all[0].weight == 1.0);
  CHECK(all[1].weight == 0.5);
  CHECK(all[0].size == Approx(std::log(1.1)));
  CHECK(sized_errors(lines, "two").size() == 1);
  CHECK(sized_errors({line("E5/nodes-512", "one", -1.0)}, "")[0].size == Approx(std::log(10.0)));
}

TEST_CASE("without other features the scale is the weighted mean size", "[validate][band]") {
  const std::vector<SizedError> errors = {{{1.0}, 0.1, 1.0}, {{1.0}, 0.4, 0.5}};
  CHECK(scale_of(scale_coefficients(errors), {1.0}) == Approx((0.1 + 0.2) / 1.5));
  CHECK_THROWS_AS(scale_coefficients({}), InputError);
}

TEST_CASE("a feature of many rows takes their scale, of one row it is held back", "[validate][band]") {
  const Features usual = {1.0}, other = {1.0, 1.0};
  std::vector<SizedError> errors(100, {usual, 0.05, 1.0});
  errors.push_back({other, 0.5, 1.0});
  const double of_one = scale_of(scale_coefficients(errors), other);
  CHECK(of_one > 0.06);
  CHECK(of_one < 0.3);
  errors.insert(errors.end(), 200, {other, 0.5, 1.0});
  const auto beta = scale_coefficients(errors);
  CHECK(scale_of(beta, other) == Approx(0.5).epsilon(0.05));
  CHECK(scale_of(beta, usual) == Approx(0.05).epsilon(0.05));
  // The sum is at its least: no coefficient moves it down.
  const auto cost = [&](const Features& b) {
    double sum = 0.0;
    for (const auto& e : errors)
      sum += e.weight * (std::log(scale_of(b, e.features)) + e.size / scale_of(b, e.features));
    for (std::size_t k = 1; k < b.size(); ++k) sum += 0.5 * b[k] * b[k];
    return sum;
  };
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}})
    for (const double by : {-1e-3, 1e-3}) {
      Features moved = beta;
      moved[k] += by;
      CHECK(cost(moved) > cost(beta));
    }
}
