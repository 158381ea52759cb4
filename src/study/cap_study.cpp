#include "cap_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "sim/scenario_check.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/power/gpu.hpp"
#include "tidewatt/sim/look_up.hpp"
#include "tidewatt/sim/run.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

constexpr double same_within = 1e-5;  ///< tokens per joule, relative

constexpr double near_floor_ratio = 1.002;  ///< voltage over its floor that counts as the floor

/// Whole milliwatts, as a file has them: 0.7 of 1,400 W is 980 W and not a rounding less.
double cap_W(double frac, double tdp_W) { return std::round(frac * tdp_W * 1e3) / 1e3; }

sim::Scenario capped(sim::Scenario s, double frac) {
  for (auto& h : s.halls) h.hall.cap_W = cap_W(frac, h.gpu.tdp_W);
  return s;
}

/// Energy that entered a level of the energy balance.
double energy_J(const sim::Result& result, std::string_view level) {
  const std::vector<std::string>* names = nullptr;
  for (const auto& array : result.arrays)
    if (array.path == "/energy/level") names = &std::get<std::vector<std::string>>(array.values);
  const auto in_J = sim::values(result, "/energy/in_J");
  const auto at = std::find(names->begin(), names->end(), level);
  return in_J[static_cast<std::size_t>(at - names->begin())];
}

CapPoint run_at(const sim::Scenario& s, double frac, const CapOptions& o, const power::GpuModel& gpu) {
  sim::RunOptions options;
  options.n_thread = o.n_thread;
  options.progress = [&](double) { return !(o.stop && o.stop()); };
  const auto held = capped(s, frac);
  const auto result = sim::run(held, options);
  if (o.stop && o.stop()) throw std::runtime_error("stopped");
  CapPoint p;
  p.cap_frac = frac;
  p.cap_W = sim::gpu_limit_W(held.halls.front());
  p.tokens_per_s = sim::figure(result, "tokens_per_s_mean") * 0.01 * sim::figure(result, "effective_time_percent");
  if (!(p.tokens_per_s > 0.0))
    throw InputError("the run trains nothing: run.duration_h is too short, or it has no job");
  const double length_s = sim::figure(result, "simulated_s");
  p.mean_W[0] = energy_J(result, "package") / length_s;
  p.mean_W[1] = 1e6 * sim::figure(result, "it_mean_MW");
  p.mean_W[2] = 1e6 * sim::figure(result, "pcc_mean_MW");
  p.clock_slowest_Hz = 1e6 * sim::figure(result, "clock_slowest_MHz");
  p.voltage_V = gpu.voltage(std::clamp(p.clock_slowest_Hz, gpu.clock_min_Hz(), gpu.clock_max_Hz())).V;
  p.capped_frac = sim::figure(result, "limiter_share.power");
  return p;
}

/// The caps beside the best one: its neighbours, or the two at the end of the range.
std::pair<std::size_t, std::size_t> around(std::size_t best, std::size_t n) {
  const std::size_t high = best == 0 ? 0 : best - 1, low = std::min(best + 1, n - 1);
  return {high, low};
}

KneeReason reason_of(const CapStudy& s) {
  const auto& p = s.points;
  if (s.best + 1 == p.size()) return KneeReason::none;
  const bool boards_hold = s.best_at[0] <= s.best;
  if (boards_hold) {
    const bool floor = p[s.best + 1].voltage_V <= near_floor_ratio * s.floor_V;
    return floor ? KneeReason::voltage_floor : KneeReason::boards;
  }
  // What lies around the boards holds it: the boundary with more watts that do not follow the cap.
  const double servers_W = s.fixed_W[1] - s.fixed_W[0], connection_W = s.fixed_W[2] - s.fixed_W[1];
  return servers_W >= connection_W ? KneeReason::servers : KneeReason::connection;
}

}  // namespace

CapStudy study_caps(const sim::Scenario& s, const CapOptions& o) {
  if (s.halls.empty() || s.jobs.empty()) throw InputError("caps are compared with a hall and a job");
  if (o.n_cap < 3 || !(o.lowest_frac > 0.0 && o.lowest_frac < 1.0))
    throw InputError("at least three caps, the lowest below the board limit");
  for (const auto& h : s.halls)
    for (const auto& j : s.jobs) {
      const auto least = sim::lowest_cap(h, j);
      if (const double W = cap_W(o.lowest_frac, h.gpu.tdp_W); W < least.W)
        throw InputError(
            fmt::format("lowest cap {:g} of the board limit: {:g} W is below the {:.0f} W that {}; hall "
                        "'{}' allows {:.3f} to 1",
                        o.lowest_frac, W, least.W, sim::reason_of(least, h, j.name), h.hall.name,
                        std::ceil(least.W) / h.gpu.tdp_W));
    }
  const power::GpuModel gpu(s.halls.front().gpu);
  CapStudy out;
  for (std::size_t i = 0; i < o.n_cap; ++i) {
    const double step = (1.0 - o.lowest_frac) / static_cast<double>(o.n_cap - 1);
    out.points.push_back(run_at(s, 1.0 - step * static_cast<double>(i), o, gpu));
  }
  // Fleets behind the same connection.
  std::int64_t n_gpu = 0, domain = 1;
  for (const auto& h : s.halls) n_gpu += h.hall.n_gpu;
  for (const auto& j : s.jobs)
    domain = std::lcm(domain, std::lcm(j.network.domain_gpus(), s.halls.front().server.n_gpu));
  const std::int64_t rack_gpus = s.halls.front().server.n_gpu * s.halls.front().hall.servers_per_rack;
  const auto n = static_cast<double>(n_gpu);
  out.contract_W = o.contract_W > 0.0 ? o.contract_W : out.points.front().mean_W[2];
  for (auto& p : out.points) {
    const double domain_W = p.mean_W[2] / n * static_cast<double>(domain);
    p.n_gpu = static_cast<std::int64_t>(std::floor(out.contract_W / domain_W * (1.0 + 1e-12))) * domain;
    p.n_rack = (p.n_gpu + rack_gpus - 1) / rack_gpus;
    p.fleet_tokens_per_s = p.tokens_per_s / n * static_cast<double>(p.n_gpu);
  }
  if (out.points.front().n_gpu == 0)
    throw InputError(
        fmt::format("the contract of {:g} MW holds less than one domain of {} GPUs", out.contract_W * 1e-6, domain));
  // The best cap, counted at each boundary. Whole domains would hide it on a small site, so watts decide.
  // Caps that never bind differ by rounding; of such the highest.
  const auto best = [&](PowerBoundary at) {
    std::size_t found = 0;
    for (std::size_t i = 1; i < out.points.size(); ++i)
      if (out.points[i].tokens_per_J(at) > (1.0 + same_within) * out.points[found].tokens_per_J(at)) found = i;
    return found;
  };
  for (std::size_t b = 0; b < n_boundary; ++b) out.best_at[b] = best(static_cast<PowerBoundary>(b));
  out.best = out.best_at[n_boundary - 1];
  // What stays when the cap falls, and what follows the clock.
  const auto [high, low] = around(out.best, out.points.size());
  const auto &h = out.points[high], &l = out.points[low], &at = out.points[out.best];
  for (std::size_t b = 0; b < n_boundary; ++b) {
    out.gpu_W[b] = at.mean_W[b] / n;
    out.fixed_W[b] = out.gpu_W[b] - at.cap_frac * (h.mean_W[b] - l.mean_W[b]) / n / (h.cap_frac - l.cap_frac);
  }
  out.clock_bound_frac = std::log(h.tokens_per_s / l.tokens_per_s) / std::log(h.clock_slowest_Hz / l.clock_slowest_Hz);
  out.floor_V = gpu.voltage(gpu.clock_min_Hz()).V;
  out.reason = reason_of(out);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
