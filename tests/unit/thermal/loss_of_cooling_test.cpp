#include "tidewatt/thermal/loss_of_cooling.hpp"

#include <cmath>

#include "catch.hpp"
#include "tidewatt/thermal/hbm_package.hpp"

using namespace tidewatt;
using namespace tidewatt::thermal;

namespace {
const HeatProtection limits{360.15, 362.15, 365.15};
}

TEST_CASE("without any way out the stores fill like a bucket", "[thermal][loss_of_cooling]") {
  StoreNetwork<3> w;
  w.store_J_per_K = {1.5, 50, 900};
  w.joint_W_per_K[0][1] = w.joint_W_per_K[1][0] = 1e5;  // nearly one lump
  w.joint_W_per_K[1][2] = w.joint_W_per_K[2][1] = 1e5;
  w.coolant_W_per_K[2] = 1e-7;
  const auto out = loss_of_cooling<3>(
      w, {330.15, 330.15, 330.15}, 300, limits, [](double, bool) { return 650.0; }, 0.01, 600);
  CHECK(out.throttle_s == Approx(951.5 * 30 / 650).epsilon(1e-3));
  CHECK(out.shutdown_s == Approx(951.5 * 35 / 650).epsilon(1e-3));
  CHECK(out.energy_in_J == Approx(650 * std::ceil(out.shutdown_s * 100) / 100).epsilon(1e-9));
  // A limit is passed within a step: long steps say the same instant.
  const auto coarse = loss_of_cooling<3>(
      w, {330.15, 330.15, 330.15}, 300, limits, [](double, bool) { return 650.0; }, 5.0, 600);
  CHECK(coarse.throttle_s == Approx(951.5 * 30 / 650).epsilon(1e-3));
  CHECK(coarse.shutdown_s == Approx(951.5 * 35 / 650).epsilon(1e-3));
}

TEST_CASE("slowing down buys time, a light plate has less of it than a heavy sink", "[thermal][loss_of_cooling]") {
  const PackageParams sink{1.5, 50, 900, 0.012, 0.018, 0.022, 0.8}, plate{1.5, 50, 120, 0.012, 0.006, 0.012, 0.0};
  const auto run = [&](const PackageParams& p, double slowed_W) {
    const auto w = chain_network(p, 10.0);
    return loss_of_cooling<3>(
        w, {335.15, 325.15, 320.15}, 300, limits, [=](double, bool slowed) { return slowed ? slowed_W : 650.0; }, 0.01,
        3600);
  };
  const auto heavy = run(sink, 650), light = run(plate, 650), held = run(plate, 200);
  CHECK(light.throttle_s < 0.3 * heavy.throttle_s);
  CHECK(held.throttle_s == light.throttle_s);
  CHECK(held.shutdown_s > light.shutdown_s);
  CHECK(light.throttle_s < light.slowdown_s);
  CHECK(light.slowdown_s < light.shutdown_s);
}

TEST_CASE("a package that still cools enough never shuts down", "[thermal][loss_of_cooling]") {
  const PackageParams p{1.5, 50, 900, 0.012, 0.018, 0.022, 0.8};
  const auto out = loss_of_cooling<3>(
      chain_network(p, 0.05), {320, 320, 320}, 295.15, limits, [](double, bool) { return 650.0; }, 0.05, 3600);
  CHECK(std::isinf(out.shutdown_s));
  CHECK(out.end_die_K == Approx(295.15 + 650 * 0.08).epsilon(1e-9));
}
