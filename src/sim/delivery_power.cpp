// Where the site's power ends and comes back.
#include <algorithm>
#include <limits>

#include "tidewatt/sim/delivery.hpp"

namespace tidewatt::sim {

using Kind = GridDisturbance::Kind;

void Delivery::changed(std::int64_t bin, bool on, std::string_view why) {
  if (on != powered_ && !change_) change_ = PowerChange{bin, on, why};
}

void Delivery::set_power(bool on, std::int64_t bin) {
  change_.reset();
  powered_ = on;
  if (on) return;
  dark_from_ = bin;
  if (backup_) backup_->ups().drop(backup_state_.ups, backup_meters_.ups);
  if (ups_) ups_->drop(ups_state_, ups_meters_);
  if (!below_ && on_island_ && !turbine_state_.tripped) turbine_->trip(turbine_state_, turbine_meters_);
}

bool Delivery::can_lose_power() const {
  const bool supplies = below_.has_value();
  return (supplies && p_.may_overload) || std::any_of(p_.disturbances.begin(), p_.disturbances.end(), [&](const auto& d) { return supplies || d.kind != Kind::sag; });
}

bool Delivery::near_disturbance(std::int64_t bin, std::int64_t margin) const {
  return (below_ && p_.may_overload) ||
         std::any_of(p_.disturbances.begin(), p_.disturbances.end(), [&](const auto& d) { return d.begin_bin <= bin + margin && bin <= d.end_bin + margin; });
}

bool Delivery::at_rest() const {
  return powered_ && (!below_ || (backup_ ? backup_state_.ups.mode : ups_state_.mode) == power::UpsMode::normal);
}

bool Delivery::bus_dead(std::int64_t bin) const {
  return lost(bin, Kind::utility_loss) || (turbine_ && turbine_state_.tripped && lost(bin, Kind::islanding));
}

std::int64_t Delivery::most_bins(std::int64_t bin) const {
  // Supplies see at once what a trip of the island's turbines behind them does.
  return below_ && turbine_ && lost(bin, Kind::islanding) ? 1 : std::numeric_limits<std::int64_t>::max();
}

}  // namespace tidewatt::sim
