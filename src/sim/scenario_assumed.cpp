#include "scenario_assumed.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "scenario_recheck.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

/// Ends and values in ascending order, or what is wrong with them.
std::string ordered(const AssumedParams& given, catalog::AssumedInput& a) {
  a.key = given.key, a.source = given.source, a.low = given.low, a.high = given.high, a.values = given.values;
  if (given.values.empty())
    return a.low < a.high
               ? ""
               : fmt::format("low {:g} and high {:g} are no range; give low < high, or values", a.low, a.high);
  if (given.low != 0.0 || given.high != 0.0) return "give either low and high, or values";
  std::sort(a.values.begin(), a.values.end());
  if (a.values.size() < 2 || std::adjacent_find(a.values.begin(), a.values.end()) != a.values.end())
    return "values: at least two are needed, each once";
  a.low = a.values.front(), a.high = a.values.back();
  return "";
}

/// Whether the scenario's own value is one of those assumed.
std::string holds(const catalog::AssumedInput& a) {
  if (a.key.ends_with(".n_gpu")) return "a number of GPUs is no assumption: other keys hang on it";
  if (!std::isfinite(a.value)) return fmt::format("'{}' is no number of this scenario", a.key);
  if (a.values.empty() && (a.value < a.low || a.value > a.high))
    return fmt::format("the scenario has {} = {:g}, outside {:g} to {:g}", a.key, a.value, a.low, a.high);
  if (!a.values.empty() && !std::binary_search(a.values.begin(), a.values.end(), a.value))
    return fmt::format("the scenario has {} = {:g}, which is none of {:g}", a.key, a.value, fmt::join(a.values, ", "));
  return "";
}

/// The scenario with each end or value passes the check.
std::string possible(const catalog::AssumedInput& a, const Scenario& s) {
  const std::vector<double> ends = a.values.empty() ? std::vector{a.low, a.high} : a.values;
  for (const double x : ends) try {
      check(with_values(s, {{a.key, x}}));
    } catch (const InputError& e) {
      return fmt::format("{} = {:g}: {}", a.key, x, e.findings().empty() ? e.what() : e.findings().front().message);
    }
  return "";
}

}  // namespace

std::vector<AssumedParams> read_assumed(Reading& reading, TableReader& r) {
  std::vector<AssumedParams> out;
  each(reading, r, "assumed", false, "numbers of this scenario that nobody knows well, with their ranges",
       [&](const Node& n, const std::string& path) { reading.read(n, path, out.emplace_back()); });
  return out;
}

void add_assumed(const std::vector<AssumedParams>& own, const std::vector<std::string>& set, const Scenario& s,
                 Reading& reading) {
  const auto brake = [](const EventParams& e) { return e.kind == EventKind::power_brake; };
  if (std::any_of(s.events.begin(), s.events.end(), brake))
    reading.assumed.insert(reading.assumed.end(), reading.of_brake.begin(), reading.of_brake.end());
  if (own.empty() || !reading.findings.empty()) return;
  std::vector<std::string> keys;
  keys.reserve(own.size());
  for (const auto& o : own) keys.push_back(o.key);
  const auto now = numbers_at(s, keys);
  for (std::size_t i = 0; i < own.size(); ++i) {
    const auto sets = [&](const std::string& one) { return one.starts_with(own[i].key + "="); };
    if (std::any_of(set.begin(), set.end(), sets)) continue;
    catalog::AssumedInput a;
    std::string wrong = ordered(own[i], a);
    a.value = now.at(own[i].key);
    if (wrong.empty() && std::count(keys.begin(), keys.end(), a.key) > 1)
      wrong = fmt::format("'{}' is assumed twice", a.key);
    if (wrong.empty()) wrong = holds(a);
    if (wrong.empty()) wrong = possible(a, s);
    if (!wrong.empty()) {
      reading.findings.push_back({{}, fmt::format("assumed.{}", i + 1), wrong});
      continue;
    }
    std::erase_if(reading.assumed, [&](const auto& of_catalog) { return of_catalog.key == a.key; });
    reading.assumed.push_back(std::move(a));
  }
}

}  // namespace TIDEWATT_NAMESPACE::sim
