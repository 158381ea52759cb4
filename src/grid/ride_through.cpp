#include "tidewatt/grid/ride_through.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "load_group.hpp"
#include "numerics/block.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

struct Side {
  const std::vector<double>& limits;
  const std::vector<double>& times;
  bool below;
  const char* key;
};

}  // namespace

std::string_view name(Connection c) {
  switch (c) {
    case Connection::connected:
      return "connected";
    case Connection::away:
      return "away";
    case Connection::latched:
      return "latched";
    case Connection::returning:
      return "returning";
  }
  return "";
}

void RideThroughCurve::fields(FieldVisitor& v) {
  v.numbers("low_pu", low_pu, {0, 1}, "voltages below which a trip timer runs", Need::optional);
  v.numbers("low_s", low_s, {0, 1e5}, "trip times at these voltages", Need::optional);
  v.numbers("high_pu", high_pu, {1, 5}, "voltages above which a trip timer runs", Need::optional);
  v.numbers("high_s", high_s, {0, 1e5}, "trip times at these voltages", Need::optional);
  v.numbers("low_Hz", low_Hz, {10, 60}, "frequencies below which a trip timer runs", Need::optional);
  v.numbers("low_frequency_s", low_Hz_s, {0, 1e5}, "trip times at these frequencies", Need::optional);
  v.numbers("high_Hz", high_Hz, {16, 90}, "frequencies above which a trip timer runs", Need::optional);
  v.numbers("high_frequency_s", high_Hz_s, {0, 1e5}, "trip times at these frequencies", Need::optional);
}

void RideThroughCurve::check() const {
  std::vector<Finding> findings;
  for (const Side& s : {Side{low_pu, low_s, true, "low_pu"}, Side{high_pu, high_s, false, "high_pu"},
                        Side{low_Hz, low_Hz_s, true, "low_Hz"}, Side{high_Hz, high_Hz_s, false, "high_Hz"}}) {
    if (s.limits.size() != s.times.size()) {
      findings.push_back({{}, s.key, "limits and times must come in pairs"});
      continue;
    }
    for (std::size_t i = 1; i < s.limits.size(); ++i) {
      const bool deeper = s.below ? s.limits[i] < s.limits[i - 1] : s.limits[i] > s.limits[i - 1];
      if (!deeper || s.times[i] > s.times[i - 1])
        findings.push_back({{}, s.key, "limits go from shallow to deep, and deeper ones have shorter times"});
    }
  }
  if (!findings.empty()) throw InputError(std::move(findings));
}

void ReturnParams::fields(FieldVisitor& v) {
  v.number("count_below_pu", count_below_pu, {0, 1},
           "a sag counts when the voltage falls below this; 0: departures count");
  v.integer("count_limit", count_limit, {0, 100},
            "number of sags within the window after which the load does not return; 0: no counter");
  v.number("count_window_s", count_window_s, {0, 1e5}, "window of the counter");
  v.number("healthy_low_pu", healthy_low_pu, {0, 1}, "lowest voltage at which the load may return");
  v.number("healthy_high_pu", healthy_high_pu, {1, 2}, "highest voltage at which the load may return");
  v.number("return_delay_s", return_delay_s, {0, 1e5}, "time within these voltages before the load returns");
  v.number("return_ramp_s", return_ramp_s, {0, 1e5}, "time from no load to full load on return");
}

RideThrough::RideThrough(const RideThroughCurve& curve, ReturnParams back, double nominal_Hz)
    : back_(back), nominal_Hz_(nominal_Hz) {
  curve.check();
  if (!(nominal_Hz > 0.0) || back.count_limit < 0)
    throw InputError("ride-through: a positive nominal frequency and a counter of at least 0 sags are needed");
  const auto add = [&](const std::vector<double>& limits, const std::vector<double>& times, bool below, bool frequency,
                       std::string_view why) {
    for (std::size_t i = 0; i < limits.size(); ++i) zones_.push_back({limits[i], times[i], below, frequency, why});
  };
  add(curve.low_pu, curve.low_s, true, false, "voltage low");
  add(curve.high_pu, curve.high_s, false, false, "voltage high");
  add(curve.low_Hz, curve.low_Hz_s, true, true, "frequency low");
  add(curve.high_Hz, curve.high_Hz_s, false, true, "frequency high");
  set_times(numerics::bin_s);
}

RideThrough::RideThrough(const LoadGroup& g, double step_s, bool frequency)
    : back_{g.count_below_pu, g.count_limit, g.count_window_s, g.return_low_pu, g.return_high_pu, g.return_s, g.ramp_s},
      sags_why_(g.count_setting),
      departures_why_() {
  if (!(step_s > 0.0)) throw InputError("ride-through: a record needs a step above 0 s");
  for (const Trip& t : g.voltage) zones_.push_back({t.limit, t.after_s, t.below, false, t.setting});
  if (frequency)
    for (const Trip& t : g.frequency) zones_.push_back({t.limit, t.after_s, t.below, true, t.setting});
  set_times(step_s);
  if (!g.returns) delay_bins_ = std::numeric_limits<std::int64_t>::max();
}

void RideThrough::set_times(double step_s) {
  const auto bins = [&](double s) { return static_cast<std::int64_t>(std::llround(s / step_s)); };
  for (Zone& z : zones_) z.bins = bins(z.after_s);
  delay_bins_ = bins(back_.return_delay_s);
  window_bins_ = bins(back_.count_window_s);
  ramp_bins_ = std::max<std::int64_t>(1, bins(back_.return_ramp_s));
}

// True at the first bin of the sag that fills the counter.
bool RideThrough::count(double v_pu, RideThroughState& s) const {
  const bool sag = v_pu < back_.count_below_pu, begins = sag && !s.in_sag;
  s.in_sag = sag;
  return begins && note(s);
}

/// True where one more fills the counter.
bool RideThrough::note(RideThroughState& s) const {
  if (back_.count_limit == 0) return false;
  s.sags.push_back(s.next_bin);
  if (std::ssize(s.sags) > back_.count_limit) s.sags.erase(s.sags.begin());
  return std::ssize(s.sags) == back_.count_limit && s.next_bin - s.sags.front() <= window_bins_;
}

void RideThrough::step(double v_pu, double f_Hz, RideThroughState& s, std::vector<RideThroughEvent>& events) const {
  const auto go = [&](Connection to, std::string_view why) {
    s.now = to;
    events.push_back({s.next_bin, to, why});
  };
  const Zone* trip = nullptr;  // the first whose limit was exceeded for longer than its time
  for (std::size_t i = 0; i < zones_.size(); ++i) {
    const Zone& z = zones_[i];
    const double x = z.frequency ? f_Hz : v_pu;
    s.outside[i] = (z.below ? x < z.limit : x > z.limit) ? s.outside[i] + 1 : 0;
    if (s.outside[i] > z.bins && trip == nullptr) trip = &z;
  }
  const bool latch = count(v_pu, s);
  const bool healthy = v_pu >= back_.healthy_low_pu && v_pu <= back_.healthy_high_pu && trip == nullptr;
  s.healthy = healthy ? s.healthy + 1 : 0;
  const bool attached = s.now == Connection::connected || s.now == Connection::returning;
  if (latch && s.now != Connection::latched) {
    go(Connection::latched, sags_why_);
  } else if (attached && trip != nullptr) {
    // Without a voltage below which sags count, departures do.
    if (!(back_.count_below_pu > 0.0) && note(s))
      go(Connection::latched, departures_why_.empty() ? trip->why : departures_why_);
    else
      go(Connection::away, trip->why);
  } else if (s.now == Connection::away && s.healthy > delay_bins_) {
    go(Connection::returning, "healthy");
  }
  if (s.now == Connection::away || s.now == Connection::latched) s.share_frac = 0.0, s.returned = 0;
  if (s.now == Connection::returning) {
    s.share_frac = static_cast<double>(++s.returned) / static_cast<double>(ramp_bins_);
    if (s.returned == ramp_bins_) go(Connection::connected, "full load");
  }
}

void RideThrough::advance(std::span<const double> v_pu, std::span<const double> deviation_Hz,
                          std::span<double> share_frac, RideThroughState& s,
                          std::vector<RideThroughEvent>& events) const {
  if (share_frac.size() != v_pu.size() || (!deviation_Hz.empty() && deviation_Hz.size() != v_pu.size()))
    throw InputError("ride-through: chunks differ in length");
  s.outside.resize(zones_.size());
  for (std::size_t k = 0; k < v_pu.size(); ++k) {
    step(v_pu[k], deviation_Hz.empty() ? nominal_Hz_ : nominal_Hz_ + deviation_Hz[k], s, events);
    share_frac[k] = s.share_frac;
    ++s.next_bin;
  }
}

void RideThrough::manual_return(RideThroughState& s, std::vector<RideThroughEvent>& events) const {
  if (s.now != Connection::latched) return;
  s.now = Connection::returning;
  s.sags.clear();
  events.push_back({s.next_bin, Connection::returning, "manual return"});
}

}  // namespace TIDEWATT_NAMESPACE::grid
