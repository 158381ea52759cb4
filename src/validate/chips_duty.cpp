#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "chips_groups.hpp"
#include "chips_lab.hpp"
#include "chips_wave.hpp"
#include "row_term.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

/// A square wave of the lab's kernel: on and off for the same time, under a power cap.
struct DutyCycle {
  double cap_W, on_s, peak_W;  // peak of the meter's instant field
  bool sets_window;            // the meter's window is fitted on it
};
constexpr std::array<DutyCycle, 4> duties = {
    {{500, 0.005, 525, true}, {700, 0.020, 854, true}, {500, 0.050, 708, false}, {500, 0.500, 717, false}}};

double die_degC(double mean_W) {
  const auto &a = b300_caps.front(), &b = b300_caps.back();
  return a.degC + (b.degC - a.degC) * (mean_W - a.board_W) / (b.board_W - a.board_W);
}

/// Window of the instant field with the least squares of peak over cap at the points that set it, s.
double meter_window_s(const std::array<std::vector<double>, duties.size()>& watts) {
  double best_s = wave_step_s, least = 1e300;
  for (int n = 1; n <= 200; ++n) {
    double square = 0.0;
    for (std::size_t d = 0; d < duties.size(); ++d) {
      if (!duties[d].sets_window) continue;
      const double error = (highest_mean_W(watts[d], n * wave_step_s) - duties[d].peak_W) / duties[d].cap_W;
      square += error * error;
    }
    if (square < least) least = square, best_s = n * wave_step_s;
  }
  return best_s;
}

}  // namespace

void b300_duty_rows(std::vector<Row>& rows) {
  const GpuCase gpu = gpu_case("b300_sxm_1100W");
  const LabKernel kernel = LabKernel::fitted(gpu);
  std::array<std::vector<double>, duties.size()> watts;
  for (std::size_t d = 0; d < duties.size(); ++d)
    watts[d] = wave_W(kernel, gpu, {duties[d].cap_W, duties[d].on_s, die_degC(duties[d].cap_W)});
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
