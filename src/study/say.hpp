#pragma once
#include <fmt/format.h>

#include <iterator>
#include <string>
#include <utility>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// Appends formatted text.
template <class... Parts>
void say(std::string& out, fmt::format_string<Parts...> form, Parts&&... parts) {
  fmt::format_to(std::back_inserter(out), form, std::forward<Parts>(parts)...);
}

/// A power in the unit in which it has digits before its point: "10.0 MW", "439 kW".
inline std::string watts_text(double W) {
  if (W >= 1e6) return fmt::format("{:.1f} MW", W * 1e-6);
  return W >= 1e3 ? fmt::format("{:.3g} kW", W * 1e-3) : fmt::format("{:.3g} W", W);
}
/// The same for an energy: "20 MWh", "439 kWh", "4.68 kJ".
inline std::string joules_text(double J) {
  constexpr double MWh = 3.6e9, kWh = 3.6e6;
  if (J >= MWh) return fmt::format("{:.3g} MWh", J / MWh);
  return J >= 0.1 * kWh ? fmt::format("{:.3g} kWh", J / kWh) : fmt::format("{:.3g} kJ", J * 1e-3);
}

}  // namespace TIDEWATT_NAMESPACE::study
