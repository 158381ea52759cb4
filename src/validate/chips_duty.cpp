#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/fields_of.hpp"
#include "catalog_in_use.hpp"
#include "chips_groups.hpp"
#include "chips_lab.hpp"
#include "row_term.hpp"
#include "tidewatt/dvfs/governor.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

/// A square wave of the lab's kernel: on and off for the same time, under a power cap.
struct DutyCycle {
  double cap_W, on_s, peak_W;  // peak of the meter's instant field
  bool sets_window;            // the meter's window is fitted on it
};
constexpr std::array<DutyCycle, 4> duties = {
    {{500, 0.005, 525, true}, {700, 0.020, 854, true}, {500, 0.050, 708, false}, {500, 0.500, 717, false}}};
constexpr double step_s = 0.0005;
constexpr std::size_t settle_steps = 40'000, seen_steps = 8'000;  // 20 s for a limit over a second, then 4 s

double die_degC(double mean_W) {
  const auto &a = b300_caps.front(), &b = b300_caps.back();
  return a.degC + (b.degC - a.degC) * (mean_W - a.board_W) / (b.board_W - a.board_W);
}

/// Watts of the board in steps of half a millisecond, once the limiter has settled.
std::vector<double> played(const LabKernel& kernel, const GpuCase& gpu, const DutyCycle& duty) {
  const auto sampling = fields_of<dvfs::SampledGovernorParams>(catalog_in_use().values("governor", "nvidia_sampled"));
  const dvfs::SampledGovernor governor(kernel.model(), gpu.governor, sampling);
  auto state = governor.start(1, kernel.model().clock_max_Hz());
  const auto half = static_cast<std::size_t>(std::lround(duty.on_s / step_s)),
             sample = static_cast<std::size_t>(std::lround(sampling.period_s / step_s));
  const double degC = die_degC(duty.cap_W), die_K = degC + zero_degC_K, lock_Hz = kernel.model().clock_max_Hz();
  const std::uint8_t brake = 0;
  std::vector<double> W;
  double sum_W = 0.0;
  for (std::size_t i = 0; i < settle_steps + seen_steps; ++i) {
    const double clock_Hz = governor.clock_Hz(state, 0);
    const double now_W = (i / half) % 2 == 0 ? kernel.board_W(clock_Hz, degC) : kernel.waiting_W(clock_Hz, degC);
    if (i >= settle_steps) W.push_back(now_W);
    sum_W += now_W;
    if ((i + 1) % sample != 0) continue;
    const double mean_W = sum_W / static_cast<double>(sample);
    governor.decide({{&mean_W, 1}, {&die_K, 1}, {&duty.cap_W, 1}, {&lock_Hz, 1}, {&brake, 1}}, state);
    sum_W = 0.0;
  }
  return W;
}

/// Highest mean over a window, wherever it lies.
double highest_mean_W(const std::vector<double>& W, double window_s) {
  const auto n = std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(window_s / step_s)));
  double sum = 0.0, highest = 0.0;
  for (std::size_t i = 0; i < W.size(); ++i) {
    sum += W[i];
    if (i >= n) sum -= W[i - n];
    if (i + 1 >= n) highest = std::max(highest, sum / static_cast<double>(n));
  }
  return highest;
}

/// Window of the instant field with the least squares of peak over cap at the points that set it, s.
double meter_window_s(const std::array<std::vector<double>, duties.size()>& watts) {
  double best_s = step_s, least = 1e300;
  for (int n = 1; n <= 200; ++n) {
    double square = 0.0;
    for (std::size_t d = 0; d < duties.size(); ++d) {
      if (!duties[d].sets_window) continue;
      const double error = (highest_mean_W(watts[d], n * step_s) - duties[d].peak_W) / duties[d].cap_W;
      square += error * error;
    }
    if (square < least) least = square, best_s = n * step_s;
  }
  return best_s;
}

}  // namespace

void b300_duty_rows(std::vector<Row>& rows) {
  const GpuCase gpu = gpu_case("b300_sxm_1100W");
  const LabKernel kernel = LabKernel::fitted(gpu);
  std::array<std::vector<double>, duties.size()> watts;
  for (std::size_t d = 0; d < duties.size(); ++d) watts[d] = played(kernel, gpu, duties[d]);
  const double window_s = term("b300_duty.window_s", meter_window_s(watts));
  for (std::size_t d = 0; d < duties.size(); ++d) {
    const auto& duty = duties[d];
    const double second_W = highest_mean_W(watts[d], 1.0);
    // The limiter's mean over a second sees no ripple in a period of a second; at other periods it would tell a slower limiter.
    const char* shape = duty.on_s > 0.4 ? "; the period divides the limiter's mean, so the clock keeps still" : "";
    Row r =
        within_absolute(fmt::format("b300_duty/{:.0f}", 1e3 * duty.on_s),
                        "B300, bf16 GEMM on and off for so many ms under a cap: peak of the instant field over the cap",
                        "", duty.peak_W / duty.cap_W, highest_mean_W(watts[d], window_s) / duty.cap_W, 0.1, b300_lab,
                        fmt::format("cap {:.0f} W; a field with a window of {:.1f} ms; board {:.0f} to {:.0f} W, at "
                                    "most {:.0f} W over a second{}",
                                    duty.cap_W, 1e3 * window_s, *std::min_element(watts[d].begin(), watts[d].end()),
                                    *std::max_element(watts[d].begin(), watts[d].end()), second_W, shape));
    if (duty.sets_window) r = calibrated(std::move(r), "sets the window of the instant field");
    rows.push_back(std::move(r));
    if (!duty.sets_window)
      rows.push_back(within(fmt::format("b300_duty/{:.0f}-mean", 1e3 * duty.on_s),
                            "the same: highest mean over a second, at or below the cap", "W", 0.0, duty.cap_W, second_W,
                            0.0, b300_lab, "496-498 W were measured"));
  }
}

}  // namespace TIDEWATT_NAMESPACE::validate
