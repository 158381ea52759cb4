#include "tidewatt/thermal/store_network.hpp"

#include "catch.hpp"
#include "chain_network.hpp"
#include "tidewatt/thermal/hbm_package.hpp"
#include "tidewatt/thermal/package.hpp"

using namespace tidewatt;
using namespace tidewatt::thermal;

namespace {
const PackageParams package{1.5, 50, 900, 0.012, 0.018, 0.022, 0.8};

StoreNetwork<4> ring() {  // a loop, two stores on the coolant: nothing a chain could stand for
  StoreNetwork<4> w;
  w.store_J_per_K = {1.0, 40.0, 700.0, 12.0};
  const auto join = [&](std::size_t i, std::size_t j, double g) { w.joint_W_per_K[i][j] = w.joint_W_per_K[j][i] = g; };
  join(0, 1, 80.0), join(1, 2, 55.0), join(3, 1, 9.0), join(0, 3, 1.5);
  w.coolant_W_per_K = {0.0, 0.0, 30.0, 0.4};
  return w;
}
}  // namespace

TEST_CASE("three stores in a row give the chain's own modes", "[thermal][store_network]") {
  for (double fan : {0.3, 1.0}) {
    const auto chain = package_modes(package, fan);
    const auto m = store_modes(chain_network(package, sink_air_K_per_W(package, fan)));
    for (std::size_t k = 0; k < 3; ++k) {
      CHECK(m.rate_per_s[k] == Approx(chain.rate_per_s[k]).epsilon(1e-12));
      for (std::size_t i = 0; i < 3; ++i)
        CHECK(m.shape[i][k] * m.gain_K_per_J[k][0] == Approx(chain.shape[i][k] * chain.gain_K_per_J[k]).epsilon(1e-9));
    }
    CHECK(steady_K_per_W(m, 0, 0) == Approx(chain.steady_K_per_W).epsilon(1e-12));
  }
}

TEST_CASE("a step solves the network's own equations", "[thermal][store_network]") {
  const auto w = ring();
  const auto m = store_modes(w);
  std::array<double, 4> exact = {340, 330, 320, 335}, small = exact;
  const std::array<double, 4> heat = {500, 0, 0, 60};
  advance(m, exact, heat, 300.0, 3.0, 1.0);
  for (int n = 0; n < 300000; ++n) {  // explicit midpoint of the differential equations as written
    const auto slope = [&](const std::array<double, 4>& T) {
      std::array<double, 4> d{};
      for (std::size_t i = 0; i < 4; ++i) {
        d[i] = heat[i] + w.coolant_W_per_K[i] * (300.0 - T[i]);
        for (std::size_t j = 0; j < 4; ++j) d[i] += w.joint_W_per_K[i][j] * (T[j] - T[i]);
        d[i] /= w.store_J_per_K[i];
      }
      return d;
    };
    const auto k1 = slope(small);
    auto half = small;
    for (std::size_t i = 0; i < 4; ++i) half[i] += 0.5e-5 * k1[i];
    const auto k2 = slope(half);
    for (std::size_t i = 0; i < 4; ++i) small[i] += 1e-5 * k2[i];
  }
  for (std::size_t i = 0; i < 4; ++i) CHECK(exact[i] == Approx(small[i]).margin(1e-5));
}

TEST_CASE("two half steps are one step, and energy closes", "[thermal][store_network]") {
  const auto w = ring();
  const auto m = store_modes(w);
  for (double r : {0.8, 1.0, 1.3})
    for (double step_s : {1e-6, 0.01, 1.0, 100.0}) {
      std::array<double, 4> once = {340, 331, 322, 338}, twice = once;
      const auto start = once;
      const std::array<double, 4> heat = {500, 0, 0, 60};
      const auto moved = advance(m, once, heat, 300.0, step_s, r);
      advance(m, twice, heat, 300.0, 0.5 * step_s, r);
      advance(m, twice, heat, 300.0, 0.5 * step_s, r);
      double stored = 0.0;
      for (std::size_t i = 0; i < 4; ++i) {
        CHECK(twice[i] == Approx(once[i]).epsilon(1e-13));
        stored += w.store_J_per_K[i] / r * (once[i] - start[i]);
      }
      CHECK(560.0 * step_s - moved.coolant_J - stored == Approx(0.0).margin(2e-9 + 1e-12 * 560.0 * step_s));
    }
}

TEST_CASE("a heat source is felt elsewhere as strongly as one there is felt here", "[thermal][store_network]") {
  const auto m = store_modes(ring());
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      CHECK(steady_K_per_W(m, i, j) == Approx(steady_K_per_W(m, j, i)).epsilon(1e-11));
}
