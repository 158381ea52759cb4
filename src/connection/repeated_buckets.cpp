#include "repeated_buckets.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "numerics/block.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::connection {
namespace {

TIDEWATT_INLINE double less(double a, double b) { return a < b ? a : b; }
TIDEWATT_INLINE double more(double a, double b) { return a > b ? a : b; }

/// Smallest (or largest) of every `width` consecutive values: from those of 1, 2, 4 … values, in place. @param x [n + width]
template <double (*better)(double, double)>
TIDEWATT_INLINE void slide(double* x, std::size_t n, std::size_t width) {
  std::size_t covers = 1;
  for (; 2 * covers <= width; covers *= 2)
    for (std::size_t i = 0; i < n + width - 2 * covers; ++i) x[i] = better(x[i], x[i + covers]);
  for (std::size_t i = 0; i < n; ++i) x[i] = better(x[i], x[i + width - covers]);
}
TIDEWATT_CLONES
void slide_least(double* x, std::size_t n, std::size_t width) { slide<less>(x, n, width); }
TIDEWATT_CLONES
void slide_most(double* x, std::size_t n, std::size_t width) { slide<more>(x, n, width); }

/// Smallest and largest of any `width` consecutive values of a ring.
class Extremes {
 public:
  /// @param n_look how many are looked up: for few of them it is not worth to find all beforehand
  Extremes(const std::vector<double>& ring, std::size_t width, std::int64_t n_look) : width_(width) {
    const std::size_t n = ring.size();
    least_.reserve(n + width);
    while (least_.size() < n + width)
      least_.insert(least_.end(), ring.begin(),
                    ring.begin() + static_cast<std::ptrdiff_t>(std::min(n, n + width - least_.size())));
    constexpr std::int64_t turns = 8;  // of `slide`
    all_ = n_look * static_cast<std::int64_t>(width) > turns * static_cast<std::int64_t>(n);
    if (!all_) return;
    most_ = least_;
    slide_least(least_.data(), n, width);
    slide_most(most_.data(), n, width);
  }
  /// Of those from `i` on, i < the ring's size.
  double least(std::size_t i) const { return all_ ? least_[i] : numerics::lane_min(from(i)); }
  double most(std::size_t i) const { return all_ ? most_[i] : numerics::lane_max(from(i)); }

 private:
  std::span<const double> from(std::size_t i) const { return std::span(least_).subspan(i, width_); }
  std::size_t width_;
  bool all_ = false;
  std::vector<double> least_, most_;  ///< [i] of those from i on; if not found beforehand, the ring itself
};

/// Means of a repeated template from its integral, from where a repetition is followed on.
class RepeatedIntegral {
 public:
  RepeatedIntegral(const std::vector<double>& pcc_W, Tick period, Tick phase)
      : pcc_W_(pcc_W), integral_J_(pcc_W.size() + 1, 0.0), period_(period) {
    const std::size_t n = pcc_W.size();
    const Tick last_width = period - static_cast<Tick>(n - 1) * ns_per_ms;
    for (std::size_t i = 0; i < n; ++i)
      integral_J_[i + 1] = integral_J_[i] + pcc_W[i] * (i + 1 < n ? 1e-3 : seconds(last_width));
    stand(phase % period);
    from_J_ = here_J();
  }
  std::size_t bin() const { return static_cast<std::size_t>(bin_); }  ///< of the repetition
  /// Energy of the next `n_bin` bins; moves past them.
  double pass_J(std::int64_t n_bin) {
    bin_ += n_bin;
    double turns = 0.0;  // whole periods that end on the way; there is at most one unless iterations are very short
    if (Tick at = bin_ * ns_per_ms + rest_; at >= period_) {
      for (; at >= period_; at -= period_) turns += 1.0;
      stand(at);
    }
    const double to_J = here_J(), J = to_J - from_J_ + integral_J_.back() * turns;
    from_J_ = to_J;
    return J;
  }

 private:
  void stand(Tick at) {
    bin_ = at / ns_per_ms;
    rest_ = at % ns_per_ms;
    rest_s_ = seconds(rest_);
  }
  double here_J() const {
    const auto i = bin();
    return integral_J_[i] + pcc_W_[std::min(i, pcc_W_.size() - 1)] * rest_s_;
  }
  const std::vector<double>& pcc_W_;
  std::vector<double> integral_J_;  ///< [bin] from the start of a repetition
  Tick period_, rest_ = 0;          ///< how far into the bin
  std::int64_t bin_ = 0;
  double rest_s_ = 0.0, from_J_ = 0.0;
};

/// The pyramid's buckets from the repeated template.
class RepeatedBuckets {
 public:
  RepeatedBuckets(ConnectionMeters& to, const std::vector<double>& pcc_W, Tick period, const RepeatedBins& s)
      : to_(to), pcc_W_(pcc_W), load_(pcc_W, period, s.phase), bin_(s.bin), end_(s.bin + s.n_bin) {}

  /// Whole seconds where nobody looks at the extremes of 100 ms, buckets of 100 ms before and behind them.
  void push() {
    constexpr std::int64_t second = 10 * bucket;
    const std::int64_t from = (bin_ + second - 1) / second * second, until = (end_ - 1) / second * second;
    if (until - from >= second && !to_.orders.any() && !to_.levels.keeps_tenths()) {
      push_to(from);
      to_.push_means();
      push_seconds((until - from) / second);
    }
    push_to(end_);
  }

 private:
  static constexpr std::int64_t bucket = 100;
  /// A bucket begins inside a bin of the template.
  Extremes of_bins(std::int64_t n_bin, std::int64_t n_look) const {
    return {pcc_W_, static_cast<std::size_t>(n_bin) + 1, n_look};
  }

  void push_seconds(std::int64_t n_second) {
    constexpr std::size_t per_second = 10, most = 256;
    const auto extremes = of_bins(per_second * bucket, n_second);
    std::array<double, most> low_W, sum_W, high_W;
    std::array<double, per_second * most> mean_W;
    constexpr double per_bucket = 1e3 / static_cast<double>(bucket);
    while (n_second > 0) {
      const std::size_t n = std::min(most, static_cast<std::size_t>(n_second));
      for (std::size_t k = 0; k < n; ++k) {
        const auto i = load_.bin();
        low_W[k] = extremes.least(i);
        high_W[k] = extremes.most(i);
        double J = 0.0;
        for (std::size_t u = k * per_second; u < (k + 1) * per_second; ++u) {
          const double part_J = load_.pass_J(bucket);
          mean_W[u] = part_J * per_bucket;
          J += part_J;
        }
        sum_W[k] = J * 1e3;
      }
      to_.push_seconds(bin_, std::span(low_W).first(n), std::span(sum_W).first(n), std::span(high_W).first(n),
                       std::span(mean_W).first(n * per_second));
      bin_ += static_cast<std::int64_t>(n * per_second) * bucket;
      n_second -= static_cast<std::int64_t>(n);
    }
  }

  /// Up to `end` by buckets of 100 ms; nothing is known of bins behind it.
  void push_to(std::int64_t end) {
    if (bin_ >= end) return;
    const auto extremes = of_bins(bucket, (end - bin_) / bucket + 1);
    if (const std::int64_t edge = (bin_ / bucket + 1) * bucket; bin_ % bucket != 0 && edge < end) {
      const auto i = load_.bin();
      to_.levels.push_part(edge - bin_, extremes.least(i), load_.pass_J(edge - bin_) * 1e3, extremes.most(i));
      bin_ = edge;
    }
    std::array<double, 256> low_W, sum_W, high_W;
    while (end - bin_ > bucket) {
      std::size_t k = 0;
      for (; k < sum_W.size() && end - bin_ > bucket; ++k, bin_ += bucket) {
        const auto i = load_.bin();
        low_W[k] = extremes.least(i);
        high_W[k] = extremes.most(i);
        sum_W[k] = load_.pass_J(bucket) * 1e3;
      }
      to_.levels.push_buckets(std::span(low_W).first(k), std::span(sum_W).first(k), std::span(high_W).first(k));
    }
    // What comes behind may be something else: no bin beyond the end.
    const auto i = load_.bin();
    double least_W = pcc_W_[i], most_W = pcc_W_[i];
    for (auto j = i + 1; j < i + static_cast<std::size_t>(end - bin_); ++j) {
      least_W = std::min(least_W, pcc_W_[j % pcc_W_.size()]);
      most_W = std::max(most_W, pcc_W_[j % pcc_W_.size()]);
    }
    to_.levels.push_part(end - bin_, least_W, load_.pass_J(end - bin_) * 1e3, most_W);
    bin_ = end;
  }

  ConnectionMeters& to_;
  const std::vector<double>& pcc_W_;
  RepeatedIntegral load_;
  std::int64_t bin_, end_;
};

}  // namespace

void push_repeated(ConnectionMeters& to, const std::vector<double>& pcc_W, Tick period, const RepeatedBins& bins) {
  RepeatedBuckets(to, pcc_W, period, bins).push();
}

}  // namespace TIDEWATT_NAMESPACE::connection
