#pragma once
// Whole runs. Private to bench.
#include <cstdint>
#include <string>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::bench::detail {

struct Timed {
  double wall_s, cpu_s, simulated_s;
};

/// Runs a scenario without writing its result. @param reference its slow twin, `sim::reference_of`
/// @throws InputError naming the file if it is absent
Timed run_scenario(const std::string& folder, const std::string& file, std::vector<std::string> set,
                   std::size_t n_thread, bool reference = false);

/// Simulated seconds per second of processor time of an engine that a controller drives: every second of the day's first
/// `simulated_s` it reads the connection's power and the hottest die and moves the power cap. One thread, best of three.
/// @throws InputError naming the file if it is absent
double driven_rate(const std::string& folder, std::int64_t n_gpu, double simulated_s);

/// Overrides that give the day scenario a hall and a job of `n_gpu`, the batch growing with it.
std::vector<std::string> scaled_to(std::int64_t n_gpu);

}  // namespace TIDEWATT_NAMESPACE::bench::detail
