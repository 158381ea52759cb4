#include "scenario_times.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "tidewatt/base/error.hpp"
#include "tidewatt/sim/run.hpp"
#include "timing.hpp"

namespace tidewatt::bench::detail {

Timed run_scenario(const std::string& folder, const std::string& file, std::vector<std::string> set,
                   std::size_t n_thread) {
  const auto path = std::filesystem::path(folder) / file;
  if (!std::filesystem::exists(path))
    throw InputError(fmt::format("{}: no such scenario; --scenarios names the folder", path.string()));
  sim::LoadOptions load;
  load.set = std::move(set);
  const double start = wall_s();
  const auto scenario = sim::load_scenario(path.string(), load);
  sim::run(scenario, {n_thread, {}});
  return {wall_s() - start, scenario.run.duration_s};
}

std::vector<std::string> scaled_to(std::int64_t n_gpu) {
  return {fmt::format("hall.a.n_gpu={}", n_gpu), fmt::format("job.main.plan.n_gpu={}", n_gpu),
          fmt::format("job.main.plan.global_batch_sequences={}", n_gpu / 8)};
}

}  // namespace tidewatt::bench::detail
