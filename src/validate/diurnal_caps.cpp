#include <fmt/format.h>

#include <algorithm>

#include "diurnal_groups.hpp"
#include "silicon.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

constexpr std::size_t n_chip = 1024;
constexpr double least_gain_frac =
    1e-3;  // a smaller difference is no sign: the slowest of 1,024 chips moves by as much with the seed [assumed]
constexpr double K_per_W = 0.063, inlet_K = 22.0 + zero_degC_K;  // air-cooled H100 near 75 % fan speed

/// Unequal chips in one synchronous job: all of them wait for the slowest.
class Job {
 public:
  Job() : gpu_(gpu_case("h100_sxm_700W")), model_(gpu_.power), reference_Hz_(gpu_.compute.reference_clock_Hz) {
    for (std::size_t i = 0; i < n_chip; ++i) chips_.push_back(power::draw_chip(gpu_.spread, 1, i));
    mix_.matrix_s = 0.80, mix_.memory_s = 0.06, mix_.link_s = 0.09, mix_.wait_s = 0.05;
    mix_.active_matrix_s = 0.95 * mix_.matrix_s, mix_.hbm_s = 0.3, mix_.full_link_s = 0.05;
  }
  struct Answer {
    double slowest_Hz, throughput, mean_W;
  };
  Answer capped(double cap_W) const {
    double slowest = model_.clock_max_Hz();
    for (const auto& chip : chips_) slowest = std::min(slowest, clock(chip, 0.0, cap_W));
    double sum = 0.0;
    for (const auto& chip : chips_) sum += watts(chip, std::max(slowest, clock(chip, slowest, cap_W)), slowest);
    return {slowest, throughput(slowest), sum / n_chip};
  }
  Answer locked(double clock_Hz) const {
    double sum = 0.0;
    for (const auto& chip : chips_) sum += watts(chip, clock_Hz, clock_Hz);
    return {clock_Hz, throughput(clock_Hz), sum / n_chip};
  }
  /// The lock that takes as much power as a cap does.
  Answer locked_at_W(double mean_W) const {
    double lo = model_.clock_min_Hz(), hi = model_.clock_max_Hz();
    for (int i = 0; i < 40; ++i) (locked(0.5 * (lo + hi)).mean_W < mean_W ? lo : hi) = 0.5 * (lo + hi);
    return locked(lo);
  }

 private:
  double factor(double W) const { return model_.leakage_temperature_factor(inlet_K + K_per_W * W); }
  double clock(const power::Chip& chip, double gate_Hz, double cap_W) const {
    return dvfs::operating_point(model_, chip, mix_, reference_Hz_, gate_Hz, factor(cap_W),
                                 dvfs::limit_W(cap_W, gpu_.governor), model_.clock_max_Hz(), 1.5e9)
        .clock_Hz;
  }
  double watts(const power::Chip& chip, double clock_Hz, double gate_Hz) const {
    const auto p = dvfs::phase_power(model_, chip, mix_, reference_Hz_, clock_Hz, gate_Hz);
    double W = p.fixed_W + p.leakage_W;
    for (int i = 0; i < 30; ++i) W = p.at_W(factor(W));
    return W;
  }
  double throughput(double slowest_Hz) const {
    return 1.0 / dvfs::phase_power(model_, {}, mix_, reference_Hz_, slowest_Hz, 0.0).duration_s;
  }
  GpuCase gpu_;
  power::GpuModel model_;
  double reference_Hz_;
  std::vector<power::Chip> chips_;
  dvfs::PhaseMix mix_;
};

}  // namespace

std::vector<Row> clock_and_cap_rows(const Context&) {
  std::vector<Row> rows;
  const Job job;
  bool monotone = true;
  double last = 0.0;
  const double full = job.capped(700.0).throughput;
  std::string curve;
  for (int cap_W = 200; cap_W <= 700; cap_W += 50) {
    const auto a = job.capped(cap_W);
    monotone = monotone && a.throughput > last * (1.0 + least_gain_frac);
    last = a.throughput;
    if (cap_W % 100 == 0) curve += fmt::format("{}{} W: {:.3f}", curve.empty() ? "" : ", ", cap_W, a.throughput / full);
  }
  rows.push_back(holds(
      "D4/cap", "1,024 unequal H100 in one job, cap 200 to 700 W: throughput grows by more than 0.1 % with every 50 W",
      monotone, "arXiv 2604.11391", curve));
  for (int cap_W : {300, 400, 500, 600}) {
    const auto cap = job.capped(cap_W), lock = job.locked_at_W(cap.mean_W);
    rows.push_back(holds(fmt::format("D4/lock-{}", cap_W),
                         "same job: a clock lock of the same mean watts as the cap is faster by more than 0.1 %",
                         lock.throughput > cap.throughput * (1.0 + least_gain_frac), "arXiv 2607.00819",
                         fmt::format("{:+.2f} % at {:.0f} W per GPU: lock {:.0f} MHz, slowest under the cap {:.0f} MHz",
                                     100 * (lock.throughput / cap.throughput - 1), cap.mean_W, lock.slowest_Hz * 1e-6,
                                     cap.slowest_Hz * 1e-6)));
  }
  return rows;
}

}  // namespace TIDEWATT_NAMESPACE::validate
