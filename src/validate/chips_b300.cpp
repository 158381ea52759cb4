#include <fmt/format.h>

#include <array>

#include "chips_groups.hpp"
#include "silicon.hpp"
#include "tidewatt/dvfs/operating_point.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

constexpr const char* source = "sinkers/gpu-power-lab, commit 249b1c9555";

/// One point of the lab's product of two 8,192 x 8,192 matrices in bf16.
struct LabPoint {
  double cap_W, board_W, clock_MHz, degC;
};
constexpr std::array<LabPoint, 4> caps = {
    {{450, 448.2, 926, 40}, {550, 546.9, 1152, 42}, {700, 692.1, 1457, 45}, {900, 886.4, 1935, 48}}};
constexpr LabPoint locked{1100, 1037.0, 2032, 54.5};
constexpr double iterations_per_s_at_450 = 991.0, iterations_per_s_at_900 = 1892.0;

/// Board watts of the lab's kernel at a clock and a die temperature. @param activity of the kernel, relative to the entry's
class LabKernel {
 public:
  LabKernel(const GpuCase& gpu, double activity) : model_(gpu.power), reference_Hz_(gpu.compute.reference_clock_Hz) {
    constexpr double bytes = 3.0 * 8192.0 * 8192.0 * 2.0;  // both operands and the product, once
    const double iterations_per_s = iterations_per_s_at_450 * reference_Hz_ / (caps[0].clock_MHz * 1e6);
    mix_.matrix_s = 1.0, mix_.active_matrix_s = activity;
    mix_.hbm_s = bytes * iterations_per_s / gpu.compute.hbm_B_per_s;
  }
  double board_W(double clock_Hz, double degC) const {
    const auto p = dvfs::phase_power(model_, {}, mix_, reference_Hz_, clock_Hz, 0.0);
    return p.fixed_W + p.leakage_W * model_.leakage_temperature_factor(degC + zero_degC_K);
  }
  /// Clock at which the board takes the watts that were measured, Hz.
  double clock_Hz(const LabPoint& at) const {
    double lo = model_.clock_min_Hz(), hi = model_.clock_max_Hz();
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (lo + hi);
      (board_W(middle, at.degC) < at.board_W ? lo : hi) = middle;
    }
    return 0.5 * (lo + hi);
  }

 private:
  power::GpuModel model_;
  double reference_Hz_;
  dvfs::PhaseMix mix_;
};

}  // namespace

void b300_rows(std::vector<Row>& rows) {
  const GpuCase gpu = gpu_case("b300_sxm_1100W");
  // The kernel's activity from the lowest cap.
  double lo = 0.0, hi = 2.0;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (lo + hi);
    (LabKernel(gpu, middle).clock_Hz(caps[0]) > caps[0].clock_MHz * 1e6 ? lo : hi) = middle;
  }
  const double activity = 0.5 * (lo + hi);
  const LabKernel kernel(gpu, activity);
  for (const auto& at : caps) {
    const bool highest = &at == &caps.back();
    // The highest cap's clock is counted by its rate: the clock that was reported would give 9 % more iterations.
    const double expected_MHz =
        highest ? caps[0].clock_MHz * iterations_per_s_at_900 / iterations_per_s_at_450 : at.clock_MHz;
    Row r = against(fmt::format("b300_cap/{:.0f}", at.cap_W), "B300, bf16 GEMM 8192 under a cap in W: clock", "MHz",
                    expected_MHz, kernel.clock_Hz(at) * 1e-6, 0.04, source,
                    fmt::format("{:.1f} W at {:.0f} degC", at.board_W, at.degC));
    if (&at == caps.data())
      r = calibrated(std::move(r), fmt::format("sets the kernel's activity, {:.3f}", activity));
    else if (highest)
      r = calibrated(std::move(r), fmt::format("sets the voltage at the highest clock; {:.0f} MHz were reported, the "
                                               "rate of iterations is that of {:.0f}",
                                               at.clock_MHz, expected_MHz));
    rows.push_back(std::move(r));
  }
  rows.push_back(against("b300_cap/locked", "B300, bf16 GEMM 8192, clock locked at 2,032 MHz: watts", "W",
                         locked.board_W, kernel.board_W(locked.clock_MHz * 1e6, locked.degC), 0.01, source,
                         fmt::format("die {:.1f} degC; the V/f curve is a straight line, its end is set at the 900 W "
                                     "cap by the rate of iterations, which an overhead without clock would raise",
                                     locked.degC)));
}

}  // namespace TIDEWATT_NAMESPACE::validate
