#include "study/fit_clocks.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "coverage.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {
const std::vector<std::string> loads = {"work", "context"};

/// Locked clocks while the die warms, caps under which the clock gives way, and a program that rests on a cooling die.
ClockTable measured(const ClockModel& m, const std::vector<double>& truth, std::uint64_t seed, bool locks_and_caps) {
  ClockTable t{"0", loads, {}};
  Noise watts(seed, 2.0, 1.5, 0.95), kelvins(seed + 1000, 0.3, 0.0, 0.5);
  double at_s = 0.0;
  const double none = std::numeric_limits<double>::quiet_NaN();
  const auto add = [&](std::size_t load, double clock_Hz, double die_K, double limit_W, bool locked) {
    ClockPoint p{at_s += 5.0, 0.0, clock_Hz, die_K, limit_W, load, locked};
    p.power_W = clock_point_W(m, truth, p, false) + watts.next();
    p.die_K = std::round(p.die_K + kelvins.next() - 0.15) + 0.15;
    t.points.push_back(p);
  };
  if (!locks_and_caps) {
    for (int i = 0; i < 60; ++i) add(0, 1.5e9, 330.0 + 0.02 * i, none, false);
    return t;
  }
  for (const double f : {900e6, 1200e6, 1410e6, 1605e6, 1800e6, 1980e6})
    for (int i = 0; i < 12; ++i) add(0, f, 308.0 + 3.0 * i, none, true);
  const double free_W = clock_point_W(m, truth, {0, 0, 1980e6, 335.0, none, 0, false}, false);
  for (const double share : {0.85, 0.7, 0.55})
    for (int i = 0; i < 9; ++i) {
      const double die_K = 320.0 + 2.0 * i;
      double low = 300e6, high = 1980e6;
      for (int k = 0; k < 50; ++k) {
        const double f = 0.5 * (low + high);
        (clock_point_W(m, truth, {0, 0, f, die_K, none, 0, false}, false) > share * free_W - 8.0 ? high : low) = f;
      }
      // The clock is read in steps of its grid, between which the limiter changes: within a step at random.
      add(0, low, die_K, share * free_W, false);
    }
  for (int i = 0; i < 24; ++i) add(1, 1980e6, 340.0 - 1.4 * i, none, false);
  return t;
}
}  // namespace

TEST_CASE("V/f, activity, leakage and its slopes come back from clocks and caps", "[study][fit_clocks][long]") {
  const auto m = clock_model("h100_sxm_700W", loads);
  Coverage coverage;
  for (std::uint64_t seed = 1; seed <= 160; ++seed) {
    const auto truth = drawn_truth(m.prior, seed, 1.5);
    coverage.add(fit_clocks(m, measured(m, truth, seed, true)).fit.values, truth);
  }
  INFO(coverage.text());
  CHECK(coverage.holds());
  for (const char* key : {"leakage_W", "activity_work", "vf_above_ratio", "activity_context"})
    CHECK(coverage.identified(key) >= 30);
  CHECK(coverage.identified("rest_leakage_ratio") == 0);  // no point without a program
}

TEST_CASE("one clock at one temperature tells the activity and little else", "[study][fit_clocks]") {
  const auto m = clock_model("h100_sxm_700W", loads);
  auto truth = drawn_truth(m.prior, 7);
  const auto fit = fit_clocks(m, measured(m, truth, 7, false)).fit;
  for (const auto& v : fit.values) {
    if (v.key == "activity_work") continue;
    INFO(v.key);
    CHECK_FALSE(v.identified);
    CHECK(v.low == v.prior_low);
    CHECK(v.high == v.prior_high);
  }
}

TEST_CASE("points of one clock under a limit tell nothing and are left out", "[study][fit_clocks]") {
  ClockTable t{"0", loads, {}};
  for (int i = 0; i < 30; ++i) t.points.push_back({1.0 * i, 292.0, 1.4e9, 330.0 + 0.1 * i, 300.0, 0, false});
  for (int i = 0; i < 30; ++i)
    t.points.push_back({1.0 * i, 192.0, 1.1e9 + 15e6 * (i % 5), 330.0 + 0.1 * i, 200.0, 0, false});
  t.points.push_back({50.0, 250.0, 1.4e9, 330.0, 300.0, 0, false});
  CHECK(without_coarse_points(t).points.size() == 31);
}

TEST_CASE("the margin under the cap is that of points that the limiter holds", "[study][fit_clocks]") {
  const auto m = clock_model("h100_sxm_700W", loads);
  auto truth = drawn_truth(m.prior, 3);
  const auto table = measured(m, truth, 3, true);
  const auto margin = fit_cap_margin(table, 1.98e9).fit;
  REQUIRE(margin.values.size() == 1);
  CHECK(margin.values[0].identified);
  CHECK(margin.values[0].low < 8.0);
  CHECK(margin.values[0].high > 8.0);
  CHECK(fit_cap_margin(measured(m, truth, 3, false), 1.98e9).fit.values.empty());
}

TEST_CASE("a stretched V/f table keeps its reference voltage", "[study][fit_clocks]") {
  const auto m = clock_model("h100_sxm_700W", loads);
  const auto V = stretched_V(m.gpu.params(), 0.5, 2.0);
  const double ref_V = m.gpu.params().voltage_ref_V;
  CHECK(V.front() == Approx(ref_V - 0.5 * (ref_V - m.gpu.params().vf_voltage_V.front())));
  CHECK(V.back() == Approx(ref_V + 2.0 * (m.gpu.params().vf_voltage_V.back() - ref_V)));
}
