#include "tidewatt/power/gpu.hpp"

#include <cmath>

#include "catch.hpp"
#include "h100.hpp"

using namespace tidewatt;

TEST_CASE("the V/f grid reproduces its table and ascends") {
  const auto type = h100_node_type();
  const auto& gpu = type.gpu;
  CHECK(gpu.voltage(1.98e9).V == Approx(1.0).epsilon(1e-9));
  CHECK(gpu.voltage(1.5e9).V == Approx(0.8172).epsilon(1e-3));
  double last = 0.0;
  for (double f = 210e6; f <= 1.98e9; f += 5e6) {
    CHECK(gpu.voltage(f).V >= last);
    last = gpu.voltage(f).V;
  }
}

TEST_CASE("leakage grows exponentially with temperature and voltage, switching with V² f") {
  const auto type = h100_node_type();
  const auto& gpu = type.gpu;
  CHECK(gpu.leakage_temperature_factor(333.15) == Approx(1.0));
  CHECK(gpu.leakage_temperature_factor(343.15) / gpu.leakage_temperature_factor(333.15) == Approx(std::exp(0.115)));
  CHECK(gpu.dynamic_W(0.8, 1.0e9) * 2 == Approx(gpu.dynamic_W(0.8, 2.0e9)));
  CHECK(gpu.dynamic_W(0.4, 1.0e9) * 4 == Approx(gpu.dynamic_W(0.8, 1.0e9)));
}

TEST_CASE("chips are drawn inside the screening limits, fast ones leaky") {
  const power::SiliconSpreadParams spread{0.2, 0.008, -0.5, 0.06, 2.0};
  double product = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const auto chip = power::draw_chip(spread, 7, i);
    REQUIRE(std::abs(std::log(chip.leakage_ratio)) <= 0.4 + 1e-12);
    product += std::log(chip.leakage_ratio) / 0.2 * chip.voltage_offset_V / 0.008;
  }
  CHECK(product / 20000 == Approx(-0.5 * 0.774).margin(0.03));  // truncated normals have less variance
}

TEST_CASE("measured idle levels: no context, context, waiting") {
  // 8xH100 nodes: 70-72 W, 103-120 W, 150-158 W.
  const auto type = h100_node_type();
  const auto& gpu = type.gpu;
  const auto level = [&](double clock_Hz, double activity, double die_K) {
    const double V = gpu.voltage(clock_Hz).V;
    return gpu.params().board_W + activity * gpu.dynamic_W(V, clock_Hz) +
           gpu.params().leakage_W * gpu.leakage_voltage_factor(V) * gpu.leakage_temperature_factor(die_K);
  };
  CHECK(level(345e6, 0.0, 305) == Approx(71).epsilon(0.05));
  CHECK(level(1.98e9, 0.0, 304) == Approx(110).epsilon(0.10));
  CHECK(level(1.98e9, gpu.params().wait_activity, 318) == Approx(155).epsilon(0.10));
}
