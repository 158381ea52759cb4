#include "fit_clocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

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

constexpr double near_limit_ratio = 0.94;   ///< of the limit: a point above is held by it
constexpr double largest_miss_ratio = 0.1;  // rms over mean power: beyond, the noise would be taken for the law
constexpr std::size_t least_capped = 5, least_clocks = 4;

/// Power without switching, W.
double still_point_W(const ClockModel& m, std::span<const double> p, const ClockPoint& point, bool idle) {
  const power::LeakageLaw law{p[per_K], m.gpu.leakage().ref_K, p[leakage], p[per_V], 0.0};
  const double factor = law.temperature_factor(point.die_K) * law.voltage_factor(offset_V(m.gpu, p, point.clock_Hz));
  return p[board] + p[leakage] * factor * (idle ? p[gated] : 1.0);
}

bool capped(const ClockPoint& p) {
  return std::isfinite(p.limit_W) && !p.locked && p.power_W > near_limit_ratio * p.limit_W;
}

double slope_W_per_Hz(const ClockModel& m, std::span<const double> p, ClockPoint point, bool idle) {
  constexpr double step_Hz = 5e6;
  point.clock_Hz = std::clamp(point.clock_Hz, m.gpu.clock_min_Hz() + step_Hz, m.gpu.clock_max_Hz() - step_Hz);
  point.clock_Hz += step_Hz;
  const double above_W = clock_point_W(m, p, point, idle);
  point.clock_Hz -= 2.0 * step_Hz;
  return (above_W - clock_point_W(m, p, point, idle)) / (2.0 * step_Hz);
}

/// Under a cap the limiter sets the watts, and clocks scatter by their readings' steps: q = step ÷ √12 ÷ scatter of the watts, in Hz/W, 0 where clocks
/// are means and show no steps. A residual r of a point under a cap, with the law's slope S, then has
///
///     ln L = −r²/2σ²s² − ln s + ln S,   s² = 1 + (q S)²
///
/// ln S because the clock is what follows from the watts there. Residuals take both logarithms as a common factor, so that their squares alone
/// tell the likelihood. Without them steep or flat laws would look best.
class ClockNoise {
 public:
  ClockNoise(const ClockModel& m, std::span<const ClockTable> tables) {
    for (const auto& p : m.prior) middle_.push_back(prior_value(p, 0.0));
    std::vector<double> clock_Hz, margin_W;
    for (const auto& t : tables)
      for (const auto& p : t.points)
        if (capped(p)) clock_Hz.push_back(p.clock_Hz), margin_W.push_back(p.limit_W - p.power_W);
    if (clock_Hz.size() < least_capped) return;
    const double n = static_cast<double>(clock_Hz.size());
    double mean_W = 0.0, square = 0.0;
    for (const double W : margin_W) mean_W += W / n;
    for (const double W : margin_W) square += (W - mean_W) * (W - mean_W) / n;
    std::sort(clock_Hz.begin(), clock_Hz.end());
    clock_Hz.erase(std::unique(clock_Hz.begin(), clock_Hz.end()), clock_Hz.end());
    if (2.0 * static_cast<double>(clock_Hz.size()) > n || clock_Hz.size() < 2) return;
    double step_Hz = clock_Hz.back() - clock_Hz.front();
    for (std::size_t i = 1; i < clock_Hz.size(); ++i) step_Hz = std::min(step_Hz, clock_Hz[i] - clock_Hz[i - 1]);
    constexpr double least_W = 0.1;
    Hz_per_W_ = step_Hz / std::sqrt(12.0) / std::max(least_W, std::sqrt(square));
  }
  /// Residuals of all points of all tables, in order.
  void weigh(const ClockModel& m, std::span<const double> p, std::span<const ClockTable> tables,
             std::span<double> residual) const {
    double log_scale = 0.0;
    std::size_t i = 0;
    for (const auto& t : tables)
      for (const auto& point : t.points) {
        double& r = residual[i++];
        if (!capped(point)) continue;
        const bool idle = t.loads[point.load] == "idle";
        const double S = slope_W_per_Hz(m, p, point, idle), noise = std::hypot(1.0, S * Hz_per_W_);
        r /= noise;
        log_scale += std::log(noise * slope_W_per_Hz(m, middle_, point, idle) / S);
      }
    const double scale = std::exp(log_scale / static_cast<double>(residual.size()));
    for (double& r : residual) r *= scale;
  }

 private:
  double Hz_per_W_ = 0.0;
  std::vector<double> middle_;
};

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
  const double V = m.gpu.params().voltage_ref_V + offset_V(m.gpu, p, point.clock_Hz);
  const double activity = idle ? 0.0 : p[ClockModel::n_shared + point.load];
  return still_point_W(m, p, point, idle) + activity * m.gpu.dynamic_W(V, point.clock_Hz);
}

Posterior fit_clocks(const ClockModel& m, const ClockTable& t) {
  std::vector<double> time_s;
  time_s.reserve(t.points.size());
  for (const auto& point : t.points) time_s.push_back(point.time_s);
  const std::vector<ClockTable> tables{t};
  const ClockNoise noise(m, tables);
  auto fit = fit_posterior(m.prior, time_s, [&](std::span<const double> p, std::span<double> out) {
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = clock_point_W(m, p, t.points[i], t.loads[t.points[i].load] == "idle") - t.points[i].power_W;
    noise.weigh(m, p, tables, out);
  });
  double mean_W = 0.0;
  for (const auto& point : t.points) mean_W += point.power_W / static_cast<double>(t.points.size());
  if (fit.fit.rms > largest_miss_ratio * mean_W)
    throw InputError(fmt::format(
        "GPU '{}': the law misses its points by {:.0f} W rms of {:.0f} W: they are of several chips or loads, or "
        "the base is another GPU",
        t.gpu, fit.fit.rms, mean_W));
  return fit;
}

ClockTable without_coarse_points(const ClockTable& t) {
  std::map<std::pair<std::size_t, double>, std::set<double>> clocks;
  for (const auto& p : t.points)
    if (capped(p)) clocks[{p.load, p.limit_W}].insert(p.clock_Hz);
  ClockTable out = t;
  std::erase_if(out.points,
                [&](const auto& p) { return capped(p) && clocks[{p.load, p.limit_W}].size() < least_clocks; });
  return out;
}

std::vector<double> stretched_V(const power::GpuPowerParams& gpu, double below_ratio, double above_ratio) {
  std::vector<double> out;
  for (const double V : gpu.vf_voltage_V) {
    const double over_V = V - gpu.voltage_ref_V;
    out.push_back(gpu.voltage_ref_V + over_V * (over_V < 0.0 ? below_ratio : above_ratio));
  }
  return out;
}

Posterior fit_cap_margin(const ClockTable& t, double top_Hz) {
  double highest_Hz = top_Hz;
  for (const auto& p : t.points) highest_Hz = std::max(highest_Hz, p.clock_Hz);
  std::vector<double> time_s, margin_W, limit_W;
  for (const auto& p : t.points)
    if (capped(p) && p.clock_Hz < highest_Hz - power::GpuModel::bin_Hz)
      time_s.push_back(p.time_s), margin_W.push_back(p.limit_W - p.power_W), limit_W.push_back(p.limit_W);
  if (margin_W.size() < least_capped) return {};
  const double largest_W = (1.0 - near_limit_ratio) * *std::max_element(limit_W.begin(), limit_W.end());
  return fit_posterior({{"cap_margin_W", -0.25 * largest_W, largest_W, false}}, time_s,
                       [&](std::span<const double> p, std::span<double> out) {
                         for (std::size_t i = 0; i < out.size(); ++i) out[i] = p[0] - margin_W[i];
                       });
}

}  // namespace TIDEWATT_NAMESPACE::study
