#include "ride_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "phase_sag.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

constexpr double step_s = 1e-3, before_s = 0.2, forever_s = 60.0, inside = 1e-3, lost_share = 1e-6;

std::int64_t samples(double s) { return std::llround(s / step_s); }

/// Lowest, middle and highest level of a band; `inside` beside an edge that does not belong to it.
std::vector<double> levels(const RuleBand& b, double nominal, bool frequency) {
  const double top = std::isinf(b.high) ? b.low + 0.05 * nominal : b.high;
  const double bottom = frequency && b.low == 0.0 ? top - 0.05 * nominal : b.low;
  const double low = b.holds_low ? bottom : bottom + inside,
               high = b.holds_high || std::isinf(b.high) ? top : top - inside;
  return {low, 0.5 * (low + high), high};
}

std::vector<double> durations(const RuleBand& b, bool frequency) {
  const double longest = b.duty == BandDuty::continuous ? forever_s
                         : b.must_stay()                ? std::min(b.stay_s, forever_s)
                                                        : 2.0;
  std::vector<double> out;
  if (!frequency)
    for (const double s : {0.02, 0.06})
      if (s < longest) out.push_back(s);
  out.push_back(longest);
  return out;
}

/// How bad a point is within a band in which it must stay: leaving first, then the load lost.
double badness(const RidePoint& p) { return p.left_W; }

std::vector<BandAnswer> judge_bands(const RideRule& rule, const std::vector<RuleBand>& bands,
                                    std::span<const LoadGroup> groups, double nominal_Hz, bool frequency) {
  std::vector<BandAnswer> out;
  for (const RuleBand& band : bands) {
    BandAnswer a;
    a.band = band;
    for (const double level : levels(band, frequency ? nominal_Hz : 1.0, frequency))
      for (const double s : durations(band, frequency))
        a.points.push_back(play_point(rule, groups, nominal_Hz, level, s, frequency));
    for (std::size_t i = 1; i < a.points.size(); ++i)
      if (badness(a.points[i]) > badness(a.points[a.worst])) a.worst = i;
    if (band.duty != BandDuty::not_read)
      a.answer = band.must_stay() && a.points[a.worst].left_W > 0.0 ? RideAnswer::fail : RideAnswer::pass;
    out.push_back(std::move(a));
  }
  return out;
}

/// Sags of one, then of two phases at the levels of every band that reaches below nominal.
std::vector<BandAnswer> judge_unbalanced(const RideRule& rule, std::span<const LoadGroup> groups, double nominal_Hz,
                                         Transformer transformer) {
  std::vector<BandAnswer> out;
  for (const std::int64_t n_phase : {1, 2})
    for (const RuleBand& band : rule.voltage) {
      if (band.low >= 1.0) continue;
      BandAnswer a;
      a.band = band;
      a.n_phase = n_phase;
      for (const double level : levels(band, 1.0, false))
        for (const double s : durations(band, false))
          if (level < 1.0) a.points.push_back(play_phases(rule, groups, nominal_Hz, level, s, n_phase, transformer));
      for (std::size_t i = 1; i < a.points.size(); ++i)
        if (badness(a.points[i]) > badness(a.points[a.worst])) a.worst = i;
      if (rule.unbalanced != SagCount::not_read && band.duty != BandDuty::not_read)
        a.answer = band.must_stay() && a.points[a.worst].left_W > 0.0 ? RideAnswer::fail : RideAnswer::pass;
      out.push_back(std::move(a));
    }
  return out;
}

RideItem staying(const char* name, const std::vector<BandAnswer>& bands, const char* unit) {
  RideItem item{name, RideAnswer::not_judged, "no band of the rule has a figure that could be read"};
  for (const BandAnswer& a : bands) {
    if (a.answer == RideAnswer::pass && a.band.must_stay() && item.answer == RideAnswer::not_judged)
      item.answer = RideAnswer::pass, item.why = "nothing leaves while it must stay";
    if (a.answer != RideAnswer::fail) continue;
    // The band with most load lost speaks for all.
    const RidePoint& p = a.points[a.worst];
    const bool first = item.answer != RideAnswer::fail;
    item.answer = RideAnswer::fail;
    if (first)
      item.why = fmt::format("band {}: {:.3g} MW ({}) leave {:.0f} ms into {:.3g} {} for {:g} s; change {}",
                             a.band.range(unit), p.left_W * 1e-6, p.group, 1e3 * p.left_after_s, p.level, unit,
                             p.duration_s, p.setting);
  }
  return item;
}

/// Sags of some phases, judged if the rule states how its bands count them.
RideItem unbalanced(const RideRule& rule, const std::vector<BandAnswer>& bands) {
  constexpr const char* title = "unbalanced sags";
  if (bands.empty())
    return {title, RideAnswer::not_judged, "the transformer between connection and load is not stated"};
  const BandAnswer* worst = nullptr;
  for (const BandAnswer& a : bands)
    if (a.band.must_stay() && a.points[a.worst].left_W > 0.0 &&
        (!worst || a.points[a.worst].left_W > worst->points[worst->worst].left_W))
      worst = &a;
  std::string why = "nothing leaves in sags of one or two phases while it must stay";
  if (worst) {
    const RidePoint& p = worst->points[worst->worst];
    why = fmt::format("band {}: {:.3g} MW ({}) leave {:.0f} ms into {:.3g} pu on {} of 3 phases for {:g} s; change {}",
                      worst->band.range("pu"), p.left_W * 1e-6, p.group, 1e3 * p.left_after_s, p.level, worst->n_phase,
                      p.duration_s, p.setting);
  }
  if (rule.unbalanced == SagCount::not_read)
    return {title, RideAnswer::not_judged,
            "how the rule counts sags of one or two phases was not read; with the lowest phase in the band: " + why};
  if (std::none_of(bands.begin(), bands.end(), [](const auto& a) { return a.answer != RideAnswer::not_judged; }))
    return {title, RideAnswer::not_judged, "no band of the rule has a figure that could be read"};
  return {title, worst ? RideAnswer::fail : RideAnswer::pass, why};
}

RideItem current(const RideRule& rule, const std::vector<BandAnswer>& bands) {
  RideItem item{"current", RideAnswer::not_judged, "the rule states no largest current"};
  if (std::isnan(rule.current_ratio)) return item;
  item = {"current", RideAnswer::pass, ""};
  const RidePoint* worst = nullptr;
  for (const BandAnswer& a : bands)
    if (a.band.must_stay())
      for (const RidePoint& p : a.points)
        if (!worst || p.current_ratio > worst->current_ratio) worst = &p;
  if (!worst) return {"current", RideAnswer::not_judged, "no band in which it must stay was read"};
  if (worst->current_ratio > rule.current_ratio * (1.0 + 1e-9)) item.answer = RideAnswer::fail;
  item.why = fmt::format("{:.3g} times the current before at {:.3g} pu, at most {:g} is allowed{}",
                         worst->current_ratio, worst->level, rule.current_ratio,
                         item.answer == RideAnswer::fail ? "; limit the supplies' input current" : "");
  return item;
}

/// Judged where the rule asks to stay: a band that was not read asks for nothing that is known.
RideItem recovery(const RideRule& rule, const std::vector<BandAnswer>& bands) {
  if (std::isnan(rule.recovery_s)) return {"recovery", RideAnswer::not_judged, "the rule's figure was not read"};
  const RidePoint* worst = nullptr;
  for (const BandAnswer& a : bands)
    if (a.band.must_stay())
      for (const RidePoint& p : a.points)
        if (!worst || p.recovery_s > worst->recovery_s) worst = &p;
  if (!worst)
    return {"recovery", RideAnswer::not_judged,
            fmt::format("{:.0f} % of the power are to be back after {:g} s, but no band in which it must stay was read",
                        100.0 * rule.recovery_frac, rule.recovery_s)};
  const bool late = worst->recovery_s > rule.recovery_s + 1e-9;
  const std::string when = std::isinf(worst->recovery_s) ? "does not come back within the record"
                                                         : fmt::format("comes back after {:.3g} s", worst->recovery_s);
  return {"recovery", late ? RideAnswer::fail : RideAnswer::pass,
          fmt::format("{:.0f} % of the power {}, {:g} s allowed (after {:.3g} pu for {:g} s{}{})",
                      100.0 * rule.recovery_frac, when, rule.recovery_s, worst->level, worst->duration_s,
                      worst->late_group.empty() ? "" : fmt::format("; {} last", worst->late_group),
                      late && !worst->late_setting.empty() ? ", left by " + worst->late_setting : "")};
}

RideItem counters(const RideRule& rule, std::span<const LoadGroup> groups) {
  if (rule.counters_allowed)
    return {"counters", RideAnswer::not_judged, "the rule says nothing about trips after a number of sags"};
  for (const LoadGroup& g : groups)
    if (g.count_limit > 0)
      return {"counters", RideAnswer::fail,
              fmt::format("{}: stays away after {} departures in {:g} s, which is forbidden; change {}", g.name,
                          g.count_limit, g.count_window_s, g.count_setting)};
  return {"counters", RideAnswer::pass, "no group counts sags"};
}

}  // namespace

std::string_view name(RideAnswer a) {
  constexpr std::array<std::string_view, 3> words = {"pass", "fail", "not judged"};
  return words[static_cast<std::size_t>(a)];
}

std::vector<double> sag_record(double nominal, double level, double duration_s, Repetition r, double before,
                               double after) {
  const auto length = std::max<std::int64_t>(1, samples(duration_s)), every = samples(r.every_s);
  if (r.n < 1 || (r.n > 1 && every <= length))
    throw InputError(fmt::format("ride: {} sags of {:g} s need at least 1 ms between them; they begin every {:g} s",
                                 r.n, duration_s, r.every_s));
  std::vector<double> x(static_cast<std::size_t>(samples(before) + (r.n - 1) * every + length + samples(after)),
                        nominal);
  for (std::int64_t k = 0; k < r.n; ++k) std::fill_n(x.begin() + samples(before) + k * every, length, level);
  return x;
}

RidePoint play_point(const RideRule& rule, std::span<const LoadGroup> groups, double nominal_Hz, double level,
                     double duration_s, bool frequency, Repetition repetition) {
  const double nominal = frequency ? nominal_Hz : 1.0;
  const double share = std::isnan(rule.recovery_frac) ? 0.9 : rule.recovery_frac;
  const double after_s = std::max(5.0, std::isnan(rule.recovery_s) ? 0.0 : 2.0 * rule.recovery_s) + 60.0;
  const std::vector<double> x = sag_record(nominal, level, duration_s, repetition, before_s, after_s);
  const auto begin = static_cast<std::size_t>(samples(before_s)),
             end = x.size() - static_cast<std::size_t>(samples(after_s));
  const std::vector<double> flat(frequency ? x.size() : 0, 1.0);
  const SiteAnswer a = frequency ? play(groups, flat, x, step_s) : play(groups, x, {}, step_s);
  RidePoint p;
  p.level = level;
  p.duration_s = duration_s;
  p.repetition = repetition;
  std::int64_t first = -1;
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const GroupTrace& g = a.groups[k];
    if (g.left_at < 0 || !(groups[k].power_W > 0.0)) continue;
    p.left_W += groups[k].power_W;
    p.away_W += groups[k].power_W * (1.0 - g.share_frac.back());
    if (first < 0 || g.left_at < first) first = g.left_at, p.group = groups[k].name, p.setting = g.why;
  }
  if (first >= 0) {
    const std::int64_t after = first - static_cast<std::int64_t>(begin), every = samples(repetition.every_s);
    p.left_after_s = static_cast<double>(after) * step_s;
    p.left_in = repetition.n > 1 ? std::min(repetition.n, 1 + after / every) : 1;
  }
  p.current_ratio = *std::max_element(a.current_ratio.begin(), a.current_ratio.end());
  // From the voltage's return on: the last sample below the share decides.
  std::size_t back = end;
  for (std::size_t i = end; i < x.size(); ++i)
    if (a.power_W[i] < share * a.power_W[0] * (1.0 - lost_share)) back = i + 1;
  // Whose power is missing most just before.
  double missing_W = 0.0;
  for (std::size_t k = 0; back > end && k < groups.size(); ++k)
    if (const double w = groups[k].power_W * (1.0 - a.groups[k].share_frac[back - 1]); w > missing_W)
      missing_W = w, p.late_group = groups[k].name, p.late_setting = a.groups[k].why;
  p.recovery_s = back == x.size() ? std::numeric_limits<double>::infinity() : static_cast<double>(back - end) * step_s;
  return p;
}

RideRecordAnswer judge_record(const RideRule& rule, std::span<const LoadGroup> groups, std::span<const double> v_pu,
                              double record_step_s) {
  const SiteAnswer a = play(groups, v_pu, {}, record_step_s);
  std::vector<std::int64_t> beyond(rule.voltage.size(), 0);
  std::int64_t may_from = -1;
  bool read = true;
  for (std::size_t i = 0; i < v_pu.size() && may_from < 0; ++i)
    for (std::size_t k = 0; k < rule.voltage.size(); ++k) {
      const RuleBand& b = rule.voltage[k];
      const bool within = b.holds(v_pu[i]) || (b.high <= 1.0 ? v_pu[i] < b.low : b.low >= 1.0 && v_pu[i] > b.high);
      beyond[k] = within ? beyond[k] + 1 : 0;
      if (b.holds(v_pu[i]) && b.duty == BandDuty::not_read) read = false;
      const double stay_s = b.duty == BandDuty::may_trip || b.duty == BandDuty::not_read ? 0.0
                            : b.duty == BandDuty::continuous                             ? 1e9
                                                                                         : b.stay_s;
      if (static_cast<double>(beyond[k]) * record_step_s > stay_s + 1e-9) may_from = static_cast<std::int64_t>(i);
    }
  RideRecordAnswer out{RideAnswer::pass, "nothing leaves"};
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const GroupTrace& g = a.groups[k];
    if (g.left_at < 0) continue;
    const bool allowed = may_from >= 0 && g.left_at >= may_from;
    out.why = fmt::format("{:.3g} MW ({}) leave at {:.3f} s, {:.3g} pu; {}", groups[k].power_W * 1e-6, groups[k].name,
                          static_cast<double>(g.left_at) * record_step_s, v_pu[static_cast<std::size_t>(g.left_at)],
                          allowed ? "allowed by then" : "change " + g.why);
    if (!allowed) out.answer = RideAnswer::fail;
  }
  if (!read && out.answer == RideAnswer::pass)
    return {RideAnswer::not_judged, out.why + "; a band on the way was not read"};
  return out;
}

RideVerdict judge_ride(const RuleBook& book, std::span<const LoadGroup> groups, double nominal_Hz,
                       std::optional<Transformer> transformer) {
  if (!book.ride)
    throw InputError(
        fmt::format("rule '{}' has no ride-through part; tidewatt rules check judges the rest", book.name));
  const RideRule& rule = *book.ride;
  RideVerdict v;
  v.voltage = judge_bands(rule, rule.voltage, groups, nominal_Hz, false);
  v.frequency = judge_bands(rule, rule.frequency, groups, nominal_Hz, true);
  v.items = {staying("staying connected", v.voltage, "pu"), current(rule, v.voltage), recovery(rule, v.voltage),
             counters(rule, groups)};
  if (transformer) v.unbalanced = judge_unbalanced(rule, groups, nominal_Hz, *transformer);
  v.items.push_back(unbalanced(rule, v.unbalanced));
  const bool states =
      std::any_of(groups.begin(), groups.end(), [](const LoadGroup& g) { return !g.frequency.empty(); });
  // Without settings for frequency nothing could leave: that is no answer.
  if (!states)
    for (BandAnswer& a : v.frequency) a.answer = RideAnswer::not_judged;
  if (states)
    v.items.push_back(staying("frequency", v.frequency, "Hz"));
  else
    v.items.push_back({"frequency", RideAnswer::not_judged, "the scenario states no settings for frequency"});
  v.items.push_back(
      {"rate of change of frequency", RideAnswer::not_judged,
       std::isnan(rule.rocof_Hz_per_s) ? "the rule states none" : "the scenario states no settings for it"});
  for (const auto* bands : {&v.voltage, &v.frequency, &v.unbalanced})
    for (const BandAnswer& a : *bands) {
      ++v.n_band;
      v.n_judged += a.answer != RideAnswer::not_judged ? 1 : 0;
    }
  // A rule that counts unbalanced sags has these bands, simulated or not.
  if (!transformer && rule.unbalanced != SagCount::not_read)
    v.n_band += 2 * std::count_if(rule.voltage.begin(), rule.voltage.end(), [](const auto& b) { return b.low < 1.0; });
  return v;
}

bool RideVerdict::fails() const {
  return std::any_of(items.begin(), items.end(), [](const RideItem& i) { return i.answer == RideAnswer::fail; });
}

std::string RideVerdict::text() const {
  if (fails()) return "fail";
  if (n_judged == 0) return "not judged: no band of the rule has a figure that could be read";
  const bool all = n_judged == n_band;
  return all ? "pass" : fmt::format("passes what could be judged: {} of {} bands", n_judged, n_band);
}

}  // namespace TIDEWATT_NAMESPACE::grid
