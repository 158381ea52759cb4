#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "clock_course.hpp"

namespace TIDEWATT_NAMESPACE::dvfs {

inline constexpr std::size_t n_lane = 16, n_mode = 3;
inline constexpr double over_s = 1e-9;  ///< what is left of a stretch or sample when it is over

/// A number of each course that is played side by side, one in each lane of a vector.
struct alignas(64) Lanes {
  double x[n_lane] = {};
  double& operator[](std::size_t l) { return x[l]; }
  double operator[](std::size_t l) const { return x[l]; }
};

/// What all lanes have in common.
struct CourseCommon {
  /// @param factor_ leakage at the mean temperature ÷ at the reference's; unit 1
  CourseCommon(const power::GpuModel& gpu_, double factor_, const CourseLimits& l);
  const power::GpuModel& gpu;
  const CourseLimits& limits;
  SampledGovernorParams sampling;
  PowerLimiter limiter;
  double board_peak_W;  ///< infinite: not known
  double factor;        ///< see the constructor
  double lock_bins;     ///< highest clock, in bins above the lowest
  power::GpuModel::Grid grid = gpu.grid();
};

/// Chips at their clocks.
struct AtClock {
  Lanes clock_Hz, stretch, dynamic_W, leakage_W;
  Lanes table_V, slope_V_per_Hz;  ///< of the voltage table, without the chip's offset
};

/// [lane] everything that a piece moves.
struct CoursePieces {
  /// @param n_sample of the limiter's window, whole or not; unit 1
  explicit CoursePieces(double n_sample)
      : n_past(std::max<std::size_t>(2, static_cast<std::size_t>(std::ceil(n_sample)))), past(n_lane * n_past) {}
  Lanes reference_Hz, offset_V, leakage_W;       ///< of the chip, leakage at the reference voltage
  AtClock now, idle;                             ///< while it works, and without a context
  AtClock peak;                                  ///< at the stretch's clock under the board's peak; infinite: none
  std::array<Lanes, n_mode> z_K;                 ///< modes of the die
  Lanes mean_W, request_bins, clock_bins;        ///< mean of the last repetition
  Lanes sample_J, sampled_s, sample_left_s;      ///< of the sample
  Lanes window_J, window_s, board_W;             ///< of the last samples
  Lanes oldest_J, oldest_s, second_J, second_s;  ///< of them: the next to go, and the one behind it
  Lanes stretch_left_s, begin_s, repetition_J, repetition_s;  ///< of the repetition, the first two on its own clock
  // The stretch: see PhaseMix. `gate` is reference clock ÷ gate, 0: none.
  Lanes matrix_s, active_matrix_s, other_s, active_other_s, transfer_J, whole_s, per_whole_s, gate, context, low_W,
      high_W;
  // Sums since the stretch began.
  Lanes s, J, work_s, work_cycles, fixed_J, leakage_J;
  // The last piece, and the clock in it.
  Lanes planned_s, clock_Hz;
  // Sum of the clock over equal parts of the repetition, in its own clock: where it is, the part that ends next, the last one.
  Lanes parts_per_s, at_part, clock_sum_Hz, part, last_part;
  static constexpr std::size_t n_ahead = 2;   ///< parts behind the last that `add_clocks` may touch
  std::array<double*, n_lane> until_part_Hz;  ///< [lane][part] to which that sum until the part's end is added
  std::size_t n_counted = 0;                  ///< lanes whose sums anyone reads
  // Plain mean of the last samples: see PowerMean.
  struct Sample {
    double J = 0.0, s = 0.0;
  };
  std::size_t n_past;                        ///< samples that are kept, two at least
  std::vector<Sample> past;                  ///< [lane][sample] in a circle
  std::array<std::size_t, n_lane> oldest{};  ///< of each lane's circle
};

/// One piece in every lane: to the end of its stretch or of its sample, whichever comes first.
void play_pieces(const CourseCommon& c, CoursePieces& v);
/// Samples that are over decide on the clock.
void end_samples(const CourseCommon& c, CoursePieces& v);
/// Adds the clock in that piece to the sums until the parts that end in it, seldom more than two in one; without branches, which no
/// processor foresees here.
void add_clocks(CoursePieces& v);

}  // namespace TIDEWATT_NAMESPACE::dvfs
