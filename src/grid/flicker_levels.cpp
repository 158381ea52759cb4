#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>

#include "flicker.hpp"
#include "numerics/block.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::grid {

namespace {

/// Levels that `n` classes get if `now` bins share theirs out as `n_counted` bins did: rounded on the running sum, so that the total is kept.
/// Sums and quotients are below 2^31 and their products below 2^53, so that the numbers are exact and a quotient is never rounded up to a whole one.
/// @param below,booked of the classes before; moved on
TIDEWATT_CLONES
void share_out(const std::uint32_t* seen, std::size_t n, double now, double n_counted, std::uint32_t& below,
               std::int32_t& booked, std::uint32_t* more) {
  std::array<std::int32_t, numerics::block_size + 1> until;
  until[0] = booked;
  for (std::size_t i = 0; i < n; ++i) until[i + 1] = static_cast<std::int32_t>(below += seen[i]);
  for (std::size_t i = 1; i <= n; ++i)
    until[i] = static_cast<std::int32_t>(static_cast<double>(until[i]) * now / n_counted);
  for (std::size_t i = 0; i < n; ++i) more[i] = static_cast<std::uint32_t>(until[i + 1] - until[i]);
  booked = until[n];
}

}  // namespace

Flickermeter::Counts::Range Flickermeter::Counts::range() const {
  const auto some = [](std::uint8_t u) { return u != 0; };
  const auto first = std::find_if(used_.begin(), used_.end(), some);
  if (first == used_.end()) return {};
  const auto last = std::find_if(used_.rbegin(), used_.rend(), some);
  const auto begin = static_cast<std::size_t>(first - used_.begin()) * line,
             end = std::min(of_.size(), static_cast<std::size_t>(used_.rend() - last) * line);
  return {begin, std::span(of_).subspan(begin, end - begin)};
}

void Flickermeter::Counts::add_range(std::size_t first, std::span<const std::uint32_t> more) {
  for (std::size_t i = 0; i < more.size();) {
    const std::size_t at = first + i, n = std::min(more.size() - i, line - at % line);
    std::uint32_t any = 0;
    for (std::size_t k = 0; k < n; ++k) any |= more[i + k], of_[at + k] += more[i + k];
    if (any != 0) used_[at / line] = 1;
    i += n;
  }
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
  const auto [first, counts] = counts_.range();
  const auto rank_of = [&](double share) { return static_cast<double>(window_bins_) * (1.0 - share / 100.0); };
  for (std::size_t k = 0; k < counts.size() && which < percent.size(); ++k) {
    // Whole lines below the next rank; counts are whole numbers, whose sums are exact.
    if (const std::size_t n = std::min(Counts::line, counts.size() - k); k % Counts::line == 0) {
      const double more = static_cast<double>(std::accumulate(&counts[k], &counts[k] + n, 0u));
      if (below + more < rank_of(percent[which])) {
        below += more;
        k += n - 1;
        continue;
      }
    }
    if (counts[k] == 0) continue;
    const std::size_t i = first + k;
    const double here = static_cast<double>(counts[k]);
    for (; which < percent.size(); ++which) {
      const double rank = rank_of(percent[which]);
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
  const auto [first, counts] = counts_.range();
  return {next_bin_, n_counted_, first, {counts.begin(), counts.end()}};
}

/// Counts only grow within a window.
Flickermeter::Share Flickermeter::since(const Snapshot& before) const {
  if (!same_window(before)) return {};
  const auto [first, counts] = counts_.range();
  std::vector<std::uint32_t> more(counts.begin(), counts.end());
  for (std::size_t i = 0; i < before.counts.size(); ++i) more[before.first_class - first + i] -= before.counts[i];
  const auto some = [](std::uint32_t n) { return n != 0; };
  const auto begin = std::find_if(more.begin(), more.end(), some);
  if (begin == more.end()) return {n_counted_ - before.n_counted, static_cast<std::int64_t>(counts_.size()), {}};
  return {n_counted_ - before.n_counted,
          static_cast<std::int64_t>(first) + (begin - more.begin()),
          {begin, std::find_if(more.rbegin(), more.rend(), some).base()}};
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
    std::uint32_t below = 0;
    std::int32_t booked = 0;
    std::array<std::uint32_t, numerics::block_size> more;
    for (std::size_t i = 0; i < seen.size(); i += more.size()) {
      const std::size_t n = std::min(more.size(), seen.size() - i);
      share_out(seen.data() + i, n, static_cast<double>(now), static_cast<double>(share.n_counted), below, booked,
                more.data());
      counts_.add_range(first + i, {more.data(), n});
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
