#include <fmt/format.h>

#include <cmath>
#include <complex>

#include "base/fields_of.hpp"
#include "base/random.hpp"
#include "catalog_in_use.hpp"
#include "grid_rows.hpp"
#include "numerics/spectrum.hpp"
#include "row_term.hpp"
#include "shipped_day.hpp"
#include "tidewatt/power/server.hpp"
#include "tidewatt/sim/look_up.hpp"
#include "tidewatt/sim/run.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

constexpr double two_pi = 6.283185307179586476925287;
// Measured levels per GPU of an 8×H100 node (row P1): training plateau and stall.
constexpr double plateau_W = 550.0, stall_W = 155.0;
constexpr double fan_frac = 0.75;

power::ServerPowerParams server() {
  const Node node = catalog_in_use().values("server", "grand_teton_h100");
  return fields_of<power::ServerPowerParams>(*node.find("power"), "power");
}

double node_W(const power::ServerPowerParams& p, double gpu_W, bool busy) {
  return power::server_power(p, gpu_W * static_cast<double>(p.n_gpu), fan_frac, busy).ac_W;
}

/// Every GPU of a simulated site stops within the same second, because one host fails.
Row stop_row() {
  const auto result = sim::run(
      shipped_day({"hall.a.n_gpu=24576", "job.main.plan.n_gpu=24576", "job.main.plan.global_batch_sequences=3072",
                   "run.start=2024-07-20T15:00:00", "run.duration_h=0.1"},
                  "\n[[event]]\nname = \"stop\"\nkind = \"failure\"\njob = \"main\"\nat_s = 240.0\n"));
  return within(
      "G1", "24,576 H100 of the shipped day, one host fails: largest change of the connection's power within a second",
      "MW", 12.0, 31.0, sim::figure(result, "pcc_step_1s_max_MW"), 0.0, "llama3");
}

Row energy_share_row(const power::ServerPowerParams& p) {
  numerics::Welch welch(1u << 15, 1000.0);
  std::vector<double> load_W(static_cast<std::size_t>(term("G2.period_ms", 2000.0)));
  for (std::size_t i = 0; i < load_W.size(); ++i)
    load_W[i] = node_W(p, 4 * i < 3 * load_W.size() ? plateau_W : stall_W, true);
  for (int k = 0; k < 120; ++k) welch.push(load_W);
  const auto s = welch.result();
  const double band = s.band_rms(0.2, 3.0), all = s.band_rms(0.02, 500.0);
  return within("G2", "2.0 s iteration with 25 % stall, DGX-H100 levels: share of AC energy in 0.2 to 3 Hz", "", 0.5,
                1.0, band * band / (all * all), 0.0, "power_stabilization");
}

// Lines of N trains of pulses, each pulse late by its own normal σ, against trains without jitter, on 1 ms bins.
void jitter_rows(std::vector<Row>& out) {
  constexpr int n_train = 400, n_pulse = 40;
  constexpr double period_s = 2.0, width_s = 0.5, sigma_s = 0.08;
  const auto n_bin = static_cast<std::size_t>((n_pulse + 2) * period_s * 1000.0);
  const auto waveform = [&](double sigma) {
    std::vector<double> x(n_bin);
    for (int j = 0; j < n_train; ++j)
      for (int k = 0; k < n_pulse; ++k) {
        const double late_s = sigma * random::normal(7, random::Purpose::jitter, static_cast<std::uint64_t>(j),
                                                     static_cast<std::uint64_t>(k));
        const double begin = 1000.0 * ((k + 1) * period_s + late_s), end = begin + 1000.0 * width_s;
        for (auto b = static_cast<std::size_t>(begin); static_cast<double>(b) < end; ++b)
          x[b] += std::min(end, static_cast<double>(b) + 1.0) - std::max(begin, static_cast<double>(b));
      }
    return x;
  };
  const auto line = [](const std::vector<double>& x, double f_Hz) {
    std::complex<double> sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i)
      sum += x[i] * std::polar(1.0, -two_pi * f_Hz * 1e-3 * (static_cast<double>(i) + 0.5));
    return sum;
  };
  const auto still = waveform(0.0), moving = waveform(term("G12.sigma_s", sigma_s));
  for (int harmonic = 1; harmonic <= 3; ++harmonic) {
    const double f_Hz = harmonic / period_s, phase = two_pi * f_Hz * sigma_s;
    const double expected = std::exp(-0.5 * phase * phase);
    const double got = (line(moving, f_Hz) / line(still, f_Hz)).real();
    // Variance of cos(2πfε) for a normal ε: (1 + e^{−2φ²})/2 − e^{−φ²}.
    const double variance = 0.5 * (1.0 + std::exp(-2.0 * phase * phase)) - expected * expected;
    out.push_back(within_absolute(fmt::format("G12/{}", harmonic),
                                  fmt::format("{} trains of period 2 s, each pulse late by its own sigma of 80 ms: "
                                              "line at {} Hz over the same without jitter",
                                              n_train, f_Hz),
                                  "", expected, got, 4.0 * std::sqrt(variance / (n_train * n_pulse)),
                                  "closed form exp(-2 pi^2 f^2 sigma^2)"));
  }
}

}  // namespace

std::vector<Row> site_waveform_rows(const Context&) {
  std::vector<Row> out;
  const auto p = server();
  out.push_back(stop_row());
  out.push_back(energy_share_row(p));
  jitter_rows(out);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::validate
