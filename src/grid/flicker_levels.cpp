#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "flicker.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// The first class from `i` on with a level. Most classes have none: skips whole lines of them.
std::size_t Flickermeter::next_counted(std::size_t i) const {
  constexpr std::size_t line = 64;
  for (; i < counts_.size() && i % line != 0; ++i)
    if (counts_[i] != 0) return i;
  for (; i + line <= counts_.size(); i += line) {
    std::uint32_t any = 0;
    for (std::size_t k = 0; k < line; ++k) any |= counts_[i + k];
    if (any != 0) break;
  }
  while (i < counts_.size() && counts_[i] == 0) ++i;
  return i;
}

void Flickermeter::finish_window() {
  // Levels exceeded for these percentages of the time, from the lowest level up.
  constexpr std::array percent{80.0, 50.0, 30.0, 17.0, 13.0, 10.0, 8.0, 6.0, 4.0, 3.0, 2.2, 1.5, 1.0, 0.7, 0.1};
  std::array<double, percent.size()> P{};
  std::size_t which = 0;
  double below = 0.0;
  for (std::size_t i = next_counted(0); i < counts_.size() && which < percent.size(); i = next_counted(i + 1)) {
    const double here = static_cast<double>(counts_[i]);
    for (; which < percent.size(); ++which) {
      const double rank = static_cast<double>(window_bins_) * (1.0 - percent[which] / 100.0);
      if (below + here < rank) break;
      P[which] = class_floor(i) + (class_floor(i + 1) - class_floor(i)) * (rank - below) / here;
    }
    below += here;
  }
  const double P50s = (P[2] + P[1] + P[0]) / 3.0;
  const double P10s = (P[7] + P[6] + P[5] + P[4] + P[3]) / 5.0;
  const double P3s = (P[10] + P[9] + P[8]) / 3.0;
  const double P1s = (P[13] + P[12] + P[11]) / 3.0;
  const double P_st = std::sqrt(0.0314 * P[14] + 0.0525 * P1s + 0.0657 * P3s + 0.28 * P10s + 0.08 * P50s);
  windows_.push_back({next_bin_ - window_bins_, P_st});
  std::fill(counts_.begin(), counts_.end(), 0u);
  n_counted_ = 0;
}

Flickermeter::Snapshot Flickermeter::snapshot() const { return {next_bin_, n_counted_, counts_}; }

Flickermeter::Share Flickermeter::since(const Snapshot& before) const {
  std::size_t first = 0, last = counts_.size();
  while (first < last && counts_[first] == before.counts[first]) ++first;
  while (last > first && counts_[last - 1] == before.counts[last - 1]) --last;
  Share s{n_counted_ - before.n_counted, static_cast<std::int64_t>(first), std::vector<std::uint32_t>(last - first)};
  for (std::size_t i = first; i < last; ++i) s.counts[i - first] = counts_[i] - before.counts[i];
  return s;
}

void Flickermeter::repeat_bins(const Share& share, std::int64_t n_bin) {
  const auto& seen = share.counts;
  const auto first = static_cast<std::size_t>(share.first_class);
  if (share.n_counted == 0) return;
  for (std::int64_t left = n_bin; left > 0;) {
    const std::int64_t now = std::min(left, window_bins_ - n_counted_);
    // Rounded on the running sum, so that the window's total is kept.
    std::int64_t below = 0, booked = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (seen[i] == 0) continue;
      below += seen[i];
      const auto until = below * now / share.n_counted;
      counts_[first + i] += static_cast<std::uint32_t>(until - booked);
      booked = until;
    }
    n_counted_ += now;
    next_bin_ += now;
    left -= now;
    if (n_counted_ == window_bins_) finish_window();
  }
  carrier_shift_ += n_bin;
}

double Flickermeter::P_st_max() const {
  double worst = 0.0;
  for (const auto& w : windows_) worst = std::max(worst, w.P_st);
  return worst;
}

double Flickermeter::P_lt_max() const {
  double worst = 0.0;
  constexpr std::size_t n = 12;
  for (std::size_t i = 0; i + n <= windows_.size(); ++i) {
    const std::int64_t last_bin = windows_[i].first_bin + static_cast<std::int64_t>(n - 1) * window_bins_;
    if (windows_[i + n - 1].first_bin != last_bin) continue;  // a gap lies between
    double sum = 0.0;
    for (std::size_t k = i; k < i + n; ++k) sum += windows_[k].P_st * windows_[k].P_st * windows_[k].P_st;
    worst = std::max(worst, sum / static_cast<double>(n));
  }
  return worst > 0.0 ? math::pow(worst, 1.0 / 3.0) : 0.0;
}

}  // namespace TIDEWATT_NAMESPACE::grid
