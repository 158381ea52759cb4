#include "tidewatt/grid/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "numerics/block.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

using numerics::block_size;

constexpr double steps_per_W = 1024.0, nothing = std::numeric_limits<double>::quiet_NaN();

std::size_t checked_window(std::int64_t window) {
  if (window < 1 || window > 10'000'000)
    throw InputError(fmt::format("meter: a window of {} bins is outside 1 to 10^7", window));
  return static_cast<std::size_t>(window);
}

// Nearest whole number of 2^-10 W; adding 1.5·2^52 leaves it in the low bits of the mantissa.
std::uint64_t whole_steps(double load_W) {
  constexpr double bias = 0x1.8p52;
  return std::bit_cast<std::uint64_t>(load_W * steps_per_W + bias) - std::bit_cast<std::uint64_t>(bias);
}

struct Steepest {
  std::int64_t up = std::numeric_limits<std::int64_t>::min(), down = std::numeric_limits<std::int64_t>::max();
};

/// Largest and smallest second difference of prefix sums, `w` apart, over the `count` samples from `newest` on.
TIDEWATT_CLONES
Steepest steepest(const std::uint64_t* newest, std::size_t w, std::size_t count) {
  const std::uint64_t *middle = newest - w, *oldest = middle - w;
  Steepest out;
  for (std::size_t k = 0; k < count; ++k) {
    const auto d = static_cast<std::int64_t>(newest[k] - 2 * middle[k] + oldest[k]);
    out.up = d > out.up ? d : out.up;
    out.down = d < out.down ? d : out.down;
  }
  return out;
}

/// Prefix sums behind to[−1]. @return whether every load is finite and below 10^12 W
TIDEWATT_CLONES
bool add_up(const double* load_W, std::size_t n, std::uint64_t* to) {
  std::array<std::uint64_t, block_size> steps;
  std::uint64_t beyond = 0;
  for (std::size_t k = 0; k < n; ++k) {
    beyond |= load_W[k] * load_W[k] <= 1e24 ? 0u : 1u;  // true for NaN, too
    steps[k] = whole_steps(load_W[k]);
  }
  std::uint64_t sum = to[-1];
  for (std::size_t k = 0; k < n; ++k) to[k] = sum += steps[k];
  return beyond == 0;
}

}  // namespace

StepMeter::StepMeter(std::int64_t window)
    : window_(checked_window(window)), buffer_(window_ + std::max(window_, 8 * block_size)) {}

void StepMeter::begin(std::int64_t first_bin) {
  filled_ = 0;
  next_bin_ = first_bin;
}

void StepMeter::push(std::span<const double> x) {
  for (std::size_t at = 0; at < x.size(); at += block_size) block(x.subspan(at, std::min(block_size, x.size() - at)));
}

void StepMeter::block(std::span<const double> x) {
  if (filled_ + x.size() > buffer_.size()) {
    const std::size_t kept = std::min(filled_, window_);
    std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(filled_ - kept), kept, buffer_.begin());
    filled_ = kept;
  }
  std::copy(x.begin(), x.end(), buffer_.begin() + static_cast<std::ptrdiff_t>(filled_));
  const std::size_t first = std::max(filled_, window_);  // first new sample with one w before it
  const std::int64_t filled_bin = next_bin_ - static_cast<std::int64_t>(filled_);  // bin of buffer_[0]
  filled_ += x.size();
  next_bin_ += static_cast<std::int64_t>(x.size());
  if (first >= filled_) return;
  std::array<double, block_size> change;
  const std::size_t n = filled_ - first;
  const double *now = buffer_.data() + first, *past = now - window_;
  for (std::size_t k = 0; k < n; ++k) change[k] = now[k] - past[k];
  const std::span<const double> all(change.data(), n);
  const auto bin_of = [&](double value) {
    return filled_bin + static_cast<std::int64_t>(first - window_) +
           (std::find(all.begin(), all.end(), value) - all.begin());
  };
  if (const double hi = numerics::lane_max(all); hi > rise_) rise_ = hi, rise_bin_ = bin_of(hi);
  if (const double lo = numerics::lane_min(all); -lo > fall_) fall_ = -lo, fall_bin_ = bin_of(lo);
}

RampMeter::RampMeter(const std::vector<std::int64_t>& windows, double bin_s) {
  if (windows.empty() || !(bin_s > 0.0)) throw InputError("ramp meter: windows and a bin length are needed");
  for (const std::int64_t w : windows) {
    windows_.push_back(checked_window(w));
    history_ = std::max(history_, 2 * windows_.back() + 1);
    // Not measured, until two whole windows have passed.
    ramps_.push_back({static_cast<double>(w) * bin_s, nothing, nothing, -1, -1});
  }
  prefix_.assign(history_ + std::max(history_, 8 * block_size), 0);
}

void RampMeter::begin(std::int64_t first_bin) {
  prefix_[0] = 0;
  filled_ = 1;
  next_bin_ = first_bin;
}

void RampMeter::push(std::span<const double> load_W) {
  for (std::size_t at = 0; at < load_W.size(); at += block_size)
    block(load_W.subspan(at, std::min(block_size, load_W.size() - at)));
}

void RampMeter::block(std::span<const double> load_W) {
  const std::size_t n = load_W.size();
  if (filled_ + n > prefix_.size()) {
    const std::size_t kept = std::min(filled_, history_);
    std::copy_n(prefix_.begin() + static_cast<std::ptrdiff_t>(filled_ - kept), kept, prefix_.begin());
    filled_ = kept;
  }
  if (!add_up(load_W.data(), n, prefix_.data() + filled_))
    throw SolverError(fmt::format("ramp meter: a load near {:.3f} s is not finite or beyond 10^12 W",
                                  static_cast<double>(next_bin_) * numerics::bin_s));
  filled_ += n;
  next_bin_ += static_cast<std::int64_t>(n);
  for (std::size_t i = 0; i < windows_.size(); ++i) look(i, n);
}

// Second differences of the prefix sums over the newest n samples.
void RampMeter::look(std::size_t which, std::size_t n) {
  const std::size_t w = windows_[which];
  const std::size_t first = std::max(filled_ - n, 2 * w);
  if (first >= filled_) return;
  const std::uint64_t* newest = prefix_.data() + first;
  const std::size_t count = filled_ - first;
  const auto [hi, lo] = steepest(newest, w, count);
  Ramp& ramp = ramps_[which];
  if (std::isnan(ramp.up_W_per_s)) ramp.up_W_per_s = ramp.down_W_per_s = 0.0;
  const double scale = 1.0 / (steps_per_W * static_cast<double>(w) * ramp.window_s);
  const auto bin_of = [&](std::int64_t value) {
    std::size_t k = 0;
    while (steepest(newest + k, w, 1).up != value) ++k;
    return next_bin_ - static_cast<std::int64_t>(count - k) - static_cast<std::int64_t>(w) + 1;
  };
  if (const double up = static_cast<double>(hi) * scale; up > ramp.up_W_per_s)
    ramp.up_W_per_s = up, ramp.up_bin = bin_of(hi);
  if (const double down = -static_cast<double>(lo) * scale; down > ramp.down_W_per_s)
    ramp.down_W_per_s = down, ramp.down_bin = bin_of(lo);
}

void ExtremesMeter::repeat_bins(double energy_J, std::int64_t n_bin) {
  energy_J_.add(energy_J);
  n_bin_ += n_bin;
  next_bin_ += n_bin;
}

void ExtremesMeter::push(std::span<const double> load_W) {
  for (std::size_t at = 0; at < load_W.size(); at += block_size) {
    const auto x = load_W.subspan(at, std::min(block_size, load_W.size() - at));
    const double lo = numerics::lane_min(x), hi = numerics::lane_max(x);
    if (lo < bin_min_W_) bin_min_W_ = lo, min_bin_ = next_bin_ + (std::find(x.begin(), x.end(), lo) - x.begin());
    if (hi > bin_max_W_) bin_max_W_ = hi, max_bin_ = next_bin_ + (std::find(x.begin(), x.end(), hi) - x.begin());
    widen(lo, hi);
    energy_J_.add(numerics::lane_sum(x) * numerics::bin_s);
    n_bin_ += static_cast<std::int64_t>(x.size());
    next_bin_ += static_cast<std::int64_t>(x.size());
  }
}

void ExtremesMeter::widen(double lo_W, double hi_W) {
  min_W_ = std::min(min_W_, lo_W);
  max_W_ = std::max(max_W_, hi_W);
}

double ExtremesMeter::mean_W() const {
  return n_bin_ == 0 ? 0.0 : energy_J_.value() / (static_cast<double>(n_bin_) * numerics::bin_s);
}

}  // namespace TIDEWATT_NAMESPACE::grid
