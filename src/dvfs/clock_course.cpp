#include "clock_course.hpp"

#include <algorithm>
#include <cmath>

#include "phase_times.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::dvfs {
namespace {

/// What a kind draws whatever its clock, beside leakage: board, memory, links.
double clockless_W(const power::GpuModel& gpu, const PhaseMix& mix, double duration_s) {
  return gpu.params().board_W + transfer_J(gpu.params(), mix) / duration_s;
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

double sample_place_frac(std::int64_t repetition, std::int64_t n_place) {
  return (static_cast<double>(repetition % n_place) + 0.5) / static_cast<double>(n_place);
}

namespace {

constexpr double part_s = 10e-3;      ///< of `ratio_sum`
constexpr double least_parts = 1e-6;  ///< of a mean; a shorter one is the part's own
constexpr std::size_t most_part = 2048;
constexpr double settling_windows = 8.0;  ///< then e^{-8} of where it began is left
constexpr double mean_s = 24.0;           ///< of many places of the samples in the repetition

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

/// Part of a stretch within one sample.
struct Piece {
  std::uint32_t kind;
  double begin_s, planned_s;  ///< on the repetition's clock, at its pace
  double duration_s, work_s, clock_Hz, W, fixed_W, leakage_W;
};

/// Plays repetitions under the power limits, the die around one mean temperature. The clock is what the limits allow, not rounded to the
/// bins that the governor dithers between: a mean without their noise.
class Player {
 public:
  /// @param n_place places of a repetition at which samples begin
  Player(const power::GpuModel& gpu, const power::Chip& chip, const Repetition& r, double factor, const CourseLimits& l,
         std::int64_t n_place)
      : gpu_(gpu),
        chip_(chip),
        r_(r),
        limits_(l),
        sampling_(l.sampling == nullptr ? without_peaks() : *l.sampling),
        limiter_(gpu, l.governor, sampling_),
        factor_(factor),
        lock_bins_(std::floor(limiter_.bins(std::min(l.max_Hz, gpu.clock_max_Hz())) + 1e-9)),
        request_bins_(std::clamp(limiter_.bins(r.pace_Hz), 0.0, lock_bins_)),
        mean_W_(l.cap_W),
        idle_(at_clock(gpu.idle_clock_Hz())),
        n_place_(n_place) {
    set_clock(request_bins_);
    for (const auto& mix : r.kind_mix)
      whole_s_.push_back(phase_times(gpu.params(), mix, r.reference_Hz / r.pace_Hz, 0.0).duration_s);
    for (std::size_t i = 0; i < r.stretches.size(); ++i) {
      const bool gated = r.gate_Hz > 0.0 && r.kind_context[r.stretches[i].kind] != 0;
      gate_stretch_.push_back(gated ? r.reference_Hz / (r.gate_Hz * (r.gate_ratio.empty() ? 1.0 : r.gate_ratio[i]))
                                    : 0.0);
    }
  }

  /// One repetition. @param see (Piece)
  template <class See>
  TIDEWATT_INLINE void play(See&& see) {
    const auto& p = gpu_.params();
    double begin_s = 0.0, J = 0.0, all_s = 0.0;
    left_s_ = sampling_.period_s * sample_place_frac(++n_played_, n_place_);
    z_before_ = z_, mean_before_W_ = mean_W_;
    for (std::size_t i = 0; i < r_.stretches.size(); ++i) {
      const auto& s = r_.stretches[i];
      const auto& mix = r_.kind_mix[s.kind];
      const bool context = r_.kind_context[s.kind] != 0;
      const double moved_J = transfer_J(p, mix), per_whole_s = 1.0 / whole_s_[s.kind];
      for (double left_s = s.duration_s; left_s > 1e-9;) {
        const AtClock& at = context ? now_ : idle_;
        const auto t = phase_times(p, mix, at.stretch, gate_stretch_[i] > at.stretch ? gate_stretch_[i] : 0.0);
        const double fixed_W = p.board_W + (at.dynamic_W * t.equivalent_s + moved_J) / t.duration_s;
        const double whole_here_s = left_s * t.duration_s * per_whole_s;
        const bool ends = whole_here_s <= left_s_;
        const double d = ends ? whole_here_s : left_s_, planned_s = ends ? left_s : d * whole_s_[s.kind] / t.duration_s;
        const double W =
            s.bounds.bounded_W(fixed_W + at.leakage_W * factor_ * math::exp(p.leakage_per_K * (z_[0] + z_[1] + z_[2])));
        see(Piece{s.kind, begin_s, planned_s, d, t.busy_s / t.duration_s * d, now_.clock_Hz, W, fixed_W, at.leakage_W});
        if (d != decay_of_s_) set_decay(d);
        for (std::size_t m = 0; m < z_.size(); ++m)
          z_[m] = z_[m] * left_[m] + limits_.die.K_per_J[m] * (W - mean_W_) * spent_s_[m];
        sample_J_ += W * d, sampled_s_ += d, left_s_ -= d;
        J += W * d, all_s += d;
        left_s -= planned_s, begin_s += planned_s;
        if (left_s_ <= 1e-9) decide();
      }
    }
    mean_W_ = J / all_s, repetition_s_ = all_s;
  }
  /// Moves the die to where it begins a repetition without end. Each mode is linear, z_end = a z_begin + b; b is that of the last one.
  void close() {
    for (std::size_t m = 0; m < z_.size(); ++m) {
      const double rate_per_s = limits_.die.rate_per_s[m], a = math::exp(-rate_per_s * repetition_s_);
      if (!(a < 1.0)) continue;
      const double of_mean_K = limits_.die.K_per_J[m] * (mean_W_ - mean_before_W_) * (1.0 - a) / rate_per_s;
      z_[m] = (z_[m] - of_mean_K - a * z_before_[m]) / (1.0 - a);
    }
  }

 private:
  /// A chip at a clock.
  struct AtClock {
    double clock_Hz, stretch, dynamic_W, leakage_W;
  };
  AtClock at_clock(double clock_Hz) const {
    const double V = gpu_.voltage(clock_Hz).V + chip_.voltage_offset_V;
    return {clock_Hz, r_.reference_Hz / clock_Hz, gpu_.dynamic_W(V, clock_Hz),
            gpu_.params().leakage_W * chip_.leakage_ratio * gpu_.leakage_voltage_factor(V)};
  }
  void set_clock(double bins) {
    if (bins == clock_bins_) return;
    clock_bins_ = bins;
    now_ = at_clock(limiter_.clock_Hz(bins));
  }
  /// Most pieces are whole samples.
  TIDEWATT_INLINE void set_decay(double d) {
    decay_of_s_ = d;
    for (std::size_t m = 0; m < z_.size(); ++m) {
      const double x = limits_.die.rate_per_s[m] * d, mean = math::mean_decay(x);
      left_[m] = 1.0 - x * mean;
      spent_s_[m] = d * mean;
    }
  }
  void decide() {
    const auto power =
        limiter_.after(request_bins_, clock_bins_, sample_J_ / sampled_s_, sampled_s_, limits_.cap_W, 1.0);
    const double goal = std::min(lock_bins_, power.clock_bins);
    request_bins_ = std::min(power.clock_bins, goal + 2.0);  // as the governor: no credit beyond the lock
    set_clock(std::min(goal, clock_bins_ + sampling_.up_slew_bins));
    sample_J_ = sampled_s_ = 0.0;
    left_s_ = sampling_.period_s;
  }

  const power::GpuModel& gpu_;
  const power::Chip& chip_;
  const Repetition& r_;
  const CourseLimits& limits_;
  SampledGovernorParams sampling_;
  PowerLimiter limiter_;
  double factor_, lock_bins_, request_bins_, clock_bins_ = -1.0, mean_W_;  ///< mean of the last repetition
  std::array<double, 3> z_{};                                              ///< modes of the die, K
  std::array<double, 3> z_before_{};                                       ///< at the last repetition's begin
  double mean_before_W_ = 0.0, repetition_s_ = 0.0;                        ///< that it counted from; its length
  std::array<double, 3> left_{}, spent_s_{};
  double decay_of_s_ = -1.0;  ///< length of the piece that the last two are for
  AtClock now_{}, idle_;
  std::vector<double> whole_s_;                             ///< [kind] at the repetition's pace
  std::vector<double> gate_stretch_;                        ///< [stretch] reference clock ÷ gate; 0: none
  double sample_J_ = 0.0, sampled_s_ = 0.0, left_s_ = 0.0;  ///< of the sample
  std::int64_t n_place_;
  std::int64_t n_played_ = 0;
};

/// Means over repetitions: of all, by kind and by part.
struct Sums {
  struct Kind {
    double s = 0.0, work_s = 0.0, work_cycles = 0.0, fixed_J = 0.0, leakage_J = 0.0;
  };
  std::vector<Kind> kind;
  std::vector<double> part_cycles, part_s;
  double parts_per_s, s = 0.0, J = 0.0, work_s = 0.0, work_cycles = 0.0;

  TIDEWATT_INLINE void add(const Piece& x) {
    auto& of = kind[x.kind];
    of.s += x.duration_s, of.work_s += x.work_s, of.work_cycles += x.work_s * x.clock_Hz;
    of.leakage_J += x.leakage_W * x.duration_s, of.fixed_J += x.fixed_W * x.duration_s;
    s += x.duration_s, J += x.W * x.duration_s, work_s += x.work_s, work_cycles += x.work_s * x.clock_Hz;
    const std::size_t last = part_s.size() - 1;
    double at = x.begin_s * parts_per_s;
    const double end = (x.begin_s + x.planned_s) * parts_per_s;
    auto part = std::min(static_cast<std::size_t>(at), last);
    for (; part < last && static_cast<double>(part + 1) < end; ++part) {
      const double until = static_cast<double>(part + 1);
      part_cycles[part] += x.clock_Hz * (until - at), part_s[part] += until - at;
      at = until;
    }
    part_cycles[part] += x.clock_Hz * (end - at), part_s[part] += end - at;
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

double mean_ratio(std::span<const double> ratio_sum, double from_frac, double to_frac) {
  if (ratio_sum.empty()) return 1.0;
  const auto n = ratio_sum.size() - 1;
  const auto until = [&](double at) {
    const auto part = std::min(static_cast<std::size_t>(at), n - 1);
    return ratio_sum[part] + (at - static_cast<double>(part)) * (ratio_sum[part + 1] - ratio_sum[part]);
  };
  const double a = from_frac * static_cast<double>(n), b = to_frac * static_cast<double>(n);
  if (b - a > least_parts) return (until(b) - until(a)) / (b - a);
  const auto here = std::min(static_cast<std::size_t>(a), n - 1);
  return ratio_sum[here + 1] - ratio_sum[here];
}

TIDEWATT_CLONES
ClockCourse clock_course(const power::GpuModel& gpu, const power::Chip& chip, const Repetition& r,
                         double leakage_temperature_factor, const CourseLimits& limits) {
  ClockCourse out;
  double planned_s = 0.0;
  for (const auto& s : r.stretches) {
    const double one_s = phase_power(gpu, chip, r.kind_mix[s.kind], r.reference_Hz, r.pace_Hz, 0.0).duration_s;
    add(out.all, r.kind_mix[s.kind], s.duration_s / one_s);
    planned_s += s.duration_s;
  }
  const auto repetitions = [planned_s](double s) { return std::max(1, static_cast<int>(std::ceil(s / planned_s))); };
  const int n_seen = repetitions(mean_s);
  Player player(gpu, chip, r, leakage_temperature_factor, limits, n_seen);
  for (int i = repetitions(settling_windows * limits.governor.window_s); i-- > 0;) player.play([](const Piece&) {});
  player.close();

  const auto n_part = std::clamp(static_cast<std::size_t>(planned_s / part_s), std::size_t{1}, most_part);
  Sums sums{std::vector<Sums::Kind>(r.kind_mix.size()), std::vector<double>(n_part), std::vector<double>(n_part),
            static_cast<double>(n_part) / planned_s};
  for (int i = 0; i < n_seen; ++i) player.play([&](const Piece& x) { sums.add(x); });
  out.repetition_s = sums.s / n_seen;
  out.mean_W = sums.J / sums.s;
  out.clock_Hz = sums.work_s > 0.0 ? sums.work_cycles / sums.work_s : r.pace_Hz;
  out.ratio_sum.resize(n_part + 1);
  for (std::size_t i = 0; i < n_part; ++i)
    out.ratio_sum[i + 1] = out.ratio_sum[i] + sums.part_cycles[i] / sums.part_s[i] / out.clock_Hz;

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
