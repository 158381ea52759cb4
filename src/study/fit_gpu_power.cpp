#include "fit_gpu_power.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/math.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

constexpr double bin_Hz = 15e6;
constexpr double free_below_ratio = 0.97;  ///< of the limit: nearer to it the limiter holds the power, whatever leaks

double most_frequent_clock(const std::vector<double>& clock_Hz, const std::vector<std::size_t>& of) {
  std::map<long, int> count;
  for (const std::size_t i : of) ++count[std::lround(clock_Hz[i] / bin_Hz)];
  const auto best =
      std::max_element(count.begin(), count.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return static_cast<double>(best->first) * bin_Hz;
}

/// Samples under full load of one kind, away from the limit: leakage moves their power, nothing else.
std::vector<std::size_t> under_load(const GpuTelemetry& t) {
  const auto& W = t.record.power_W;
  std::vector<std::size_t> of;
  std::vector<double> sorted;
  for (std::size_t i = 0; i < W.size(); ++i) {
    const bool other = !t.whole_load.empty() && !t.whole_load[i],
               held = !t.limit_W.empty() && W[i] > free_below_ratio * t.limit_W[i];
    if (!other && !held) of.push_back(i), sorted.push_back(W[i]);
  }
  if (sorted.empty()) return of;
  std::sort(sorted.begin(), sorted.end());
  const double floor_W = 0.8 * sorted[sorted.size() * 9 / 10];
  std::erase_if(of, [&](std::size_t i) { return W[i] < floor_W; });
  return of;
}

}  // namespace

LeakageRecord leakage_record(const GpuTelemetry& t, const power::GpuModel& gpu) {
  const auto& r = t.record;
  if (t.clock_Hz.size() != r.size() || r.size() < 60) throw InputError("60 samples with clocks are needed");
  const auto load = under_load(t);
  if (load.empty()) throw InputError("no sample is under full load away from the power limit (lock the clock)");
  const double clock_Hz = most_frequent_clock(t.clock_Hz, load);
  LeakageRecord out;
  for (const std::size_t i : load) {
    if (std::abs(t.clock_Hz[i] - clock_Hz) > 0.5 * bin_Hz) continue;
    out.time_s.push_back(r.time_s[i]);
    out.power_W.push_back(r.power_W[i]);
    out.over_K.push_back(r.die_K[i] - gpu.leakage().ref_K);
  }
  if (out.power_W.size() < 60)
    throw InputError(fmt::format("{} samples under load at one clock; 60 are needed (lock the clock, let it warm up)",
                                 out.power_W.size()));
  if (!(clock_Hz >= gpu.clock_min_Hz() && clock_Hz <= gpu.clock_max_Hz()))
    throw InputError(fmt::format("the clock under load, {:.0f} MHz, is not in the base's V/f table", clock_Hz * 1e-6));
  out.voltage_factor = gpu.leakage_voltage_factor(gpu.voltage(clock_Hz).V);
  return out;
}

PriorParameter rest_prior(const LeakageRecord& record) {
  return {"rest_W", 0.3 * record.power_W.front(), record.power_W.front(), true};
}

void leakage_residual(const LeakageRecord& record, std::span<const double> p, std::span<double> out) {
  for (std::size_t i = 0; i < record.power_W.size(); ++i)
    out[i] = p[2] + p[0] * record.voltage_factor * power::LeakageLaw{p[1], 0.0}.rise_factor(record.over_K[i]) -
             record.power_W[i];
}

Posterior fit_leakage(const LeakageRecord& record, const PriorParameter& leakage_W,
                      const PriorParameter& leakage_per_K) {
  return fit_posterior({leakage_W, leakage_per_K, rest_prior(record)}, record.time_s,
                       [&](std::span<const double> p, std::span<double> out) { leakage_residual(record, p, out); });
}

ActivityLevels activity_levels(const GpuTelemetry& t, const power::GpuModel& gpu) {
  const auto& r = t.record;
  if (t.clock_Hz.size() != r.size()) throw InputError("activity: the record has no clocks");
  std::vector<double> a;
  for (std::size_t i = 0; i < r.size(); ++i) {
    const double f = t.clock_Hz[i];
    if (!(f >= gpu.clock_min_Hz() && f <= gpu.clock_max_Hz())) continue;
    const double V = gpu.voltage(f).V;
    a.push_back(gpu.activity_at(r.power_W[i], V, f, r.die_K[i]));
  }
  if (a.size() < 2) throw InputError("activity: no clock of the record lies in the V/f table");
  std::sort(a.begin(), a.end());
  // Two groups of a line: the best cut is found by trying all of them.
  std::vector<double> sum = {0.0}, square = {0.0};
  for (const double x : a) sum.push_back(sum.back() + x), square.push_back(square.back() + x * x);
  const auto scatter = [&](std::size_t from, std::size_t to) {
    const double n = static_cast<double>(to - from), s = sum[to] - sum[from];
    return std::max(0.0, square[to] - square[from] - s * s / n);
  };
  std::size_t cut = 1;
  for (std::size_t k = 2; k < a.size(); ++k)
    if (scatter(0, k) + scatter(k, a.size()) < scatter(0, cut) + scatter(cut, a.size())) cut = k;
  const double n_low = static_cast<double>(cut), n_high = static_cast<double>(a.size() - cut);
  return {sum[cut] / n_low, (sum.back() - sum[cut]) / n_high, std::sqrt(scatter(0, cut) / n_low),
          std::sqrt(scatter(cut, a.size()) / n_high), n_high / (n_low + n_high)};
}

Fit fit_node_overhead(std::span<const double> gpu_sum_W, std::span<const double> node_W) {
  if (gpu_sum_W.size() != node_W.size()) throw InputError("node overhead: GPU sums and node powers differ in number");
  return least_squares({{"overhead_W", 1500, 0.0, 20000}, {"ratio", 1.1, 0.9, 1.6}}, node_W.size(),
                       [&](std::span<const double> p, std::span<double> out) {
                         for (std::size_t i = 0; i < node_W.size(); ++i)
                           out[i] = p[0] + p[1] * gpu_sum_W[i] - node_W[i];
                       });
}

}  // namespace TIDEWATT_NAMESPACE::study
