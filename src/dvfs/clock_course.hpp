#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tidewatt/base/simd.hpp"
#include "tidewatt/dvfs/governor.hpp"

namespace TIDEWATT_NAMESPACE::dvfs {

/// Bounds within which smoothing or ballast keep a board's power, whatever its clock: it burns up to the lower one, which counts against
/// the limit like work. None by default.
struct PowerBounds {
  double low_W = 0.0, high_W = std::numeric_limits<double>::infinity();
  /// A board's power that would be `W` without them, in W.
  double bounded_W(double W) const {
    const double below = W < high_W ? W : high_W;
    return below > low_W ? below : low_W;
  }
};

/// Part of a repetition in which a rank does one kind of work.
struct Stretch {
  double duration_s;  ///< at the pace that the repetition is given at
  std::uint32_t kind;
  PowerBounds bounds{};
};

/// How one kind of work differs from all of it at the mean clock. All are ratios.
struct KindClock {
  double clock = 1.0;    ///< mean clock while it works
  double dynamic = 1.0;  ///< switching power at activity 1
  double leakage = 1.0;  ///< leakage, by its voltage
};

/// A repetition of one rank class, for its limiter.
struct Repetition {
  std::span<const Stretch> stretches;
  std::span<const PhaseMix> kind_mix;          ///< [kind]
  std::span<const std::uint8_t> kind_context;  ///< [kind] 0: no CUDA context, idle clock
  double reference_Hz;                         ///< clock at which the work is counted
  double pace_Hz;                              ///< clock at which `stretches` have their durations
  /// Mean clock of the slowest rank that this one waits for, which sets their durations; 0: none, its own clock does.
  double gate_Hz = 0.0;
  std::span<const double> gate_ratio = {};  ///< [stretch] that rank's clock there ÷ gate_Hz; empty: 1
};

/// Where the governor's next sample falls in a repetition: iterations are not locked to samples. @returns share of a sample, 0 … 1,
/// evenly spread over repetitions (golden ratio)
double sample_begin_frac(std::int64_t repetition);

/// The same for a mean over `n_place` repetitions: the places 1/2n, 3/2n …, whatever their lengths, so that the mean moves smoothly with
/// the pace.
double sample_place_frac(std::int64_t repetition, std::int64_t n_place);

/// How a die answers to power, over its mean temperature: T' = Σ_k z_k, z_k' = −rate z_k + K_per_J (P − mean P).
struct DieResponse {
  std::array<double, 3> rate_per_s{}, K_per_J{};
};

/// Limits in force.
struct CourseLimits {
  double cap_W;   ///< of the board, without the margin
  double max_Hz;  ///< table's end or lock
  GovernorParams governor;
  const SampledGovernorParams* sampling;  ///< nullptr: no fast limit
  DieResponse die;
  /// At least that long it is averaged, over an even number of repetitions, samples at another place of each; 0: over one.
  double mean_s = 24.0;
};

/// phase_power() of a kind in a rank whose mean clock over all kinds is `clock_Hz`, and that of the slowest rank `gate_Hz`.
PhasePower phase_power(const power::GpuModel& gpu, const power::Chip& chip, const PhaseMix& mix, const KindClock& kind,
                       double reference_Hz, double clock_Hz, double gate_Hz);

/// What the limiter makes of a repetition without end: means of the sampled governor over many repetitions, samples at
/// another place of each. In a stretch much longer than the limiter's window τ the clock is that stretch's own operating point; stretches
/// much shorter share one. The mean power over the repetition is P_cap − margin, less what the limiter cannot use: a clock at the
/// table's end in a long wait (anti-windup: no credit is kept beyond it), what the fast limit takes, and what smoothing or ballast burn.
/// Kinds are by their own power, without bounds.
struct ClockCourse {
  double clock_Hz = 0.0;  ///< mean while it works
  double limit_W = 0.0;   ///< power of the whole repetition at that one clock
  double mean_W = 0.0;    ///< mean power
  double repetition_s = 0.0;
  PhaseMix all;  ///< all of its work
  std::vector<KindClock> kind;
  std::vector<double> ratio_sum;  ///< [equal part of the repetition] Σ of clock ÷ clock_Hz before it, and over all
};

/// Two shares of a repetition as places in the running sum of any course with as many parts.
class RatioSpan {
 public:
  /// @param n_part of the sums, at least 1
  RatioSpan(double from_frac, double to_frac, std::size_t n_part)
      : n_part_(static_cast<std::uint32_t>(n_part)),
        from_(from_frac * static_cast<double>(n_part)),
        to_(to_frac * static_cast<double>(n_part)),
        first_(part_of(from_)),
        last_(part_of(to_)),
        per_part_(to_ - from_ > least_parts ? 1.0 / (to_ - from_) : 0.0) {
    from_ -= first_, to_ -= last_;
  }
  std::size_t n_part() const { return n_part_; }
  /// Part of it, between two shares of it.
  RatioSpan part(double from_frac, double to_frac) const {
    const double begin = first_ + from_, length = last_ + to_ - begin, per = 1.0 / n_part_;
    return {(begin + from_frac * length) * per, (begin + to_frac * length) * per, n_part_};
  }
  /// Mean of a course's ratio between the two. @param ratio_sum [n_part + 1]
  double mean(const std::vector<double>& ratio_sum) const {
    const double* at = ratio_sum.data();
    if (per_part_ == 0.0) return at[first_ + 1] - at[first_];
    const double until = at[last_] + to_ * (at[last_ + 1] - at[last_]),
                 before = at[first_] + from_ * (at[first_ + 1] - at[first_]);
    return (until - before) * per_part_;
  }

 private:
  static constexpr double least_parts = 1e-6;  ///< of a mean; a shorter one is the part's own
  std::uint32_t part_of(double at) const { return std::min(static_cast<std::uint32_t>(at), n_part_ - 1); }
  std::uint32_t n_part_;
  double from_, to_;  ///< in parts, after the construction within their part
  std::uint32_t first_, last_;
  double per_part_;  ///< 0: so short that the mean is the part's own
};

/// @param leakage_temperature_factor e^{k_T (T − T_ref)} at the die's mean temperature, dimensionless
ClockCourse clock_course(const power::GpuModel& gpu, const power::Chip& chip, const Repetition& repetition,
                         double leakage_temperature_factor, const CourseLimits& limits);

/// Work, and the chip that does it.
struct CourseOf {
  power::Chip chip;
  const Repetition& repetition;
};
/// Several at once, in less time than one after the other. @param leakage_temperature_factor dimensionless, as above
std::vector<ClockCourse> clock_courses(const power::GpuModel& gpu, std::span<const CourseOf> of,
                                       double leakage_temperature_factor, const CourseLimits& limits);

/// A share of some work after other work.
void add(PhaseMix& to, const PhaseMix& mix, double share);

}  // namespace TIDEWATT_NAMESPACE::dvfs
