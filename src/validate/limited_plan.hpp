#pragma once
#include <span>
#include <string>
#include <vector>

#include "fleet/stage_courses.hpp"
#include "workload/iteration.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// A plan on GPUs under their limit, as a run has it: each GPU is drawn with its silicon and holds the mean clock that the sampled
/// governor makes of its stage's iteration, with the die at the mean that air-cooled nodes show under load.
struct LimitedPlan {
  fleet::NodeType type;
  fleet::StageCourses courses;
  std::vector<double>
      pace;  ///< [replica] clock of its slowest GPU ÷ reference clock: those with better chips wait for the gradients
};
/// @param gpu entry of the catalog  @param limit_W 0: the GPU's own
LimitedPlan limited_plan(const std::string& gpu, double limit_W, const workload::IterationModel& model);

/// [class][segment] watts of a nominal GPU in a timeline whose groups of ranks move at `pace`: it waits for its group's slowest, and
/// within the iteration its clock moves as the limiter makes it.
/// @param pace [group] clock ÷ reference clock; classes are stages within groups
fleet::ClassPower gpu_powers(LimitedPlan& plan, const workload::IterationModel& model,
                             const workload::Timeline& timeline, std::span<const double> pace, double die_K);

}  // namespace TIDEWATT_NAMESPACE::validate
