#include "bench/bench.hpp"

#include <cmath>
#include <map>

#include "catch.hpp"

using namespace tidewatt;

TEST_CASE("a quick bench measures kernel, CVODE and machine, and says what it left out") {
  bench::Options o;
  o.quick = true;
  std::size_t n_told = 0;
  o.on_figure = [&](const bench::Figure&) { ++n_told; };
  const auto figures = bench::run_benchmarks(o);
  CHECK(n_told == figures.size());
  std::map<std::string, bench::Figure> by_key;
  for (const auto& f : figures) {
    CHECK_FALSE(f.how.empty());
    by_key[f.key] = f;
  }
  for (const char* key :
       {"kernel_gpu_steps_per_s_core", "kernel_gpu_steps_per_s_all", "cvode_gpu_steps_per_s_core", "kernel_over_cvode",
        "fma_gflops_core", "memory_GB_per_s", "kernel_fraction_of_fma_peak", "max_rss_MB"}) {
    INFO(key);
    CHECK(by_key.at(key).value > 0.0);
  }
  for (const char* key :
       {"day_16384_periodic_wall_s", "day_16384_resolved_wall_s", "day_100k_wall_s", "days54_16384_wall_s",
        "days54_16384_cpu_s", "year_128_cpu_s", "smoothing_15min_16384_cpu_s", "island_10min_16384_cpu_s",
        "day_983040_cpu_s", "hours10000_1024_wall_s", "per_gpu_cost_ratio_1M_over_16k"})
    CHECK(std::isnan(by_key.at(key).value));
  CHECK(by_key.at("kernel_fraction_of_fma_peak").value < 1.0);
  // Both solve the same equations: each within the error allowed, against steps of 0.5 ms.
  CHECK(by_key.at("cvode_error_K").value <= 0.05);
  CHECK(by_key.at("kernel_error_K").value <= 0.05);
  CHECK(by_key.at("kernel_error_production_K").value <= 0.05);
  CHECK(by_key.at("kernel_over_cvode").value > 1.0);
}
