#include "chips_lab.hpp"

namespace TIDEWATT_NAMESPACE::validate {

LabKernel::LabKernel(const GpuCase& gpu, double activity, const LabLoop& loop)
    : model_(gpu.power), reference_Hz_(gpu.compute.reference_clock_Hz) {
  constexpr double bytes = 3.0 * 8192.0 * 8192.0 * 2.0;  // both operands and the product, once
  mix_.matrix_s = loop.cycles / reference_Hz_, mix_.active_matrix_s = activity * mix_.matrix_s;
  mix_.wait_s = loop.rest_s;
  mix_.hbm_s = bytes / gpu.compute.hbm_B_per_s;
  waiting_.wait_s = 1.0;
}

LabKernel LabKernel::fitted(const GpuCase& gpu) {
  double lo = 0.0, hi = 2.0;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (lo + hi);
    (LabKernel(gpu, middle).clock_Hz(b300_caps[0]) > b300_caps[0].clock_MHz * 1e6 ? lo : hi) = middle;
  }
  return {gpu, 0.5 * (lo + hi)};
}

double LabKernel::watts(const dvfs::PhaseMix& mix, double clock_Hz, double degC) const {
  const auto p = dvfs::phase_power(model_, {}, mix, reference_Hz_, clock_Hz, 0.0);
  return p.at_W(model_.leakage_temperature_factor(degC + zero_degC_K));
}

double LabKernel::board_W(double clock_Hz, double degC) const { return watts(mix_, clock_Hz, degC); }

double LabKernel::waiting_W(double clock_Hz, double degC) const { return watts(waiting_, clock_Hz, degC); }

double LabKernel::clock_Hz(const LabPoint& at) const {
  double lo = model_.clock_min_Hz(), hi = model_.clock_max_Hz();
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (lo + hi);
    (board_W(middle, at.degC) < at.board_W ? lo : hi) = middle;
  }
  return 0.5 * (lo + hi);
}

}  // namespace TIDEWATT_NAMESPACE::validate
