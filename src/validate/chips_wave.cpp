#include "chips_wave.hpp"

#include <algorithm>
#include <cmath>

#include "base/fields_of.hpp"
#include "catalog_in_use.hpp"
#include "tidewatt/dvfs/governor.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

constexpr std::size_t settle_steps = 40'000, seen_steps = 8'000;  // 20 s for a limit over a second, then 4 s

}  // namespace

std::vector<double> wave_W(const LabKernel& kernel, const GpuCase& gpu, const SquareWave& wave) {
  const auto sampling = fields_of<dvfs::SampledGovernorParams>(catalog_in_use().values("governor", "nvidia_sampled"));
  const dvfs::SampledGovernor governor(kernel.model(), gpu.governor, sampling);
  auto state = governor.start(1, kernel.model().clock_max_Hz());
  const auto half = static_cast<std::size_t>(std::lround(wave.on_s / wave_step_s)),
             sample = static_cast<std::size_t>(std::lround(sampling.period_s / wave_step_s));
  const double die_K = wave.degC + zero_degC_K, lock_Hz = kernel.model().clock_max_Hz();
  const double peak_W = edp_peak_W(gpu);
  const std::uint8_t brake = 0;
  std::vector<double> W;
  double sum_W = 0.0;
  for (std::size_t i = 0; i < settle_steps + seen_steps; ++i) {
    const double clock_Hz = governor.clock_Hz(state, 0);
    const double free_W =
        (i / half) % 2 == 0 ? kernel.board_W(clock_Hz, wave.degC) : kernel.waiting_W(clock_Hz, wave.degC);
    const double now_W = std::min(free_W, peak_W);
    if (i >= settle_steps) W.push_back(now_W);
    sum_W += now_W;
    if ((i + 1) % sample != 0) continue;
    const double mean_W = sum_W / static_cast<double>(sample);
    governor.decide({{&mean_W, 1}, {&die_K, 1}, {&wave.cap_W, 1}, {&lock_Hz, 1}, {&brake, 1}}, state);
    sum_W = 0.0;
  }
  return W;
}

double highest_mean_W(std::span<const double> W, double window_s) {
  const auto n = std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(window_s / wave_step_s)));
  double sum = 0.0, highest = 0.0;
  for (std::size_t i = 0; i < W.size(); ++i) {
    sum += W[i];
    if (i >= n) sum -= W[i - n];
    if (i + 1 >= n) highest = std::max(highest, sum / static_cast<double>(n));
  }
  return highest;
}

}  // namespace TIDEWATT_NAMESPACE::validate
