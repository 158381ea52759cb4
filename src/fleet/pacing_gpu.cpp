#include "pacing_gpu.hpp"

#include <algorithm>

#include "dvfs/clock_course.hpp"
#include "nominal_power.hpp"

namespace TIDEWATT_NAMESPACE::fleet {
namespace {

/// At one clock for all of its work.
PacingChip at_one_clock(const FleetTask& task, const NodeType& type, const Controls& controls, std::size_t cls,
                        double factor) {
  const double limit_W = dvfs::limit_W(controls.cap_W, type.governor), gate_Hz = task.class_gate_Hz[cls];
  const double own_Hz = dvfs::operating_point(type.gpu, {}, task.class_window[cls], task.reference_Hz, gate_Hz, factor,
                                              limit_W, controls.lock_Hz, 0.0)
                            .clock_Hz;
  const double pace_Hz = gate_Hz > 0.0 ? std::min(gate_Hz, own_Hz) : own_Hz;
  const auto p = dvfs::phase_power(type.gpu, {}, task.class_window[cls], task.reference_Hz, pace_Hz, pace_Hz);
  const bool slower = pace_Hz < own_Hz - power::GpuModel::bin_Hz;
  return {{}, pace_Hz, slower ? std::max(0.0, limit_W - p.at_W(factor)) : 0.0};
}

}  // namespace

PacingChip pacing_chip(const CourseMix& lead, std::size_t n_kind, double pace_Hz) {
  PacingChip out{chip_at({lead.mean([](const ClassCourse& c) { return c.pacing_slow; }), 0.0}), pace_Hz};
  for (std::size_t k = 0; k < n_kind; ++k) out.kind.push_back(lead.kind(k).at(pace_Hz));
  return out;
}

PacingGpu pacing_gpu(const NodeType& type, std::span<const dvfs::PhaseMix> kind_mix,
                     std::span<const std::uint8_t> context, double reference_Hz, const PacingChip& of, double die_K) {
  constexpr int n_point = 12;
  const double factor = type.gpu.leakage_temperature_factor(die_K), low_Hz = type.gpu.clock_min_Hz();
  const auto at = [&](const dvfs::PhaseMix& mix, double f_Hz) {
    return dvfs::phase_power(type.gpu, of.chip, mix, reference_Hz, f_Hz, f_Hz);
  };
  const auto power_W = [&](const dvfs::PhasePower& p) { return p.at_W(factor) + of.more_W; };
  dvfs::PhaseMix waits{};
  waits.wait_s = 1.0;
  const double wait_W = power_W(at(waits, low_Hz));
  PacingGpu out;
  out.curve.resize(kind_mix.size());
  for (std::size_t k = 0; k < kind_mix.size(); ++k) {
    const auto& mix = kind_mix[k];
    if (context[k] == 0) {
      const auto p = at(mix, type.gpu.idle_clock_Hz());
      out.natural_W.push_back(type.gpu.params().board_W + type.gpu.params().rest_leakage_ratio * p.leakage_W * factor);
      continue;
    }
    const dvfs::KindClock kind = of.kind.empty() ? dvfs::KindClock{} : of.kind[k];
    out.natural_W.push_back(
        power_W(dvfs::phase_power(type.gpu, of.chip, mix, kind, reference_Hz, of.pace_Hz, of.pace_Hz)));
    if (!(mix.matrix_s > 0.0)) continue;
    auto& c = out.curve[k];
    const double high_Hz = of.pace_Hz * kind.clock, whole_s = at(mix, high_Hz).duration_s;
    // A clock that moves within the kind draws more than its mean.
    const double spread_W = out.natural_W[k] - power_W(at(mix, high_Hz));
    c.power_W.push_back(wait_W);
    c.speed_frac.push_back(0.0);
    for (int i = 0; i <= n_point; ++i) {
      const auto p = at(mix, low_Hz + (high_Hz - low_Hz) * i / n_point);
      if (power_W(p) + spread_W <= c.power_W.back()) continue;
      c.power_W.push_back(power_W(p) + spread_W);
      c.speed_frac.push_back(std::min(1.0, whole_s / p.duration_s));
    }
  }
  return out;
}

PacingGpu pacing_gpu(const FleetTask& task, const NodeType& type, const Controls& controls, std::size_t cls,
                     double die_K) {
  if (task.class_lead.empty())
    return pacing_gpu(type, task.kind_mix, task.kind_context, task.reference_Hz,
                      at_one_clock(task, type, controls, cls, type.gpu.leakage_temperature_factor(die_K)), die_K);
  const double gate_Hz = task.class_gate_Hz[cls];
  const double pace_Hz = gate_Hz > 0.0 ? gate_Hz : gated_clock_Hz(task, type, controls, cls, {}, die_K);
  return pacing_gpu(type, task.kind_mix, task.kind_context, task.reference_Hz,
                    pacing_chip(task.class_lead[cls], task.kind_mix.size(), pace_Hz), die_K);
}

}  // namespace TIDEWATT_NAMESPACE::fleet
