#include "perc1_site.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

constexpr double no_limit_pu = 0.05;  ///< constant power without a stated current limit is kept down to this voltage
constexpr double short_s = 0.02;      ///< a part that leaves within this needs no current below its limit

/// The lower limit that PERC1's one cease level represents; null: it never leaves.
const Trip* cease_of(const LoadGroup& g) {
  const Trip* found = nullptr;
  for (const Trip& t : g.voltage)
    if (t.below && (!found || t.after_s < found->after_s)) found = &t;
  return found;
}

double largest_current_pu(const LoadGroup& g, const Trip* cease, double lowest_pu) {
  if (std::isfinite(g.current_ratio)) return g.current_ratio;
  const bool soon = cease && cease->after_s <= short_s;
  return 1.0 / std::max(no_limit_pu, soon ? lowest_pu : 0.0);
}

/// The k-th of n records of a part.
Perc1Record record(const LoadSettings& s, std::size_t k, std::size_t n) {
  const LoadGroup& g = s.group;
  Perc1Record out{g.name, g.power_W / static_cast<double>(n), {}};
  Perc1Params& p = out.params;
  const Trip* cease = cease_of(g);
  p.Fcease = cease ? 1.0 : 0.0;
  p.Vcease =
      cease ? cease->limit + s.low_spread_pu * ((2.0 * static_cast<double>(k) + 1.0) / static_cast<double>(n) - 1.0)
            : 0.0;
  p.Tcease = cease ? cease->after_s : 0.0;
  p.Tdelay = 0.0;
  p.Vrecon = std::max(g.return_low_pu, p.Vcease);
  const auto back = straight_return(g.return_s, s.return_spread_s, g.ramp_s);
  p.Trecon = back.begin_s;
  p.Tramp = back.length_s;
  p.Frecon = g.returns ? s.returns_frac : 0.0;
  p.Ipmax = p.Lfm * largest_current_pu(g, cease, p.Vcease);
  p.Tt = p.Tv = 0.0;
  return out;
}

void add_gaps(const LoadSettings& s, std::vector<Perc1Gap>& out) {
  const LoadGroup& g = s.group;
  const Trip* cease = cease_of(g);
  const auto add = [&](std::string what, double share = 1.0) {
    out.push_back({g.name + ": " + std::move(what), g.power_W * share});
  };
  for (const Trip& t : g.voltage)
    if (&t != cease)
      add(fmt::format("leaves also {} {:g} pu for longer than {:g} s", t.below ? "below" : "above", t.limit,
                      t.after_s));
  for (const Trip& t : g.frequency)
    add(fmt::format("leaves {} {:g} Hz for longer than {:g} s", t.below ? "below" : "above", t.limit, t.after_s));
  if (g.count_limit > 0 && g.count_below_pu > 0.0)
    add(fmt::format("stays away from sag {} below {:g} pu within {:g} s on", g.count_limit, g.count_below_pu,
                    g.count_window_s));
  else if (g.count_limit > 0)
    add(fmt::format("stays away from departure {} within {:g} s on", g.count_limit, g.count_window_s));
  if (s.recharge_frac > 0.0) add("batteries recharge after a return and draw more", s.recharge_frac);
  if (!g.returns || s.returns_frac < 1.0)
    add("servers that drop stop their job; what waits, idles and restarts is not in the record",
        g.returns ? 1.0 - s.returns_frac : 1.0);
}

/// How many records each part gets.
std::vector<std::size_t> cut(std::span<const LoadSettings> parts) {
  std::vector<std::size_t> n(parts.size(), 1);
  for (std::size_t used = parts.size(); used < most_perc1_records; ++used) {
    std::size_t best = parts.size();
    double most = 0.0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const double open = parts[i].group.power_W * parts[i].low_spread_pu / static_cast<double>(n[i]);
      if (open > most) most = open, best = i;
    }
    if (best == parts.size()) break;
    ++n[best];
  }
  return n;
}

}  // namespace

double Perc1Site::power_W() const {
  double W = 0.0;
  for (const auto& r : records) W += r.power_W;
  return W;
}

StraightReturn straight_return(double begin_s, double spread_s, double ramp_s) {
  const double a = std::max(2.0 * spread_s, ramp_s), b = std::min(2.0 * spread_s, ramp_s);
  if (!(b > 0.0)) return {begin_s + 0.5 * (ramp_s - a), a};
  // The sum of the units is that of two even distributions of widths a and b; x: from its 90 % to its end.
  const double corner = std::sqrt(0.2 * a * b), x = corner <= b ? corner : 0.1 * a + 0.5 * b;
  const double length_s = (0.5 * (a + b) - x) / 0.4;
  const double first_s = begin_s + 0.5 * ramp_s - 0.5 * length_s;
  return first_s >= 0.0 ? StraightReturn{first_s, length_s} : StraightReturn{0.0, length_s + first_s};
}

Perc1Site perc1_site(std::span<const LoadSettings> settings) {
  Perc1Site out;
  for (const auto& s : settings) {
    if (!(s.group.power_W > 0.0)) continue;
    if (s.kind == LoadKind::supply) {
      out.held.push_back(s);
    } else {
      out.remainder_W += s.group.power_W;
      out.gaps.push_back(
          {s.kind == LoadKind::drive
               ? fmt::format("{}: drives go into a composite load (cmpldw) or a load of their own", s.group.name)
               : fmt::format("{}: motors go into a load of their own", s.group.name),
           s.group.power_W});
    }
  }
  if (out.held.size() > most_perc1_records)
    throw InputError(fmt::format(
        "perc1: {} parts of the load have settings of their own; at most {} records, so join parts with equal settings",
        out.held.size(), most_perc1_records));
  const auto n = cut(out.held);
  for (std::size_t i = 0; i < out.held.size(); ++i) {
    for (std::size_t k = 0; k < n[i]; ++k) out.records.push_back(record(out.held[i], k, n[i]));
    add_gaps(out.held[i], out.gaps);
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::grid
