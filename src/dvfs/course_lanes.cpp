#include "course_lanes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

#include "phase_times.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::dvfs {
namespace {

constexpr double part_s = 10e-3;  ///< of `clock_sum_Hz`
constexpr std::size_t most_part = 2048;
constexpr double settling_windows = 3.0;  ///< the limiter remembers one; its loop has settled to a part in 1e5 of the clock
constexpr double mean_s = 18.0;           ///< of many places of the samples in the repetition
constexpr double over_s = 1e-9;           ///< what is left of a stretch or sample when it is over
constexpr std::size_t n_lane = 16, n_mode = 3;

struct alignas(64) Lanes {
  double x[n_lane] = {};
  double& operator[](std::size_t l) { return x[l]; }
  double operator[](std::size_t l) const { return x[l]; }
};

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

constexpr double near_x = 0.25;  ///< up to which the series is exact to 1e-12
/// math::mean_decay() for small x: Σ (−x)^n/(n+1)!
TIDEWATT_INLINE double near_mean_decay(double x) {
  double near = 1.0 / 362880.0;
  near = std::fma(std::fma(near, -x, 1.0 / 40320.0), -x, 1.0 / 5040.0);
  near = std::fma(std::fma(near, -x, 1.0 / 720.0), -x, 1.0 / 120.0);
  near = std::fma(std::fma(near, -x, 1.0 / 24.0), -x, 1.0 / 6.0);
  return std::fma(std::fma(near, -x, 0.5), -x, 1.0);
}

/// What all lanes have in common.
struct Common {
  Common(const power::GpuModel& gpu_, double factor_, const CourseLimits& l)
      : gpu(gpu_),
        limits(l),
        sampling(l.sampling == nullptr ? without_peaks() : *l.sampling),
        limiter(gpu_, l.governor, sampling),
        factor(factor_),
        lock_bins(std::floor(limiter.bins(std::min(l.max_Hz, gpu_.clock_max_Hz())) + 1e-9)) {}
  const power::GpuModel& gpu;
  const CourseLimits& limits;
  SampledGovernorParams sampling;
  PowerLimiter limiter;
  double factor, lock_bins;
  power::GpuModel::Grid grid = gpu.grid();
};

/// Chips at their clocks.
struct AtClock {
  Lanes clock_Hz, stretch, dynamic_W, leakage_W;
};

/// [lane] everything that a step moves.
struct State {
  Lanes reference_Hz, offset_V, leakage_W;   ///< of the chip, leakage at the reference voltage
  AtClock now, idle;                         ///< while it works, and without a context
  std::array<Lanes, n_mode> z_K;             ///< modes of the die
  Lanes mean_W, request_bins, clock_bins;    ///< mean of the last repetition
  Lanes sample_J, sampled_s, sample_left_s;  ///< of the sample
  // Plain mean of the last samples: see PowerMean.
  std::vector<Lanes> past_J, past_s;         ///< [sample] in a circle
  std::array<std::size_t, n_lane> oldest{};  ///< of each lane's circle
  Lanes window_J, window_s, board_W;
  Lanes stretch_left_s, begin_s, repetition_J, repetition_s;  ///< of the repetition, the first two on its own clock
  // The stretch: see PhaseMix. `gate` is reference clock ÷ gate, 0: none.
  Lanes matrix_s, active_matrix_s, other_s, active_other_s, transfer_J, whole_s, per_whole_s, gate, context, low_W,
      high_W;
  // Sums since the stretch began.
  Lanes s, J, work_s, work_cycles, fixed_J, leakage_J;
  // The last piece, and the clock in it.
  Lanes planned_s, clock_Hz;
};

TIDEWATT_INLINE void set_clock(const Common& c, const Lanes& clock_Hz, const State& v, AtClock& out) {
  const auto& p = c.gpu.params();
  const auto grid = c.grid;
  const double per_ref_V = 1.0 / p.voltage_ref_V, per_ref_Hz = 1.0 / p.dynamic_ref_Hz;
  TIDEWATT_LANE_LOOP
  for (std::size_t l = 0; l < n_lane; ++l) {
    const double f = clock_Hz.x[l], V = grid.voltage(f).V + v.offset_V.x[l], ratio = V * per_ref_V;
    out.clock_Hz.x[l] = f;
    out.stretch.x[l] = v.reference_Hz.x[l] / f;
    out.dynamic_W.x[l] = p.dynamic_W * ratio * ratio * (f * per_ref_Hz);
    out.leakage_W.x[l] = v.leakage_W.x[l] * math::exp(p.leakage_per_V * (V - p.voltage_ref_V));
  }
}

/// Adds the samples that are over to their lanes' means. @param rise_W of the mean since the sample before
TIDEWATT_INLINE void see_samples(const Common& c, State& v, Lanes& rise_W) {
  const double n_sample = c.limiter.n_sample(), left_out_frac = static_cast<double>(v.past_J.size()) - n_sample;
  Lanes first_J, first_s, next_J, next_s;
  for (std::size_t l = 0; l < n_lane; ++l) {
    const bool due = v.sample_left_s.x[l] <= over_s;
    double &J = v.past_J[v.oldest[l]].x[l], &s = v.past_s[v.oldest[l]].x[l];
    first_J.x[l] = due ? J : v.sample_J.x[l], first_s.x[l] = due ? s : v.sampled_s.x[l];
    J = due ? v.sample_J.x[l] : J, s = due ? v.sampled_s.x[l] : s;
    const std::size_t next = v.oldest[l] + 1 == v.past_J.size() ? 0 : v.oldest[l] + 1;
    v.oldest[l] = due ? next : v.oldest[l];
    next_J.x[l] = v.past_J[v.oldest[l]].x[l], next_s.x[l] = v.past_s[v.oldest[l]].x[l];
  }
  TIDEWATT_LANE_LOOP
  for (std::size_t l = 0; l < n_lane; ++l) {
    const double J = v.sample_J.x[l], s = v.sampled_s.x[l], had_s = v.window_s.x[l], had_W = v.board_W.x[l];
    const double sum_J = v.window_J.x[l] + (J - first_J.x[l]), sum_s = had_s + (s - first_s.x[l]);
    const double before_W = had_s > 0.0 ? had_W : J / s;
    const double mean_W = (sum_J - left_out_frac * next_J.x[l]) / (sum_s - left_out_frac * next_s.x[l]);
    v.window_J.x[l] = sum_J, v.window_s.x[l] = sum_s;
    v.board_W.x[l] = v.sample_left_s.x[l] <= over_s ? mean_W : had_W;
    rise_W.x[l] = mean_W - before_W;
  }
}

/// One piece in every lane: to the end of its stretch or of its sample, whichever comes first. Samples that are over decide.
TIDEWATT_CLONES
void play_pieces(const Common& c, State& v) {
  const auto& p = c.gpu.params();
  const auto& die = c.limits.die;
  Lanes d, fixed_W, at_leakage_W, over_W;
  TIDEWATT_LANE_LOOP
  for (std::size_t l = 0; l < n_lane; ++l) {
    const bool works = v.context.x[l] > 0.0;
    const double stretch = works ? v.now.stretch.x[l] : v.idle.stretch.x[l],
                 dynamic_W = works ? v.now.dynamic_W.x[l] : v.idle.dynamic_W.x[l];
    at_leakage_W.x[l] = works ? v.now.leakage_W.x[l] : v.idle.leakage_W.x[l];
    const double busy_s = v.matrix_s.x[l] * stretch, gated_s = std::fma(v.matrix_s.x[l], v.gate.x[l], -busy_s);
    const double slack_s = v.gate.x[l] > stretch ? gated_s : 0.0, duration_s = busy_s + slack_s + v.other_s.x[l];
    const double equivalent_s =
        std::fma(v.active_matrix_s.x[l], stretch, v.active_other_s.x[l]) + p.wait_activity * slack_s;
    const double per_s = 1.0 / duration_s;
    fixed_W.x[l] = std::fma(std::fma(dynamic_W, equivalent_s, v.transfer_J.x[l]), per_s, p.board_W);
    const double here_s = v.stretch_left_s.x[l] * (duration_s * v.per_whole_s.x[l]);
    const bool ends = here_s <= v.sample_left_s.x[l];
    d.x[l] = ends ? here_s : v.sample_left_s.x[l];
    v.planned_s.x[l] = ends ? v.stretch_left_s.x[l] : d.x[l] * (v.whole_s.x[l] * per_s);
    v.clock_Hz.x[l] = v.now.clock_Hz.x[l];
    const double work_s = busy_s * per_s * d.x[l];
    v.work_s.x[l] += work_s;
    v.work_cycles.x[l] = std::fma(work_s, v.clock_Hz.x[l], v.work_cycles.x[l]);
  }
  TIDEWATT_LANE_LOOP
  for (std::size_t l = 0; l < n_lane; ++l) {
    const double over_K = v.z_K[0].x[l] + v.z_K[1].x[l] + v.z_K[2].x[l];
    const double raw_W = std::fma(at_leakage_W.x[l] * c.factor, math::exp(p.leakage_per_K * over_K), fixed_W.x[l]);
    const double W = PowerBounds{v.low_W.x[l], v.high_W.x[l]}.bounded_W(raw_W);
    const double s = d.x[l], J = W * s;
    v.s.x[l] += s, v.J.x[l] += J;
    v.fixed_J.x[l] = std::fma(fixed_W.x[l], s, v.fixed_J.x[l]);
    v.leakage_J.x[l] = std::fma(at_leakage_W.x[l], s, v.leakage_J.x[l]);
    v.sample_J.x[l] += J, v.sampled_s.x[l] += s, v.sample_left_s.x[l] -= s;
    v.repetition_J.x[l] += J, v.repetition_s.x[l] += s;
    v.stretch_left_s.x[l] -= v.planned_s.x[l], v.begin_s.x[l] += v.planned_s.x[l];
    over_W.x[l] = W - v.mean_W.x[l];
  }
  for (std::size_t m = 0; m < n_mode; ++m) {
    const double rate_per_s = die.rate_per_s[m], K_per_J = die.K_per_J[m];
    Lanes mean;
    if (rate_per_s * c.sampling.period_s <= near_x) {  // no piece is longer than a sample
      TIDEWATT_LANE_LOOP
      for (std::size_t l = 0; l < n_lane; ++l) mean.x[l] = near_mean_decay(rate_per_s * d.x[l]);
    } else {
      TIDEWATT_LANE_LOOP
      for (std::size_t l = 0; l < n_lane; ++l) {
        const double x = rate_per_s * d.x[l], far = (1.0 - math::exp(-x)) / x, near = near_mean_decay(x);
        mean.x[l] = x > near_x ? far : near;
      }
    }
    TIDEWATT_LANE_LOOP
    for (std::size_t l = 0; l < n_lane; ++l) {
      const double spent_s = d.x[l] * mean.x[l], left = std::fma(-rate_per_s, spent_s, 1.0);
      v.z_K[m].x[l] = std::fma(v.z_K[m].x[l], left, K_per_J * over_W.x[l] * spent_s);
    }
  }
  const auto grid = c.grid;
  const PowerLimiter limiter = c.limiter;
  const double cap_W = c.limits.cap_W, lock_bins = c.lock_bins, up_bins = c.sampling.up_slew_bins,
               period_s = c.sampling.period_s;
  Lanes volts, slope, request, next_bins, next_Hz, rise_W;
  see_samples(c, v, rise_W);
  TIDEWATT_LANE_LOOP
  for (std::size_t l = 0; l < n_lane; ++l) {
    const auto table = grid.voltage(v.now.clock_Hz.x[l]);
    volts.x[l] = table.V, slope.x[l] = table.slope_V_per_Hz;
  }
  TIDEWATT_LANE_LOOP
  for (std::size_t l = 0; l < n_lane; ++l) {
    const double bins = v.clock_bins.x[l], sampled_s = v.sampled_s.x[l];
    const double allowed = limiter
                               .after({volts.x[l], slope.x[l]}, v.request_bins.x[l], bins, v.sample_J.x[l] / sampled_s,
                                      {v.board_W.x[l], rise_W.x[l]}, sampled_s, cap_W, 1.0)
                               .clock_bins;
    const double goal = allowed < lock_bins ? allowed : lock_bins, slewed = bins + up_bins;
    const double credit = goal + 2.0;  // as the governor: no credit beyond the lock
    request.x[l] = allowed < credit ? allowed : credit;
    next_bins.x[l] = goal < slewed ? goal : slewed;
  }
  TIDEWATT_LANE_LOOP
  for (std::size_t l = 0; l < n_lane; ++l) {
    const double left_s = v.sample_left_s.x[l], J = v.sample_J.x[l], s = v.sampled_s.x[l], bins = v.clock_bins.x[l],
                 requested = v.request_bins.x[l];
    const bool due = left_s <= over_s;
    const double to = due ? next_bins.x[l] : bins;
    v.request_bins.x[l] = due ? request.x[l] : requested;
    v.clock_bins.x[l] = to;
    v.sample_J.x[l] = due ? 0.0 : J;
    v.sampled_s.x[l] = due ? 0.0 : s;
    v.sample_left_s.x[l] = due ? period_s : left_s;
    next_Hz.x[l] = limiter.clock_Hz(to);
  }
  set_clock(c, next_Hz, v, v.now);
}

/// @returns the bits of lanes whose stretch is over
unsigned stretches_over(const State& v) {
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
  Course(const Common& common, const CourseOf& of, std::size_t lane, State& v)
      : c_(common), r_(of.repetition), l_(lane), v_(v) {
    const auto& p = c_.gpu.params();
    n_settling_ = repetitions(r_, settling_windows * c_.limits.governor.window_s);
    n_seen_ = left_ = repetitions(r_, mean_s);
    const auto n_part = std::clamp(static_cast<std::size_t>(planned_s(r_) / part_s), std::size_t{1}, most_part);
    sums_.kind.resize(r_.kind_mix.size());
    last_part_ = static_cast<std::int64_t>(n_part);
    sums_.clock_sum_Hz.assign(n_part + 1 + n_ahead, 0.0);
    parts_per_s_ = static_cast<double>(n_part) / planned_s(r_);
    for (std::size_t k = 0; k < r_.kind_mix.size(); ++k) {
      const auto& mix = r_.kind_mix[k];
      const double whole_s = phase_times(p, mix, r_.reference_Hz / r_.pace_Hz, 0.0).duration_s;
      kind_.push_back({mix.matrix_s, mix.active_matrix_s, mix.memory_s + mix.link_s + mix.wait_s,
                       p.memory_activity * mix.memory_s + p.link_activity * mix.link_s + p.wait_activity * mix.wait_s,
                       transfer_J(p, mix), whole_s, 1.0 / whole_s, r_.kind_context[k] != 0 ? 1.0 : 0.0});
    }
    v_.reference_Hz[l_] = r_.reference_Hz, v_.offset_V[l_] = of.chip.voltage_offset_V;
    v_.leakage_W[l_] = p.leakage_W * of.chip.leakage_ratio;
    for (auto& z : v_.z_K) z[l_] = 0.0;
    v_.mean_W[l_] = c_.limits.cap_W;
    v_.request_bins[l_] = v_.clock_bins[l_] = std::clamp(c_.limiter.bins(r_.pace_Hz), 0.0, c_.lock_bins);
    v_.sample_J[l_] = v_.sampled_s[l_] = v_.window_J[l_] = v_.window_s[l_] = v_.board_W[l_] = 0.0;
    v_.past_J.resize(static_cast<std::size_t>(std::ceil(c_.limiter.n_sample()))), v_.past_s.resize(v_.past_J.size());
    for (std::size_t i = 0; i < v_.past_J.size(); ++i) v_.past_J[i][l_] = v_.past_s[i][l_] = 0.0;
    v_.oldest[l_] = 0;
    set_clock(v_.now, c_.limiter.clock_Hz(v_.clock_bins[l_]));
    set_clock(v_.idle, c_.gpu.idle_clock_Hz());
    begin();
  }
  /// Adds the clock of the piece just played to the sums at the parts that end in it, seldom more than two; without branches, which no
  /// processor foresees here.
  void see() {
    if (n_settling_ > 0) return;
    const double end = v_.begin_s[l_] * parts_per_s_, clock_Hz = v_.clock_Hz[l_];
    const std::int64_t n = std::min(static_cast<std::int64_t>(end), last_part_ - 1) + 1 - part_;
    const auto sum_Hz = [&](std::int64_t k) {
      return clock_sum_Hz_ + clock_Hz * (static_cast<double>(part_ + k) - part_at_);
    };
    double* at = sums_.clock_sum_Hz.data() + part_;
    for (std::int64_t k = 0; k < n_ahead; ++k) at[k] += static_cast<double>(k < n) * sum_Hz(k);
    for (std::int64_t k = n_ahead; k < n; ++k) at[k] += sum_Hz(k);
    clock_sum_Hz_ += clock_Hz * (end - part_at_);
    part_ += n, part_at_ = end;
  }
  /// Takes the stretch that is over. @returns false: the course is complete
  bool next() {
    end_stretch();
    return next_stretch() || next_repetition();
  }
  CourseSums result() && { return std::move(sums_); }

 private:
  void set_clock(AtClock& at, double clock_Hz) {
    const double V = c_.gpu.voltage(clock_Hz).V + v_.offset_V[l_];
    at.clock_Hz[l_] = clock_Hz, at.stretch[l_] = v_.reference_Hz[l_] / clock_Hz;
    at.dynamic_W[l_] = c_.gpu.dynamic_W(V, clock_Hz);
    at.leakage_W[l_] = v_.leakage_W[l_] * c_.gpu.leakage_voltage_factor(V);
  }
  /// Begins the next repetition.
  void begin() {
    next_ = 0, part_ = 1, part_at_ = 0.0, clock_sum_Hz_ = 0.0;
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
    v_.matrix_s[l_] = k.matrix_s, v_.active_matrix_s[l_] = k.active_matrix_s;
    v_.other_s[l_] = k.other_s, v_.active_other_s[l_] = k.active_other_s;
    v_.transfer_J[l_] = k.transfer_J;
    v_.whole_s[l_] = k.whole_s, v_.per_whole_s[l_] = k.per_whole_s;
    v_.gate[l_] = gated ? r_.reference_Hz / (r_.gate_Hz * (r_.gate_ratio.empty() ? 1.0 : r_.gate_ratio[next_])) : 0.0;
    v_.context[l_] = k.context;
    v_.low_W[l_] = s.bounds.low_W, v_.high_W[l_] = s.bounds.high_W;
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
  /// @returns false: that was the last one
  bool next_repetition() {
    v_.mean_W[l_] = v_.repetition_J[l_] / v_.repetition_s[l_];
    if (n_settling_ > 0) {
      if (--n_settling_ == 0) close();
    } else {
      // Parts that rounding has left are at its end.
      for (auto* at = sums_.clock_sum_Hz.data(); part_ <= last_part_; ++part_) at[part_] += clock_sum_Hz_;
      if (--left_ == 0) {
        sums_.n_repetition = n_seen_;
        sums_.clock_sum_Hz.resize(static_cast<std::size_t>(last_part_) + 1);
        for (double& x : sums_.clock_sum_Hz) x /= n_seen_;
        return false;
      }
    }
    begin();
    return true;
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

  const Common& c_;
  const Repetition& r_;
  std::size_t l_;
  State& v_;
  CourseSums sums_;
  /// As in State; the time of all its work at the repetition's pace.
  struct Kind {
    double matrix_s, active_matrix_s, other_s, active_other_s, transfer_J, whole_s, per_whole_s, context;
  };
  std::vector<Kind> kind_;
  int n_settling_, n_seen_, left_;
  std::int64_t n_played_ = 0;
  std::size_t next_ = 0;                      ///< stretch after the present one
  std::array<double, n_mode> z_before_;       ///< at the last repetition's begin
  double mean_before_W_ = 0.0;                ///< that it counted from
  static constexpr std::int64_t n_ahead = 2;  ///< parts behind the last that `see` may touch
  std::int64_t part_ = 1, last_part_;         ///< that ends next
  double parts_per_s_, part_at_ = 0.0, clock_sum_Hz_ = 0.0;
};

}  // namespace

std::vector<CourseSums> play_courses(const power::GpuModel& gpu, std::span<const CourseOf> of,
                                     double leakage_temperature_factor, const CourseLimits& limits) {
  const Common common(gpu, leakage_temperature_factor, limits);
  std::vector<CourseSums> out(of.size());
  State state;
  std::array<std::optional<Course>, n_lane> course;
  std::array<std::size_t, n_lane> number{};
  std::size_t next = 0;
  const auto fill = [&](std::size_t l) {
    if (next < of.size()) {
      course[l].emplace(common, of[number[l] = next++], l, state);
      return;
    }
    // A lane without a course goes on with one that nobody takes, so that its arithmetic stays finite.
    if (!course[l]) course[l].emplace(common, of.front(), l, state);
    state.stretch_left_s[l] = 1e300;
    course[l].reset();
  };
  if (of.empty()) return out;
  for (std::size_t l = 0; l < n_lane; ++l) fill(l);
  for (std::size_t left = of.size(); left > 0;) {
    play_pieces(common, state);
    for (auto& c : course)
      if (c) c->see();
    for (unsigned over = stretches_over(state); over != 0; over &= over - 1) {
      const auto l = static_cast<std::size_t>(std::countr_zero(over));
      if (course[l]->next()) continue;
      out[number[l]] = std::move(*course[l]).result();
      --left;
      fill(l);
    }
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::dvfs
