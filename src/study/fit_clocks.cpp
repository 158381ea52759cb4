#include "fit_clocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "entry_base.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/math.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

enum Shared : std::size_t { board, leakage, per_K, per_V, below, above, gated };

/// Voltage over voltage_ref_V that a stretched table has at a clock, V.
double offset_V(const power::GpuModel& gpu, std::span<const double> p, double clock_Hz) {
  const double f = std::clamp(clock_Hz, gpu.clock_min_Hz(), gpu.clock_max_Hz());
  const double base_V = gpu.voltage(f).V - gpu.params().voltage_ref_V;
  return base_V * (base_V < 0.0 ? p[below] : p[above]);
}

constexpr double near_limit_ratio = 0.94;  ///< of the limit: a point above is held by it
constexpr std::size_t least_capped = 5;

}  // namespace

ClockModel clock_model(const std::string& base, const std::vector<std::string>& loads) {
  const EntryBase entry("gpu", base);
  ClockModel m{power::GpuModel(entry.read<power::GpuPowerParams>("power")), {}};
  m.prior = {entry.prior("power.board_W", 1.3),
             entry.prior("power.leakage_W", 2.0),
             entry.prior("power.leakage_frac_per_K", 1.5),
             entry.prior("power.leakage_frac_per_V", 2.0),
             {"vf_below_ratio", 0.5, 2.0, true},
             {"vf_above_ratio", 0.5, 2.0, true},
             {"rest_leakage_ratio", 0.5, 1.0, true}};
  for (const auto& load : loads) {
    const bool rest = load == "idle" || load == "context" || load == "wait";
    m.prior.push_back(
        {load == "wait" ? "wait_activity_ratio" : "activity_" + load, rest ? 0.004 : 0.15, rest ? 0.15 : 1.6, true});
  }
  return m;
}

double clock_point_W(const ClockModel& m, std::span<const double> p, const ClockPoint& point, bool idle) {
  const auto& g = m.gpu.params();
  const double over_V = offset_V(m.gpu, p, point.clock_Hz);
  const double leak_W =
      p[leakage] * math::exp(p[per_K] * (point.die_K - g.leakage_ref_K) + p[per_V] * over_V) * (idle ? p[gated] : 1.0);
  const double activity = idle ? 0.0 : p[ClockModel::n_shared + point.load];
  return p[board] + leak_W + activity * m.gpu.dynamic_W(g.voltage_ref_V + over_V, point.clock_Hz);
}

Posterior fit_clocks(const ClockModel& m, const ClockTable& t) {
  std::vector<double> time_s;
  for (const auto& point : t.points) time_s.push_back(point.time_s);
  return fit_posterior(m.prior, time_s, [&](std::span<const double> p, std::span<double> out) {
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = clock_point_W(m, p, t.points[i], t.loads[t.points[i].load] == "idle") - t.points[i].power_W;
  });
}

std::vector<double> stretched_V(const power::GpuPowerParams& gpu, double below_ratio, double above_ratio) {
  std::vector<double> out;
  for (const double V : gpu.vf_voltage_V) {
    const double over_V = V - gpu.voltage_ref_V;
    out.push_back(gpu.voltage_ref_V + over_V * (over_V < 0.0 ? below_ratio : above_ratio));
  }
  return out;
}

Posterior fit_cap_margin(const ClockTable& t) {
  double highest_Hz = 0.0;
  for (const auto& p : t.points) highest_Hz = std::max(highest_Hz, p.clock_Hz);
  std::vector<double> time_s, margin_W, limit_W;
  for (const auto& p : t.points)
    if (std::isfinite(p.limit_W) && !p.locked && p.power_W > near_limit_ratio * p.limit_W &&
        p.clock_Hz < highest_Hz - power::GpuModel::bin_Hz)
      time_s.push_back(p.time_s), margin_W.push_back(p.limit_W - p.power_W), limit_W.push_back(p.limit_W);
  if (margin_W.size() < least_capped) return {};
  const double largest_W = (1.0 - near_limit_ratio) * *std::max_element(limit_W.begin(), limit_W.end());
  return fit_posterior({{"cap_margin_W", -0.25 * largest_W, largest_W, false}}, time_s,
                       [&](std::span<const double> p, std::span<double> out) {
                         for (std::size_t i = 0; i < out.size(); ++i) out[i] = p[0] - margin_W[i];
                       });
}

}  // namespace TIDEWATT_NAMESPACE::study
