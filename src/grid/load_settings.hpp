#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "load_group.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/node.hpp"
#include "tidewatt/grid/ride_through.hpp"

namespace TIDEWATT_NAMESPACE {
class FieldLog;
}

namespace TIDEWATT_NAMESPACE::grid {

/// Device between a part of the load and the grid.
enum class LoadKind : std::uint8_t { supply, drive, motor };
/// "supply", "drive" or "motor".
std::string_view name(LoadKind kind);

/// A part of a site's load whose units have equal settings but for a spread: supplies, servers, drives, motors.
struct LoadSettings {
  LoadGroup group;  ///< the settings at the middle of the spread, the power of all units
  LoadKind kind = LoadKind::supply;
  bool of_plant = false;         ///< a share of the cooling plant's power, else of the servers'
  double share_frac = 1.0;       ///< of that power
  double low_spread_pu = 0.0;    ///< half width: lower thresholds are spread evenly within ± this
  double return_spread_s = 0.0;  ///< half width: times before the return are spread evenly within ± this
  double returns_frac = 1.0;     ///< fraction of the units that return by themselves
  double recharge_frac = 0.0;    ///< what batteries draw after a return, of the group's power
};

/// The units of a part, each a group with an equal share of the power: `n_unit` of them if thresholds or times
/// are spread, else one; those that return by themselves are separate from the others.
/// @param n_unit a power of two: thresholds and times are spread evenly and independently of each other
std::vector<LoadGroup> units_of(const LoadSettings& settings, std::size_t n_unit = 32);
/// The units of all parts, [unit].
std::vector<LoadGroup> units_of(std::span<const LoadSettings> settings, std::size_t n_unit = 32);

/// From a file of catalog kind `load_settings`, the user's own included. What is wrong is added to `findings`.
std::vector<LoadSettings> read_load_settings(const Node& values, const std::string& path,
                                             std::vector<Finding>& findings);

/// Notes every key of such a file, for schema and reference.
void log_load_settings(const Node& values, const std::string& path, FieldLog& log);

/// What a run plays: the whole site as one part.
struct PlayedSettings {
  RideThroughCurve curve;
  ReturnParams back;
};
/// Of settings with one part, the servers', at the middle of its spread. Departures are counted where the settings name no
/// voltage below which sags count. What a run cannot play is added to `findings`: several parts, a share below 1, units that
/// stay away in part, servers without a battery.
PlayedSettings played_settings(std::span<const LoadSettings> settings, const std::string& path,
                               std::vector<Finding>& findings);

/// The same with powers, W: each part's share of its side of the site.
std::vector<LoadSettings> with_power(std::vector<LoadSettings> settings, double servers_W, double plant_W);

}  // namespace TIDEWATT_NAMESPACE::grid
