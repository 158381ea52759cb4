#pragma once
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/text.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/sim/run.hpp"

/// tests/scenarios/tiny.toml with more tables behind it and keys overridden.
inline tidewatt::sim::Scenario tiny(const std::string& more = "", std::vector<std::string> set = {}) {
  const std::string folder = std::string(TIDEWATT_SOURCE_DIR) + "/tests/scenarios";
  tidewatt::sim::LoadOptions o;
  o.set = std::move(set);
  const auto text = tidewatt::read_file(folder + "/tiny.toml", 1u << 20) + more;
  return tidewatt::sim::read_scenario(tidewatt::parse_toml(text, "tiny.toml"), folder, o);
}

/// What it is refused with, overridden so.
inline std::string refusal(std::vector<std::string> set) {
  try {
    tiny("", std::move(set));
  } catch (const tidewatt::InputError& e) {
    return e.what();
  }
  return "accepted";
}

/// A figure of the summary as a number; NaN if it is null.
inline double figure(const tidewatt::sim::Result& r, const std::string& key) {
  for (const auto& [k, v] : r.summary) {
    if (k != key) continue;
    if (const auto* d = std::get_if<double>(&v)) return *d;
    if (const auto* i = std::get_if<std::int64_t>(&v)) return static_cast<double>(*i);
    return std::nan("");
  }
  throw std::runtime_error("no figure " + key);
}

/// A result's array of numbers.
inline const std::vector<double>& reals(const tidewatt::sim::Result& r, const std::string& path) {
  for (const auto& a : r.arrays)
    if (a.path == path) return std::get<std::vector<double>>(a.values);
  throw std::runtime_error("no array " + path);
}

/// A table behind it: a site battery of its size.
inline constexpr const char* tiny_battery = R"(
[[mitigation]]
name = "battery"
kind = "site_battery"
catalog = "site_battery_10MW"
power_MW = 0.1
energy_MWh = 0.05
standby_kW = 0.3
)";
