#include "clock_course.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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

constexpr double part_s = 10e-3;  ///< of `ratio_sum`
constexpr std::size_t most_part = 2048;
constexpr double settling_windows = 8.0;  ///< then e^{-8} of where it began is left
constexpr std::size_t n_together = 4;     ///< courses that are played side by side
constexpr double mean_s = 24.0;           ///< of many places of the samples in the repetition

/// Without a fast limit.
SampledGovernorParams without_peaks() {
  return {.period_s = 0.02,
          .power_gain_Hz = 1.25e9,
          .power_rise_gain_Hz = 1.5e8,
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

/// math::mean_decay() from e^{−x}, without a branch.
TIDEWATT_INLINE double mean_decay_from(double x, double left) {
  const double far = (1.0 - left) / x;
  double near = 1.0 / 362880.0;  // series: sum (-x)^n/(n+1)!
  near = std::fma(std::fma(near, -x, 1.0 / 40320.0), -x, 1.0 / 5040.0);
  near = std::fma(std::fma(near, -x, 1.0 / 720.0), -x, 1.0 / 120.0);
  near = std::fma(std::fma(near, -x, 1.0 / 24.0), -x, 1.0 / 6.0);
  near = std::fma(std::fma(near, -x, 0.5), -x, 1.0);
  return x > 0.05 ? far : near;
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
        board_mean_(limiter_.start_mean()),
        factor_(factor),
        lock_bins_(std::floor(limiter_.bins(std::min(l.max_Hz, gpu.clock_max_Hz())) + 1e-9)),
        request_bins_(std::clamp(limiter_.bins(r.pace_Hz), 0.0, lock_bins_)),
        mean_W_(l.cap_W),
        idle_(at_clock(gpu.idle_clock_Hz())),
        n_place_(n_place) {
    set_clock(request_bins_);
    for (const auto& mix : r.kind_mix) {
      const double whole_s = phase_times(gpu.params(), mix, r.reference_Hz / r.pace_Hz, 0.0).duration_s;
      kind_.push_back({whole_s, 1.0 / whole_s, transfer_J(gpu.params(), mix)});
    }
    for (std::size_t i = 0; i < r.stretches.size(); ++i) {
      const bool gated = r.gate_Hz > 0.0 && r.kind_context[r.stretches[i].kind] != 0;
      gate_stretch_.push_back(gated ? r.reference_Hz / (r.gate_Hz * (r.gate_ratio.empty() ? 1.0 : r.gate_ratio[i]))
                                    : 0.0);
    }
  }

  /// Begins the next repetition.
  void begin() {
    at_ = {};
    left_s_ = sampling_.period_s * sample_place_frac(++n_played_, n_place_);
    z_before_ = z_, mean_before_W_ = mean_W_;
  }
  /// Its next piece. @param see (Piece)  @returns false: it is over
  template <class See>
  TIDEWATT_INLINE bool play_piece(See&& see) {
    while (!(at_.left_s > 1e-9)) {
      if (at_.next == r_.stretches.size()) {
        mean_W_ = at_.J / at_.s, repetition_s_ = at_.s;
        return false;
      }
      at_.left_s = r_.stretches[at_.next++].duration_s;
    }
    const auto& p = gpu_.params();
    const std::size_t i = at_.next - 1;
    const std::uint32_t k = r_.stretches[i].kind;
    const auto& mix = r_.kind_mix[k];
    const Kind& kind = kind_[k];
    const AtClock& at = r_.kind_context[k] != 0 ? now_ : idle_;
    const auto t = phase_times(p, mix, at.stretch, gate_stretch_[i] > at.stretch ? gate_stretch_[i] : 0.0);
    const double fixed_W = p.board_W + (at.dynamic_W * t.equivalent_s + kind.moved_J) / t.duration_s;
    const double whole_here_s = at_.left_s * t.duration_s * kind.per_whole_s;
    const bool ends = whole_here_s <= left_s_;
    const double d = ends ? whole_here_s : left_s_, planned_s = ends ? at_.left_s : d * kind.whole_s / t.duration_s;
    const Answer answer = answer_to(d, p.leakage_per_K * (z_[0] + z_[1] + z_[2]));
    const double W = r_.stretches[i].bounds.bounded_W(fixed_W + at.leakage_W * factor_ * answer.leakage);
    see(Piece{k, at_.begin_s, planned_s, d, t.busy_s / t.duration_s * d, now_.clock_Hz, W, fixed_W, at.leakage_W});
    for (std::size_t m = 0; m < z_.size(); ++m)
      z_[m] = z_[m] * answer.left[m] + limits_.die.K_per_J[m] * (W - mean_W_) * answer.spent_s[m];
    sample_J_ += W * d, sampled_s_ += d, left_s_ -= d;
    at_.J += W * d, at_.s += d;
    at_.left_s -= planned_s, at_.begin_s += planned_s;
    if (left_s_ <= 1e-9) decide();
    return true;
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
  /// A kind of work at the repetition's pace.
  struct Kind {
    double whole_s, per_whole_s, moved_J;
  };
  /// Where in the repetition it is.
  struct At {
    std::size_t next = 0;  ///< stretch after the present one
    double left_s = 0.0, begin_s = 0.0, J = 0.0, s = 0.0;
  };
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
  /// What is left of every mode after a piece, the integral of that, and e^{kT} of the leakage at its begin: exponentials that are
  /// computed side by side.
  struct Answer {
    std::array<double, 4> left, spent_s;  ///< [mode, and one more]
    double leakage;
  };
  TIDEWATT_INLINE Answer answer_to(double d, double leakage_exponent) const {
    Answer out;
    std::array<double, 4> x, left;
    for (std::size_t m = 0; m < z_.size(); ++m) x[m] = limits_.die.rate_per_s[m] * d;
    x[3] = -leakage_exponent;
    TIDEWATT_LANE_LOOP
    for (std::size_t m = 0; m < x.size(); ++m) left[m] = math::exp(-x[m]);
    out.leakage = left[3];
    TIDEWATT_LANE_LOOP
    for (std::size_t m = 0; m < x.size(); ++m) {
      const double mean = mean_decay_from(x[m], left[m]);
      out.left[m] = 1.0 - x[m] * mean;
      out.spent_s[m] = d * mean;
    }
    return out;
  }
  void decide() {
    const double sample_W = sample_J_ / sampled_s_;
    const auto power = limiter_.after(request_bins_, clock_bins_, sample_W, board_mean_.push(sample_W, sampled_s_),
                                      sampled_s_, limits_.cap_W, 1.0);
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
  PowerMean board_mean_;
  double factor_, lock_bins_, request_bins_, clock_bins_ = -1.0, mean_W_;  ///< mean of the last repetition
  std::array<double, 3> z_{};                                              ///< modes of the die, K
  std::array<double, 3> z_before_{};                                       ///< at the last repetition's begin
  double mean_before_W_ = 0.0, repetition_s_ = 0.0;                        ///< that it counted from; its length
  AtClock now_{}, idle_;
  std::vector<Kind> kind_;
  std::vector<double> gate_stretch_;                        ///< [stretch] reference clock ÷ gate; 0: none
  double sample_J_ = 0.0, sampled_s_ = 0.0, left_s_ = 0.0;  ///< of the sample
  std::int64_t n_place_;
  std::int64_t n_played_ = 0;
  At at_;
};

/// Means over repetitions: of all, by kind and by part.
struct Sums {
  struct Kind {
    double s = 0.0, work_s = 0.0, work_cycles = 0.0, fixed_J = 0.0, leakage_J = 0.0;
  };
  std::vector<Kind> kind;
  std::vector<double> part_cycles, part_s;
  double parts_per_s = 0.0, s = 0.0, J = 0.0, work_s = 0.0, work_cycles = 0.0;

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

double planned_s(const Repetition& r) {
  double out = 0.0;
  for (const auto& s : r.stretches) out += s.duration_s;
  return out;
}
int repetitions(const Repetition& r, double s) { return std::max(1, static_cast<int>(std::ceil(s / planned_s(r)))); }

/// One course, piece by piece: until the limiter has settled, then the repetitions that count.
class Course {
 public:
  Course(const power::GpuModel& gpu, const power::Chip& chip, const Repetition& r, double factor, const CourseLimits& l)
      : r_(r),
        n_settling_(repetitions(r, settling_windows * l.governor.window_s)),
        n_seen_(repetitions(r, mean_s)),
        left_(n_seen_),
        player_(gpu, chip, r, factor, l, n_seen_) {
    const auto n_part = std::clamp(static_cast<std::size_t>(planned_s(r) / part_s), std::size_t{1}, most_part);
    sums_ = {std::vector<Sums::Kind>(r.kind_mix.size()), std::vector<double>(n_part), std::vector<double>(n_part),
             static_cast<double>(n_part) / planned_s(r)};
    player_.begin();
  }
  /// @returns false: it is complete
  TIDEWATT_INLINE bool step() {
    if (n_settling_ > 0) {
      if (player_.play_piece([](const Piece&) {})) return true;
      if (--n_settling_ == 0) player_.close();
    } else {
      if (player_.play_piece([&](const Piece& x) { sums_.add(x); })) return true;
      if (--left_ == 0) return false;
    }
    player_.begin();
    return true;
  }
  ClockCourse result(const power::GpuModel& gpu, const power::Chip& chip, double leakage_temperature_factor) const;

 private:
  const Repetition& r_;
  int n_settling_, n_seen_, left_;
  Player player_;
  Sums sums_;
};

ClockCourse Course::result(const power::GpuModel& gpu, const power::Chip& chip,
                           double leakage_temperature_factor) const {
  ClockCourse out;
  for (const auto& s : r_.stretches) {
    const double one_s = phase_power(gpu, chip, r_.kind_mix[s.kind], r_.reference_Hz, r_.pace_Hz, 0.0).duration_s;
    add(out.all, r_.kind_mix[s.kind], s.duration_s / one_s);
  }
  out.repetition_s = sums_.s / n_seen_;
  out.mean_W = sums_.J / sums_.s;
  out.clock_Hz = sums_.work_s > 0.0 ? sums_.work_cycles / sums_.work_s : r_.pace_Hz;
  const std::size_t n_part = sums_.part_s.size();
  out.ratio_sum.resize(n_part + 1);
  for (std::size_t i = 0; i < n_part; ++i)
    out.ratio_sum[i + 1] = out.ratio_sum[i] + sums_.part_cycles[i] / sums_.part_s[i] / out.clock_Hz;

  // The power of all of it at the one clock, which the closed form limits; and each kind by its own.
  const auto flat = phase_power(gpu, chip, out.all, r_.reference_Hz, out.clock_Hz, std::min(out.clock_Hz, r_.gate_Hz));
  out.limit_W = flat.fixed_W + flat.leakage_W * leakage_temperature_factor;
  for (std::size_t k = 0; k < r_.kind_mix.size(); ++k)
    out.kind.push_back(sums_.kind[k].s > 0.0 && r_.kind_context[k] != 0
                           ? kind_clock(gpu, chip, r_.kind_mix[k], r_, out.clock_Hz, sums_.kind[k])
                           : KindClock{});
  return out;
}

/// To the end, a piece of each in turn: every piece waits for the die that the one before it has left, and meanwhile the others go on.
TIDEWATT_CLONES
void play_to_end(Course* courses, std::size_t n) {
  std::array<Course*, n_together> going{};
  for (std::size_t i = 0; i < n; ++i) going[i] = courses + i;
  while (n > 0)
    for (std::size_t i = 0; i < n;)
      if (going[i]->step())
        ++i;
      else
        going[i] = going[--n];
}

}  // namespace

std::vector<ClockCourse> clock_courses(const power::GpuModel& gpu, std::span<const CourseOf> of,
                                       double leakage_temperature_factor, const CourseLimits& limits) {
  std::vector<ClockCourse> out;
  out.reserve(of.size());
  std::vector<Course> courses;
  courses.reserve(n_together);
  for (std::size_t first = 0; first < of.size(); first += n_together) {
    const auto some = of.subspan(first, std::min(n_together, of.size() - first));
    courses.clear();
    for (const auto& one : some)
      courses.emplace_back(gpu, one.chip, one.repetition, leakage_temperature_factor, limits);
    play_to_end(courses.data(), courses.size());
    for (std::size_t i = 0; i < some.size(); ++i)
      out.push_back(courses[i].result(gpu, some[i].chip, leakage_temperature_factor));
  }
  return out;
}

ClockCourse clock_course(const power::GpuModel& gpu, const power::Chip& chip, const Repetition& repetition,
                         double leakage_temperature_factor, const CourseLimits& limits) {
  const CourseOf one[] = {{chip, repetition}};
  return std::move(clock_courses(gpu, one, leakage_temperature_factor, limits).front());
}

}  // namespace TIDEWATT_NAMESPACE::dvfs
