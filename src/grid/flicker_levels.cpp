#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>

#include "flicker.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::grid {

std::size_t Flickermeter::Counts::next(std::size_t i) const {
  while (i < of_.size()) {
    const std::size_t end = std::min(of_.size(), (i / line + 1) * line);
    if (used_[i / line] != 0)
      for (; i < end; ++i)
        if (of_[i] != 0) return i;
    i = end;
  }
  return of_.size();
}

void Flickermeter::Counts::clear() {
  for (std::size_t k = 0; k * line < of_.size(); ++k) {
    if (used_[k] == 0) continue;
    const auto begin = of_.begin() + static_cast<std::ptrdiff_t>(k * line);
    std::fill(begin, begin + static_cast<std::ptrdiff_t>(std::min(line, of_.size() - k * line)), 0u);
    used_[k] = 0;
  }
}

/// Of counts that were read.
void Flickermeter::Counts::find_used() {
  used_.assign(of_.size() / line + 1, 0);
  for (std::size_t i = 0; i < of_.size(); ++i)
    if (of_[i] != 0) used_[i / line] = 1;
}

void Flickermeter::finish_window() {
  // Levels exceeded for these percentages of the time, from the lowest level up.
  constexpr std::array percent{80.0, 50.0, 30.0, 17.0, 13.0, 10.0, 8.0, 6.0, 4.0, 3.0, 2.2, 1.5, 1.0, 0.7, 0.1};
  std::array<double, percent.size()> P{};
  std::size_t which = 0;
  double below = 0.0;
  for (std::size_t i = counts_.next(0); i < counts_.size() && which < percent.size(); i = counts_.next(i + 1)) {
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
  counts_.clear();
  n_counted_ = 0;
}

Flickermeter::Snapshot Flickermeter::snapshot() const {
  Snapshot out{next_bin_, n_counted_, {}, {}};
  for (std::size_t i = counts_.next(0); i < counts_.size(); i = counts_.next(i + 1))
    out.counts.push_back(counts_[i]), out.classes.push_back(static_cast<std::uint32_t>(i));
  return out;
}

/// Counts only grow within a window.
Flickermeter::Share Flickermeter::since(const Snapshot& before) const {
  Share s{n_counted_ - before.n_counted, static_cast<std::int64_t>(counts_.size()), {}};
  std::size_t known = 0, end = 0;  // of the snapshot; of the share
  for (std::size_t i = counts_.next(0); i < counts_.size(); i = counts_.next(i + 1)) {
    std::uint32_t more = counts_[i];
    if (known < before.classes.size() && before.classes[known] == i) more -= before.counts[known++];
    if (more == 0) continue;
    if (s.counts.empty()) s.first_class = static_cast<std::int64_t>(end = i);
    s.counts.resize(s.counts.size() + (i - end), 0);
    s.counts.push_back(more);
    end = i + 1;
  }
  return s;
}

void Flickermeter::repeat_bins(const Share& share, std::int64_t n_bin) {
  const auto& seen = share.counts;
  const auto first = static_cast<std::size_t>(share.first_class);
  if (share.n_counted == 0) return;
  std::optional<double> whole_P_st;  // of a window that holds nothing else: all such are alike
  for (std::int64_t left = n_bin; left > 0;) {
    const std::int64_t now = std::min(left, window_bins_ - n_counted_);
    if (now == window_bins_ && whole_P_st) {
      windows_.push_back({next_bin_, *whole_P_st});
      next_bin_ += now;
      left -= now;
      continue;
    }
    // Rounded on the running sum, so that the window's total is kept.
    std::int64_t below = 0, booked = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (seen[i] == 0) continue;
      below += seen[i];
      const auto until = below * now / share.n_counted;
      counts_.add(first + i, static_cast<std::uint32_t>(until - booked));
      booked = until;
    }
    n_counted_ += now;
    next_bin_ += now;
    left -= now;
    if (n_counted_ == window_bins_) finish_window();
    if (now == window_bins_) whole_P_st = windows_.back().P_st;
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
