#include "excursions.hpp"

#include <algorithm>

#include "numerics/block.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::grid {

ExcursionMeter::ExcursionMeter(double low, double high) : low_(low), high_(high) {
  if (!(low < high)) throw InputError("excursions: the lower limit must lie below the upper one");
}

void ExcursionMeter::begin(std::int64_t first_bin) {
  next_bin_ = first_bin;
  run_below_ = run_above_ = 0;
}

void ExcursionMeter::look(double beyond, std::int64_t bin, Excursions& e, std::int64_t& run) {
  if (!(beyond > 0.0)) {
    run = 0;
    return;
  }
  if (run++ == 0) ++e.count;
  ++e.bins;
  e.longest_bins = std::max(e.longest_bins, run);
  if (beyond > e.deepest) e.deepest = beyond, e.deepest_bin = bin;
}

void ExcursionMeter::push(std::span<const double> x) {
  for (std::size_t at = 0; at < x.size(); at += numerics::block_size) {
    const auto block = x.subspan(at, std::min(numerics::block_size, x.size() - at));
    if (run_below_ + run_above_ == 0 && numerics::lane_min(block) >= low_ && numerics::lane_max(block) <= high_)
      next_bin_ += static_cast<std::int64_t>(block.size());
    else
      look_at_each(block);
  }
}

void ExcursionMeter::look_at_each(std::span<const double> x) {
  for (const double v : x) {
    if ((v < low_) | (v > high_) | (run_below_ + run_above_ > 0)) {
      look(low_ - v, next_bin_, below_, run_below_);
      look(v - high_, next_bin_, above_, run_above_);
    }
    ++next_bin_;
  }
}

ExcursionMeter::Share ExcursionMeter::since(const Snapshot& before) const {
  return {next_bin_ - before.next_bin, below_.count - before.below.count, above_.count - before.above.count,
          below_.bins - before.below.bins, above_.bins - before.above.bins};
}

void ExcursionMeter::repeat_bins(const Share& share, std::int64_t n_bin) {
  if (share.bins_below == share.n_bin) run_below_ += n_bin;  // outside from end to end
  if (share.bins_above == share.n_bin) run_above_ += n_bin;
  const std::int64_t times = (n_bin + share.n_bin / 2) / share.n_bin;
  below_.count += times * share.count_below;
  above_.count += times * share.count_above;
  below_.bins += times * share.bins_below;
  above_.bins += times * share.bins_above;
  below_.longest_bins = std::max(below_.longest_bins, run_below_);
  above_.longest_bins = std::max(above_.longest_bins, run_above_);
  next_bin_ += n_bin;
}

}  // namespace TIDEWATT_NAMESPACE::grid
