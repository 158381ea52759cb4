#pragma once
// A chip under the sampled governor, its phases resolved to the edge inside every sample: the flat twin of the closed forms.
#include <array>
#include <cmath>
#include <vector>

#include "h100.hpp"
#include "tidewatt/dvfs/governor.hpp"

inline constexpr double twin_reference_Hz = 1.83e9;

inline const tidewatt::fleet::NodeType& h100() {
  static const auto type = h100_node_type();
  return type;
}

inline tidewatt::dvfs::SampledGovernorParams sampled_params() {
  using namespace tidewatt;
  const Node entry = catalog::Catalog().values("governor", "nvidia_sampled");
  std::vector<Finding> findings;
  TableReader r(entry, "governor", findings);
  dvfs::SampledGovernorParams p;
  p.fields(r);
  r.finish();
  if (!findings.empty()) throw InputError(findings);
  return p;
}

/// What a run of whole repetitions gave.
struct TwinRun {
  double mean_Hz = 0, mean_W = 0, duration_s = 0;
  std::vector<double> phase_s, phase_Hz, phase_W;  ///< [phase] per repetition, time means
  std::array<double, tidewatt::dvfs::n_held> held_s{};
};

/// Runs `phases` in a circle: settles for `settle_s`, then averages over whole repetitions lasting `measure_s` or more.
inline TwinRun run_sampled(const tidewatt::power::Chip& chip, const std::vector<tidewatt::dvfs::PhaseMix>& phases,
                           double die_K, double cap_W, double settle_s, double measure_s, double lock_Hz = 1.98e9) {
  using namespace tidewatt;
  const auto& gpu = h100().gpu;
  const dvfs::SampledGovernor governor(gpu, h100().governor, sampled_params());
  auto state = governor.start(1, 1.5e9);
  const double factor = gpu.leakage_temperature_factor(die_K);
  TwinRun out;
  const std::size_t n = phases.size();
  std::vector<double> s(n, 0.0), Hz_s(n, 0.0), J(n, 0.0);
  double now = 0.0, sample_J = 0.0, next_sample = governor.period_s(), done = 0.0;
  std::size_t k = 0;
  int repetitions = 0;
  bool measuring = false;
  double began = 0.0;
  while (true) {
    const double f =
        dvfs::peak_limited_clock_Hz(gpu, chip, phases[k], twin_reference_Hz, factor,
                                    dvfs::peak_W(h100().governor, gpu.params()), governor.clock_Hz(state, 0));
    const auto p = dvfs::phase_power(gpu, chip, phases[k], twin_reference_Hz, f, 0.0);
    const double W = p.fixed_W + p.leakage_W * factor;
    const double left_s = (1.0 - done) * p.duration_s;
    const double dt = std::min(left_s, next_sample - now);
    if (measuring) s[k] += dt, Hz_s[k] += f * dt, J[k] += W * dt;
    sample_J += W * dt;
    now += dt;
    done += dt / p.duration_s;
    if (dt == left_s) {
      done = 0.0;
      if (++k == n) {
        k = 0;
        if (measuring && ++repetitions > 0 && now - began >= measure_s) break;
        if (!measuring && now >= settle_s) measuring = true, began = now;
      }
    }
    if (now >= next_sample) {
      const double sample_W = sample_J / governor.period_s();
      const std::uint8_t brake = 0;
      governor.decide({{&sample_W, 1}, {&die_K, 1}, {&cap_W, 1}, {&lock_Hz, 1}, {&brake, 1}}, state);
      sample_J = 0.0;
      next_sample += governor.period_s();
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    out.duration_s += s[i], out.mean_Hz += Hz_s[i], out.mean_W += J[i];
    out.phase_s.push_back(s[i] / repetitions), out.phase_Hz.push_back(Hz_s[i] / s[i]),
        out.phase_W.push_back(J[i] / s[i]);
  }
  out.mean_Hz /= out.duration_s, out.mean_W /= out.duration_s;
  out.held_s = state.held_s[0];
  return out;
}
