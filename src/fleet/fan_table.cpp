#include "fan_table.hpp"

#include <utility>

namespace TIDEWATT_NAMESPACE::fleet {

FanRegulation::FanRegulation(const thermal::FanGroupParams& group, double sample_s) {
  if (!group.regulates) return;
  const double set_degC = group.set_point_K - celsius_K,
               on_degC = std::floor(set_degC + group.regulates_above_K + 1e-9) + 1.0,
               off_degC = std::ceil(set_degC - group.clears_below_K - 1e-9) - 1.0;
  on_K = on_degC - 0.5 + celsius_K, off_K = off_degC + 0.5 + celsius_K, excess_K = on_degC - set_degC;
  frac_per_s = group.integral_gain_per_K_s * excess_K;
  kick_frac = group.gain_per_K * excess_K + frac_per_s * sample_s;
}

FanTable::FanTable(thermal::FanGroupParams group) : group_(std::move(group)) {
  for (std::int64_t degC = lowest_degC; !group_.line && degC < lowest_degC + n_degC; ++degC)
    edges_.push_back(edges_of(static_cast<double>(degC) + celsius_K));
}

/// Where a table that holds on to this reading is, and where it leaves.
FanTable::Edges FanTable::edges_of(double accepted_K) const {
  constexpr double never = std::numeric_limits<double>::infinity();
  const std::size_t level = level_of(accepted_K);
  return {accepted_K, level, level + 1 < group_.threshold_K.size() ? upper_K(level, accepted_K) : never,
          level > 0 ? lower_K(level, accepted_K) : -never};
}

}  // namespace TIDEWATT_NAMESPACE::fleet
