#include "nominal_power.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "dvfs/operating_point_batch.hpp"
#include "dvfs/phase_law.hpp"
#include "task.hpp"
#include "tidewatt/base/math.hpp"
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

/// What segments have of their kinds, for loops over segments. Kept from one task to the next.
struct OfSegments {
  std::vector<double> matrix_s, active_s, memory_s, link_s, wait_s, transfer_J, low_W, high_W, gate_stretch;
  std::vector<double> context;  ///< 0: none
  void set(const FleetTask& task, const power::GpuPowerParams& p, std::span<const workload::Segment> segments) {
    for (auto* of :
         {&matrix_s, &active_s, &memory_s, &link_s, &wait_s, &transfer_J, &low_W, &high_W, &gate_stretch, &context})
      of->resize(segments.size());
    for (std::size_t i = 0; i < segments.size(); ++i) {
      const auto kind = segments[i].kind;
      const auto& mix = task.kind_mix[kind];
      matrix_s[i] = mix.matrix_s, active_s[i] = mix.active_matrix_s;
      memory_s[i] = mix.memory_s, link_s[i] = mix.link_s, wait_s[i] = mix.wait_s;
      transfer_J[i] = dvfs::transfer_J(p, mix);
      low_W[i] = task.kind_low_W[kind], high_W[i] = task.kind_high_W[kind];
      context[i] = task.kind_context[kind] == 0 ? 0.0 : 1.0;
    }
  }
};

/// [segment] mean power at each one's own clock; 0 without a context. See dvfs::phase_power for the equation.
TIDEWATT_CLONES
void segment_powers(const power::GpuModel& gpu, const power::Chip& chip, double leakage_factor, double reference_Hz,
                    std::size_t n, const double* clock_Hz, const double* gate_Hz, OfSegments& of, double* W) {
  const dvfs::ActivityLaw activity(gpu.params());
  const power::SwitchingLaw switching = gpu.switching();
  const power::LeakageLaw leakage = gpu.leakage();
  const double leakage_W = leakage.ref_W * chip.leakage_ratio * leakage_factor, offset_V = chip.voltage_offset_V,
               board_W = gpu.params().board_W;
  const double *matrix_s = of.matrix_s.data(), *active_s = of.active_s.data(), *memory_s = of.memory_s.data(),
               *link_s = of.link_s.data(), *wait_s = of.wait_s.data(), *transfer_J = of.transfer_J.data(),
               *low_W = of.low_W.data(), *high_W = of.high_W.data(), *context = of.context.data();
  double* gate_stretch = of.gate_stretch.data();
  const auto grid = gpu.grid();
  for (std::size_t i = 0; i < n; ++i) W[i] = grid.voltage(clock_Hz[i]).V;  // the table's, for now
  TIDEWATT_LANE_LOOP
  for (std::size_t i = 0; i < n; ++i) {
    const double stretch = reference_Hz / gate_Hz[i];
    gate_stretch[i] = gate_Hz[i] > 0.0 ? stretch : 0.0;
  }
  TIDEWATT_LANE_LOOP
  for (std::size_t i = 0; i < n; ++i) {
    const double f = clock_Hz[i], V = W[i] + offset_V;
    const dvfs::PhaseMix mix{matrix_s[i], memory_s[i], link_s[i], wait_s[i], active_s[i]};
    const auto t = dvfs::phase_times(activity, mix, reference_Hz / f, gate_stretch[i]);
    const double J = switching.at_W(V, f) * t.equivalent_s + transfer_J[i];
    const double own_W = board_W + J / t.duration_s + leakage_W * leakage.voltage_factor(V);
    const double low = low_W[i], high = high_W[i], below = own_W < high ? own_W : high,
                 held_W = below > low ? below : low;
    W[i] = context[i] > 0.0 ? held_W : 0.0;
  }
}

}  // namespace

double gated_clock_Hz(const FleetTask& task, const NodeType& type, const Controls& controls, std::size_t cls,
                      const power::Chip& of, double die_K) {
  const std::array chip{of};
  const std::array die{die_K}, limit_W{dvfs::limit_W(controls.cap_W, type.governor)};
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
  return task.whole == nullptr ? *task.timeline : task.whole->timeline;
}
bool moves_within_kinds(const FleetTask& task, std::size_t cls) {
  return !task.class_course.empty() && whole_of(task).classes[cls].size() >= 2;
}

/// [segment of the whole] as segment_more_W. @param clock_Hz of the chip  @param of_chip nullptr: the nominal one
std::vector<double> whole_more_W(const FleetTask& task, const NodeType& type, std::size_t cls, double die_K,
                                 double clock_Hz, const ChipAtClock* of_chip) {
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
  std::vector<double> peak_Hz(task.kind_mix.size(), 0.0);  // [kind] under the board's peak; 0: not asked for
  const double top_Hz = type.gpu.clock_max_Hz(), board_peak_W = dvfs::peak_W(type.governor, type.gpu.params());
  std::vector<double> f_Hz(n), gates_Hz(n), W(n), kind_J(task.kind_mix.size(), 0.0), kind_s(task.kind_mix.size(), 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const double ratio = known != nullptr ? known->ratio[i] : ratios->at(i);
    const auto kind = whole.classes[cls][i].kind;
    if (peak_Hz[kind] == 0.0)
      peak_Hz[kind] = dvfs::peak_limited_clock_Hz(type.gpu, chip, task.kind_mix[kind], task.reference_Hz, factor,
                                                  board_peak_W, top_Hz);
    f_Hz[i] = std::clamp(clock_Hz * ratio, type.gpu.clock_min_Hz(), peak_Hz[kind]);
    if (!(gate_Hz > 0.0)) continue;
    const double lead_ratio = known != nullptr ? known->lead_ratio[i] : lead ? lead->at(i) : 1.0;
    gates_Hz[i] = std::min(f_Hz[i], gate_Hz * lead_ratio);
  }
  static thread_local OfSegments rooms;
  rooms.set(task, type.gpu.params(), whole.classes[cls]);
  segment_powers(type.gpu, chip, factor, task.reference_Hz, n, f_Hz.data(), gates_Hz.data(), rooms, W.data());
  for (std::size_t i = 0; i < n; ++i) {
    const auto& s = whole.classes[cls][i];
    kind_J[s.kind] += W[i] * seconds(s.duration), kind_s[s.kind] += seconds(s.duration);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const auto kind = whole.classes[cls][i].kind;
    W[i] -= kind_J[kind] / kind_s[kind];
  }
  return W;
}

/// [segment of the timeline] that of the whole segment, however finely it is played.
std::vector<double> of_part(const FleetTask& task, std::size_t cls, const std::vector<double>& whole_W) {
  const auto& whole = whole_of(task).classes[cls];
  std::vector<double> out;
  out.reserve(task.timeline->classes[cls].size());
  Tick left = task.begins_in_whole;  // of the whole's segment, until the part begins
  std::size_t of = 0;
  while (of + 1 < whole.size() && left >= whole[of].duration) left -= whole[of++].duration;
  for (const auto& s : task.timeline->classes[cls]) {
    out.push_back(whole_W[of]);
    left += s.duration;
    if (left >= whole[of].duration && of + 1 < whole.size()) ++of, left = 0;
  }
  return out;
}

/// As the public one. @param find_clock_Hz finds the clock of the nominal chip at nominal_die_K
template <class FindClock>
std::vector<double> nominal_more_W(const FleetTask& task, const NodeType& type, std::size_t cls,
                                   const FindClock& find_clock_Hz) {
  if (!moves_within_kinds(task, cls)) return {};
  const auto find_W = [&] { return whole_more_W(task, type, cls, nominal_die_K, find_clock_Hz(), nullptr); };
  if (task.whole == nullptr) return find_W();
  auto& known_W = task.whole->more_W[cls];
  if (known_W.empty()) known_W = find_W();
  return of_part(task, cls, known_W);
}

}  // namespace

std::vector<double> nominal_kind_W(const FleetTask& task, const NodeType& type, const Controls& controls,
                                   std::size_t cls, double die_K) {
  return kind_powers(task, type, cls, gated_clock_Hz(task, type, controls, cls, {}, die_K), die_K).kind_W;
}

std::vector<double> nominal_more_W(const FleetTask& task, const NodeType& type, const Controls& controls,
                                   std::size_t cls) {
  return nominal_more_W(task, type, cls, [&] { return gated_clock_Hz(task, type, controls, cls, {}, nominal_die_K); });
}

std::vector<double> segment_more_W(const FleetTask& task, const NodeType& type, std::size_t cls, double die_K,
                                   const ChipAtClock& of) {
  if (!moves_within_kinds(task, cls)) return {};
  auto whole_W = whole_more_W(task, type, cls, die_K, of.clock_Hz, &of);
  return task.whole == nullptr ? std::move(whole_W) : of_part(task, cls, whole_W);
}

NominalPowers nominal_powers(const FleetTask& task, const NodeType& type, const Controls& controls, std::size_t cls,
                             double die_K) {
  const double clock_Hz = gated_clock_Hz(task, type, controls, cls, {}, die_K);
  auto out = kind_powers(task, type, cls, clock_Hz, die_K);
  out.more_W = nominal_more_W(task, type, cls, [&] {
    return die_K == nominal_die_K ? clock_Hz : gated_clock_Hz(task, type, controls, cls, {}, nominal_die_K);
  });
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::fleet
