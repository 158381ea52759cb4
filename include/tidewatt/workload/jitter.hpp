#pragma once
#include <cstdint>
#include <vector>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/tick.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::workload {

/// Scatter of iteration times, and slow hosts.
struct TIDEWATT_API JitterParams {
  double sigma_frac = 0.0;               ///< half-normal scale of one replica's extra time ÷ iteration time
  double slow_host_frac = 0.0;           ///< share of hosts that are slow for the whole run
  double slow_host_slowdown_frac = 0.0;  ///< their extra compute time

  void fields(FieldVisitor& v);
};

/// Extra time of iterations (excess). Each of n replicas takes T (1 + σ |z|), z standard normal and independent. All wait for
/// the slowest, so the iteration's excess has the distribution P(x ≤ X) = (2Φ(X/σT) - 1)^n. It is never negative; its mean is
/// σT √(2/π) for n = 1 and about σT √(2 ln n) for many. Each iteration has one draw, a pure function of (seed, job, iteration
/// index). A repeated iteration therefore has the same excess, and a jump over M iterations sums them in O(M) without storing
/// any.
class TIDEWATT_API Jitter {
 public:
  /// @param job  number that keeps jobs apart  @param n_replica  data-parallel replicas, ≥ 1
  /// @throws InputError for a negative scatter or no replica
  Jitter(const JitterParams& params, std::uint64_t seed, std::uint64_t job, std::int64_t n_replica);

  /// Excess of an iteration as a share of its period, ≥ 0.
  double excess_frac(std::int64_t iteration) const;
  /// The same in whole ticks, for a period without jitter.
  Tick excess_ns(std::int64_t iteration, Tick period) const;
  /// Number and duration of the iterations from `first` on that end within `length` of the first one's begin.
  struct Fit {
    std::int64_t count = 0;
    Tick length = 0;
  };
  /// @param through  false: only whole iterations inside `length`; true: up to the first end of an iteration at or after
  ///                 `length`
  /// @throws InputError for a period not above 0
  Fit fit(std::int64_t first, std::int64_t at_most, Tick period, Tick length, bool through) const;
  /// Excess of the k-th of n equally large groups of replicas, as a share of the period, ≥ 0. The distribution of σ |z| is
  /// divided into n equally likely parts; the excess is the median of the k-th part. @throws InputError for k outside 0 … n − 1
  double quantile_frac(std::int64_t k, std::int64_t n) const;
  bool none() const { return sigma_frac_ == 0.0; }

 private:
  double sigma_frac_;
  std::uint64_t seed_, job_;
  double n_replica_;
};

/// Compute-time ratio of every host (1 or 1 + slowdown): each is slow with probability `slow_host_frac`, a pure
/// function of (seed, host).
TIDEWATT_API std::vector<double> host_slowness(const JitterParams& params, std::uint64_t seed, std::int64_t n_host);

}  // namespace TIDEWATT_NAMESPACE::workload
