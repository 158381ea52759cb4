#pragma once
// What the machine itself can do. Private to bench.
#include <cstddef>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::bench::detail {

/// Fused multiply-adds of independent registers, best instruction set, 10^9 floating-point operations per second.
double fma_gflops(double budget_s);

/// a[i] = b[i] + s c[i] over arrays far larger than the caches, all threads at once; 24 bytes counted per element.
double triad_GB_per_s(std::size_t n_thread, std::size_t MiB_per_array, double budget_s);

/// Highest resident memory of this process so far, 10^6 bytes.
double max_rss_MB();

}  // namespace TIDEWATT_NAMESPACE::bench::detail
