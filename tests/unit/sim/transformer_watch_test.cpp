#include "sim/transformer_watch.hpp"

#include <cmath>

#include "catch.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

namespace {

SiteDevices devices() {
  SiteDevices d;
  d.hall_transformer = power::TransformerParams{55.0, 23.0, 5.0, 0.8, 1.6, 10800.0, 240.0, 1.0, 1.0, 2.0, true, 383.15};
  return d;
}

power::FeederParams feeder() {
  power::FeederParams f;
  for (auto& l : f.level) l = {4, 2.5e6, 2500.0, 13000.0, 0.0, 0.0};
  return f;
}

/// Steps of 600 s at a loading that swings between two values within the step.
double hottest_K(double a, double b, int n) {
  TransformerWatch watch(devices(), feeder());
  power::FeederMeters m;
  for (int i = 1; i <= n; ++i) {
    m.loss_J[2].add(600.0 * 4.0 * (2500.0 + 13000.0 * 0.5 * (a * a + b * b)));
    watch.step(Tick{i} * 600 * ns_per_s, m, 293.15);
  }
  return watch.figures().front().hot_spot_max_K;
}

}  // namespace

TEST_CASE("at rating the hot spot stands 78 K over ambient; swings count by their root mean square") {
  CHECK(hottest_K(1.0, 1.0, 10) == Approx(293.15 + 78.0).epsilon(1e-9));
  CHECK(hottest_K(0.0, 1.0, 10) == Approx(hottest_K(std::sqrt(0.5), std::sqrt(0.5), 10)).epsilon(1e-12));
  CHECK(hottest_K(0.0, 1.0, 10) > hottest_K(0.5, 0.5, 10) + 5.0);
}

TEST_CASE("only what is named is watched, and life is lost by time at the reference") {
  CHECK(!TransformerWatch({}, feeder()).any());
  TransformerWatch watch(devices(), feeder());
  REQUIRE(watch.figures().size() == 1);
  CHECK(watch.figures().front().level == "hall");
  power::FeederMeters m;
  m.loss_J[2].add(3600.0 * 4.0 * (2500.0 + 13000.0));
  watch.step(3600 * ns_per_s, m, 305.15);  // 383.15 K; the standard's reference of upgraded paper is 383 K
  CHECK(watch.figures().front().life_lost_s ==
        Approx(3600.0 * std::exp(15000.0 / 383.0 - 15000.0 / 383.15)).epsilon(1e-9));
}
