#include "units.hpp"

#include <array>

namespace TIDEWATT_NAMESPACE {
namespace {

// Longest suffix wins; compound units come before their tails.
constexpr std::array units = {
    Unit{"K_per_W", "K/W"},
    Unit{"J_per_K", "J/K"},
    Unit{"W_per_K", "W/K"},
    Unit{"frac_per_V", "1/V"},
    Unit{"per_K", "1/K"},
    Unit{"pct_per_K", "1/K", 0.01},
    Unit{"W_per_s", "W/s"},
    Unit{"MW_per_s", "W/s", 1e6},
    Unit{"MW_per_min", "W/s", 1e6 / 60.0},
    Unit{"m3_per_s", "m3/s"},
    Unit{"L_per_min", "m3/s", 1e-3 / 60.0},
    Unit{"kg_per_s", "kg/s"},
    Unit{"kg_per_m3", "kg/m3"},
    Unit{"GB_per_s", "B/s", 1e9},
    Unit{"TB_per_s", "B/s", 1e12},
    Unit{"J_per_GB", "J/B", 1e-9},
    Unit{"pJ_per_B", "J/B", 1e-12},
    Unit{"per_node_day", "1/s", 1.0 / 86400.0},
    Unit{"per_day", "1/s", 1.0 / 86400.0},
    Unit{"per_s", "1/s"},
    Unit{"frac_per_s", "1/s"},
    Unit{"frac_per_K", "1/K"},
    Unit{"frac_per_K_s", "1/(K s)"},
    Unit{"degC", "K", 1.0, 273.15},
    Unit{"MHz", "Hz", 1e6},
    Unit{"GHz", "Hz", 1e9},
    Unit{"Hz", "Hz"},
    Unit{"mHz", "Hz", 1e-3},
    Unit{"GW", "W", 1e9},
    Unit{"MW", "W", 1e6},
    Unit{"kW", "W", 1e3},
    Unit{"W", "W"},
    Unit{"MWh", "J", 3.6e9},
    Unit{"kWh", "J", 3.6e6},
    Unit{"MVA", "VA", 1e6},
    Unit{"GVA", "VA", 1e9},
    Unit{"kV", "V", 1e3},
    Unit{"Mvar", "var", 1e6},
    Unit{"mV", "V", 1e-3},
    Unit{"V", "V"},
    Unit{"TF", "FLOP/s", 1e12},
    Unit{"GFLOP", "FLOP", 1e9},
    Unit{"GiB", "B", 1073741824.0},
    Unit{"GB", "B", 1e9},
    Unit{"TB", "B", 1e12},
    Unit{"MB", "B", 1e6},
    Unit{"B", "B"},
    Unit{"d", "s", 86400.0},
    Unit{"h", "s", 3600.0},
    Unit{"min", "s", 60.0},
    Unit{"s", "s"},
    Unit{"ms", "s", 1e-3},
    Unit{"us", "s", 1e-6},
    Unit{"K", "K"},
    Unit{"Pa", "Pa"},
    Unit{"kPa", "Pa", 1e3},
    Unit{"m", "m"},
    Unit{"m2", "m2"},
    Unit{"m3", "m3"},
    Unit{"L", "m3", 1e-3},
    Unit{"J", "J"},
    Unit{"pct", "1", 0.01},
    Unit{"frac", "1"},
    Unit{"pu", "pu"},
    Unit{"ratio", "1"},
    Unit{"kJ", "J", 1e3},
    Unit{"USD_per_MWh", "USD/J", 1.0 / 3.6e9},
    Unit{"USD_per_kWh", "USD/J", 1.0 / 3.6e6},
    Unit{"USD_per_kW", "USD/W", 1e-3},
    Unit{"kg_per_MWh", "kg/J", 1.0 / 3.6e9},
    Unit{"L_per_kWh", "m3/J", 1e-3 / 3.6e6},
    Unit{"deg", "deg"},
    Unit{"mm", "m", 1e-3},
};

}  // namespace

std::optional<Unit> unit_of_key(std::string_view key) {
  std::optional<Unit> best;
  for (const auto& u : units) {
    if (key.size() <= u.suffix.size() + 1 || !key.ends_with(u.suffix)) continue;
    if (key[key.size() - u.suffix.size() - 1] != '_') continue;
    if (!best || u.suffix.size() > best->suffix.size()) best = u;
  }
  return best;
}

std::string_view stem_of_key(std::string_view key) {
  const auto unit = unit_of_key(key);
  return unit ? key.substr(0, key.size() - unit->suffix.size() - 1) : key;
}

}  // namespace TIDEWATT_NAMESPACE
