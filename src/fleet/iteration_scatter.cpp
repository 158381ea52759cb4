#include "iteration_scatter.hpp"

#include <algorithm>

namespace TIDEWATT_NAMESPACE::fleet {

Tick IterationScatter::excess_of(std::int64_t iteration, Tick begin) const {
  const Tick own = jitter_ ? jitter_->excess_ns(iteration, period_) : 0;
  return beat_ ? mitigation::beat_end(*beat_, begin, period_ + own) - begin - period_ : own;
}

/// @param least of the excesses that share the lateness
workload::Scatter IterationScatter::scatter(Tick excess, Tick least) const {
  workload::Scatter out{{}, excess};
  for (std::int64_t g = 0; g < n_group_; ++g)
    out.late.push_back(jitter_ ? std::min(least, to_tick(seconds(period_) * jitter_->quantile_frac(g, n_group_))) : 0);
  return out;
}

workload::Scatter IterationScatter::one(std::int64_t iteration, Tick begin) {
  excess_ = {excess_of(iteration, begin)};
  return scatter(excess_.front(), excess_.front());
}

workload::Scatter IterationScatter::mean(std::int64_t first, std::int64_t count, Tick begin) {
  excess_.clear();
  Tick sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    excess_.push_back(excess_of(first + i, begin));
    begin += period_ + excess_.back();
    sum += excess_.back();
  }
  // Whole nanoseconds: what the mean rounds away, less than one per iteration, is taken from the longest.
  auto& longest = *std::max_element(excess_.begin(), excess_.end());
  if (longest < sum % count)
    excess_.assign(excess_.size(), sum / count);
  else
    longest -= sum % count;
  return scatter(sum / count, *std::min_element(excess_.begin(), excess_.end()));
}

std::vector<workload::Scatter> IterationScatter::each() const {
  std::vector<workload::Scatter> out;
  const Tick least = *std::min_element(excess_.begin(), excess_.end());
  for (const Tick excess : excess_) out.push_back(scatter(excess, least));
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::fleet
