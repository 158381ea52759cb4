#include "course_lanes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "course_pieces.hpp"
#include "phase_law.hpp"
#include "tidewatt/base/math.hpp"

namespace TIDEWATT_NAMESPACE::dvfs {
namespace {

constexpr double part_s = 10e-3;  ///< of `clock_sum_Hz`
constexpr std::size_t most_part = 2048;
/// The limiter remembers one; after three its loop has settled to a part in 1e5 of the clock. Each repetition moves the die to where it
/// would begin one without end, which is another place for the limiter: a second one settles that to 0.005 % of the mean power.
constexpr double settling_windows = 3.0;
constexpr int least_settling = 2;

/// @returns the bits of lanes whose stretch is over
unsigned stretches_over(const CoursePieces& v) {
  unsigned out = 0;
  for (std::size_t l = 0; l < n_lane; ++l) out |= static_cast<unsigned>(!(v.stretch_left_s.x[l] > over_s)) << l;
  return out;
}

double planned_s(const Repetition& r) {
  double out = 0.0;
  for (const auto& s : r.stretches) out += s.duration_s;
  return out;
}
int repetitions(const Repetition& r, double s) { return std::max(1, static_cast<int>(std::ceil(s / planned_s(r)))); }

/// A course in its lane.
class Course {
 public:
  /// @param nowhere [part] for the clocks of a course that settles
  Course(const CourseCommon& common, const CourseOf& of, std::size_t lane, double* nowhere, CoursePieces& v)
      : c_(common), r_(of.repetition), l_(lane), v_(v) {
    const ActivityLaw activity(c_.gpu.params());
    const bool once = c_.limits.mean_s == 0.0;
    n_settling_ = std::max(once ? 1 : least_settling, repetitions(r_, settling_windows * c_.limits.governor.window_s));
    n_seen_ = left_ = once ? 1 : 2 * repetitions(r_, 0.5 * c_.limits.mean_s);
    const auto n_part = std::clamp(static_cast<std::size_t>(planned_s(r_) / part_s), std::size_t{1}, most_part);
    sums_.kind.resize(r_.kind_mix.size());
    sums_.clock_sum_Hz.assign(n_part + 1 + CoursePieces::n_ahead, 0.0);
    v_.last_part[l_] = static_cast<double>(n_part);
    v_.parts_per_s[l_] = static_cast<double>(n_part) / planned_s(r_);
    v_.until_part_Hz[l_] = nowhere;
    for (std::size_t k = 0; k < r_.kind_mix.size(); ++k) {
      const auto& mix = r_.kind_mix[k];
      const double whole_s = phase_times(activity, mix, r_.reference_Hz / r_.pace_Hz, 0.0).duration_s;
      kind_.push_back({PhaseLine::of(activity, mix), transfer_J(c_.gpu.params(), mix), whole_s, 1.0 / whole_s,
                       r_.kind_context[k] != 0 ? 1.0 : 0.0, peak_clock(of.chip, mix)});
    }
    v_.reference_Hz[l_] = r_.reference_Hz, v_.offset_V[l_] = of.chip.voltage_offset_V;
    v_.leakage_W[l_] = c_.gpu.leakage().ref_W * of.chip.leakage_ratio;
    for (auto& z : v_.z_K) z[l_] = 0.0;
    v_.mean_W[l_] = c_.limits.cap_W;
    v_.request_bins[l_] = v_.clock_bins[l_] = std::clamp(c_.limiter.bins(r_.pace_Hz), 0.0, c_.lock_bins);
    v_.sample_J[l_] = v_.sampled_s[l_] = v_.window_J[l_] = v_.window_s[l_] = v_.board_W[l_] = 0.0;
    std::fill_n(v_.past.begin() + static_cast<std::ptrdiff_t>(l_ * v_.n_past), v_.n_past, CoursePieces::Sample{});
    v_.oldest[l_] = 0, v_.oldest_J[l_] = v_.oldest_s[l_] = v_.second_J[l_] = v_.second_s[l_] = 0.0;
    set_clock(v_.now, c_.limiter.clock_Hz(v_.clock_bins[l_]));
    set_clock(v_.idle, c_.gpu.idle_clock_Hz());
    begin();
  }
  /// Takes the stretch that is over, and begins the next one. @returns false: it was the repetition's last
  bool next() {
    end_stretch();
    return next_stretch();
  }
  /// @returns false: the last repetition is over
  bool next_repetition() {
    v_.mean_W[l_] = v_.repetition_J[l_] / v_.repetition_s[l_];
    if (n_settling_ > 0) {
      close();
      if (--n_settling_ == 0) v_.until_part_Hz[l_] = sums_.clock_sum_Hz.data(), ++v_.n_counted;
    } else {
      const std::size_t last = sums_.clock_sum_Hz.size() - 1 - CoursePieces::n_ahead;
      // Parts that rounding has left are at its end.
      for (auto part = static_cast<std::size_t>(v_.part[l_]); part <= last; ++part)
        sums_.clock_sum_Hz[part] += v_.clock_sum_Hz[l_];
      if (--left_ == 0) {
        sums_.n_repetition = n_seen_;
        --v_.n_counted;
        sums_.clock_sum_Hz.resize(last + 1);
        for (double& x : sums_.clock_sum_Hz) x *= 1.0 / n_seen_;
        return false;
      }
    }
    begin();
    return true;
  }
  CourseSums result() && { return std::move(sums_); }

 private:
  /// Clock of a kind under the board's peak, about linear over the few kelvins that a die moves within a repetition.
  struct PeakClock {
    double at_mean_Hz = std::numeric_limits<double>::infinity(), per_K_Hz = 0.0;
  };
  PeakClock peak_clock(const power::Chip& chip, const PhaseMix& mix) const {
    if (!std::isfinite(c_.board_peak_W)) return {};
    constexpr double apart_K = 5.0;
    const double top_Hz =
        1.25 * c_.gpu.clock_max_Hz();  // the table goes on as a line: a slope needs no clock beyond it
    const auto at = [&](double over_K) {
      return peak_limited_clock_Hz(c_.gpu, chip, mix, r_.reference_Hz, c_.factor * c_.gpu.leakage().rise_factor(over_K),
                                   c_.board_peak_W, top_Hz);
    };
    const double colder_Hz = at(-apart_K), hotter_Hz = at(apart_K);
    if (colder_Hz >= top_Hz) return {};
    return {at(0.0), 0.5 * (hotter_Hz - colder_Hz) / apart_K};
  }
  void set_peak(const PeakClock& of) {
    const double over_K = v_.z_K[0][l_] + v_.z_K[1][l_] + v_.z_K[2][l_];
    const double clock_Hz = std::max(c_.gpu.clock_min_Hz(), std::fma(of.per_K_Hz, over_K, of.at_mean_Hz));
    if (clock_Hz < c_.gpu.clock_max_Hz())
      set_clock(v_.peak, clock_Hz);
    else
      v_.peak.clock_Hz[l_] = std::numeric_limits<double>::infinity();
  }
  void set_clock(AtClock& at, double clock_Hz) {
    const auto table = c_.gpu.voltage(clock_Hz);
    const double V = table.V + v_.offset_V[l_];
    at.table_V[l_] = table.V, at.slope_V_per_Hz[l_] = table.slope_V_per_Hz;
    at.clock_Hz[l_] = clock_Hz, at.stretch[l_] = v_.reference_Hz[l_] / clock_Hz;
    at.dynamic_W[l_] = c_.gpu.dynamic_W(V, clock_Hz);
    at.leakage_W[l_] = v_.leakage_W[l_] * c_.gpu.leakage_voltage_factor(V);
  }
  /// Begins the next repetition.
  void begin() {
    next_ = 0;
    v_.part[l_] = 1.0, v_.at_part[l_] = v_.clock_sum_Hz[l_] = 0.0;
    v_.begin_s[l_] = v_.repetition_J[l_] = v_.repetition_s[l_] = 0.0;
    v_.sample_left_s[l_] = c_.sampling.period_s * sample_place_frac(++n_played_, n_seen_);
    for (std::size_t m = 0; m < n_mode; ++m) z_before_[m] = v_.z_K[m][l_];
    mean_before_W_ = v_.mean_W[l_];
    next_stretch();
  }
  /// @returns false: there is none
  bool next_stretch() {
    while (next_ < r_.stretches.size() && !(r_.stretches[next_].duration_s > over_s)) ++next_;
    if (next_ == r_.stretches.size()) return false;
    const auto& s = r_.stretches[next_];
    const Kind& k = kind_[s.kind];
    const bool gated = r_.gate_Hz > 0.0 && k.context > 0.0;
    v_.stretch_left_s[l_] = s.duration_s;
    v_.matrix_s[l_] = k.line.matrix_s, v_.active_matrix_s[l_] = k.line.active_s;
    v_.other_s[l_] = k.line.other_s, v_.active_other_s[l_] = k.line.other_active_s;
    v_.transfer_J[l_] = k.transfer_J;
    v_.whole_s[l_] = k.whole_s, v_.per_whole_s[l_] = k.per_whole_s;
    v_.gate[l_] = gated ? r_.reference_Hz / (r_.gate_Hz * (r_.gate_ratio.empty() ? 1.0 : r_.gate_ratio[next_])) : 0.0;
    v_.context[l_] = k.context;
    v_.low_W[l_] = s.bounds.low_W, v_.high_W[l_] = s.bounds.high_W;
    set_peak(k.peak);
    v_.s[l_] = v_.J[l_] = v_.work_s[l_] = v_.work_cycles[l_] = v_.fixed_J[l_] = v_.leakage_J[l_] = 0.0;
    ++next_;
    return true;
  }
  void end_stretch() {
    if (n_settling_ > 0) return;
    auto& of = sums_.kind[r_.stretches[next_ - 1].kind];
    of.s += v_.s[l_], of.work_s += v_.work_s[l_], of.work_cycles += v_.work_cycles[l_];
    of.fixed_J += v_.fixed_J[l_], of.leakage_J += v_.leakage_J[l_];
    sums_.s += v_.s[l_], sums_.J += v_.J[l_];
    sums_.work_s += v_.work_s[l_], sums_.work_cycles += v_.work_cycles[l_];
  }
  /// Moves the die to where it begins a repetition without end. Each mode is linear, z_end = a z_begin + b; b is that of the last one.
  void close() {
    for (std::size_t m = 0; m < n_mode; ++m) {
      const double rate_per_s = c_.limits.die.rate_per_s[m], a = math::exp(-rate_per_s * v_.repetition_s[l_]);
      if (!(a < 1.0)) continue;
      const double of_mean_K = c_.limits.die.K_per_J[m] * (v_.mean_W[l_] - mean_before_W_) * (1.0 - a) / rate_per_s;
      double& z = v_.z_K[m][l_];
      z = (z - of_mean_K - a * z_before_[m]) / (1.0 - a);
    }
  }

  const CourseCommon& c_;
  const Repetition& r_;
  std::size_t l_;
  CoursePieces& v_;
  CourseSums sums_;
  /// As in CoursePieces; the time of all its work at the repetition's pace.
  struct Kind {
    PhaseLine line;
    double transfer_J, whole_s, per_whole_s, context;
    PeakClock peak;
  };
  std::vector<Kind> kind_;
  int n_settling_, n_seen_, left_;
  std::int64_t n_played_ = 0;
  std::size_t next_ = 0;                 ///< stretch after the present one
  std::array<double, n_mode> z_before_;  ///< at the last repetition's begin
  double mean_before_W_ = 0.0;           ///< that it counted from
};

}  // namespace

std::vector<CourseSums> play_courses(const power::GpuModel& gpu, std::span<const CourseOf> of,
                                     double leakage_temperature_factor, const CourseLimits& limits) {
  const CourseCommon common(gpu, leakage_temperature_factor, limits);
  std::vector<CourseSums> out(of.size());
  CoursePieces state(common.limiter.n_sample());
  std::vector<double> nowhere(most_part + 1 + CoursePieces::n_ahead);
  std::array<std::optional<Course>, n_lane> course;
  std::array<std::size_t, n_lane> number{};
  std::size_t next = 0;
  const auto fill = [&](std::size_t l) {
    if (next < of.size()) {
      course[l].emplace(common, of[number[l] = next++], l, nowhere.data(), state);
      return;
    }
    // A lane without a course goes on with one that nobody takes, so that its arithmetic stays finite.
    if (!course[l]) course[l].emplace(common, of.front(), l, nowhere.data(), state);
    state.stretch_left_s[l] = 1e300;
    state.until_part_Hz[l] = nowhere.data();
    course[l].reset();
  };
  if (of.empty()) return out;
  for (std::size_t l = 0; l < n_lane; ++l) fill(l);
  for (std::size_t left = of.size(); left > 0;) {
    play_pieces(common, state);
    if (state.n_counted > 0) add_clocks(state);
    unsigned repeats = 0;  // bits of lanes whose repetition is over
    for (unsigned over = stretches_over(state); over != 0; over &= over - 1) {
      const auto l = static_cast<std::size_t>(std::countr_zero(over));
      if (!course[l]->next()) repeats |= 1U << l;
    }
    // What stretches begin with has reached memory by the time that the next piece reads it.
    end_samples(common, state);
    for (; repeats != 0; repeats &= repeats - 1) {
      const auto l = static_cast<std::size_t>(std::countr_zero(repeats));
      if (course[l]->next_repetition()) continue;
      out[number[l]] = std::move(*course[l]).result();
      --left;
      fill(l);
    }
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::dvfs
