#include "held_courses.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace TIDEWATT_NAMESPACE::fleet {
namespace {

constexpr int most_repetitions =
    8;  ///< until it repeats; a level falls through the whole board limit in that time [assumed]

bool alike(std::span<const HoldState> a, std::span<const HoldState> b, double still_W) {
  for (std::size_t c = 0; c < a.size(); ++c)
    if (std::abs(a[c].smoothing.level_W - b[c].smoothing.level_W) > still_W ||
        std::abs(a[c].ballast.level_W - b[c].ballast.level_W) > still_W)
      return false;
  return true;
}

/// Sums over the segments of a kind, weighted with time.
struct KindSum {
  double s = 0.0, clock = 0.0, dynamic_W = 0.0, leakage = 0.0;
};

}  // namespace

HeldRepetition::HeldRepetition(const workload::Timeline& timeline, const PowerHold& hold, const NodeType& type,
                               double limit_W, double reference_Hz, std::vector<double> pace_Hz,
                               std::vector<std::vector<dvfs::KindClock>> kind)
    : timeline_(timeline),
      hold_(hold),
      type_(type),
      limit_W_(limit_W),
      reference_Hz_(reference_Hz),
      pace_Hz_(std::move(pace_Hz)),
      kind_(std::move(kind)) {
  for (const auto& k : timeline.kinds) mix_.push_back(mix_of(k)), context_.push_back(k.context ? 1 : 0);
}

std::vector<double> HeldRepetition::play(std::span<const double> slow) {
  const double tdp_W = type_.gpu.params().tdp_W;
  const auto wait_kind = wait_kind_of(timeline_);
  const std::size_t n_class = timeline_.classes.size();
  std::vector<std::vector<double>> natural_W(n_class);
  std::vector<std::vector<mitigation::ThrottleCurve>> curve(n_class);
  std::vector<double> waiting_W(n_class), mean_W(n_class);
  for (std::size_t c = 0; c < n_class; ++c) {
    PacingChip chip{chip_at({slow[c], 0.0}), pace_Hz_[c]};
    if (!kind_.empty()) chip.kind = kind_[c];
    auto pacing = pacing_gpu(type_, mix_, context_, reference_Hz_, chip, nominal_die_K);
    natural_W[c] = std::move(pacing.natural_W), curve[c] = std::move(pacing.curve);
    waiting_W[c] = natural_W[c][wait_kind];
    if (state_.size() == c) state_.push_back({{natural_W[c][timeline_.classes[c].front().kind], 0}, {}});
  }
  for (int i = 0; i < most_repetitions; ++i) {
    const auto begin = state_;
    held_ = hold_power(timeline_, hold_, {tdp_W, limit_W_}, natural_W, wait_kind, waiting_W, state_, curve);
    if (alike(begin, state_, 1e-3 * tdp_W)) break;
  }
  for (std::size_t c = 0; c < n_class; ++c) mean_W[c] = held_mean_W(held_, c, natural_W[c]);
  return mean_W;
}

void HeldRepetition::play_at_limit(std::span<const double> limit_W, std::span<const double> most,
                                   std::vector<double>& slow) {
  constexpr double least = -1.5, near_W = 1.0, first = 0.25;
  constexpr int most_secants = 6;
  const std::size_t n_class = timeline_.classes.size();
  for (std::size_t c = 0; c < n_class; ++c) slow[c] = std::clamp(slow[c], least, most[c]);
  // Power grows smoothly with the voltage that a chip needs.
  std::vector<double> mean_W = play(slow), per_place_W(n_class, 0.0);
  for (int i = 0; i < most_secants; ++i) {
    const auto before = slow, before_W = mean_W;
    for (std::size_t c = 0; c < n_class; ++c) {
      const double miss_W = limit_W[c] - mean_W[c];
      if (std::abs(miss_W) < near_W) continue;
      slow[c] += per_place_W[c] > 1.0 ? miss_W / per_place_W[c] : std::copysign(first, miss_W);
      slow[c] = std::clamp(slow[c], least, most[c]);
    }
    if (slow == before) break;
    mean_W = play(slow);
    for (std::size_t c = 0; c < n_class; ++c)
      if (slow[c] != before[c]) per_place_W[c] = (mean_W[c] - before_W[c]) / (slow[c] - before[c]);
  }
}

HeldWork HeldRepetition::work() const {
  HeldWork out{held_.timeline, {}};
  for (auto& segments : out.timeline.classes) {
    auto& bounds = out.bounds.emplace_back();
    for (auto& s : segments) {
      bounds.push_back({held_.low_W[s.kind], held_.high_W[s.kind]});
      s.kind = held_.from_kind[s.kind];
    }
  }
  out.timeline.kinds = timeline_.kinds;
  return out;
}

std::vector<HeldKinds> held_kinds(const FleetTask& task, const NodeType& type,
                                  std::span<const std::uint32_t> from_kind) {
  const auto& gpu = type.gpu;
  std::vector<HeldKinds> out;
  std::vector<KindSum> sum(from_kind.size());
  for (std::size_t c = 0; c < task.timeline->classes.size(); ++c) {
    auto& kinds = out.emplace_back();
    const auto& segments = task.timeline->classes[c];
    const CourseMix& course = task.class_course[c];
    const CourseRatios ratios(course, *task.timeline, c, pace_of(task, c), nullptr, task.second_begin);
    std::optional<CourseRatios> leads;
    if (!task.class_lead.empty())
      leads.emplace(task.class_lead[c], *task.timeline, c, pace_of(task, c), &ratios, task.second_begin);
    const double mean_Hz = course.mean([](const ClassCourse& of) { return of.nominal.clock_Hz; });
    for (const auto& s : segments) sum[s.kind] = {};
    for (std::size_t i = 0; i < segments.size(); ++i) {
      auto& of = sum[segments[i].kind];
      if (of.s == 0.0) kinds.kind.push_back(segments[i].kind);
      const double s = seconds(segments[i].duration), ratio = ratios.at(i, 0.0, 1.0);
      kinds.ratio.push_back(ratio), kinds.lead_ratio.push_back(leads ? leads->at(i, 0.0, 1.0) : 1.0);
      const double f = std::clamp(ratio * mean_Hz, gpu.clock_min_Hz(), gpu.clock_max_Hz()), V = gpu.voltage(f).V;
      of.s += s, of.clock += s * ratio;
      of.dynamic_W += s * gpu.dynamic_W(V, f), of.leakage += s * gpu.leakage_voltage_factor(V);
    }
    std::sort(kinds.kind.begin(), kinds.kind.end());
    const double mean_V = gpu.voltage(mean_Hz).V;
    const double per_dynamic_W = 1.0 / gpu.dynamic_W(mean_V, mean_Hz),
                 per_leakage = 1.0 / gpu.leakage_voltage_factor(mean_V);
    for (const auto k : kinds.kind) {
      // How a chip's own mean clock moves them is that of the work without bounds.
      auto kind = course.kind(from_kind[k]);
      const double per_s = 1.0 / sum[k].s;
      kind.nominal = {sum[k].clock * per_s, sum[k].dynamic_W * per_s * per_dynamic_W,
                      sum[k].leakage * per_s * per_leakage};
      kinds.course.push_back(kind);
    }
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::fleet
