#pragma once
// Whole runs. Private to bench.
#include <cstdint>
#include <string>
#include <vector>

namespace tidewatt::bench::detail {

struct Timed {
  double wall_s, simulated_s;
};

/// Runs a scenario without writing its result. @throws InputError naming the file if it is absent
Timed run_scenario(const std::string& folder, const std::string& file, std::vector<std::string> set,
                   std::size_t n_thread);

/// Overrides that give the day scenario a hall and a job of `n_gpu`, the batch growing with it.
std::vector<std::string> scaled_to(std::int64_t n_gpu);

}  // namespace tidewatt::bench::detail
