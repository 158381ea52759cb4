#include "study/fit_limiter.hpp"

#include <array>
#include <cmath>

#include "catch.hpp"
#include "coverage.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {
/// 10 s waves under a limit, read every 0.1 s.
LimiterLog waves(double limit_W) {
  LimiterLog log;
  for (int i = 0; i < 1200; ++i) {
    log.time_s.push_back(0.1 * i);
    log.load_frac.push_back(i > 0 && ((i - 1) / 50) % 2 ? 1.0 : 0.0);  // of the time before
    log.limit_W.push_back(limit_W);
    log.power_W.push_back(80.0);
  }
  log.die_K = 330.0;
  return log;
}
/// The engine's own governor, with its bins and dithering, behind a boxcar of 1 s.
std::vector<double> sampled_W(const LimiterModel& m, const std::vector<double>& truth, LimiterLog& log) {
  auto limits = m.limits;
  limits.window_s = truth[0], limits.cap_margin_W = truth[1];
  const dvfs::SampledGovernor governor(m.gpu, limits, m.sampling);
  auto state = governor.start(1, m.gpu.clock_max_Hz());
  const auto& g = m.gpu.params();
  std::vector<double> energy_J = {0.0};
  const double step_s = governor.period_s();
  const auto n = static_cast<std::size_t>(std::lround(log.time_s.back() / step_s));
  for (std::size_t i = 0; i < n; ++i) {
    const bool on = static_cast<int>(step_s * (static_cast<double>(i) + 0.5) / 5.0) % 2 != 0;
    const double f = governor.clock_Hz(state, 0), V = m.gpu.voltage(f).V;
    const double leak_W = g.leakage_W * m.gpu.leakage_temperature_factor(log.die_K) * m.gpu.leakage_voltage_factor(V);
    const std::array<double, 1> W{on ? g.board_W + leak_W + truth[2] * m.gpu.dynamic_W(V, f) : truth[3]},
        die_K{log.die_K}, cap_W{log.limit_W[0]}, lock_Hz{m.gpu.clock_max_Hz()};
    const std::array<std::uint8_t, 1> brake{0};
    governor.decide({W, die_K, cap_W, lock_Hz, brake}, state);
    energy_J.push_back(energy_J.back() + W[0] * step_s);
    if (i % 500 == 490)
      log.limited_Hz = f, log.limited_W = W[0];  // at the end of a load, as a reading of the clock shows it
  }
  std::vector<double> out;
  const auto window = static_cast<std::size_t>(std::lround(1.0 / step_s));
  for (const double t : log.time_s) {
    const auto at = std::min(n, static_cast<std::size_t>(std::lround(t / step_s)));
    const auto from = at > window ? at - window : 0;
    out.push_back(at > from ? (energy_J[at] - energy_J[from]) / (static_cast<double>(at - from) * step_s) : truth[3]);
  }
  return out;
}
}  // namespace

TEST_CASE("the limiter's window and margin come back through a 1 s meter", "[study][fit_limiter][long]") {
  Coverage coverage;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    auto log = waves(450.0);
    const auto m = limiter_model("h100_sxm_700W", "nvidia_sampled", log);
    auto truth = drawn_truth(m.prior, seed, 1.5);
    truth[2] = 0.9 + 0.015 * static_cast<double>(seed);  // a load above the limit
    Noise noise(seed, 3.0, 2.0, 0.95);
    log.power_W = sampled_W(m, truth, log);
    for (auto& W : log.power_W) W = std::round(W + noise.next());
    const auto known = limiter_model("h100_sxm_700W", "nvidia_sampled", log);
    const auto values = fit_limiter(known, log, 1.0).fit.values;
    coverage.add({values[0], values[1], values[3]}, {truth[0], truth[1], truth[3]});
  }
  INFO(coverage.text());
  CHECK(coverage.holds());
  CHECK(coverage.identified("window_s") >= 22);
}

TEST_CASE("a load below its limit tells nothing of the limiter", "[study][fit_limiter]") {
  auto log = waves(700.0);
  const auto m = limiter_model("h100_sxm_700W", "nvidia_sampled", log);
  Noise noise(2, 3.0, 2.0, 0.95);
  log.power_W = limited_W(m, std::vector<double>{1.0, 8.0, 0.25, 80.0}, log, 1.0);
  for (auto& W : log.power_W) W += noise.next();
  const auto fit = fit_limiter(m, log, 1.0).fit;
  CHECK_FALSE(fit.values[0].identified);
  CHECK(fit.values[0].low == fit.values[0].prior_low);
  CHECK_FALSE(fit.values[1].identified);
  CHECK(fit.values[2].identified);
  LimiterLog brief;
  brief.time_s = {0, 1}, brief.power_W = {80, 80}, brief.load_frac = {0, 0}, brief.limit_W = {450, 450};
  CHECK_THROWS_AS(fit_limiter(m, brief, 1.0), InputError);
}
