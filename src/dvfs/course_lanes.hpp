#pragma once
#include <span>
#include <vector>

#include "clock_course.hpp"

namespace TIDEWATT_NAMESPACE::dvfs {

/// Sums over the repetitions of a course that count.
struct CourseSums {
  /// Of one kind: time and matrix work in it, s; clock × work; energies without and with leakage's reference temperature, J.
  struct Kind {
    double s = 0.0, work_s = 0.0, work_cycles = 0.0, fixed_J = 0.0, leakage_J = 0.0;
  };
  std::vector<Kind> kind;
  double n_repetition = 0.0, s = 0.0, J = 0.0, work_s = 0.0, work_cycles = 0.0;
  std::vector<double> clock_sum_Hz;  ///< [equal part of the repetition] Σ of the mean clocks before it, and over all
};

/// Plays repetitions under the power limits until the limiter has settled, then those that count, the die around one mean temperature.
/// The clock is what the limits allow, not rounded to the bins that the governor dithers between: a mean without their noise. Sixteen
/// courses go side by side, one in each lane of a vector; none depends on the others.
/// @param leakage_temperature_factor dimensionless, see clock_course
std::vector<CourseSums> play_courses(const power::GpuModel& gpu, std::span<const CourseOf> of,
                                     double leakage_temperature_factor, const CourseLimits& limits);

}  // namespace TIDEWATT_NAMESPACE::dvfs
