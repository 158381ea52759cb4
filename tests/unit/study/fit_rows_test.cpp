#include "study/fit_rows.hpp"

#include <cmath>

#include "catch.hpp"
#include "coverage.hpp"
#include "study/fit_poles.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/thermal/server_air.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {
constexpr double fan_frac = 0.7;
const std::vector<bool> rear = {false, false, false, false, true, true, true, true};

struct Case {
  EntryBase server{"server", "dgx_h100"}, gpu{"gpu", "h100_sxm_700W"};
  thermal::ServerAirParams air = server.read<thermal::ServerAirParams>("air");
  thermal::PackageModes modes = thermal::package_modes(gpu.read<thermal::PackageParams>("package"), fan_frac);
  TwoPoles poles = package_poles(gpu.read<thermal::PackageParams>("package"), fan_frac);
};

/// Eight packages with all three of their modes, in steps of 1 s; the front row's sinks warm the air of the rear row.
std::vector<GpuTelemetry> telemetry(const Case& c, const std::vector<double>& truth, std::uint64_t seed,
                                    bool together) {
  std::vector<GpuTelemetry> out(8);
  std::vector<std::array<double, 3>> z(8, {0.0, 0.0, 0.0});
  std::vector<double> slow_W(8, 100.0);
  auto air = c.air;
  air.preheat_mixing_ratio = truth[0];
  Noise inlet(seed, 0.0, 0.3, 0.99);
  std::vector<Noise> own;
  for (std::uint64_t g = 0; g < 8; ++g) own.emplace_back(seed + 50 + g, 0.2, 0.3, 0.98);
  for (int i = 0; i < 2400; ++i) {
    double front_W = 0.0;
    std::vector<double> W(8);
    for (std::size_t g = 0; g < 8; ++g) {
      const auto block = static_cast<std::uint64_t>(i / 120);
      W[g] = 100.0 + 580.0 * random::uniform(seed, random::Purpose::jitter, together ? 1 : 1 + g, block);
      slow_W[g] += (W[g] - slow_W[g]) * (1.0 - std::exp(-1.0 / c.poles.slow_s));
      if (!rear[g]) front_W += slow_W[g];
    }
    const double inlet_K = 297.0 + inlet.next();
    for (std::size_t g = 0; g < 8; ++g) {
      double rise_K = 0.0;
      for (std::size_t k = 0; k < 3; ++k) {
        const double rest = c.modes.gain_K_per_J[k] * W[g] / c.modes.rate_per_s[k];
        z[g][k] = rest + (z[g][k] - rest) * std::exp(-c.modes.rate_per_s[k]);
        rise_K += c.modes.shape[0][k] * z[g][k];
      }
      const double preheat_K = rear[g] ? thermal::rear_preheat_K(air, front_W, fan_frac, 1.15 * 1006.0) : 0.0;
      auto& t = out[g];
      t.gpu = std::to_string(g);
      t.record.time_s.push_back(i);
      t.record.power_W.push_back(W[g]);
      t.record.die_K.push_back(inlet_K + truth[1] * truth[2 + g] * rise_K + preheat_K + own[g].next());
      t.inlet_K.push_back(inlet_K);
    }
  }
  return out;
}
}  // namespace

TEST_CASE("preheating and slots come back from GPUs that take turns", "[study][fit_rows][long]") {
  const Case c;
  std::vector<PriorParameter> prior = {c.server.prior("air.preheat_mixing_ratio", 2.0),
                                       {"package_ratio", 0.5, 2.0, true}};
  for (int g = 0; g < 8; ++g) prior.push_back({"slot_ratio_" + std::to_string(g), 0.85, 1.18, true});
  Coverage coverage;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto truth = drawn_truth(prior, seed);
    const auto log = rows_log(telemetry(c, truth, seed, false), rear, c.poles.fast_s, c.poles.slow_s);
    coverage.add(fit_rows(c.server, c.gpu, fan_frac, log).fit.values, truth);
  }
  INFO(coverage.text());
  CHECK(coverage.holds());
  CHECK(coverage.identified("preheat_mixing_ratio") == 10);
}

TEST_CASE("GPUs that always do the same tell preheating from slots by its lag alone", "[study][fit_rows]") {
  const Case c;
  const std::vector<double> truth = {0.9, 1.0, 1, 1, 1, 1, 1, 1, 1, 1};
  const auto width = [&](bool together) {
    const auto log = rows_log(telemetry(c, truth, 5, together), rear, c.poles.fast_s, c.poles.slow_s);
    const auto v = fit_rows(c.server, c.gpu, fan_frac, log).fit.values[0];
    return std::log(v.high / v.low);
  };
  CHECK(width(true) > 1.7 * width(false));
  std::vector<GpuTelemetry> brief(2);
  for (auto& t : brief)
    for (int i = 0; i < 50; ++i)
      t.record.time_s.push_back(i), t.record.power_W.push_back(1), t.record.die_K.push_back(300);
  CHECK_THROWS_AS(rows_log(brief, {false, true}, 1.0, 20.0), InputError);
}
