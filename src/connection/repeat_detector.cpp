#include "repeat_detector.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace TIDEWATT_NAMESPACE::connection {
namespace {

constexpr std::int64_t short_pause_bins = 10'000;
constexpr std::int64_t slow_bins = 20'000;  ///< twice the longest ramp window that looks at single bins
constexpr std::int64_t known_bins = 5'000;  ///< in which flicker, and what is largest in a band, has passed

}  // namespace

bool RepeatDetector::Shape::like(const Shape& o, double share) const {
  return o.period > 0 && std::abs(static_cast<double>(period - o.period)) <= share * static_cast<double>(period) &&
         std::abs(range_W - o.range_W) <= 2.0 * share * range_W && std::abs(high_W - o.high_W) <= share * o.high_W;
}

bool RepeatDetector::is_pause(double range_W, std::int64_t n_bin) const {
  return range_W == 0.0 && state_.last.range_W > 0.0 && n_bin <= short_pause_bins;
}

void RepeatDetector::pause(std::int64_t end_bin) {
  state_.found = false;
  state_.disturbed_until = end_bin;
}

bool RepeatDetector::begin(const Shape& shape, std::int64_t bin) {
  const bool alike = shape.like(state_.last, 0.01);
  if (!alike) state_.alike_since = bin;
  state_.found = state_.found && bin == state_.repeated_until && alike;
  state_.last = shape;
  return state_.found;
}

std::int64_t RepeatDetector::settle_bins(std::int64_t bin, std::int64_t two_units, std::int64_t unit) const {
  return std::max(
      {two_units, state_.disturbed_until + slow_bins / 2 - bin, state_.alike_since + slow_bins + unit - bin});
}

std::int64_t RepeatDetector::known_settle_bins(std::int64_t bin) const {
  return std::max<std::int64_t>(0, std::max(state_.disturbed_until, state_.alike_since) + known_bins - bin);
}

std::int64_t RepeatDetector::far_bin() const {
  return std::max(state_.disturbed_until, state_.alike_since) + slow_bins;
}

void RepeatDetector::renew(LoadMeters::Share load) {
  if (knows_unit() && load.bands.n_bin > 0) state_.share.load = std::move(load);
}

void RepeatDetector::keep(const grid::FrequencyState::Deviation& deviation, GridMeters::Share share) {
  state_.kept = state_.last;
  state_.deviation = deviation;
  state_.share = std::move(share);
  if (state_.last.range_W == 0.0 && state_.share.calm()) state_.rest = state_.share.at_rest();
}

}  // namespace TIDEWATT_NAMESPACE::connection
