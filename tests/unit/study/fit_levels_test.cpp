#include "study/fit_levels.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "coverage.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

TEST_CASE("host, fans and conversion of a server come back from its input power", "[study][fit_levels]") {
  const EntryBase base("server", "dgx_h100");
  const auto own = base.read<power::ServerPowerParams>("power");
  Coverage coverage, without_fans;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    std::vector<ServerReading> readings(1);
    const auto prior = std::vector<PriorParameter>{base.prior("power.host_W", 1.5),
                                                   base.prior("power.host_idle_W", 1.5),
                                                   base.prior("power.gpu_conversion_ratio", 1.03),
                                                   base.prior("power.fans_W", 1.5),
                                                   {"psu_loss_ratio", 0.7, 1.4, true}};
    const auto truth = drawn_truth(prior, seed);
    auto s = own;
    s.host_W = truth[0], s.host_idle_W = truth[1], s.gpu_conversion_ratio = truth[2], s.fans_W = truth[3];
    s.psu_fixed_ratio *= truth[4], s.psu_linear_ratio *= truth[4], s.psu_square_ratio *= truth[4];
    Noise noise(seed, 15.0, 10.0, 0.9);
    readings.clear();
    for (int i = 0; i < 300; ++i) {
      const bool busy = i % 5 != 0;
      const double gpu_W = busy ? 1500.0 + 13.0 * i : 560.0, fan = 0.4 + 0.002 * ((i * 37) % 300);
      readings.push_back({10.0 * i, gpu_W, power::server_power(s, gpu_W, fan, busy).ac_W + noise.next(), fan, busy});
    }
    coverage.add(fit_server(base, readings).fit.values, truth);
    for (auto& r : readings) r.fan_frac = std::numeric_limits<double>::quiet_NaN();
    without_fans.add(fit_server(base, readings).fit.values, truth);
  }
  INFO(coverage.text());
  CHECK(coverage.holds());
  for (const char* key : {"host_W", "host_idle_W", "gpu_conversion_ratio", "fans_W"})
    CHECK(coverage.identified(key) >= 30);
  // Without their speed, fans look like host.
  CHECK(without_fans.identified("fans_W") < 5);
}

TEST_CASE("a feeder level's losses come back from two meters of unequal gain", "[study][fit_levels]") {
  const EntryBase base("feeder", "hall_480V");
  const std::vector<PriorParameter> prior = {base.prior("hall_load_loss_W", 3.0),
                                             {"meter_ratio", 0.993, 1.007, false},
                                             base.prior("hall_no_load_loss_W", 3.0)};
  Coverage coverage, of_watts_alone;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto truth = drawn_truth(prior, seed);
    // The engine's own feeder: power factor, reactive power and all.
    auto p = base.read<power::FeederParams>();
    p.level[2].load_loss_W = truth[0], p.level[2].no_load_loss_W = truth[2];
    p.level[0].n_branch = 250, p.level[1].n_branch = 14, p.level[2].n_branch = 4, p.level[3].n_branch = 1;
    const power::Feeder feeder(p);
    Noise noise(seed, 300.0, 100.0, 0.9);
    std::vector<FeederReading> readings;
    for (int i = 0; i < 400; ++i) {
      const auto at = feeder.at(1e6 + 1.8e4 * ((i * 53) % 400), 0.0);
      readings.push_back({60.0 * i, truth[1] * at.level_W[2] + noise.next(), at.level_W[1], at.level_var[1]});
    }
    coverage.add(fit_feeder_level(base, 2, 4.0, 0.007, readings).fit.values, truth);
    for (auto& r : readings) r.output_var = std::numeric_limits<double>::quiet_NaN();
    of_watts_alone.add(fit_feeder_level(base, 2, 4.0, 0.007, readings).fit.values, truth);
  }
  INFO(coverage.text());
  CHECK(coverage.holds());
  CHECK(coverage.identified("hall_load_loss_W") >= 30);
  INFO(of_watts_alone.text());
  CHECK(of_watts_alone.holds());
  // At one load a gain and a loss are the same.
  std::vector<FeederReading> one;
  Noise noise(3, 300.0, 0.0, 0.5);
  for (int i = 0; i < 100; ++i) one.push_back({60.0 * i, 5.05e6 + noise.next(), 5e6, 1e6});
  for (const auto& v : fit_feeder_level(base, 2, 4.0, 0.007, one).fit.values)
    if (v.key != "meter_ratio") CHECK_FALSE(v.identified);
}
