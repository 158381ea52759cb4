#include <fmt/format.h>

#include "chips_groups.hpp"
#include "chips_lab.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

constexpr LabPoint locked{1100, 1037.0, 2032, 54.5};

}  // namespace

void b300_rows(std::vector<Row>& rows) {
  const GpuCase gpu = gpu_case("b300_sxm_1100W");
  const LabKernel kernel = LabKernel::fitted(gpu);
  for (const auto& at : b300_caps) {
    const bool highest = &at == &b300_caps.back();
    // The highest cap's clock is that of its rate: the clock that was reported would give 7 % more iterations.
    const double expected_MHz = highest ? 1e-6 * b300_loop.clock_Hz(b300_iterations_per_s_at_900) : at.clock_MHz;
    Row r = against(fmt::format("b300_cap/{:.0f}", at.cap_W), "B300, bf16 GEMM 8192 under a cap in W: clock", "MHz",
                    expected_MHz, kernel.clock_Hz(at) * 1e-6, 0.04, b300_lab,
                    fmt::format("{:.1f} W at {:.0f} degC", at.board_W, at.degC));
    if (&at == b300_caps.data())
      r = calibrated(std::move(r), fmt::format("sets the kernel's activity, {:.3f}", kernel.activity()));
    else if (highest)
      r = calibrated(std::move(r),
                     fmt::format("sets the voltage at the highest clock; {:.0f} MHz were reported, the "
                                 "rate of iterations is that of {:.0f}, if {:.1f} us of each need no clock",
                                 at.clock_MHz, expected_MHz, 1e6 * b300_loop.rest_s));
    rows.push_back(std::move(r));
  }
  rows.push_back(against("b300_cap/locked", "B300, bf16 GEMM 8192, clock locked at 2,032 MHz: watts", "W",
                         locked.board_W, kernel.board_W(locked.clock_MHz * 1e6, locked.degC), 0.01, b300_lab,
                         fmt::format("die {:.1f} degC; the V/f curve is a straight line, its end is set at the 900 W "
                                     "cap by the rate of iterations; {:.1f} us of each iteration need no clock, from "
                                     "the rates at 450 and 700 W",
                                     locked.degC, 1e6 * b300_loop.rest_s)));
}

}  // namespace TIDEWATT_NAMESPACE::validate
