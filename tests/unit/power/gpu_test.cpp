#include "tidewatt/power/gpu.hpp"

#include <cmath>
#include <tuple>

#include "catch.hpp"
#include "h100.hpp"

using namespace tidewatt;

TEST_CASE("the V/f grid reproduces its table and ascends") {
  const auto type = h100_node_type();
  const auto& gpu = type.gpu;
  CHECK(gpu.voltage(1.98e9).V == Approx(gpu.params().vf_voltage_V.back()).epsilon(1e-9));
  CHECK(gpu.voltage(1.5e9).V == Approx(gpu.params().voltage_ref_V).epsilon(1e-3));
  double last = 0.0;
  for (double f = 210e6; f <= 1.98e9; f += 5e6) {
    CHECK(gpu.voltage(f).V >= last);
    last = gpu.voltage(f).V;
    CHECK(gpu.grid().voltage_at(f).V == gpu.voltage(f).V);
    CHECK(gpu.grid().voltage_at(f).slope_V_per_Hz == gpu.voltage(f).slope_V_per_Hz);
  }
}

TEST_CASE("leakage grows exponentially with temperature and voltage, switching with V² f") {
  const auto type = h100_node_type();
  const auto& gpu = type.gpu;
  CHECK(gpu.leakage_temperature_factor(333.15) == Approx(1.0));
  CHECK(gpu.leakage_temperature_factor(343.15) / gpu.leakage_temperature_factor(333.15) ==
        Approx(std::exp(10.0 * gpu.params().leakage_per_K)));
  const double per_V = gpu.leakage_voltage_factor(0.9) / gpu.leakage_voltage_factor(0.8);
  CHECK(per_V == Approx(std::exp(0.1 * gpu.params().leakage_per_V)));
  CHECK(per_V > 1.2);
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
  const auto& p = gpu.params();
  const auto level = [&](double clock_Hz, double activity, double not_gated, double die_K) {
    const double V = gpu.voltage(clock_Hz).V;
    return p.board_W + activity * gpu.dynamic_W(V, clock_Hz) +
           not_gated * p.leakage_W * gpu.leakage_voltage_factor(V) * gpu.leakage_temperature_factor(die_K);
  };
  CHECK(level(345e6, 0.0, p.rest_leakage_ratio, 306.15) == Approx(71).epsilon(0.01));
  CHECK(level(1.98e9, 0.0087, 1.0, 311.15) == Approx(111.5).epsilon(0.01));  // clocks run, nothing works
  CHECK(level(1.98e9, p.wait_activity, 1.0, 315.15) == Approx(154).epsilon(0.01));
}

TEST_CASE("watts per kelvin at rest are those of a resting H100, and need the gated share") {
  // H100 PCIe in a conditioned room: 0.28-0.30 W/K idle at 36 degC, by 132/114. It is one chip, and leakage of chips scatters by a fifth.
  const auto type = h100_node_type();
  const auto& p = type.gpu.params();
  const auto slope_W_per_K = [&](double clock_Hz, double not_gated, double die_K) {
    return not_gated * p.leakage_per_K * p.leakage_W * type.gpu.leakage_voltage_factor(type.gpu.voltage(clock_Hz).V) *
           type.gpu.leakage_temperature_factor(die_K);
  };
  CHECK(slope_W_per_K(345e6, p.rest_leakage_ratio, 309.15) == Approx(0.33).margin(0.2 * 0.33));
  CHECK(slope_W_per_K(345e6, 1.0, 309.15) > 1.2 * 0.33);
  CHECK(slope_W_per_K(1.567e9, 1.0, 338.15) > 1.1);
  CHECK(slope_W_per_K(1.567e9, 1.0, 338.15) < 2.1);
}

TEST_CASE("GPUs of one node resemble each other as much as asked, and slots keep their own ratio") {
  const power::SiliconSpreadParams spread{0.2, 0.008, -0.5, 0.06, 2.0};
  const auto correlation = [&](double rho) {
    double sxy = 0, sxx = 0;
    for (std::uint64_t node = 0; node < 20000; ++node) {
      const double a = std::log(power::draw_resistance_ratio(spread, {rho, {}}, 1, node, 0, 8));
      const double b = std::log(power::draw_resistance_ratio(spread, {rho, {}}, 1, node, 5, 8));
      sxy += a * b, sxx += 0.5 * (a * a + b * b);
    }
    return sxy / sxx;
  };
  CHECK(correlation(0.0) == Approx(0.0).margin(0.03));
  CHECK(correlation(0.4) == Approx(0.4).margin(0.03));
  CHECK(power::draw_resistance_ratio(spread, {0.0, {}}, 1, 3, 2, 8) == power::draw_resistance_ratio(spread, 1, 26));
  const std::vector<double> slots = {0.9, 1.1};
  CHECK(power::draw_resistance_ratio(spread, {0.0, slots}, 1, 3, 1, 2) ==
        Approx(1.1 * power::draw_resistance_ratio(spread, 1, 7)));
}

TEST_CASE("every GPU of the catalog idles where it was measured and cannot run a dense product at its highest clock") {
  struct Known {
    const char* name;
    double idle_low_W, idle_high_W;
  };
  for (const Known& k :
       {Known{"a100_sxm_400W", 56, 66}, Known{"h100_sxm_700W", 65, 78}, Known{"h100_sxm_700W_liquid", 65, 78},
        Known{"h200_sxm_700W", 65, 80}, Known{"b200_sxm_1000W", 110, 200}, Known{"gb200_1200W", 110, 200},
        Known{"b300_sxm_1100W", 180, 186}, Known{"v100_pcie_250W", 20, 45}}) {
    const Node entry = catalog::Catalog().values("gpu", k.name);
    std::vector<Finding> findings;
    TableReader r(*entry.find("power"), "power", findings);
    power::GpuPowerParams p;
    p.fields(r);
    r.finish();
    REQUIRE(findings.empty());
    const power::GpuModel m(p);
    const auto watts = [&](double f, double activity, double die_K) {
      const double V = m.voltage(f).V, not_gated = activity > 0.0 ? 1.0 : m.params().rest_leakage_ratio;
      return p.board_W + not_gated * p.leakage_W * m.leakage_voltage_factor(V) * m.leakage_temperature_factor(die_K) +
             activity * m.dynamic_W(V, f);
    };
    INFO(k.name);
    CHECK(watts(m.idle_clock_Hz(), 0.0, 305.15) > k.idle_low_W);
    CHECK(watts(m.idle_clock_Hz(), 0.0, 305.15) < k.idle_high_W);
    CHECK(watts(m.clock_max_Hz(), 1.0, 333.15) > p.tdp_W);
  }
}

TEST_CASE("a resting B200 draws what idle ones were read to draw") {
  // nvidia-smi of 8 x B200 nodes without processes: 137-143 W at 30-33 degC, 139-144 W at 22-24 degC, 136-140 W at 25-27 degC.
  const Node entry = catalog::Catalog().values("gpu", "b200_sxm_1000W");
  std::vector<Finding> findings;
  TableReader r(*entry.find("power"), "power", findings);
  power::GpuPowerParams p;
  p.fields(r);
  REQUIRE(findings.empty());
  const power::GpuModel m(p);
  const double f = m.idle_clock_Hz(), V = m.voltage(f).V;
  const auto rest_W = [&](double die_degC) {
    return p.board_W + p.rest_leakage_ratio * p.leakage_W * m.leakage_voltage_factor(V) *
                           m.leakage_temperature_factor(die_degC + 273.15);
  };
  CHECK(rest_W(31) == Approx(140.3).margin(4.0));
  CHECK(rest_W(23) == Approx(141.6).margin(8.0));
  CHECK(rest_W(26) == Approx(138).margin(4.0));
  CHECK(p.rest_leakage_ratio < 1.0);
}

TEST_CASE("a reading of idle watts sets what leakage is left without a context") {
  // GB200: 174 W at 27 degC; GB300: 227-234 W on four GPUs of one tray at 34 degC.
  for (const auto& [name, idle_W, die_K] : {std::tuple{"gb200_1200W", 174.0, 300.15}, {"gb300_1400W", 230.0, 307.15}}) {
    INFO(name);
    const Node entry = catalog::Catalog().values("gpu", name);
    std::vector<Finding> findings;
    TableReader r(*entry.find("power"), "power", findings);
    power::GpuPowerParams p;
    p.fields(r);
    REQUIRE(findings.empty());
    const power::GpuModel m(p);
    const auto resting_W = [](const power::GpuModel& gpu, double at_K) {
      const auto& q = gpu.params();
      return q.board_W + q.rest_leakage_ratio * q.leakage_W *
                             gpu.leakage_voltage_factor(gpu.voltage(gpu.idle_clock_Hz()).V) *
                             gpu.leakage_temperature_factor(at_K);
    };
    CHECK(resting_W(m, die_K) == Approx(idle_W).epsilon(1e-12));
    CHECK(m.params().rest_leakage_ratio < 1.0);
    p.tdp_W *= 1.5;  // another limit, the same idle
    CHECK(resting_W(power::GpuModel(p), die_K) == Approx(idle_W).epsilon(1e-12));
    p.idle_W = 400.0;
    CHECK_THROWS_AS(power::GpuModel(p), InputError);
    p.idle_W = 0.0;  // not read: nothing is gated
    CHECK(power::GpuModel(p).params().rest_leakage_ratio == 1.0);
  }
}
