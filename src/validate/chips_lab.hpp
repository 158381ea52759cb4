#pragma once
// A B300 in a lab node (sinkers/gpu-power-lab): the product of two 8,192 x 8,192 matrices in bf16 under power caps.
#include <array>

#include "silicon.hpp"
#include "tidewatt/dvfs/operating_point.hpp"

namespace TIDEWATT_NAMESPACE::validate {

inline constexpr const char* b300_lab = "sinkers/gpu-power-lab, commit 249b1c9555";

/// One point of that kernel, as measured.
struct LabPoint {
  double cap_W, board_W, clock_MHz, degC;
};
inline constexpr std::array<LabPoint, 4> b300_caps = {
    {{450, 448.2, 926, 40}, {550, 546.9, 1152, 42}, {700, 692.1, 1457, 45}, {900, 886.4, 1935, 48}}};

/// The benchmark's loop: an iteration takes cycles/f + rest_s. In the rest, the next product has not begun and the chip waits.
struct LabLoop {
  double cycles, rest_s;
  double rate_per_s(double clock_Hz) const { return 1.0 / (cycles / clock_Hz + rest_s); }
  double clock_Hz(double rate_per_s) const { return cycles / (1.0 / rate_per_s - rest_s); }
};
/// The loop that two rates and the clocks reported with them make.
constexpr LabLoop loop_of(double rate_per_s, double clock_Hz, double faster_per_s, double faster_Hz) {
  const double rest_s = (faster_Hz / faster_per_s - clock_Hz / rate_per_s) / (faster_Hz - clock_Hz);
  return {clock_Hz * (1.0 / rate_per_s - rest_s), rest_s};
}
/// From the caps of 450 and 700 W, 991 and 1,539 iterations per second. No watts enter.
inline constexpr LabLoop b300_loop = loop_of(991.0, 926e6, 1539.0, 1457e6);
inline constexpr double b300_iterations_per_s_at_900 = 1892.0;

/// Board watts of the lab's kernel at a clock and a die temperature.
class LabKernel {
 public:
  /// @param activity of the product, relative to the entry's; what it copies counts as memory traffic
  LabKernel(const GpuCase& gpu, double activity, const LabLoop& loop = b300_loop);
  /// The kernel with the activity that the lowest cap gives.
  static LabKernel fitted(const GpuCase& gpu);
  double activity() const { return mix_.active_matrix_s / mix_.matrix_s; }
  double board_W(double clock_Hz, double degC) const;
  /// The same between two kernels: a context that waits for the next one.
  double waiting_W(double clock_Hz, double degC) const;
  /// Clock at which the board takes the watts that were measured, Hz.
  double clock_Hz(const LabPoint& at) const;
  const power::GpuModel& model() const { return model_; }

 private:
  double watts(const dvfs::PhaseMix& mix, double clock_Hz, double degC) const;
  power::GpuModel model_;
  double reference_Hz_;
  dvfs::PhaseMix mix_, waiting_;
};

}  // namespace TIDEWATT_NAMESPACE::validate
