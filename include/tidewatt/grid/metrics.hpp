#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tidewatt/base/sum.hpp"
#include "tidewatt/base/version.hpp"

/// Streaming meters over uniform 1 ms means. A recorded interval begins with `begin(first_bin)`. Its samples are then pushed
/// in chunks; the length of the chunks changes no bit of a result. No meter looks across two intervals. Memory does not grow
/// with the stream. Bins are absolute: bin b covers b ms to b + 1 ms of the run.
///
/// A synchronous job repeats one waveform thousands of times. Once a meter has settled, each repetition adds the same counts
/// and energies and no new extreme, so it need not be pushed. `since(before)` returns the share of the bins since a snapshot.
/// `repeat_bins(share, n_bin)` adds it again in proportion to the length of `n_bin` bins; counts are rounded to whole ones.
/// Meters of extremes only `skip(n_bin)`. The caller ensures that the share covers a whole number of periods, to within a bin. Where the
/// skipped bins are fewer than whole periods, the waveform goes on that much before the phase at which it was left: meters that look
/// back forget the last `n_again` bins, which come again, so that no edge is counted twice.
/// A share may be added again later, once the same waveform has returned and the meter has settled. A copy of a meter is a
/// checkpoint, because a meter's value is its whole state.
namespace TIDEWATT_NAMESPACE::grid {

/// Largest change over a fixed distance in time: max and min over t of x(t + w) − x(t).
class TIDEWATT_API StepMeter {
 public:
  /// @param window w in bins, 1…10^7  @throws InputError
  explicit StepMeter(std::int64_t window);
  /// A recorded interval begins at this absolute bin; the window is empty.
  void begin(std::int64_t first_bin);
  /// The next means, [n], any unit.
  void push(std::span<const double> x);
  /// n bins that repeat what the meter has seen.
  void skip(std::int64_t n_bin, std::size_t n_again = 0) {
    next_bin_ += n_bin;
    filled_ -= n_again < filled_ ? n_again : filled_;
  }

  /// In the unit of the pushed values.
  double rise() const { return rise_; }  ///< largest increase, >= 0; 0 before two samples w apart
  /// In the unit of the pushed values.
  double fall() const { return fall_; }  ///< largest decrease, as a positive number
  /// The larger of rise and fall, any unit.
  double largest() const { return rise_ > fall_ ? rise_ : fall_; }
  std::int64_t rise_bin() const { return rise_bin_; }  ///< t of the largest rise; −1: none
  std::int64_t fall_bin() const { return fall_bin_; }
  template <class A>
  void archive(A& a) {
    const std::size_t n = buffer_.size();
    a(buffer_, filled_, next_bin_, rise_, fall_, rise_bin_, fall_bin_);
    a.require(buffer_.size() == n && filled_ <= n);
  }

 private:
  void block(std::span<const double> x);
  std::size_t window_;
  std::vector<double> buffer_;  // the last w samples and room for new ones
  std::size_t filled_ = 0;
  std::int64_t next_bin_ = 0;
  double rise_ = 0.0, fall_ = 0.0;
  std::int64_t rise_bin_ = -1, fall_bin_ = -1;
};

/// Largest ramp seen through one averaging window.
struct TIDEWATT_API Ramp {
  double window_s = 0.0;
  double up_W_per_s = 0.0;                  ///< largest rise, >= 0; NaN: no two whole windows passed
  double down_W_per_s = 0.0;                ///< largest fall, as a positive number; NaN as above
  std::int64_t up_bin = -1, down_bin = -1;  ///< the bin t between the two windows; −1: none
  template <class A>
  void archive(A& a) {
    a(window_s, up_W_per_s, down_W_per_s, up_bin, down_bin);
  }
};

/// Ramps between adjacent means, at every bin t of an interval that has a whole window on either side. Longer bins than 1 ms
/// serve long windows: with bins of length b, the ramp differs by at most b/w of the largest one.
///
///     ramp(t) = (mean over (t, t + w) − mean over (t − w, t))/w
///
/// Running sums are whole numbers of 2^-10 W in modular 64-bit arithmetic: exact, without drift, whatever the length of
/// the run. Valid while w · |x| stays below 4·10^15 W·bin (a 15 min window: 4 GW); |x| <= 10^12 W is checked.
class TIDEWATT_API RampMeter {
 public:
  /// @param windows w in bins, each 1…10^7  @param bin_s length of a bin, > 0  @throws InputError
  explicit RampMeter(const std::vector<std::int64_t>& windows, double bin_s = 1e-3);
  /// A recorded interval begins at this absolute bin; the windows are empty.
  void begin(std::int64_t first_bin);
  /// @throws SolverError if a value is not finite or beyond 10^12 W
  void push(std::span<const double> load_W);
  /// n bins that repeat what the meter has seen.
  void skip(std::int64_t n_bin, std::size_t n_again = 0) {
    next_bin_ += n_bin;
    filled_ -= n_again < filled_ ? n_again : filled_ - 1;
  }
  const std::vector<Ramp>& ramps() const { return ramps_; }  ///< in the order of the windows
  template <class A>
  void archive(A& a) {
    const std::size_t n = prefix_.size(), n_ramp = ramps_.size();
    a(prefix_, filled_, next_bin_, ramps_);
    a.require(prefix_.size() == n && filled_ > 0 && filled_ <= n && ramps_.size() == n_ramp);
  }

 private:
  void block(std::span<const double> load_W);
  void look(std::size_t which, std::size_t n);
  std::vector<std::size_t> windows_;
  std::size_t history_ = 0;            // prefix sums that the longest window looks back on
  std::vector<std::uint64_t> prefix_;  // Σ of the samples so far, modulo 2^64
  std::size_t filled_ = 1;             // prefix_[0] = 0 in front of the first sample
  std::int64_t next_bin_ = 0;
  std::vector<Ramp> ramps_;
};

/// Extremes and energy.
class TIDEWATT_API ExtremesMeter {
 public:
  /// A recorded interval begins at this absolute bin.
  void begin(std::int64_t first_bin) { next_bin_ = first_bin; }
  /// The next means, [n].
  void push(std::span<const double> load_W);
  void skip(std::int64_t n_bin) { next_bin_ += n_bin; }  ///< n bins that repeat what the meter has seen; not counted
  /// Counts `n_bin` further bins with `energy_J` and without a new extreme.
  void repeat_bins(double energy_J, std::int64_t n_bin);
  /// Adds the exact extremes of a stretch, from its edges. They can lie inside a bin, so `min_bin` and `max_bin` stay the same.
  void widen(double lo_W, double hi_W);

  double min_W() const { return min_W_; }  ///< +inf before the first sample
  /// −inf before the first sample.
  double max_W() const { return max_W_; }
  /// Largest minus smallest; 0 before the first sample.
  double range_W() const { return n_bin_ == 0 ? 0.0 : max_W_ - min_W_; }
  /// ∫ of all pushed and repeated bins of 1 ms.
  double energy_J() const { return energy_J_.value(); }
  double mean_W() const;  ///< 0 before the first sample
  std::int64_t n_bin() const { return n_bin_; }
  std::int64_t min_bin() const { return min_bin_; }  ///< bin of the smallest mean
  std::int64_t max_bin() const { return max_bin_; }
  template <class A>
  void archive(A& a) {
    a(next_bin_, n_bin_, min_bin_, max_bin_, min_W_, max_W_, bin_min_W_, bin_max_W_, energy_J_);
  }

 private:
  std::int64_t next_bin_ = 0, n_bin_ = 0, min_bin_ = -1, max_bin_ = -1;
  double min_W_ = std::numeric_limits<double>::infinity(), max_W_ = -std::numeric_limits<double>::infinity();
  double bin_min_W_ = std::numeric_limits<double>::infinity(), bin_max_W_ = -std::numeric_limits<double>::infinity();
  CompensatedSum energy_J_;
};

}  // namespace TIDEWATT_NAMESPACE::grid
