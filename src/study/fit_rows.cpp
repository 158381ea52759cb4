#include "fit_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "fit_poles.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/thermal/air.hpp"
#include "tidewatt/thermal/server_air.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

constexpr double least_step_s = 5.0;  // closer readings say the same of temperatures that move in 20 s

double at(const std::vector<double>& time_s, const std::vector<double>& x, double t) {
  const auto right = std::lower_bound(time_s.begin(), time_s.end(), t);
  if (right == time_s.begin()) return x.front();
  if (right == time_s.end()) return x.back();
  const auto i = static_cast<std::size_t>(right - time_s.begin());
  const double u = (t - time_s[i - 1]) / (time_s[i] - time_s[i - 1]);
  return x[i - 1] + u * (x[i] - x[i - 1]);
}

/// Watts behind a first-order lag, at rest at the first reading.
std::vector<double> lagged(const ThermalRecord& r, double tau_s) {
  std::vector<double> out;
  out.reserve(r.size());
  for (std::size_t i = 0; i < r.size(); ++i) {
    const double kept = i ? math::exp(-(r.time_s[i] - r.time_s[i - 1]) / tau_s) : 0.0;
    out.push_back(i ? kept * out.back() + (1.0 - kept) * r.power_W[i] : r.power_W[i]);
  }
  return out;
}

}  // namespace

RowsLog rows_log(const std::vector<GpuTelemetry>& gpus, const std::vector<bool>& rear, double fast_s, double slow_s) {
  double from_s = -std::numeric_limits<double>::infinity(), to_s = -from_s;
  for (const auto& g : gpus)
    from_s = std::max(from_s, g.record.time_s.front()), to_s = std::min(to_s, g.record.time_s.back());
  from_s += 3.0 * slow_s;  // the state before the log is forgotten
  RowsLog log;
  log.rear = rear;
  for (int i = 0; from_s + i * least_step_s <= to_s; ++i) log.time_s.push_back(from_s + i * least_step_s);
  if (log.time_s.size() < 20)
    throw InputError(fmt::format("the GPUs have {:.0f} s in common beyond the first {:.0f} s; 100 s are needed",
                                 std::max(0.0, to_s - from_s), 3.0 * slow_s));
  for (const auto& g : gpus) {
    const auto fast = lagged(g.record, fast_s), slow = lagged(g.record, slow_s);
    for (auto* to : {&log.fast_W, &log.slow_W, &log.die_K}) to->emplace_back();
    for (const double t : log.time_s) {
      log.fast_W.back().push_back(at(g.record.time_s, fast, t));
      log.slow_W.back().push_back(at(g.record.time_s, slow, t));
      log.die_K.back().push_back(at(g.record.time_s, g.record.die_K, t));
    }
  }
  const bool has_inlet = !gpus.front().inlet_K.empty();
  log.inlet_K.reserve(log.time_s.size());
  for (const double t : log.time_s)
    log.inlet_K.push_back(has_inlet ? at(gpus.front().record.time_s, gpus.front().inlet_K, t)
                                    : std::numeric_limits<double>::quiet_NaN());
  return log;
}

Posterior fit_rows(const EntryBase& server, const EntryBase& gpu, double fan_frac, const RowsLog& log) {
  const auto air = server.read<thermal::ServerAirParams>("air");
  const auto poles = package_poles(gpu.read<thermal::PackageParams>("package"), fan_frac);
  const bool has_inlet = std::isfinite(log.inlet_K.front());
  std::vector<PriorParameter> prior = {server.prior("air.preheat_mixing_ratio", 2.0),
                                       {"package_ratio", 0.5, 2.0, true}};
  for (std::size_t g = 0; g < log.die_K.size(); ++g)
    prior.push_back({fmt::format("slot_ratio_{}", g), 0.85, 1.18, true});
  if (!has_inlet) prior.push_back({"inlet_degC", 10.0, 40.0, false});

  // GPU after GPU, each on its own stretch of time, far enough apart to be independent.
  const double span_s = 10.0 * (log.time_s.back() - log.time_s.front());
  std::vector<double> time_s;
  for (std::size_t g = 0; g < log.die_K.size(); ++g)
    for (const double t : log.time_s) time_s.push_back(t - log.time_s.front() + static_cast<double>(g) * span_s);
  return fit_posterior(prior, time_s, [&](std::span<const double> p, std::span<double> out) {
    std::size_t i = 0;
    for (std::size_t g = 0; g < log.die_K.size(); ++g)
      for (std::size_t k = 0; k < log.time_s.size(); ++k, ++i) {
        double front_W = 0.0;
        for (std::size_t f = 0; f < log.die_K.size() && log.rear[g]; ++f)
          if (!log.rear[f]) front_W += log.slow_W[f][k];
        const double inlet_K = has_inlet ? log.inlet_K[k] : p.back() + 273.15;
        const double rise_K =
            p[1] * p[2 + g] * (poles.fast_K_per_W * log.fast_W[g][k] + poles.slow_K_per_W * log.slow_W[g][k]);
        auto mixed = air;
        mixed.preheat_mixing_ratio = p[0];
        out[i] = inlet_K + rise_K +
                 thermal::rear_preheat_K(mixed, front_W, fan_frac, thermal::air_J_per_m3_K(inlet_K)) - log.die_K[g][k];
      }
  });
}

}  // namespace TIDEWATT_NAMESPACE::study
