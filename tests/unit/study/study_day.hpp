#pragma once
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "tidewatt/sim/scenario.hpp"

/// The shipped hot day on a smaller fleet, whose every replica of 128 GPUs keeps its 16 sequences.
namespace study_day {

/// @param n_gpu a multiple of 128  @param set further overrides, key=value
inline tidewatt::sim::Scenario of(int n_gpu, std::vector<std::string> set) {
  tidewatt::sim::LoadOptions load;
  load.set = {fmt::format("hall.a.n_gpu={}", n_gpu), fmt::format("job.main.plan.n_gpu={}", n_gpu),
              fmt::format("job.main.plan.global_batch_sequences={}", n_gpu / 8)};
  load.set.insert(load.set.end(), set.begin(), set.end());
  return tidewatt::sim::load_scenario(std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/llama3_405b_day.toml", load);
}

}  // namespace study_day
