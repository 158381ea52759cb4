#pragma once
#include <cstdint>

#include "tidewatt/base/version.hpp"

/// How meters count repetitions without seeing each one.
///
/// A synchronous job repeats one waveform thousands of times. A meter with memory changes its state while the first
/// repetitions pass, until one more repetition leaves the memory where it was; from then on each further one adds the
/// same counts and energies and no new extreme. So a stream may do this:
///
///     const Repetition r{first_bin, period_bins};   // from first_bin on, the stream repeats with that period
///     for (;;) {
///       const auto before = meter.snapshot();
///       meter.push(one_period);
///       if (meter.settled(before, r)) { left -= meter.repeat_since(before, left); … }
///     }
///
/// `snapshot()` is small and taken at the end of a period. `settled` is exact for meters that look back over a window
/// (their window must lie within the repeated part) and within a tolerance for filters, whose memory fades.
/// `repeat_since(before, n)` counts up to `n` periods and returns how many it counted: fewer than `n` where a fixed window
/// (such as the ten minutes of flicker) ends inside a period, which must then be pushed. A meter's whole state is its
/// value: a copy of it is a checkpoint.
///
/// Where the period is no whole number of bins, `since(before)` says what the bins since a snapshot added, and
/// `repeat_bins(share, n_bin)` adds that in proportion to the length of `n_bin` bins: counts and energies, to a
/// rounding of one. The caller ensures that the share covers a whole number of periods to within a bin.
/// A share may be kept and added again later, once the same waveform has come back and the memories have followed it.
namespace TIDEWATT_NAMESPACE::grid {

struct TIDEWATT_API Repetition {
  std::int64_t first_bin = 0;    ///< absolute bin from which on the stream repeats
  std::int64_t period_bins = 0;  ///< > 0
};

}  // namespace TIDEWATT_NAMESPACE::grid
