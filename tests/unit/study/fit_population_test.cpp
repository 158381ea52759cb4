#include "study/fit_population.hpp"

#include <cmath>

#include "base/random.hpp"
#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {
const std::vector<PriorParameter> prior = {{"R", 0.01, 0.04, true}, {"tau", 0.5, 3.0, true}};
const PriorParameter spread{"chip_sigma_ratio", 0.03, 0.2, true};

/// Chips that scatter by `s` around z = 0.5 in the first parameter; nothing is known of the second.
std::vector<ChipPosterior> chips(int n, double s, double sigma_z, std::uint64_t seed) {
  const double per_z = std::log(4.0) / (2.0 * normal_95);
  std::vector<ChipPosterior> out;
  for (int i = 0; i < n; ++i) {
    const auto draw = [&](std::uint64_t what) {
      return random::normal(seed, random::Purpose::jitter, what, static_cast<std::uint64_t>(i));
    };
    const double seen = 0.5 + s / per_z * draw(1) + sigma_z * draw(2), shrink = 1.0 / (1.0 + sigma_z * sigma_z);
    out.push_back({{seen * shrink, 0.0}, {sigma_z * sigma_z * shrink, 0.0, 0.0, 1.0}});
  }
  return out;
}
}  // namespace

TEST_CASE("a type's value is the chips' mean, and its interval shrinks with their number", "[study][fit_population]") {
  const auto few = fit_population(chips(3, 0.06, 0.05, 1), prior, {true, true}, spread);
  const auto many = fit_population(chips(60, 0.06, 0.05, 1), prior, {true, true}, spread);
  CHECK(many.z[0] == Approx(0.5).margin(0.08));
  const auto width = [](const FitValue& v) { return std::log(v.high / v.low); };
  CHECK(width(many.values[0]) < 0.45 * width(few.values[0]));
  // What no log tells keeps its prior, however many logs.
  CHECK_FALSE(many.values[1].identified);
  CHECK(many.values[1].low == 0.5);
}

TEST_CASE("the spread between chips comes back from many of them and keeps its prior with one",
          "[study][fit_population]") {
  const auto wide = fit_population(chips(60, 0.12, 0.05, 2), prior, {true, true}, spread).spread;
  const auto narrow = fit_population(chips(60, 0.04, 0.05, 2), prior, {true, true}, spread).spread;
  CHECK(wide.value == Approx(0.12).epsilon(0.2));
  CHECK(narrow.value == Approx(0.04).epsilon(0.35));
  CHECK(wide.identified);
  CHECK_FALSE(fit_population(chips(1, 0.06, 0.05, 3), prior, {true, true}, spread).spread.identified);
  CHECK_THROWS_AS(fit_population({}, prior, {true, true}, spread), InputError);
}

TEST_CASE("without scatter, chips add up like one long log", "[study][fit_population]") {
  const auto all = chips(4, 0.0, 0.3, 5);
  const auto p = fit_population(all, prior, {false, false}, spread);
  double precision = 1.0, weighted = 0.0;
  for (const auto& c : all) precision += 1.0 / c.covariance[0] - 1.0, weighted += c.z[0] / c.covariance[0];
  CHECK(p.z[0] == Approx(weighted / precision));
  CHECK(p.covariance[0] == Approx(1.0 / precision));
}
