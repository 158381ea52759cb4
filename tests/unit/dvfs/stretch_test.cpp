#include "stretch.hpp"

#include <fmt/format.h>

#include "catch.hpp"
#include "sampled_run.hpp"

using namespace tidewatt;
using namespace tidewatt::dvfs;
using namespace stretch;

namespace {

constexpr double die_K = 333.15, cap_W = 700.0;
double factor() { return h100().gpu.leakage_temperature_factor(die_K); }
double target_W() { return cap_W - h100().governor.cap_margin_W; }

PhaseMix matrix(double s, double activity) {
  PhaseMix m;
  m.matrix_s = s, m.active_matrix_s = activity * s, m.hbm_s = 0.3 * s;
  return m;
}
PhaseMix pause(double s) {
  PhaseMix m;
  m.wait_s = s;
  return m;
}

std::vector<StretchPoint> points(const std::vector<PhaseMix>& mixes) {
  std::vector<Stretch> s;
  for (const auto& m : mixes)
    s.push_back(
        {m, 0.0,
         peak_clock_Hz(h100().gpu, {}, m, twin_reference_Hz, factor(), sampled_params().peak_ratio * cap_W, 1.98e9)});
  std::vector<StretchPoint> out(s.size());
  stretch_points(h100().gpu, {}, s, twin_reference_Hz, factor(), target_W(), h100().governor.window_s, out);
  return out;
}

}  // namespace

TEST_CASE("clocks by stretch are those of the sampled governor in its periodic steady state", "[dvfs][stretch]") {
  const std::vector<std::vector<PhaseMix>> cases = {
      {matrix(3.0, 0.80), matrix(3.0, 0.95)},              // forward and backward, both longer than the window
      {matrix(1.0, 0.78), matrix(1.4, 0.95)},              // about the window
      {matrix(0.2, 0.75), matrix(0.3, 0.95)},              // well below it
      {matrix(2.0, 0.80), matrix(3.5, 0.93), pause(0.3)},  // with the gradient exchange
      {matrix(5.0, 0.40), matrix(2.0, 0.95)}};             // a light stretch that reaches the table's end
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const auto fast = points(cases[c]);
    const auto twin = run_sampled({}, cases[c], die_K, cap_W, 30.0, 60.0);
    double sum_s = 0.0, sum_J = 0.0;
    for (std::size_t k = 0; k < fast.size(); ++k) {
      WARN(fmt::format("case {} stretch {}: {:.0f} MHz ({:.0f}), {:.3f} s ({:.3f}), {:.0f} W ({:.0f})", c, k,
                       fast[k].clock_Hz * 1e-6, twin.phase_Hz[k] * 1e-6, fast[k].duration_s, twin.phase_s[k],
                       fast[k].power_W, twin.phase_W[k]));
      CHECK(fast[k].clock_Hz == Approx(twin.phase_Hz[k]).margin(22e6));
      CHECK(fast[k].duration_s == Approx(twin.phase_s[k]).epsilon(0.015));
      CHECK(fast[k].power_W == Approx(twin.phase_W[k]).epsilon(0.015));
      sum_s += fast[k].duration_s, sum_J += fast[k].duration_s * fast[k].power_W;
    }
    CHECK(sum_J / sum_s == Approx(twin.mean_W).epsilon(0.005));
  }
}

TEST_CASE("one stretch is the operating point", "[dvfs][stretch]") {
  const auto m = matrix(0.7, 0.95);
  const auto one = points({m});
  const auto point = operating_point(h100().gpu, {}, m, twin_reference_Hz, 0.0, factor(), target_W(), 1.98e9, 1.5e9);
  CHECK(one[0].clock_Hz == Approx(point.clock_Hz).epsilon(1e-9));
  CHECK(one[0].power_W == Approx(target_W()).epsilon(1e-6));
}

TEST_CASE("short stretches share one clock, long ones have their own", "[dvfs][stretch]") {
  const auto brief = points({matrix(0.01, 0.78), matrix(0.01, 0.95)});
  CHECK(brief[0].clock_Hz == Approx(brief[1].clock_Hz).epsilon(2e-3));
  PhaseMix both = matrix(0.01, 0.78);
  both.matrix_s += 0.01, both.active_matrix_s += 0.0095, both.hbm_s += 0.003;
  const auto mean = operating_point(h100().gpu, {}, both, twin_reference_Hz, 0.0, factor(), target_W(), 1.98e9, 1.5e9);
  CHECK(brief[0].clock_Hz == Approx(mean.clock_Hz).epsilon(3e-3));
  const auto longer = points({matrix(100, 0.78), matrix(100, 0.95)});
  for (int k : {0, 1}) {
    const auto own = operating_point(h100().gpu, {}, matrix(100, k ? 0.95 : 0.78), twin_reference_Hz, 0.0, factor(),
                                     target_W(), 1.98e9, 1.5e9);
    CHECK(longer[static_cast<std::size_t>(k)].clock_Hz == Approx(own.clock_Hz).epsilon(2e-3));
  }
  CHECK(longer[0].clock_Hz > longer[1].clock_Hz + 50e6);
}

TEST_CASE("where nothing reaches its end the repetition holds the cap", "[dvfs][stretch]") {
  for (double s : {0.3, 1.0, 4.0}) {
    const auto p = points({matrix(s, 0.82), matrix(1.3 * s, 0.95)});
    const double mean =
        (p[0].power_W * p[0].duration_s + p[1].power_W * p[1].duration_s) / (p[0].duration_s + p[1].duration_s);
    CHECK(mean == Approx(target_W()).epsilon(3e-3));
  }
}

TEST_CASE("the fast limit's clock keeps the heaviest phase below it", "[dvfs][stretch]") {
  const auto m = matrix(1.0, 1.0);
  const double f = peak_clock_Hz(h100().gpu, {}, m, twin_reference_Hz, factor(), 770.0, 1.98e9);
  const auto p = phase_power(h100().gpu, {}, m, twin_reference_Hz, f, 0.0);
  CHECK(p.fixed_W + p.leakage_W * factor() == Approx(770.0).epsilon(1e-6));
}
