#include "rainflow.hpp"

#include <algorithm>
#include <cmath>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::grid {
Rainflow::Rainflow(double class_W, std::size_t n_class) : class_W_(class_W), inverse_W_(1.0 / class_W) {
  if (!(class_W > 0.0) || n_class < 2 || n_class > 4096)
    throw InputError("rainflow: a positive class width and 2 to 4096 classes are needed");
  closed_.assign(n_class, 0);
  half_.assign(n_class, 0);
  begin(0);
}

std::size_t Rainflow::class_of(std::int64_t range) const {
  return static_cast<std::size_t>(std::min<std::int64_t>(range, static_cast<std::int64_t>(closed_.size()))) - 1;
}

void Rainflow::begin(std::int64_t first_bin) {
  for (std::size_t i = 1; i < open_.size(); ++i) ++half_[class_of(std::abs(open_[i] - open_[i - 1]))];
  open_.clear();
  direction_ = 0;
  low_W_ = high_W_ = 0.0;
  next_bin_ = first_bin;
}

std::int64_t Rainflow::level_of(double W) const { return static_cast<std::int64_t>(std::floor(W * inverse_W_)); }

/// The running turning point has moved to the farther edge of the quiet zone.
void Rainflow::settle() {
  if (direction_ != 0) open_.back() = level_of(direction_ > 0 ? high_W_ : low_W_);
  reduce();
}

/// A new turning point follows the running one. Cycles that it closes are counted when it settles.
void Rainflow::turn(double W, int direction) {
  settle();
  open_.push_back(level_of(W));
  direction_ = direction;
}

// Inner pairs within the surrounding range are cycles.
void Rainflow::reduce() {
  while (open_.size() >= 4) {
    const std::size_t n = open_.size();
    const std::int64_t before = std::abs(open_[n - 3] - open_[n - 4]), inner = std::abs(open_[n - 2] - open_[n - 3]);
    const std::int64_t after = std::abs(open_[n - 1] - open_[n - 2]);
    if (inner > before || inner > after) return;
    ++closed_[class_of(inner)];
    open_[n - 3] = open_[n - 1];
    open_.pop_back(), open_.pop_back();
  }
}

/// Reads loads until the first direction is known. @return number of loads read
std::size_t Rainflow::first_direction(std::span<const double> load_W) {
  std::size_t i = 0;
  for (; i < load_W.size() && direction_ == 0; ++i)
    if (const double W = load_W[i]; W > high_W_ || W < low_W_) {
      turn(W, W > high_W_ ? 1 : -1);
      low_W_ = direction_ > 0 ? W - class_W_ : W;
      high_W_ = direction_ > 0 ? W : W + class_W_;
    }
  return i;
}

/// Cycles that a turning point closes on its way close where it turns. Branches only at turns: whether
/// a load extends the running turning point is unpredictable.
void Rainflow::push(std::span<const double> load_W) {
  if (load_W.empty()) return;
  if (open_.empty()) {
    open_.push_back(level_of(load_W.front()));
    low_W_ = load_W.front() - class_W_;
    high_W_ = load_W.front() + class_W_;
  }
  const double *W = load_W.data() + first_direction(load_W), *end = load_W.data() + load_W.size();
  while (W != end) {
    double low = low_W_, high = high_W_;
    if (direction_ > 0) {
      for (; W != end && !(*W < low); ++W) high = *W > high ? *W : high, low = high - class_W_;
    } else {
      for (; W != end && !(*W > high); ++W) low = *W < low ? *W : low, high = low + class_W_;
    }
    low_W_ = low, high_W_ = high;
    if (W == end) break;
    turn(*W, -direction_);
    low_W_ = direction_ > 0 ? *W - class_W_ : *W;
    high_W_ = direction_ > 0 ? *W : *W + class_W_;
    ++W;
  }
  settle();
  next_bin_ += static_cast<std::int64_t>(load_W.size());
}

std::vector<RainflowClass> Rainflow::cycles() const {
  std::vector<double> count(closed_.size());
  for (std::size_t i = 0; i < count.size(); ++i)
    count[i] = static_cast<double>(closed_[i]) + 0.5 * static_cast<double>(half_[i]);
  for (std::size_t i = 1; i < open_.size(); ++i) count[class_of(std::abs(open_[i] - open_[i - 1]))] += 0.5;
  std::vector<RainflowClass> out;
  for (std::size_t i = 0; i < count.size(); ++i)
    if (count[i] > 0.0) out.push_back({static_cast<double>(i + 1) * class_W_, count[i]});
  return out;
}

Rainflow::Share Rainflow::since(const Snapshot& before) const {
  Share s{next_bin_ - before.next_bin, {}, {}};
  for (std::size_t i = 0; i < closed_.size(); ++i)
    if (const auto n = closed_[i] - before.closed[i]; n > 0) {
      s.classes.push_back(static_cast<std::int64_t>(i));
      s.closed.push_back(n);
    }
  return s;
}

void Rainflow::repeat_bins(const Share& share, std::int64_t n_bin) {
  const double times = static_cast<double>(n_bin) / static_cast<double>(share.n_bin);
  for (std::size_t i = 0; i < share.classes.size(); ++i)
    closed_[static_cast<std::size_t>(share.classes[i])] += std::llround(times * static_cast<double>(share.closed[i]));
  next_bin_ += n_bin;
}

}  // namespace TIDEWATT_NAMESPACE::grid
