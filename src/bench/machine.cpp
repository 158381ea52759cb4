#include "machine.hpp"

#include <sys/resource.h>

#include <cmath>
#include <vector>

#include "base/parallel.hpp"
#include "fleet/package_batch.hpp"
#include "timing.hpp"
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define TIDEWATT_TARGETS 1
#endif

namespace TIDEWATT_NAMESPACE::bench::detail {
namespace {

// Twelve independent chains hide the latency of four to five cycles at two multiply-adds per cycle.
constexpr std::size_t n_chain = 12;
constexpr long n_round = 1'000'000;

#ifdef TIDEWATT_TARGETS
__attribute__((target("avx512f"))) double chains_avx512(double x, double y) {
  __m512d a[n_chain];
  for (std::size_t i = 0; i < n_chain; ++i) a[i] = _mm512_set1_pd(static_cast<double>(i));
  const __m512d m = _mm512_set1_pd(x), c = _mm512_set1_pd(y);
  for (long r = 0; r < n_round; ++r)
    for (std::size_t i = 0; i < n_chain; ++i) a[i] = _mm512_fmadd_pd(a[i], m, c);
  for (std::size_t i = 1; i < n_chain; ++i) a[0] = _mm512_add_pd(a[0], a[i]);
  alignas(64) double out[8];
  _mm512_store_pd(out, a[0]);
  return out[0] + out[7];
}
__attribute__((target("avx2,fma"))) double chains_avx2(double x, double y) {
  __m256d a[n_chain];
  for (std::size_t i = 0; i < n_chain; ++i) a[i] = _mm256_set1_pd(static_cast<double>(i));
  const __m256d m = _mm256_set1_pd(x), c = _mm256_set1_pd(y);
  for (long r = 0; r < n_round; ++r)
    for (std::size_t i = 0; i < n_chain; ++i) a[i] = _mm256_fmadd_pd(a[i], m, c);
  for (std::size_t i = 1; i < n_chain; ++i) a[0] = _mm256_add_pd(a[0], a[i]);
  alignas(32) double out[4];
  _mm256_store_pd(out, a[0]);
  return out[0] + out[3];
}
#endif

double chains_scalar(double x, double y) {
  double a[n_chain] = {};
  for (long r = 0; r < n_round; ++r)
    for (std::size_t i = 0; i < n_chain; ++i) a[i] = std::fma(a[i], x, y);
  double sum = 0.0;
  for (const double v : a) sum += v;
  return sum;
}

}  // namespace

double fma_gflops(double budget_s) {
  double (*chains)(double, double) = chains_scalar;
  double n_package_lane = 1.0;
#ifdef TIDEWATT_TARGETS
  const auto best = fleet::best_instruction_set();
  if (best != fleet::InstructionSet::sse2) {
    const bool wide = best == fleet::InstructionSet::avx512;
    chains = wide ? chains_avx512 : chains_avx2;
    n_package_lane = wide ? 8.0 : 4.0;
  }
#endif
  volatile double x = 0.999999, y = 1e-6, sink = 0.0;  // unknown to the compiler, and the result is used
  const double s = best_s(thread_s, budget_s, [&] { sink = sink + chains(x, y); });
  return 2.0 * n_package_lane * static_cast<double>(n_chain) * static_cast<double>(n_round) / s * 1e-9;
}

double triad_GB_per_s(std::size_t n_thread, std::size_t MiB_per_array, double budget_s) {
  const std::size_t n = MiB_per_array * (1u << 20) / sizeof(double);
  std::vector<double> a(n, 0.0), b(n, 1.0), c(n, 2.0);
  volatile double scale = 3.0, sink = 0.0;
  const double s = best_s(wall_s, budget_s, [&] {
    const double k = scale;
    parallel_ranges(n, n_thread, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) a[i] = b[i] + k * c[i];
    });
    sink = sink + a[n / 2];
  });
  return 24.0 * static_cast<double>(n) / s * 1e-9;
}

double max_rss_MB() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024e-6;
}

}  // namespace TIDEWATT_NAMESPACE::bench::detail
