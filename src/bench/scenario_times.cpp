#include "scenario_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <utility>

#include "tidewatt/base/error.hpp"
#include "tidewatt/sim/run.hpp"
#include "timing.hpp"

namespace TIDEWATT_NAMESPACE::bench::detail {

Timed run_scenario(const std::string& folder, const std::string& file, std::vector<std::string> set,
                   std::size_t n_thread, bool reference) {
  const auto path = std::filesystem::path(folder) / file;
  if (!std::filesystem::exists(path))
    throw InputError(fmt::format("{}: no such scenario; --scenarios names the folder", path.string()));
  sim::LoadOptions load;
  load.set = std::move(set);
  const double start = wall_s(), spent = process_s();
  auto scenario = sim::load_scenario(path.string(), load);
  if (reference) scenario = sim::reference_of(std::move(scenario));
  sim::run(scenario, {n_thread, {}});
  return {wall_s() - start, process_s() - spent, scenario.run.duration_s};
}

double driven_rate(const std::string& folder, std::int64_t n_gpu, double simulated_s) {
  const auto path = std::filesystem::path(folder) / "llama3_405b_day.toml";
  if (!std::filesystem::exists(path))
    throw InputError(fmt::format("{}: no such scenario; --scenarios names the folder", path.string()));
  sim::LoadOptions load;
  load.set = scaled_to(n_gpu);
  const auto scenario = sim::load_scenario(path.string(), load);
  double best = std::numeric_limits<double>::infinity();
  for (int repetition = 0; repetition < 3; ++repetition) {
    sim::Engine engine(scenario, {1, {}});
    const double start = thread_s();
    for (int second = 1; second <= simulated_s; ++second) {
      engine.advance_to(second);
      engine.read("pcc_W");
      engine.read("hall.a.die_max_K");
      engine.write("hall.a.cap_W", 600.0 + 10.0 * (second % 7));
    }
    best = std::min(best, thread_s() - start);
  }
  return simulated_s / best;
}

std::vector<std::string> scaled_to(std::int64_t n_gpu) {
  return {fmt::format("hall.a.n_gpu={}", n_gpu), fmt::format("job.main.plan.n_gpu={}", n_gpu),
          fmt::format("job.main.plan.global_batch_sequences={}", n_gpu / 8)};
}

}  // namespace TIDEWATT_NAMESPACE::bench::detail
