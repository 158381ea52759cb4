#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rule_book.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// A recorded waveform of a site's power.
struct SiteRecord {
  double first_s = 0.0, step_s = 1e-3;
  std::span<const double> pcc_W;
  double peak_W = 0.0;                                ///< of the site, for limits that are shares of it
  std::vector<std::pair<double, double>> left_out_s;  ///< from, until, rising: disturbances that the grid caused
};

enum class RecordVerdict : std::uint8_t { pass, fail, undecided, not_measured };
/// "pass", "fail", "undecided" or "not measured".
std::string_view name(RecordVerdict v);

struct RecordOutcome {
  RecordRule rule;
  RecordVerdict verdict = RecordVerdict::not_measured;
  double value = not_stated;                   ///< W or W/s
  double low = not_stated, high = not_stated;  ///< of the value over the filters tried, where the text states none
  double limit = not_stated;                   ///< the limit for this site, same unit
  double at_s = not_stated;                    ///< where the window of the largest value begins
  std::string note;                            ///< why it was not measured or decided
};

/// Each rule of a book against a record:
///
///     peak to peak   max over t of (max − min of P within t … t + w), of the band-pass part where a band is given:
///                    Butterworth high- and low-pass of the stated order, bilinear; the first two periods of the low
///                    corner settle it and are not looked at. Where the text states no filter: order 2, order 4 and order
///                    2 in both directions; a verdict that differs between them is undecided
///     slope up       max over t of (P(t + w) − P(t))/w, down: of its negative; a record of exactly one window is looked
///                    at from its first to its last sample
///     ramp percentile  of |difference of adjacent means over w|/w
///
/// Parts that are left out are not used, nor is any window that touches one. A rule passes at its limit.
std::vector<RecordOutcome> check_record(const RuleBook& book, const SiteRecord& record);

/// A band-pass of power, same length. @param step_s between samples  @param order 2 or 4, of each side
/// @param W power of one part without gap
std::vector<double> band_pass(std::span<const double> W, double step_s, double low_Hz, double high_Hz,
                              std::int64_t order);

}  // namespace TIDEWATT_NAMESPACE::grid
