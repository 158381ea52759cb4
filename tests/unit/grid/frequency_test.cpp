#include "tidewatt/grid/frequency.hpp"

#include <cmath>
#include <complex>
#include <vector>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using grid::Frequency;
using grid::FrequencyMeters;
using grid::FrequencyParams;

namespace {
FrequencyParams reheat() { return {60.0, 60e9, 5.0, 1.0, 0.05, 0.2, 0.3, 7.0, 0.3}; }
FrequencyParams first_order() { return {60.0, 60e9, 5.0, 1.0, 0.05, 0.5, 0.0, 0.0, 1.0}; }

std::vector<double> run(const Frequency& f, double step_W, double duration_s, FrequencyMeters& m) {
  auto s = f.start(1e9);
  std::vector<double> load_W(static_cast<std::size_t>(duration_s * 1000), 1e9 + step_W), df_Hz(load_W.size());
  f.advance(load_W, df_Hz, s, m);
  return df_Hz;
}
}  // namespace

TEST_CASE("with a first-order governor the whole response is the closed form, to 1e-9") {
  // 2H T ω'' + (2H + D T) ω' + (D + 1/R) ω = −u (1): ω = −u K (1 − e^(−σt)(cos w t + (σ − 1/(2HK))/w sin w t)), K =
  // 1/(D + 1/R)
  const FrequencyParams p = first_order();
  const double u = 2.6e9 / 60e9, M = 2 * p.inertia_s, T = p.governor_s, K = 1.0 / (p.damping_pu + 1 / p.droop_pu);
  const double sigma = (M + p.damping_pu * T) / (2 * M * T), w = std::sqrt(1.0 / (K * M * T) - sigma * sigma);
  const double c = (sigma - 1.0 / (M * K)) / w;
  const auto deviation_Hz = [&](double t) {
    return -60.0 * u * K * (1 - std::exp(-sigma * t) * (std::cos(w * t) + c * std::sin(w * t)));
  };
  const Frequency f(p);
  FrequencyMeters m;
  const auto df_Hz = run(f, 2.6e9, 60.0, m);
  double worst = 0.0;
  for (std::size_t i = 0; i < df_Hz.size(); ++i)
    worst = std::max(worst, std::abs(df_Hz[i] - deviation_Hz(1e-3 * static_cast<double>(i + 1))));
  CHECK(worst < 1e-9);

  // ω' = 0: tan w t = (c w − σ)/(σ c + w), the first positive root
  double t_nadir = std::atan2(sigma - c * w, -(sigma * c + w)) / w;
  if (t_nadir <= 0) t_nadir += 3.14159265358979323846 / w;
  CHECK(std::abs(deviation_Hz(t_nadir + 1e-4) - deviation_Hz(t_nadir)) < 1e-7);
  CHECK(std::abs(1e-3 * static_cast<double>(m.lowest_bin + 1) - t_nadir) <= 0.5e-3 + 1e-12);
  CHECK(m.lowest_Hz == Approx(deviation_Hz(1e-3 * static_cast<double>(m.lowest_bin + 1))).epsilon(1e-9));
  CHECK(m.lowest_Hz - deviation_Hz(t_nadir) < 1e-6);  // half a bin from the true bottom
  CHECK(df_Hz.back() == Approx(-60.0 * u * K).epsilon(1e-9));
}

TEST_CASE("the first instant's rate of change is f0 dP/(2HS): 2.6 GW on 60 GVA with H 5 s is 0.26 Hz/s") {
  const Frequency f(reheat());
  FrequencyMeters m;
  run(f, 2.6e9, 30.0, m);
  CHECK(f.initial_rocof_Hz_per_s(2.6e9) == Approx(0.26).epsilon(1e-15));
  CHECK(m.rocof_max_Hz_per_s == Approx(f.initial_rocof_Hz_per_s(2.6e9)).epsilon(1e-14));
  CHECK(m.rocof_window_Hz_per_s() < m.rocof_max_Hz_per_s);
  CHECK(m.rocof_window_Hz_per_s() > 0.8 * m.rocof_max_Hz_per_s);
}

TEST_CASE("the offset that remains is the droop's, and dropping load mirrors taking it") {
  const Frequency f(reheat());
  FrequencyMeters up, down;
  const auto a = run(f, 1e9, 200.0, up), b = run(f, -1e9, 200.0, down);
  CHECK(a.back() == Approx(-60.0 * (1.0 / 60) / (1.0 + 20.0)).epsilon(1e-6));
  for (std::size_t i = 0; i < a.size(); i += 1000) REQUIRE(a[i] == -b[i]);
  CHECK(up.lowest_Hz == -down.highest_Hz);
  CHECK(up.lowest_Hz < 1.5 * a.back());  // reheat dips well below where it settles
}

TEST_CASE("a sine of load meets the transfer function of swing, governor and reheat turbine") {
  const FrequencyParams p = reheat();
  const Frequency f(p);
  const double pi = 3.14159265358979323846, f_Hz = 0.25, amplitude_W = 50e6;
  auto s = f.start(1e9);
  std::vector<double> load_W(400'000), df_Hz(400'000);
  for (std::size_t i = 0; i < load_W.size(); ++i)
    load_W[i] = 1e9 + amplitude_W * std::sin(2 * pi * f_Hz * (static_cast<double>(i) + 0.5) * 1e-3);
  FrequencyMeters m;
  f.advance(load_W, df_Hz, s, m);
  using C = std::complex<double>;
  const C jw(0.0, 2 * pi * f_Hz);
  const C turbine = (1.0 + p.high_pressure_frac * p.reheat_s * jw) / ((1.0 + p.chest_s * jw) * (1.0 + p.reheat_s * jw));
  const C G = 1.0 / (2 * p.inertia_s * jw + p.damping_pu + turbine / (p.droop_pu * (1.0 + p.governor_s * jw)));
  double peak_Hz = 0.0;
  for (std::size_t i = 300'000; i < df_Hz.size(); ++i) peak_Hz = std::max(peak_Hz, std::abs(df_Hz[i]));
  CHECK(peak_Hz == Approx(60.0 * std::abs(G) * amplitude_W / p.system_VA).epsilon(1e-4));
}

TEST_CASE("equilibrium stays, cutting the stream changes no bit, and bad parameters are refused") {
  const Frequency f(reheat());
  FrequencyMeters rest, m, mc;
  CHECK(run(f, 0.0, 1.0, rest).back() == 0.0);
  CHECK(rest.lowest_Hz == 0.0);
  CHECK(rest.rocof_max_Hz_per_s == 0.0);
  std::vector<double> load_W(5000), whole(5000), parts(5000);
  for (std::size_t i = 0; i < 5000; ++i) load_W[i] = i % 700 < 400 ? 1.2e9 : 0.9e9;
  auto s = f.start(1e9), q = s;
  f.advance(load_W, whole, s, m);
  for (std::size_t i = 0; i < 5000; i += 50)
    f.advance(std::span(load_W).subspan(i, 50), std::span(parts).subspan(i, 50), q, mc);
  CHECK(whole == parts);
  CHECK(mc.rocof_window_Hz_per_s() == m.rocof_window_Hz_per_s());
  CHECK(mc.lowest_bin == m.lowest_bin);
  FrequencyParams bad = reheat();
  bad.inertia_s = 0.0;
  bad.droop_pu = 0.0;
  CHECK_THROWS_AS(Frequency(bad), InputError);
}

TEST_CASE("repetitions leave the state that passing each of them leaves") {
  for (const auto& p : {reheat(), first_order()}) {
    const Frequency f(p);
    std::vector<double> load_W(1303), df_Hz(load_W.size());  // no multiple of what is computed side by side
    for (std::size_t i = 0; i < load_W.size(); ++i) load_W[i] = i < 700 ? 1.3e9 : 0.9e9 + 1e5 * static_cast<double>(i);
    auto each = f.start(1e9, 50);
    each.deviation = {1e-3, -2e-3, 3e-3, 0.0};  // not at rest
    auto once = each;
    FrequencyMeters m;
    for (int i = 0; i < 37; ++i) f.advance(load_W, df_Hz, each, m);
    f.repeat(load_W, 37, once);
    CHECK(once.next_bin == each.next_bin);
    for (std::size_t i = 0; i < 4; ++i)
      CHECK(once.deviation[i] == Approx(each.deviation[i]).epsilon(1e-9).margin(1e-15));
  }
}
