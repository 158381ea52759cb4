#include "load_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/field_log.hpp"
#include "tidewatt/base/reader.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

constexpr std::array<std::string_view, 3> kinds = {"supply", "drive", "motor"};
constexpr std::array<std::string_view, 2> sides = {"servers", "plant"};

/// i of n in another order that is as even: the bits of i reversed.
std::size_t reversed(std::size_t i, std::size_t n) {
  std::size_t out = 0;
  for (std::size_t bit = 1; bit < n; bit *= 2, i /= 2) out = 2 * out + i % 2;
  return out;
}

/// Middle of the i-th of n equal parts of −1 … 1.
double middle(std::size_t i, std::size_t n) {
  return (2.0 * static_cast<double>(i) + 1.0) / static_cast<double>(n) - 1.0;
}

void add_units(const LoadSettings& s, double power_W, bool returns, std::size_t n, std::vector<LoadGroup>& out) {
  if (!(power_W > 0.0)) return;
  for (std::size_t i = 0; i < n; ++i) {
    LoadGroup g = s.group;
    g.power_W = power_W / static_cast<double>(n);
    g.returns = s.group.returns && returns;
    const double low = n > 1 ? s.low_spread_pu * middle(i, n) : 0.0;
    for (Trip& t : g.voltage)
      if (t.below) t.limit += low, g.return_low_pu = std::max(g.return_low_pu, t.limit);
    if (n > 1) g.return_s += s.return_spread_s * middle(reversed(i, n), n);
    out.push_back(std::move(g));
  }
}

/// Limits with their times as trips of a group.
void add_trips(TableReader& t, const Node& node, const char* limit_key, const char* time_key, bool below, Range range,
               std::vector<Trip>& out) {
  std::vector<double> limit, after_s;
  t.numbers(limit_key, limit, range, "limits; beyond one for longer than its time the units leave", Need::optional);
  t.numbers(time_key, after_s, {0, 1e4}, "their times", Need::optional);
  if (limit.size() != after_s.size())
    return t.report(&node, time_key,
                    fmt::format("{} limits and {} times; they belong together", limit.size(), after_s.size()));
  for (std::size_t i = 0; i < limit.size(); ++i)
    out.push_back(
        {limit[i], after_s[i], below, fmt::format("{}.{} ({:g}, {:g} s)", t.path(), limit_key, limit[i], after_s[i])});
}

LoadSettings read_part(const Node& node, const std::string& name, const std::string& path,
                       std::vector<Finding>& findings, FieldLog* log = nullptr) {
  LoadSettings s;
  LoadGroup& g = s.group;
  g.name = name;
  std::string kind = "supply", side = "servers";
  TableReader t(node, path, findings, log);
  t.choice("of", side, sides, "whose power it shares");
  t.number("share_frac", s.share_frac, {0, 1}, "share of that power");
  t.choice("kind", kind, kinds, "supply: electronic, with or without a battery; drive; motor with a contactor");
  add_trips(t, node, "low_pu", "low_after_s", true, {0, 2}, g.voltage);
  add_trips(t, node, "high_pu", "high_after_s", false, {0.5, 5}, g.voltage);
  add_trips(t, node, "low_Hz", "low_Hz_after_s", true, {0, 400}, g.frequency);
  add_trips(t, node, "high_Hz", "high_Hz_after_s", false, {0, 400}, g.frequency);
  t.number("low_spread_pu", s.low_spread_pu, {0, 0.5}, "half width of the lower limits over units", Need::optional);
  t.number("current_limit_pu", g.current_ratio, {1, 100},
           "largest input current over the one at nominal voltage; left out: constant power", Need::optional);
  t.number("return_low_pu", g.return_low_pu, {0, 2}, "voltage is good from here", Need::optional);
  t.number("return_high_pu", g.return_high_pu, {0.5, 5}, "and up to here", Need::optional);
  t.number("return_s", g.return_s, {0, 1e5}, "good that long before the way back", Need::optional);
  t.number("return_spread_s", s.return_spread_s, {0, 1e5}, "half width of that time over units", Need::optional);
  t.number("ramp_s", g.ramp_s, {0, 1e5}, "way back, a straight line", Need::optional);
  t.number("returns_frac", s.returns_frac, {0, 1}, "share of the units that come back by themselves", Need::optional);
  t.integer("lockout_count", g.count_limit, {0, 100},
            "departures that keep it away until a person returns it; 0: none do", Need::optional);
  t.number("lockout_window_s", g.count_window_s, {0, 1e5}, "within this time", Need::optional);
  t.number("lockout_below_pu", g.count_below_pu, {0, 1},
           "sags below this are counted, whether it leaves in them or not; left out: departures", Need::optional);
  t.flag("per_phase", g.per_phase,
         "units between one phase and neutral, a third on each; left out: units of three phases", Need::optional);
  bool battery = true;
  t.flag("battery", battery,
         "a battery carries servers while they are away; without one they stop, and so does their job", Need::optional);
  t.number("recharge_frac", s.recharge_frac, {0, 10}, "what batteries draw after a return, of the units' power",
           Need::optional);
  t.finish();
  s.kind = static_cast<LoadKind>(
      std::max<std::ptrdiff_t>(0, std::find(kinds.begin(), kinds.end(), kind) - kinds.begin()) % 3);
  s.of_plant = side == "plant";
  g.stops = !s.of_plant && !battery;
  g.count_setting = fmt::format("{}.lockout_count ({})", path, g.count_limit);
  if (s.return_spread_s > g.return_s)
    t.report(&node, "return_spread_s",
             fmt::format("{:g} s is more than return_s, {:g} s", s.return_spread_s, g.return_s));
  for (const Trip& trip : g.voltage)
    if (trip.below && trip.limit - s.low_spread_pu < 0.0)
      t.report(&node, "low_spread_pu",
               fmt::format("{:g} pu is more than the limit of {:g} pu", s.low_spread_pu, trip.limit));
  return s;
}

}  // namespace

std::string_view name(LoadKind kind) { return kinds[static_cast<std::size_t>(kind)]; }

std::vector<LoadGroup> units_of(const LoadSettings& s, std::size_t n_unit) {
  const std::size_t n = s.low_spread_pu > 0.0 || s.return_spread_s > 0.0 ? n_unit : 1;
  std::vector<LoadGroup> out;
  add_units(s, s.group.power_W * s.returns_frac, true, n, out);
  add_units(s, s.group.power_W * (1.0 - s.returns_frac), false, n, out);
  return out;
}

std::vector<LoadGroup> units_of(std::span<const LoadSettings> settings, std::size_t n_unit) {
  std::vector<LoadGroup> out;
  for (const auto& s : settings)
    for (auto& g : units_of(s, n_unit)) out.push_back(std::move(g));
  return out;
}

std::vector<LoadSettings> read_load_settings(const Node& values, const std::string& path,
                                             std::vector<Finding>& findings) {
  std::vector<LoadSettings> out;
  std::string title;
  TableReader t(values, path, findings);
  t.text("title", title, "what the settings are", Need::optional);
  if (const Node* groups = t.child("group", Need::required, "one table per part of the load")) {
    if (groups->is_table())
      for (const auto& [key, node] : std::get<Node::Table>(groups->value))
        out.push_back(read_part(node, key, path + ".group." + key, findings));
    else
      t.report(groups, "group", "must be tables [group.NAME]");
  }
  t.finish();
  // Shares of one side cannot exceed it; the rest is the remainder.
  for (const bool plant : {false, true}) {
    double sum = 0.0;
    for (const auto& s : out) sum += s.of_plant == plant ? s.share_frac : 0.0;
    if (sum > 1.0 + 1e-9)
      t.report(nullptr, "group",
               fmt::format("the parts of the {} share {:g} of its power; at most 1", plant ? "plant" : "servers", sum));
  }
  return out;
}

void log_load_settings(const Node& values, const std::string& path, FieldLog& log) {
  std::vector<Finding> findings;  // of the reader proper, which has read them before
  std::string title;
  TableReader t(values, path, findings, &log);
  t.text("title", title, "what the settings are", Need::optional);
  const Node* groups = t.child("group", Need::required, "one table per part of the load");
  log.list(path + ".group");
  const auto* table = groups ? std::get_if<Node::Table>(&groups->value) : nullptr;
  if (!table) return;
  for (const auto& [key, node] : *table) read_part(node, key, path + ".group." + key, findings, &log);
}

PlayedSettings played_settings(std::span<const LoadSettings> settings, const std::string& path,
                               std::vector<Finding>& findings) {
  PlayedSettings out;
  const auto report = [&](const std::string& key, std::string message) {
    findings.push_back({{}, path + ".group" + key, std::move(message)});
  };
  if (settings.size() != 1 || settings.front().of_plant || settings.front().share_frac != 1.0) {
    report("", fmt::format(
                   "a run plays one part with all of the servers, and {} parts are given; `tidewatt ride --settings` "
                   "plays several",
                   settings.size()));
    return out;
  }
  const LoadSettings& s = settings.front();
  const LoadGroup& g = s.group;
  const std::string at = "." + g.name;
  if (g.stops)
    report(at + ".battery", "a run keeps servers going while they are away from the grid: they need a battery");
  if (s.returns_frac != 1.0) report(at + ".returns_frac", "in a run all units come back, or none behind a counter: 1");
  // Shallow limits first, as the curve wants them.
  const auto take = [](const std::vector<Trip>& trips, bool below, std::vector<double>& limit,
                       std::vector<double>& after_s) {
    std::vector<Trip> of;
    for (const Trip& t : trips)
      if (t.below == below) of.push_back(t);
    std::stable_sort(of.begin(), of.end(),
                     [&](const Trip& a, const Trip& b) { return below ? a.limit > b.limit : a.limit < b.limit; });
    for (const Trip& t : of) limit.push_back(t.limit), after_s.push_back(t.after_s);
  };
  take(g.voltage, true, out.curve.low_pu, out.curve.low_s), take(g.voltage, false, out.curve.high_pu, out.curve.high_s);
  take(g.frequency, true, out.curve.low_Hz, out.curve.low_Hz_s);
  take(g.frequency, false, out.curve.high_Hz, out.curve.high_Hz_s);
  try {
    out.curve.check();
  } catch (const InputError& e) {
    for (const auto& f : e.findings()) report(at + "." + f.key, f.message);
  }
  out.back = {g.count_below_pu, g.count_limit, g.count_window_s, g.return_low_pu,
              g.return_high_pu, g.return_s,    g.ramp_s};
  return out;
}

std::vector<LoadSettings> with_power(std::vector<LoadSettings> settings, double servers_W, double plant_W) {
  for (auto& s : settings) s.group.power_W = s.share_frac * (s.of_plant ? plant_W : servers_W);
  return settings;
}

}  // namespace TIDEWATT_NAMESPACE::grid
