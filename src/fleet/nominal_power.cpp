#include "nominal_power.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "dvfs/operating_point_batch.hpp"
#include "dvfs/phase_times.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::fleet {
namespace {

/// Powers and leakage of kinds; 0 of kinds that the class has not.
NominalPowers kind_powers(const FleetTask& task, const NodeType& type, std::size_t cls, double clock_Hz, double die_K) {
  const double gate_Hz = task.class_gate_Hz[cls];
  const double factor = type.gpu.leakage_temperature_factor(die_K);
  NominalPowers out;
  out.kind_W.assign(task.kind_mix.size(), 0.0), out.leakage_W = out.kind_W;
  const auto set = [&](std::size_t k, const KindCourse& course) {
    const bool context = task.kind_context[k] != 0;
    const double f = context ? clock_Hz : type.gpu.idle_clock_Hz();
    const auto p = dvfs::phase_power(type.gpu, {}, task.kind_mix[k], course.at(clock_Hz), task.reference_Hz, f,
                                     context ? gate_Hz : 0.0);
    const auto& at_rest = type.gpu.params();
    const double leakage_W = (context ? 1.0 : at_rest.rest_leakage_ratio) * p.leakage_W * factor;
    const double W = leakage_W + (context ? p.fixed_W : at_rest.board_W);
    out.kind_W[k] = std::clamp(W, task.kind_low_W.empty() ? 0.0 : task.kind_low_W[k],
                               task.kind_high_W.empty() ? W : std::max(task.kind_low_W[k], task.kind_high_W[k]));
    out.leakage_W[k] = out.kind_W[k] == W ? leakage_W : 0.0;
  };
  if (task.class_kinds.empty()) {
    for (std::size_t k = 0; k < task.kind_mix.size(); ++k) set(k, kind_course(task, cls, k));
  } else {  // most kinds are other classes'
    const auto& held = task.class_kinds[cls];
    for (std::size_t i = 0; i < held.kind.size(); ++i) set(held.kind[i], held.course[i]);
  }
  return out;
}

/// [segment] mean power at each one's own clock; 0 without a context. See dvfs::phase_power for the equation.
TIDEWATT_CLONES
void segment_powers(const FleetTask& task, const NodeType& type, const power::Chip& chip, double leakage_factor,
                    std::span<const workload::Segment> segments, std::span<const double> clock_Hz,
                    std::span<const double> gate_Hz, std::vector<double>& W) {
  const auto& p = type.gpu.params();
  const double leakage_W = p.leakage_W * chip.leakage_ratio * leakage_factor;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const auto kind = segments[i].kind;
    const auto& mix = task.kind_mix[kind];
    const double f = clock_Hz[i], V = type.gpu.voltage(f).V + chip.voltage_offset_V;
    const auto t =
        dvfs::phase_times(p, mix, task.reference_Hz / f, gate_Hz[i] > 0.0 ? task.reference_Hz / gate_Hz[i] : 0.0);
    const double J = type.gpu.dynamic_W(V, f) * t.equivalent_s + dvfs::transfer_J(p, mix);
    const dvfs::PowerBounds bounds{task.kind_low_W[kind], task.kind_high_W[kind]};
    W[i] = task.kind_context[kind] == 0
               ? 0.0
               : bounds.bounded_W(p.board_W + J / t.duration_s + leakage_W * type.gpu.leakage_voltage_factor(V));
  }
}

}  // namespace

double gated_clock_Hz(const FleetTask& task, const NodeType& type, const Controls& controls, std::size_t cls,
                      const power::Chip& of, double die_K) {
  const std::array chip{of};
  const std::array die{die_K}, limit_W{controls.cap_W - type.governor.cap_margin_W};
  std::array clock_Hz{0.0};
  std::array<dvfs::Limiter, 1> unused;
  dvfs::OperatingPointBatch batch{chip, die, limit_W, clock_Hz, unused};
  set_falling(task, cls, limit_W[0], batch);
  dvfs::operating_points(type.gpu, task.class_window[cls], task.reference_Hz, task.class_gate_Hz[cls], controls.lock_Hz,
                         batch);
  return clock_Hz[0];
}

namespace {

const workload::Timeline& whole_of(const FleetTask& task) {
  return task.course_timeline == nullptr ? *task.timeline : *task.course_timeline;
}
bool moves_within_kinds(const FleetTask& task, std::size_t cls) {
  return !task.class_course.empty() && whole_of(task).classes[cls].size() >= 2;
}

/// @param clock_Hz of the chip  @param of_chip nullptr: the nominal one
std::vector<double> more_W(const FleetTask& task, const NodeType& type, std::size_t cls, double die_K, double clock_Hz,
                           const ChipAtClock* of_chip) {
  const auto& segments = task.timeline->classes[cls];
  const auto& whole = whole_of(task);
  const double pace = pace_of(task, cls), factor = type.gpu.leakage_temperature_factor(die_K);
  const bool leads = of_chip != nullptr && of_chip->leads && !task.class_lead.empty();
  const power::Chip chip = of_chip != nullptr ? of_chip->chip : power::Chip{};
  const double gate_Hz = leads ? 0.0 : task.class_gate_Hz[cls];
  auto course = leads ? task.class_lead[cls] : task.class_course[cls];
  if (of_chip != nullptr) course.chip = place_of(chip, type, die_K);
  // Those of the nominal chip are known where smoothing or ballast made the kinds.
  const HeldKinds* known = of_chip == nullptr && !task.class_kinds.empty() ? &task.class_kinds[cls] : nullptr;
  std::optional<CourseRatios> ratios, lead;
  if (known == nullptr) {
    ratios.emplace(course, whole, cls, pace, nullptr, task.second_begin);
    if (!task.class_lead.empty()) lead.emplace(task.class_lead[cls], whole, cls, pace, &*ratios, task.second_begin);
  }
  const std::size_t n = whole.classes[cls].size();
  std::vector<double> f_Hz(n), gates_Hz(n), W(n), kind_J(task.kind_mix.size(), 0.0), kind_s(task.kind_mix.size(), 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const double ratio = known != nullptr ? known->ratio[i] : ratios->at(i);
    f_Hz[i] = std::clamp(clock_Hz * ratio, type.gpu.clock_min_Hz(), type.gpu.clock_max_Hz());
    if (!(gate_Hz > 0.0)) continue;
    const double lead_ratio = known != nullptr ? known->lead_ratio[i] : lead ? lead->at(i) : 1.0;
    gates_Hz[i] = std::min(f_Hz[i], gate_Hz * lead_ratio);
  }
  segment_powers(task, type, chip, factor, whole.classes[cls], f_Hz, gates_Hz, W);
  for (std::size_t i = 0; i < n; ++i) {
    const auto& s = whole.classes[cls][i];
    kind_J[s.kind] += W[i] * seconds(s.duration), kind_s[s.kind] += seconds(s.duration);
  }
  std::vector<double> out;
  Tick left = task.course_begin;  // of the whole's segment, until the part begins
  std::size_t of = 0;
  while (of + 1 < whole.classes[cls].size() && left >= whole.classes[cls][of].duration)
    left -= whole.classes[cls][of++].duration;
  for (const auto& s : segments) {
    out.push_back(W[of] - kind_J[s.kind] / kind_s[s.kind]);  // of the whole segment, however finely it is played
    left += s.duration;
    if (left >= whole.classes[cls][of].duration && of + 1 < whole.classes[cls].size()) ++of, left = 0;
  }
  return out;
}

}  // namespace

std::vector<double> nominal_kind_W(const FleetTask& task, const NodeType& type, const Controls& controls,
                                   std::size_t cls, double die_K) {
  return kind_powers(task, type, cls, gated_clock_Hz(task, type, controls, cls, {}, die_K), die_K).kind_W;
}

std::vector<double> segment_more_W(const FleetTask& task, const NodeType& type, const Controls& controls,
                                   std::size_t cls, double die_K, const ChipAtClock* of) {
  if (!moves_within_kinds(task, cls)) return {};
  return more_W(task, type, cls, die_K,
                of != nullptr ? of->clock_Hz : gated_clock_Hz(task, type, controls, cls, {}, die_K), of);
}

NominalPowers nominal_powers(const FleetTask& task, const NodeType& type, const Controls& controls, std::size_t cls,
                             double die_K) {
  const double clock_Hz = gated_clock_Hz(task, type, controls, cls, {}, die_K);
  auto out = kind_powers(task, type, cls, clock_Hz, die_K);
  if (moves_within_kinds(task, cls)) out.more_W = more_W(task, type, cls, die_K, clock_Hz, nullptr);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::fleet
