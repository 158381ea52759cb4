#pragma once
#include <cstdint>
#include <vector>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"
#include "tidewatt/workload/compute.hpp"
#include "tidewatt/workload/model.hpp"
#include "tidewatt/workload/network.hpp"
#include "tidewatt/workload/timeline.hpp"

namespace TIDEWATT_NAMESPACE::workload {

/// A service that answers requests with a language model on GPUs beside a training job.
struct TIDEWATT_API InferenceParams {
  double peak_requests_per_s = 0.0;  ///< of the whole service
  std::vector<double> hour_frac;     ///< 24 shares of the peak, from local midnight
  std::int64_t prompt_tokens = 0;    ///< mean
  std::int64_t output_tokens = 0;    ///< mean
  std::int64_t tp = 1;               ///< GPUs of one replica
  std::int64_t n_replica = 0;        ///< replicas
  std::int64_t max_batch = 0;        ///< requests decoded together at most
  double token_latency_s = 0.0;      ///< longest mean time between output tokens; 0 = any
  double step_overhead_s = 0.0;      ///< scheduler and kernel launches per decoding step
  std::int64_t weight_bytes = 2;     ///< bytes per weight
  std::int64_t kv_bytes = 2;         ///< bytes per element of the cache

  void fields(FieldVisitor& v);
};

/// One hour of a replica in its steady state.
struct TIDEWATT_API InferenceHour {
  double offered_per_s = 0.0;  ///< requests, backlog included
  double served_per_s = 0.0;
  double backlog = 0.0;  ///< requests left at the end of the hour
  double batch = 0.0;    ///< mean number decoded together while decoding, ≥ 1
  double token_latency_s = 0.0;
  double prefill_frac = 0.0, decode_frac = 0.0;  ///< of time; the rest is idle
  Timeline timeline;  ///< kinds prefill, decode, idle; one mean request per period; one class: all GPUs alike
};

/// Steady state of continuous batching on one replica, per hour.
///
/// A prompt takes t_p; decoding pauses in this time. A decoding step of b requests takes
///
///     t(b) = max(t_w, b t_c) + t_0 + b t_b
///
/// The first term is the longer of reading the weights once and the matrix work, t_0 is overhead and collectives, and t_b
/// reads the cache and exchanges data for one request. With λ requests per second of o output tokens each, the batch settles
/// where prompts and steps fill the time: λ t_p + λ o t(b)/b = 1. If this gives less than one request, the replica is
/// partly idle: its utilisation is λ S with S = t_p + o t(1). The time between tokens is t(b)/(1 - λ t_p).
/// The batch is limited by `max_batch`, by the cache that fits beside the weights, and by the latency limit. Further
/// requests wait for the next hour.
/// Collectives of a step take two hops and 2(n-1)/n of the bytes; those of a prompt are rings.
/// Assumptions: all requests have mean length; the attention matrix work of decoding is hidden behind reading the cache.
class TIDEWATT_API InferenceService {
 public:
  /// @throws InputError: not 24 shares, no tokens or replicas, weights that do not fit
  InferenceService(const ModelShape& shape, const InferenceParams& params, const ComputeParams& gpu,
                   const NetworkParams& network);

  std::int64_t n_gpu() const { return params_.tp * params_.n_replica; }
  /// Time of one mean prompt. @param pace relative: clock ÷ reference clock, > 0
  double prefill_s(double pace) const;
  /// Time of one decoding step. @param batch count of requests decoded together, >= 1  @param pace relative: clock ÷
  /// reference clock, > 0
  double step_s(double batch, double pace) const;
  /// Largest number of requests decoded together: max_batch or the limit by memory, whichever is less.
  /// @returns count
  double batch_limit() const { return batch_limit_; }
  /// Most requests per second of one replica within all limits.
  /// @param pace relative: clock ÷ reference clock, > 0
  double capacity_per_s(double pace) const;
  /// @param requests_per_s  of one replica, ≥ 0  @param pace  clock ÷ reference clock
  /// Pace is relative. @throws InputError for a negative rate or a pace not above 0
  InferenceHour steady(double requests_per_s, double pace) const;
  /// The 24 hours of a day, each replica with its share; a backlog is served in the next hour.
  std::vector<InferenceHour> day(double pace, double backlog = 0.0) const;

 private:
  double batch_for(double requests_per_s, double pace) const;
  double token_latency_s(double batch, double requests_per_s, double pace) const;
  bool within_limits(double requests_per_s, double pace) const;
  Work decode_work(double batch, double pace) const;
  void make_timeline(InferenceHour& hour, double pace) const;

  InferenceParams params_;
  ComputeParams gpu_;
  Work prefill_;              ///< one prompt, at the reference clock
  double weights_s_ = 0.0;    ///< t_w
  double matrix_s_ = 0.0;     ///< t_c, at the reference clock
  double cache_s_ = 0.0;      ///< t_b: reading one request's cache
  double link_s_ = 0.0;       ///< t_b: collectives per request
  double link_base_s_ = 0.0;  ///< t_0: collectives per step
  double link_frac_ = 0.0;
  double batch_limit_ = 0.0;
};

}  // namespace TIDEWATT_NAMESPACE::workload
