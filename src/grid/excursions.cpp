#include "excursions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

void add(Excursions& e, const Excursions& before, std::int64_t n) {
  e.count += n * (e.count - before.count);
  e.bins += n * (e.bins - before.bins);
}

}  // namespace

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
  for (const double v : x) {
    if ((v < low_) | (v > high_) | (run_below_ + run_above_ > 0)) {
      look(low_ - v, next_bin_, below_, run_below_);
      look(v - high_, next_bin_, above_, run_above_);
    }
    ++next_bin_;
  }
}

bool ExcursionMeter::settled(const Snapshot& before, const Repetition& r) const {
  return before.next_bin >= r.first_bin && next_bin_ - before.next_bin == r.period_bins &&
         before.run_below == run_below_ && before.run_above == run_above_ &&
         before.next_bin - r.first_bin >= r.period_bins;
}

std::int64_t ExcursionMeter::repeat_since(const Snapshot& before, std::int64_t n) {
  add(below_, before.below, n);
  add(above_, before.above, n);
  next_bin_ += n * (next_bin_ - before.next_bin);
  return n;
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

StepCounter::StepCounter(std::int64_t window, std::vector<double> sizes_W) : sizes_W_(std::move(sizes_W)) {
  if (window < 1 || window > 1'000'000 || sizes_W_.empty() || sizes_W_.size() > 16 || !(sizes_W_.front() > 0.0) ||
      !std::is_sorted(sizes_W_.begin(), sizes_W_.end()))
    throw InputError("step counter: a window of 1 to 10^6 bins and up to 16 rising sizes are needed");
  ring_.assign(static_cast<std::size_t>(window), 0.0);
  counts_.assign(sizes_W_.size(), 0);
  begin(0);
}

void StepCounter::begin(std::int64_t first_bin) {
  next_bin_ = first_bin;
  at_ = filled_ = 0;
  inside_.assign(sizes_W_.size(), false);
  wake_W_ = sizes_W_.front();
  sleep_W_ = -1.0;
}

void StepCounter::change(double size_W) {
  wake_W_ = std::numeric_limits<double>::infinity();
  sleep_W_ = -1.0;
  for (std::size_t i = 0; i < sizes_W_.size(); ++i) {
    if (!inside_[i] && size_W > sizes_W_[i]) {
      inside_[i] = true;
      ++counts_[i];
    } else if (inside_[i] && size_W < 0.5 * sizes_W_[i]) {
      inside_[i] = false;
    }
    if (inside_[i])
      sleep_W_ = std::max(sleep_W_, 0.5 * sizes_W_[i]);
    else
      wake_W_ = std::min(wake_W_, sizes_W_[i]);
  }
}

void StepCounter::push(std::span<const double> load_W) {
  for (const double W : load_W) {
    if (filled_ == ring_.size()) {
      const double size_W = std::abs(W - ring_[at_]);
      if (size_W > wake_W_ || size_W < sleep_W_) change(size_W);
    } else {
      ++filled_;
    }
    ring_[at_] = W;
    at_ = at_ + 1 == ring_.size() ? 0 : at_ + 1;
  }
  next_bin_ += static_cast<std::int64_t>(load_W.size());
}

bool StepCounter::settled(const Snapshot& before, const Repetition& r) const {
  return before.next_bin >= r.first_bin && next_bin_ - before.next_bin == r.period_bins && before.inside == inside_ &&
         before.next_bin - r.first_bin >= static_cast<std::int64_t>(ring_.size());
}

// The ring holds the last period's end, whichever period that is.
std::int64_t StepCounter::repeat_since(const Snapshot& before, std::int64_t n) {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += n * (counts_[i] - before.counts[i]);
  next_bin_ += n * (next_bin_ - before.next_bin);
  return n;
}

}  // namespace TIDEWATT_NAMESPACE::grid
