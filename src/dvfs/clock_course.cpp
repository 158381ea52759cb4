#include "clock_course.hpp"

#include <algorithm>
#include <cmath>

#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::dvfs {
namespace {

/// What a kind draws whatever its clock, beside leakage: board, memory, links.
double clockless_W(const power::GpuModel& gpu, const PhaseMix& mix, double duration_s) {
  const auto& p = gpu.params();
  return p.board_W + (p.hbm_W * mix.hbm_s + p.link_W * mix.full_link_s) / duration_s;
}

}  // namespace

PhasePower phase_power(const power::GpuModel& gpu, const power::Chip& chip, const PhaseMix& mix, const KindClock& kind,
                       double reference_Hz, double clock_Hz, double gate_Hz) {
  PhaseMix own = mix;  // its own clock is another pace
  own.matrix_s /= kind.clock;
  own.active_matrix_s /= kind.clock;
  PhasePower out = phase_power(gpu, chip, own, reference_Hz, clock_Hz, gate_Hz);
  const double steady_W = clockless_W(gpu, mix, out.duration_s);
  out.fixed_W = steady_W + kind.dynamic * (out.fixed_W - steady_W);
  out.leakage_W *= kind.leakage;
  return out;
}

void add(PhaseMix& to, const PhaseMix& mix, double share) {
  to.matrix_s += share * mix.matrix_s;
  to.memory_s += share * mix.memory_s;
  to.link_s += share * mix.link_s;
  to.wait_s += share * mix.wait_s;
  to.active_matrix_s += share * mix.active_matrix_s;
  to.hbm_s += share * mix.hbm_s;
  to.full_link_s += share * mix.full_link_s;
}

double sample_begin_frac(std::int64_t repetition) {
  constexpr double golden = 0.6180339887498949;
  const double x = golden * static_cast<double>(repetition);
  return x - std::floor(x);
}

namespace {

constexpr double part_s = 10e-3;  ///< of `ratio`
constexpr std::size_t most_part = 2048;
constexpr double settling_windows = 8.0;  ///< then e^{-8} of where it began is left
constexpr double mean_s = 30.0;           ///< of many places of the samples in the repetition

/// What a kind does at a clock.
struct AtClock {
  double fixed_W, leakage_W, speed, work_share;
};

/// A kind at a clock, for a gate that moves: both the energy and the length of phase_power() are straight lines in the time for which
/// it waits.
class GatedKind {
 public:
  GatedKind(const power::GpuModel& gpu, const power::Chip& chip, const PhaseMix& mix, double reference_Hz,
            double clock_Hz)
      : board_W_(gpu.params().board_W),
        cycles_(mix.matrix_s * reference_Hz),
        clock_Hz_(clock_Hz),
        busy_s_(cycles_ / clock_Hz) {
    const auto alone = phase_power(gpu, chip, mix, reference_Hz, clock_Hz, 0.0);
    alone_s_ = alone.duration_s, leakage_W_ = alone.leakage_W;
    alone_J_ = (alone.fixed_W - board_W_) * alone_s_;
    if (!(cycles_ > 0.0)) return;
    const auto gated = phase_power(gpu, chip, mix, reference_Hz, clock_Hz, 0.5 * clock_Hz);
    waiting_W_ = ((gated.fixed_W - board_W_) * gated.duration_s - alone_J_) / (gated.duration_s - alone_s_);
  }
  /// @param whole_s at the repetition's pace  @param gate_Hz 0: none
  AtClock at(double whole_s, double gate_Hz) const {
    const double waits_s = gate_Hz > 0.0 && gate_Hz < clock_Hz_ ? cycles_ / gate_Hz - busy_s_ : 0.0;
    const double per_s = 1.0 / (alone_s_ + waits_s);
    return {board_W_ + (alone_J_ + waiting_W_ * waits_s) * per_s, leakage_W_, whole_s * per_s, busy_s_ * per_s};
  }

 private:
  double board_W_, cycles_, clock_Hz_, busy_s_, alone_s_ = 0.0, alone_J_ = 0.0, leakage_W_ = 0.0, waiting_W_ = 0.0;
};

/// Without a fast limit.
SampledGovernorParams without_peaks() {
  return {.period_s = 0.02,
          .peak_ratio = 1e3,
          .peak_slew_bins = 1.0,
          .up_slew_bins = 200.0,
          .down_slew_bins = 200.0,
          .thermal_hysteresis_K = 2.0,
          .slowdown_release_K = 5.0,
          .thermal_gain_bins_per_K_s = 1.0,
          .thermal_gain_bins_per_K = 1.0,
          .brake_clock_ratio = 1.0};
}

/// Plays repetitions under the sampled governor, the die around one mean temperature.
class Player {
 public:
  Player(const power::GpuModel& gpu, const power::Chip& chip, const Repetition& r, double factor, const CourseLimits& l)
      : r_(r),
        limits_(l),
        factor_(factor),
        leakage_per_K_(gpu.params().leakage_per_K),
        mean_W_(l.cap_W),
        governor_(gpu, l.governor, l.sampling == nullptr ? without_peaks() : *l.sampling),
        state_(governor_.start(1, std::min(r.pace_Hz, l.max_Hz))),
        n_bin_(static_cast<std::size_t>((gpu.clock_max_Hz() - gpu.clock_min_Hz()) / power::GpuModel::bin_Hz + 1e-9) +
               1) {
    for (std::size_t k = 0; k < r.kind_mix.size(); ++k) {
      const bool context = r.kind_context[k] != 0;
      const double whole_s = phase_power(gpu, chip, r.kind_mix[k], r.reference_Hz, r.pace_Hz, 0.0).duration_s;
      whole_s_.push_back(whole_s);
      for (std::size_t i = 0; i < n_bin_; ++i) {
        const double f = gpu.clock_min_Hz() + power::GpuModel::bin_Hz * static_cast<double>(i);
        table_.emplace_back(gpu, chip, r.kind_mix[k], r.reference_Hz, context ? f : gpu.idle_clock_Hz());
      }
    }
  }

  /// One repetition. @param see (kind, begin on the repetition's clock, length there, length in time, clock, clock without the dither
  /// between two bins, power, AtClock)
  template <class See>
  TIDEWATT_INLINE void play(See&& see) {
    double begin_s = 0.0, J = 0.0, all_s = 0.0;
    left_s_ = governor_.period_s() * std::max(1e-3, sample_begin_frac(++n_played_));
    for (std::size_t i = 0; i < r_.stretches.size(); ++i) {
      const auto& s = r_.stretches[i];
      const double gate_Hz =
          r_.kind_context[s.kind] == 0 ? 0.0 : r_.gate_Hz * (r_.gate_ratio.empty() ? 1.0 : r_.gate_ratio[i]);
      for (double left_s = s.duration_s; left_s > 1e-9;) {
        const AtClock now =
            table_[s.kind * n_bin_ + static_cast<std::size_t>(state_.bin[0])].at(whole_s_[s.kind], gate_Hz);
        const double d = std::min(left_s_, left_s / now.speed), planned_s = d * now.speed;
        const double W = now.fixed_W + now.leakage_W * factor_ * math::exp(leakage_per_K_ * (z_[0] + z_[1] + z_[2]));
        const double clock_Hz = governor_.clock_Hz(state_, 0);
        see(s.kind, begin_s, planned_s, d, clock_Hz, clock_Hz + dithered_Hz_, W, now);
        if (d != decay_of_s_) set_decay(d);
        for (std::size_t m = 0; m < z_.size(); ++m)
          z_[m] = z_[m] * left_[m] + limits_.die.K_per_J[m] * (W - mean_W_) * spent_s_[m];
        sample_J_ += W * d, sampled_s_ += d, left_s_ -= d;
        J += W * d, all_s += d;
        left_s -= planned_s, begin_s += planned_s;
        if (left_s_ <= 1e-9) decide();
      }
    }
    mean_W_ = J / all_s;
  }

 private:
  /// Most pieces are whole samples.
  TIDEWATT_INLINE void set_decay(double d) {
    decay_of_s_ = d;
    for (std::size_t m = 0; m < z_.size(); ++m) {
      const double x = limits_.die.rate_per_s[m] * d;
      // Slow modes hardly move: their series is exact to 1e-10.
      const bool slow = x < 0.01;
      const double mean = slow ? 1.0 - x * (0.5 - x * (1.0 / 6.0 - x * (1.0 / 24.0))) : math::mean_decay(x);
      left_[m] = slow ? 1.0 - x * mean : math::exp(-x);
      spent_s_[m] = d * mean;
    }
  }
  void decide() {
    const double W = sample_J_ / sampled_s_, die_K = 0.5 * limits_.governor.thermal_target_K;  // too cold for any limit
    const std::uint8_t brake = 0;
    const double rest_bins = state_.dither_bins[0];
    governor_.decide({{&W, 1}, {&die_K, 1}, {&limits_.cap_W, 1}, {&limits_.max_Hz, 1}, {&brake, 1}}, state_);
    dithered_Hz_ = power::GpuModel::bin_Hz * (state_.dither_bins[0] - rest_bins);
    sample_J_ = sampled_s_ = 0.0;
    left_s_ = governor_.period_s();
  }

  const Repetition& r_;
  const CourseLimits& limits_;
  double factor_, leakage_per_K_, mean_W_;  ///< of the last repetition
  std::array<double, 3> z_{};               ///< modes of the die, K
  std::array<double, 3> left_{}, spent_s_{};
  double decay_of_s_ = -1.0;  ///< length of the piece that the last two are for
  SampledGovernor governor_;
  GovernorState state_;
  std::size_t n_bin_;
  std::vector<GatedKind> table_;                            ///< [kind × bin]
  std::vector<double> whole_s_;                             ///< [kind] at the repetition's pace
  double sample_J_ = 0.0, sampled_s_ = 0.0, left_s_ = 0.0;  ///< of the sample
  double dithered_Hz_ = 0.0;                                ///< that the last sample left to later ones
  std::int64_t n_played_ = 0;
};

/// Means over repetitions: of all, by kind and by part.
struct Sums {
  struct Kind {
    double s = 0.0, work_s = 0.0, work_cycles = 0.0, fixed_J = 0.0, leakage_J = 0.0;
  };
  std::vector<Kind> kind;
  std::vector<double> part_cycles, part_s;
  double planned_s, s = 0.0, J = 0.0, work_s = 0.0, work_cycles = 0.0;

  /// @param even_Hz clock without the dither, whose noise a few repetitions would leave in the parts
  void add(std::uint32_t k, double begin_s, double length_s, double d, double clock_Hz, double even_Hz, double W,
           const AtClock& now) {
    auto& of = kind[k];
    const double working_s = now.work_share * d;
    of.s += d, of.work_s += working_s, of.work_cycles += working_s * clock_Hz;
    of.leakage_J += now.leakage_W * d, of.fixed_J += now.fixed_W * d;
    s += d, J += W * d, work_s += working_s, work_cycles += working_s * clock_Hz;
    const double per_s = static_cast<double>(part_s.size()) / planned_s, end = (begin_s + length_s) * per_s;
    for (double at = begin_s * per_s; at < end;) {
      const auto part = std::min(static_cast<std::size_t>(at), part_s.size() - 1);
      const double until = part + 1 == part_s.size() ? end : std::min(end, static_cast<double>(part + 1));
      part_cycles[part] += even_Hz * (until - at), part_s[part] += until - at;
      at = until;
    }
  }
};

/// How a kind's sums differ from its power at the mean clock, see phase_power below.
KindClock kind_clock(const power::GpuModel& gpu, const power::Chip& chip, const PhaseMix& mix, const Repetition& r,
                     double clock_Hz, const Sums::Kind& sum) {
  KindClock out;
  out.clock = sum.work_s > 0.0 ? sum.work_cycles / sum.work_s / clock_Hz : 1.0;
  out.leakage = 1.0;
  const auto flat = phase_power(gpu, chip, mix, out, r.reference_Hz, clock_Hz, std::min(clock_Hz, r.gate_Hz));
  const double steady_W = clockless_W(gpu, mix, flat.duration_s);
  const double dynamic_W = flat.fixed_W - steady_W;
  if (flat.leakage_W > 0.0) out.leakage = sum.leakage_J / sum.s / flat.leakage_W;
  if (dynamic_W > 0.0) out.dynamic = (sum.fixed_J / sum.s - steady_W) / dynamic_W;
  return out;
}

}  // namespace

double mean_ratio(std::span<const double> ratio, double from_frac, double to_frac) {
  if (ratio.empty()) return 1.0;
  const double n = static_cast<double>(ratio.size()), a = from_frac * n, b = to_frac * n;
  const auto last = ratio.size() - 1;
  const auto first = std::min(static_cast<std::size_t>(a), last), end = std::min(static_cast<std::size_t>(b), last);
  if (first == end || !(b > a)) return ratio[first];
  double sum = ratio[first] * (static_cast<double>(first + 1) - a) + ratio[end] * (b - static_cast<double>(end));
  for (std::size_t i = first + 1; i < end; ++i) sum += ratio[i];
  return sum / (b - a);
}

TIDEWATT_CLONES
ClockCourse clock_course(const power::GpuModel& gpu, const power::Chip& chip, const Repetition& r,
                         double leakage_temperature_factor, const CourseLimits& limits) {
  Player player(gpu, chip, r, leakage_temperature_factor, limits);
  ClockCourse out;
  double planned_s = 0.0;
  for (const auto& s : r.stretches) {
    const double one_s = phase_power(gpu, chip, r.kind_mix[s.kind], r.reference_Hz, r.pace_Hz, 0.0).duration_s;
    add(out.all, r.kind_mix[s.kind], s.duration_s / one_s);
    planned_s += s.duration_s;
  }
  const auto repetitions = [planned_s](double s) { return std::max(1, static_cast<int>(std::ceil(s / planned_s))); };
  for (int i = repetitions(settling_windows * limits.governor.window_s); i-- > 0;) player.play([](auto&&...) {});

  const auto n_part = std::clamp(static_cast<std::size_t>(planned_s / part_s), std::size_t{1}, most_part);
  Sums sums{std::vector<Sums::Kind>(r.kind_mix.size()), std::vector<double>(n_part), std::vector<double>(n_part),
            planned_s};
  const int n_seen = repetitions(mean_s);
  for (int i = 0; i < n_seen; ++i) player.play([&](auto&&... of_step) { sums.add(of_step...); });
  out.repetition_s = sums.s / n_seen;
  out.mean_W = sums.J / sums.s;
  out.clock_Hz = sums.work_s > 0.0 ? sums.work_cycles / sums.work_s : r.pace_Hz;
  for (std::size_t i = 0; i < n_part; ++i) out.ratio.push_back(sums.part_cycles[i] / sums.part_s[i] / out.clock_Hz);

  // The power of all of it at the one clock, which the closed form limits; and each kind by its own.
  const auto flat = phase_power(gpu, chip, out.all, r.reference_Hz, out.clock_Hz, std::min(out.clock_Hz, r.gate_Hz));
  out.limit_W = flat.fixed_W + flat.leakage_W * leakage_temperature_factor;
  for (std::size_t k = 0; k < r.kind_mix.size(); ++k)
    out.kind.push_back(sums.kind[k].s > 0.0 && r.kind_context[k] != 0
                           ? kind_clock(gpu, chip, r.kind_mix[k], r, out.clock_Hz, sums.kind[k])
                           : KindClock{});
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::dvfs
