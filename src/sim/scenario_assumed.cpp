#include "scenario_assumed.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "scenario_recheck.hpp"
#include "scenario_words.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

using catalog::AssumedInput;

/// Ends and values in ascending order, or what is wrong with them.
std::string ordered(const AssumedParams& given, AssumedInput& a) {
  a.low = given.low, a.high = given.high, a.values = given.values;
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
std::string holds(const AssumedInput& a) {
  if (a.key.ends_with(".n_gpu")) return "a number of GPUs is no assumption: other keys hang on it";
  if (!std::isfinite(a.value)) return fmt::format("'{}' is no number of this scenario", a.key);
  if (a.values.empty() && (a.value < a.low || a.value > a.high))
    return fmt::format("the scenario has {} = {:g}, outside {:g} to {:g}", a.key, a.value, a.low, a.high);
  if (!a.values.empty() && !std::binary_search(a.values.begin(), a.values.end(), a.value))
    return fmt::format("the scenario has {} = {:g}, which is none of {:g}", a.key, a.value, fmt::join(a.values, ", "));
  return "";
}

/// The scenario with each end or value passes the check.
std::string possible(const AssumedInput& a, const Scenario& s) {
  const std::vector<double> ends = a.values.empty() ? std::vector{a.low, a.high} : a.values;
  for (const double x : ends)
    if (const std::string why = refusal_with(s, a.key, x); !why.empty())
      return fmt::format("{} = {:g}: {}", a.key, x, why);
  return "";
}

/// Gives words their places in the list of their key, and leaves out those that cannot be run. @returns what is wrong with them
std::string place(AssumedInput& a, const PresentValues& now, Scenario& s) {
  const auto known = now.words.find(a.key);
  auto wrong = place_words(a, known == now.words.end() ? std::vector<std::string>{} : known->second);
  if (wrong.empty()) drop_impossible(a, s);
  return wrong;
}

/// Reads what one `[[assumed]]` says. @returns what is wrong with it
std::string read_one(const AssumedParams& own, const PresentValues& now, Scenario& s, AssumedInput& a) {
  a.key = own.key, a.source = own.source, a.value = now.value.at(own.key), a.words = own.words;
  const auto known = now.words.find(own.key);
  const bool ranged = !own.values.empty() || own.low != 0.0 || own.high != 0.0;
  if (!own.words.empty()) {
    if (ranged) return "give words, or low and high, or values";
    return place(a, now, s);
  }
  if (known != now.words.end())
    return fmt::format("{} takes a word: give words, some of {}", own.key, fmt::join(known->second, ", "));
  std::string wrong = ordered(own, a);
  if (wrong.empty()) wrong = holds(a);
  return wrong.empty() ? possible(a, s) : wrong;
}

bool is_unplaced(const AssumedInput& a) { return !a.words.empty() && a.values.empty(); }

/// The same of words that the catalog or a default assumes.
void place_listed(const PresentValues& now, Scenario& s, Reading& reading) {
  for (AssumedInput& a : reading.assumed) {
    if (!is_unplaced(a)) continue;
    a.value = now.value.at(a.key);
    if (const std::string wrong = place(a, now, s); !wrong.empty())
      reading.findings.push_back({{}, a.key, "[assumed] of its catalog entry: " + wrong});
  }
}

}  // namespace

std::vector<AssumedParams> read_assumed(Reading& reading, TableReader& r) {
  std::vector<AssumedParams> out;
  each(reading, r, "assumed", false, "numbers and words of this scenario that nobody knows well, with what they may be",
       [&](const Node& n, const std::string& path) { reading.read(n, path, out.emplace_back()); });
  return out;
}

void add_assumed(const std::vector<AssumedParams>& own, const std::vector<std::string>& set, Scenario& s,
                 Reading& reading) {
  const auto brake = [](const EventParams& e) { return e.kind == EventKind::power_brake; };
  if (std::any_of(s.events.begin(), s.events.end(), brake))
    reading.assumed.insert(reading.assumed.end(), reading.of_brake.begin(), reading.of_brake.end());
  if (!reading.findings.empty()) return;
  std::vector<std::string> keys;
  keys.reserve(own.size());
  for (const auto& o : own) keys.push_back(o.key);
  for (const auto& a : reading.assumed)
    if (is_unplaced(a)) keys.push_back(a.key);
  if (keys.empty()) return;
  const PresentValues now = values_at(s, keys);
  for (std::size_t i = 0; i < own.size(); ++i) {
    const auto sets = [&](const std::string& one) { return one.starts_with(own[i].key + "="); };
    if (std::any_of(set.begin(), set.end(), sets)) continue;
    const auto same = [&](const AssumedParams& other) { return other.key == own[i].key; };
    AssumedInput a;
    const std::string wrong = std::count_if(own.begin(), own.end(), same) > 1
                                  ? fmt::format("'{}' is assumed twice", own[i].key)
                                  : read_one(own[i], now, s, a);
    if (!wrong.empty()) {
      const char* at = own[i].words.empty() ? "" : ".words";
      reading.findings.push_back({{}, fmt::format("assumed.{}{}", i + 1, at), wrong});
      continue;
    }
    std::erase_if(reading.assumed, [&](const auto& of_catalog) { return of_catalog.key == a.key; });
    reading.assumed.push_back(std::move(a));
  }
  place_listed(now, s, reading);
  std::erase_if(reading.assumed, [](const auto& a) { return a.words.size() == 1; });
}

}  // namespace TIDEWATT_NAMESPACE::sim
