#include "tidewatt/thermal/package.hpp"

#include <cmath>

#include "catch.hpp"
#include "tidewatt/base/math.hpp"

using namespace tidewatt;

namespace {
thermal::PackageParams package() { return {1.5, 50, 900, 0.012, 0.018, 0.022, 0.8}; }
}  // namespace

TEST_CASE("steady state is the sum of the resistances") {
  for (double fan : {0.3, 0.7, 1.0}) {
    const auto m = thermal::package_modes(package(), fan);
    CHECK(m.steady_K_per_W == Approx(0.012 + 0.018 + 0.022 * std::pow(fan, -0.8)).epsilon(1e-13));
  }
}

TEST_CASE("thin air cools a sink as slower fans do, and air of the reference density as it was rated") {
  const auto p = package();
  CHECK(thermal::sink_flow_ratio(p, 0.8, thermal::reference_air_J_per_m3_K) == Approx(0.8).epsilon(1e-14));
  // 1,600 m above the sea the density is 17 % lower: sink to air + 16 %, so 100 W more kelvin by 0.022 K/W each.
  const double thin = 0.83 * thermal::reference_air_J_per_m3_K;
  const auto high = thermal::package_modes(p, thermal::sink_flow_ratio(p, 1.0, thin)),
             sea = thermal::package_modes(p, 1.0);
  CHECK(700.0 * (high.steady_K_per_W - sea.steady_K_per_W) ==
        Approx(700.0 * 0.022 * (std::pow(0.83, -0.8) - 1.0)).epsilon(1e-9));
  CHECK(700.0 * (high.steady_K_per_W - sea.steady_K_per_W) > 2.0);
  auto plate = p;
  plate.convection_exponent_ratio = 0.0;  // a cold plate does not meet the air
  CHECK(thermal::package_modes(plate, thermal::sink_flow_ratio(plate, 1.0, thin)).steady_K_per_W ==
        Approx(thermal::package_modes(plate, 1.0).steady_K_per_W).epsilon(1e-13));
}

TEST_CASE("modes obey the chain's own equations") {
  const auto p = package();
  const auto m = thermal::package_modes(p, 0.7);
  const double g[3] = {1 / p.die_base_K_per_W, 1 / p.base_sink_K_per_W, m.sink_air_W_per_K};
  const double C[3] = {p.die_J_per_K, p.base_J_per_K, p.sink_J_per_K};
  for (std::size_t k = 0; k < thermal::n_mode; ++k) {
    const double T[3] = {m.shape[0][k], m.shape[1][k], m.shape[2][k]};
    const double flow[3] = {g[0] * (T[1] - T[0]), g[0] * (T[0] - T[1]) + g[1] * (T[2] - T[1]),
                            g[1] * (T[1] - T[2]) - g[2] * T[2]};
    for (int i = 0; i < 3; ++i) CHECK(flow[i] / C[i] == Approx(-m.rate_per_s[k] * T[i]).margin(1e-12));
  }
  // shape and inverse undo each other
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      double s = 0;
      for (std::size_t k = 0; k < 3; ++k) s += m.shape[i][k] * m.inverse[k][j];
      CHECK(s == Approx(i == j ? 1.0 : 0.0).margin(1e-13));
    }
}

TEST_CASE("the two poles a sensor can see lie where measurements put them") {
  const auto m = thermal::package_modes(package(), 0.75);
  const double slow_s = 1 / m.rate_per_s[0], fast_s = 1 / m.rate_per_s[1];
  CHECK(slow_s > 17);
  CHECK(slow_s < 66);
  CHECK(fast_s > 0.5);
  CHECK(fast_s < 2.4);
  CHECK(1 / m.rate_per_s[2] < 0.05);
}

TEST_CASE("a stronger fan cools better and faster") {
  CHECK(thermal::package_modes(package(), 1.0).steady_K_per_W < thermal::package_modes(package(), 0.5).steady_K_per_W);
}
