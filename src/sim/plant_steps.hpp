#pragma once
// Private to sim: how a plant goes through a macro step.
#include <vector>

#include "tidewatt/base/tick.hpp"
#include "tidewatt/cooling/cooling_plant.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// A plant that takes the mean weather of a step does not answer linearly to it: its own steps are at most about a quarter of an hour. So
/// are those in weather with knots inside a step.
/// @param follows the plant follows its weather, and that moves evenly: one step is enough
/// @returns the ends of steps of equal length from `t0` to `t1`
std::vector<Tick> plant_steps(Tick t0, Tick t1, bool follows);

/// One step after the other as one, in what the halls use of it. @param share of `next` in the time of both
cooling::PlantStep joined(const cooling::PlantStep& first, const cooling::PlantStep& next, double share);

/// A course that moves evenly through a macro step.
struct EvenCourse {
  double start_K, K_per_s;
};
/// The line through the middles of the first and the last of `n_step` equal steps. @param step_s of all together
EvenCourse course_through(double first_mean_K, double last_mean_K, std::size_t n_step, double step_s);
/// The line with this mean and the slope from begin to end.
EvenCourse course_between(double begin_K, double mean_K, double end_K, double step_s);

}  // namespace TIDEWATT_NAMESPACE::sim
