#include "tidewatt/workload/jitter.hpp"

#include <fmt/format.h>

#include "base/random.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/math.hpp"

namespace TIDEWATT_NAMESPACE::workload {
namespace {

// Entities of the purpose `jitter`: jobs count from 0, hosts are separate from them.
constexpr std::uint64_t host_entity = 1ull << 63, most_jobs = 1ull << 62;

}  // namespace

void JitterParams::fields(FieldVisitor& v) {
  v.number("jitter_sigma_frac", sigma_frac, {0, 0.5}, "relative standard deviation of one replica's iteration time",
           Need::optional);
  v.number("slow_host_frac", slow_host_frac, {0, 1}, "fraction of hosts that are slow", Need::optional);
  v.number("slow_host_slowdown_frac", slow_host_slowdown_frac, {0, 10}, "relative extra compute time of a slow host",
           Need::optional);
}

Jitter::Jitter(const JitterParams& params, std::uint64_t seed, std::uint64_t job, std::int64_t n_replica)
    : sigma_frac_(params.sigma_frac), seed_(seed), job_(job), n_replica_(static_cast<double>(n_replica)) {
  if (n_replica < 1 || !(sigma_frac_ >= 0.0) || job >= most_jobs)
    throw InputError(fmt::format("jitter: sigma {} of {} replicas, job {}", sigma_frac_, n_replica, job));
}

double Jitter::excess_frac(std::int64_t iteration) const {
  if (none()) return 0.0;
  // Largest of n half-normals from one uniform u: 2Φ(x) - 1 = u^(1/n), so the upper tail is (1 - u^(1/n))/2, formed
  // without cancellation because it is small for many replicas.
  const double u = random::uniform(seed_, random::Purpose::jitter, job_, static_cast<std::uint64_t>(iteration));
  const double x = -math::log(u) / n_replica_;
  const double tail = 0.5 * x * math::mean_decay(x);
  return tail > 0.0 ? -sigma_frac_ * random::normal_quantile(tail) : 0.0;
}

Tick Jitter::excess_ns(std::int64_t iteration, Tick period) const {
  return none() ? 0 : to_tick(seconds(period) * excess_frac(iteration));
}

double Jitter::quantile_frac(std::int64_t k, std::int64_t n) const {
  if (k < 0 || k >= n) throw InputError(fmt::format("jitter: part {} of {}", k, n));
  const double share = (static_cast<double>(k) + 0.5) / static_cast<double>(n);
  return sigma_frac_ * random::normal_quantile(0.5 + 0.5 * share);
}

Jitter::Fit Jitter::fit(std::int64_t first, std::int64_t at_most, Tick period, Tick length, bool through) const {
  if (period <= 0) throw InputError(fmt::format("jitter: a period of {} ns", period));
  Fit out;
  if (none()) {
    const std::int64_t whole = length < 0 ? 0 : length / period;
    out.count = std::min(at_most, through && whole * period < length ? whole + 1 : whole);
    out.length = out.count * period;
    return out;
  }
  while (out.count < at_most && out.length < length) {
    const Tick end = out.length + period + excess_ns(first + out.count, period);
    if (end > length && !through) break;
    out.length = end;
    ++out.count;
  }
  return out;
}

std::vector<double> host_slowness(const JitterParams& params, std::uint64_t seed, std::int64_t n_host) {
  std::vector<double> out;
  for (std::int64_t h = 0; h < n_host; ++h) {
    const double u = random::uniform(seed, random::Purpose::jitter, host_entity | static_cast<std::uint64_t>(h));
    out.push_back(u < params.slow_host_frac ? 1.0 + params.slow_host_slowdown_frac : 1.0);
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::workload
