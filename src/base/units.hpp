#pragma once
#include <optional>
#include <string_view>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE {

/// How a key's unit suffix maps to SI: si = value * scale + offset.
struct Unit {
  std::string_view suffix;  ///< as written at the end of a key, e.g. "degC"
  std::string_view si;      ///< the SI unit used inside, e.g. "K"
  double scale = 1.0;
  double offset = 0.0;
};

/// The unit that a key's suffix names (`tdp_W` → W, `clock_max_MHz` → Hz, `inlet_degC` → K), longest suffix first.
/// Empty for a key without a unit (counts and names).
std::optional<Unit> unit_of_key(std::string_view key);

/// The key without its unit suffix: `tdp_W` → `tdp`.
std::string_view stem_of_key(std::string_view key);

}  // namespace TIDEWATT_NAMESPACE
