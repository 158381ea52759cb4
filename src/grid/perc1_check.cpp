#include "perc1_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace TIDEWATT_NAMESPACE::grid {
namespace {

constexpr double step_s = 1e-3, before_s = 0.2, rest_s = 1.0;
constexpr double near_pu = 0.02, near_s = 0.03;             // "near" a threshold or timer
constexpr double after_begin_s = 0.02, after_end_s = 0.06;  // left out of the comparison

std::int64_t samples(double s) { return std::llround(s / step_s); }

PeriodError larger(const PeriodError& a, const PeriodError& b) {
  return {std::max(a.largest, b.largest), std::max(a.mean, b.mean), std::max(a.mean_abs, b.mean_abs)};
}

bool below(const PeriodError& a, const PeriodError& limit) {
  return a.largest <= limit.largest && a.mean <= limit.mean && a.mean_abs <= limit.mean_abs;
}

/// Time until all returning units have returned.
double return_s(std::span<const LoadGroup> units) {
  double s = 0.0;
  for (const auto& u : units)
    if (u.returns) s = std::max(s, u.return_s + u.ramp_s);
  return s;
}

/// Power and share on the grid, of the power before, [sample].
struct Played {
  std::vector<double> power, share;
};

Played play_site(std::span<const LoadGroup> units, std::span<const double> v_pu) {
  const SiteAnswer a = play(units, v_pu, {}, step_s);
  double total_W = 0.0;
  for (const auto& u : units) total_W += u.power_W;
  Played out{a.power_W, std::vector<double>(v_pu.size(), 0.0)};
  for (double& W : out.power) W /= total_W;
  for (std::size_t k = 0; k < units.size(); ++k)
    for (std::size_t i = 0; i < v_pu.size(); ++i)
      out.share[i] += a.groups[k].share_frac[i] * units[k].power_W / total_W;
  return out;
}

Played play_records(const Perc1Site& site, std::span<const double> v_pu) {
  Played out{std::vector<double>(v_pu.size(), 0.0), std::vector<double>(v_pu.size(), 0.0)};
  const double total_W = site.power_W();
  for (const auto& r : site.records) {
    const auto t = play_perc1(r.params, v_pu, step_s);
    const double part = r.power_W / total_W;
    for (std::size_t i = 0; i < v_pu.size(); ++i)
      out.power[i] += part * t.P_ratio[i], out.share[i] += part * t.FracOn[i];
  }
  return out;
}

PeriodError difference(const Played& a, const Played& b, std::int64_t from, std::int64_t to) {
  PeriodError e;
  double sum = 0.0;
  for (std::int64_t i = from; i < to; ++i) {
    const double d = a.power[static_cast<std::size_t>(i)] - b.power[static_cast<std::size_t>(i)];
    sum += d;
    e.mean_abs += std::abs(d);
    e.largest = std::max(e.largest, std::abs(d));
  }
  const double n = static_cast<double>(std::max<std::int64_t>(1, to - from));
  e.mean = std::abs(sum) / n;
  e.mean_abs /= n;
  return e;
}

/// From the sag's end until the power stays above 90 %.
double back_s(const Played& p, std::int64_t end) {
  const auto n = static_cast<std::int64_t>(p.power.size());
  std::int64_t back = end;
  for (std::int64_t i = end; i < n; ++i)
    if (p.power[static_cast<std::size_t>(i)] < 0.9 - 1e-9) back = i + 1;
  return back == n ? std::numeric_limits<double>::infinity() : static_cast<double>(back - end) * step_s;
}

/// The lower limit that a record represents: the one with the shortest time.
const Trip* first_trip(const LoadGroup& g) {
  const Trip* first = nullptr;
  for (const Trip& t : g.voltage)
    if (t.below && (!first || t.after_s < first->after_s)) first = &t;
  return first;
}

SagPlace place_of(std::span<const LoadGroup> units, const Sag& sag) {
  bool near = false;
  for (const auto& u : units) {
    const Trip* held = first_trip(u);
    bool acts = false, other = false;
    for (const Trip& t : u.voltage) {
      if (!t.below) continue;
      near = near || std::abs(sag.level_pu - t.limit) <= near_pu;
      if (!(sag.level_pu < t.limit)) continue;
      near = near || std::abs(sag.duration_s - t.after_s) <= near_s;
      if (sag.duration_s > t.after_s) (&t == held ? acts : other) = true;
    }
    near = near || std::abs(sag.level_pu - u.return_low_pu) <= near_pu;
    if (other && !acts) return SagPlace::apart;
  }
  return near ? SagPlace::near : SagPlace::clear;
}

SagOutcome play_sag(const Perc1Site& site, std::span<const LoadGroup> units, const Sag& sag) {
  const std::int64_t begin = samples(before_s), end = begin + samples(sag.duration_s);
  const std::int64_t n = end + samples(return_s(units) + rest_s);
  std::vector<double> v(static_cast<std::size_t>(n), 1.0);
  std::fill(v.begin() + begin, v.begin() + end, sag.level_pu);
  const Played own = play_site(units, v), record = play_records(site, v);
  SagOutcome o;
  o.sag = sag;
  o.place = place_of(units, sag);
  o.before = difference(own, record, 0, begin);
  o.during = difference(own, record, begin + samples(after_begin_s), end);
  o.after = difference(own, record, end + samples(after_end_s), n);
  o.lost_site_frac = 1.0 - *std::min_element(own.share.begin(), own.share.end());
  o.lost_record_frac = 1.0 - *std::min_element(record.share.begin(), record.share.end());
  o.back_site_s = back_s(own, end);
  o.back_record_s = back_s(record, end);
  o.final_site_frac = own.share.back();
  o.final_record_frac = record.share.back();
  return o;
}

double later_s(const SagOutcome& o) {
  return o.back_site_s == o.back_record_s ? 0.0 : std::abs(o.back_site_s - o.back_record_s);
}

std::string shown(const PeriodError& e) {
  return fmt::format("{:.3f}, {:.3f}, {:.3f} pu", e.largest, e.mean, e.mean_abs);
}

}  // namespace

bool SagOutcome::ends_equal(const ModelLimits& l) const {
  return std::abs(final_site_frac - final_record_frac) <= l.lost_frac;
}

bool SagOutcome::within(const ModelLimits& l) const {
  return below(before, l.outside) && below(after, l.outside) && below(during, l.during) &&
         std::abs(lost_site_frac - lost_record_frac) <= l.lost_frac && later_s(*this) <= l.back_s && ends_equal(l);
}

Perc1Check check_perc1(const Perc1Site& site, std::span<const Sag> sags) {
  const ModelLimits limits;
  const auto units = units_of(site.held);
  Perc1Check out;
  for (const Sag& sag : sags) {
    const SagOutcome o = out.sags.emplace_back(play_sag(site, units, sag));
    if (o.place == SagPlace::apart) ++out.n_apart;
    if (o.place == SagPlace::near) ++out.n_near, out.n_near_equal += o.ends_equal(limits) ? 1 : 0;
    if (o.place != SagPlace::clear) continue;
    ++out.n_clear;
    out.n_within += o.within(limits) ? 1 : 0;
    out.worst_outside = larger(out.worst_outside, larger(o.before, o.after));
    out.worst_during = larger(out.worst_during, o.during);
    out.worst_lost_frac = std::max(out.worst_lost_frac, std::abs(o.lost_site_frac - o.lost_record_frac));
    out.worst_back_s = std::max(out.worst_back_s, later_s(o));
  }
  return out;
}

std::string Perc1Check::text() const {
  return fmt::format(
      "{} of {} sags away from every threshold and timer are within the limits (largest, mean, mean absolute "
      "difference: {} in the sag, {} before and after it; lost share {:.3f}, time to 90 % {:.3f} s); {} of {} near one "
      "end with an equal share; {} act on limits that PERC1 does not hold",
      n_within, n_clear, shown(worst_during), shown(worst_outside), worst_lost_frac, worst_back_s, n_near_equal, n_near,
      n_apart);
}

std::string Perc1Check::unfit(const ModelLimits& limits) const {
  const SagOutcome* worst = nullptr;
  for (const auto& o : sags)
    if (o.place == SagPlace::clear && !o.within(limits) &&
        (!worst || o.during.largest + o.after.largest > worst->during.largest + worst->after.largest))
      worst = &o;
  std::string why;
  if (n_clear == 0)
    why = "no sag lies away from the site's thresholds and timers, so nothing could be compared";
  else if (static_cast<double>(n_within) < limits.clear_frac * static_cast<double>(n_clear) && worst)
    why = fmt::format(
        "at {:g} pu for {:g} s the records differ from the site by up to {:.3f} pu in the sag and {:.3f} pu after it, "
        "{:.3f} of the share, {:.3f} s of the time to 90 %",
        worst->sag.level_pu, worst->sag.duration_s, worst->during.largest, worst->after.largest,
        std::abs(worst->lost_site_frac - worst->lost_record_frac), later_s(*worst));
  else if (static_cast<double>(n_near_equal) < limits.near_frac * static_cast<double>(n_near))
    why = "near thresholds the records end with another share than the site";
  return why.empty() ? why : why + "; " + text();
}

std::vector<Sag> check_sags() {
  std::vector<Sag> out;
  for (const double level : {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95})
    for (const double s : {0.05, 0.1, 0.25, 0.6, 1.0, 3.0}) out.push_back({level, s});
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::grid
