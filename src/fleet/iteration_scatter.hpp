#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "tidewatt/base/tick.hpp"
#include "tidewatt/mitigation/beat.hpp"
#include "tidewatt/workload/jitter.hpp"
#include "workload/iteration.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

/// Excess of a job's iteration times: by jitter, or by waiting for a beat.
///
/// Iteration i lasts T (1 + x_i): x_i is drawn for the slowest of all replicas, a pure function of seed, job and i
/// (workload::Jitter), so redone iterations scatter as they did and neither threads nor steps move a draw. Group g of replicas
/// begins late by the g-th quantile of one replica's scatter (at most x_i); early groups wait at the gradient norm.
/// With a beat (mitigation::beat_end) an iteration's excess is its wait for the beat, or its jitter if that is larger.
class IterationScatter {
 public:
  /// What is absent scatters nothing.
  IterationScatter(const std::optional<workload::Jitter>& jitter, const std::optional<mitigation::BeatParams>& beat)
      : jitter_(jitter), beat_(beat) {}
  /// Whether iterations differ in length.
  bool any() const { return keeps_beat() || (jitter_ && !jitter_->none()); }
  bool keeps_beat() const { return beat_.has_value(); }
  /// The work whose iterations scatter. @param n_group groups of replicas  @param period without scatter
  void set_work(std::int64_t n_group, Tick period) { n_group_ = n_group, period_ = period; }
  /// Whether that work lasts longer without waiting than its beat allows.
  bool misses_beat() const { return keeps_beat() && period_ > to_tick(beat_->period_s); }
  /// Of one iteration that begins at `begin`.
  workload::Scatter one(std::int64_t iteration, Tick begin);
  /// Mean of `count` iterations from `first` on, which begin at `begin`; whole nanoseconds.
  workload::Scatter mean(std::int64_t first, std::int64_t count, Tick begin);
  /// Excess of each iteration of the last request; they add up to `count` means.
  std::vector<workload::Scatter> each() const;

 private:
  Tick excess_of(std::int64_t iteration, Tick begin) const;
  workload::Scatter scatter(Tick excess, Tick least) const;
  std::optional<workload::Jitter> jitter_;
  std::optional<mitigation::BeatParams> beat_;
  // Of the work just set.
  std::int64_t n_group_ = 0;
  Tick period_ = 0;
  std::vector<Tick> excess_;  ///< of the last request
};

}  // namespace TIDEWATT_NAMESPACE::fleet
