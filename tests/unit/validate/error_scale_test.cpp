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
  CHECK(error_class("E2/joule-olmo2-7b", 0.15, false).name == "whole runs");
  CHECK(error_class("E6/triad-h100", 0.15, false).area == "single kernels");
  CHECK(error_class("E2/rest-h100-41", 0.1, false).area == "node power");
  CHECK(error_class("E6/gemm-h100-4096", 0.15, false).name == "products");
  CHECK(error_class("E6/reduce-h100-8G", 0.15, false).name == "collectives");
  CHECK(error_class("E6/triad-h100", 0.15, false).name == "memory");
  CHECK(error_class("E2/rest-h100-41", 0.1, false).name == "at rest");
  CHECK(error_class("E3/watts-8b-8", 0.1, false).name == "at work");
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
  CHECK(all[0].error == Approx(std::log(1.1)));
  CHECK(sized_errors(lines, "two").size() == 1);
  CHECK(sized_errors({line("E5/nodes-512", "one", -1.0)}, "")[0].error == Approx(-std::log(10.0)));
}

TEST_CASE("bands rest on a revised error, the first one stays in the ledger", "[validate][band]") {
  std::vector<LedgerLine> lines = {line("E6/gemm-a", "one", -0.2), line("E6/gemm-a", "one", -0.05)};
  lines[0].unit = lines[1].unit = "TF";
  REQUIRE(sized_errors(lines, "").size() == 1);
  CHECK(sized_errors(lines, "")[0].error == Approx(-std::log(0.8)));  // a second line alone changes nothing
  lines[1].revised = true;
  CHECK(sized_errors(lines, "")[0].error == Approx(-std::log(0.95)));
}

TEST_CASE("products have a centre and a spread beside those of collectives", "[validate][band]") {
  const Features products = error_class("E6/gemm-a", 0.15, false).features,
                 collectives = error_class("E6/reduce-a", 0.15, false).features;
  std::vector<SizedError> errors;
  for (int i = 0; i < 60; ++i) errors.push_back({products, 0.1 + 0.01 * (i % 5 - 2), 1.0});
  for (int i = 0; i < 60; ++i) errors.push_back({collectives, i % 2 == 0 ? 0.3 : -0.3, 1.0});
  const ErrorModel model = error_model(errors);
  CHECK(centre_of(model, products) > 0.05);
  CHECK(spread_of(model, products) < 0.2 * spread_of(model, collectives));
}

TEST_CASE("a rate that is too low and a time that is too long err alike", "[validate][band]") {
  std::vector<LedgerLine> lines = {line("R1/a", "one", 0.25), line("R1/b", "two", -0.2)};
  lines[0].unit = "s", lines[1].unit = "tokens/s";
  const auto errors = sized_errors(lines, "");
  CHECK(errors[0].error == Approx(std::log(1.25)));
  CHECK(errors[1].error == Approx(errors[0].error));
}

TEST_CASE("errors that are all alike have a centre, and a narrower spread than without one", "[validate][band]") {
  std::vector<SizedError> errors, both;
  for (int i = 0; i < 60; ++i) {
    const double scatter = 0.01 * (i % 5 - 2);
    errors.push_back({{1.0}, 0.1 + scatter, 1.0});
    both.push_back({{1.0}, (i % 2 == 0 ? 0.1 : -0.1) + scatter, 1.0});
  }
  const ErrorModel model = error_model(errors);
  CHECK(centre_of(model, {1.0}) == Approx(0.1).epsilon(0.05));
  CHECK(spread_of(model, {1.0}) < 0.03);
  CHECK(std::abs(centre_of(error_model(both), {1.0})) < 0.01);
  CHECK(spread_of(error_model(both), {1.0}) > 0.06);
  both.push_back({{1.0, 1.0}, 0.3, 1.0});
  CHECK(centre_of(error_model(both), {1.0, 1.0}) < 0.1);  // one row is held back
}

TEST_CASE("a few errors that are far off widen the spread little", "[validate][band]") {
  std::vector<SizedError> errors;
  for (int i = 0; i < 100; ++i) errors.push_back({{1.0}, i % 2 == 0 ? 0.05 : -0.05, 1.0});
  const double without = spread_of(error_model(errors), {1.0});
  for (int i = 0; i < 5; ++i) errors.push_back({{1.0}, i % 2 == 0 ? 1.5 : -1.5, 1.0});
  CHECK(spread_of(error_model(errors), {1.0}) < 1.4 * without);  // their mean size grows by 1.4
}

TEST_CASE("watts do not share the centre of times", "[validate][band]") {
  const Features time = error_class("R1/h100-512", 0.1, false).features,
                 watts = error_class("E2/rest-h100-41", 0.1, false).features;
  std::vector<SizedError> errors;
  for (int i = 0; i < 60; ++i) errors.push_back({time, 0.1 + 0.01 * (i % 5 - 2), 1.0});
  for (int i = 0; i < 60; ++i) errors.push_back({watts, 0.01 * (i % 5 - 2), 1.0});
  const ErrorModel model = error_model(errors);
  CHECK(centre_of(model, time) > 0.08);
  CHECK(std::abs(centre_of(model, watts)) < 0.01);
}

TEST_CASE("a feature of many rows takes their spread, of one row it is held back", "[validate][band]") {
  const Features usual = {1.0}, other = {1.0, 1.0};
  std::vector<SizedError> errors;
  for (int i = 0; i < 100; ++i) errors.push_back({usual, i % 2 == 0 ? 0.05 : -0.05, 1.0});
  errors.push_back({other, 0.5, 1.0});
  const double of_one = spread_of(error_model(errors), other);
  CHECK(of_one > 1.1 * spread_of(error_model(errors), usual));
  CHECK(of_one < 0.3);
  for (int i = 0; i < 200; ++i) errors.push_back({other, i % 2 == 0 ? 0.5 : -0.5, 1.0});
  const ErrorModel model = error_model(errors);
  CHECK(spread_of(model, other) / spread_of(model, usual) == Approx(10.0).epsilon(0.1));
  CHECK_THROWS_AS(error_model({}), InputError);
  // The sum is at its least: no coefficient moves it down.
  const double least = error_cost(errors, model);
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}})
    for (const double by : {-1e-3, 1e-3}) {
      ErrorModel moved = model;
      moved.spread[k] += by;
      CHECK(error_cost(errors, moved) > least);
      moved = model, moved.centre[k] += by;
      CHECK(error_cost(errors, moved) > least);
    }
}
