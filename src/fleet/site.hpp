#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controls.hpp"
#include "fan_stairs.hpp"
#include "tidewatt/dvfs/governor.hpp"
#include "tidewatt/power/gpu.hpp"
#include "tidewatt/power/server.hpp"
#include "tidewatt/thermal/cold_plate.hpp"
#include "tidewatt/thermal/hbm_package.hpp"
#include "tidewatt/thermal/package.hpp"
#include "tidewatt/thermal/server_air.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

/// Fan speeds are rounded to whole steps (fan controllers drive a duty register), so the package's modes are tabulated.
inline constexpr std::size_t n_fan_step = 4096;
/// Modes are tabulated by the mass flow past the sinks, in the same steps: up to 1.5 times that at full speed in reference air.
inline constexpr std::size_t n_flow_step = n_fan_step + n_fan_step / 2;

/// One type of server with its GPUs: everything a node's step needs that is the same for all nodes of a hall.
struct NodeType {
  power::GpuModel gpu;
  dvfs::GovernorParams governor;
  power::ServerPowerParams server;
  thermal::ServerAirParams air;
  thermal::PackageParams package;
  Controls usual;  ///< as the scenario sets them; FleetState::controls are those of now
  /// [step of the sinks' mass flow 0..n_flow_step], the first one unused; of servers with cold plates [flow step 0..n_fan_step]
  std::vector<thermal::PackageModes> modes;
  std::optional<thermal::LiquidCooling> liquid;    ///< absent: an air-cooled server
  std::optional<thermal::HbmBranchParams> memory;  ///< absent: no memory temperatures
  /// [flow step] share of what plates capture that leaves with the liquid; empty in air.
  std::vector<double> to_liquid;
  std::optional<dvfs::SampledGovernorParams> sampling;  ///< its fast limit; absent: none
  std::optional<FanStairs> stairs;                      ///< fans in steps; absent: the air's straight line
  bool own_clocks = true;                               ///< kinds of work have their own; false: one for all
  bool follows_fans = false;                            ///< cycles of fans are followed in time (reference)
};

/// Fan step nearest to a speed; the last one where dies have run away and there is no speed (the macro step's heat then ends the run).
inline std::size_t fan_step(double fan_frac) {
  const double step = fan_frac * static_cast<double>(n_fan_step) + 0.5;
  return step >= 0.0 && step < static_cast<double>(n_fan_step) + 1.0 ? static_cast<std::size_t>(step) : n_fan_step;
}
/// Row of NodeType::modes at work. Without any flow there would be no rest: the lowest is one step.
/// @param flow_frac liquid through the plates ÷ their reference flow
/// @param air_J_per_m3_K heat capacity by volume of the servers' inlet air
inline std::size_t mode_step(const NodeType& type, double fan_frac, double flow_frac, double air_J_per_m3_K) {
  if (type.liquid) return std::max<std::size_t>(1, fan_step(flow_frac));
  const double step =
      thermal::sink_flow_ratio(type.package, fan_frac, air_J_per_m3_K) * static_cast<double>(n_fan_step);
  const bool within = step >= 0.0 && step < static_cast<double>(n_flow_step);
  return within ? std::max<std::size_t>(1, static_cast<std::size_t>(step + 0.5)) : n_flow_step;
}
/// The same in air of the density at which the sinks are rated: for estimates.
inline std::size_t mode_step(const NodeType& type, double fan_frac, double flow_frac) {
  return type.liquid ? std::max<std::size_t>(1, fan_step(flow_frac)) : std::max<std::size_t>(1, fan_step(fan_frac));
}
/// Speed ÷ full speed of a fan step, relative.
inline double fan_frac_of(std::size_t step) { return static_cast<double>(step) / static_cast<double>(n_fan_step); }

/// Everything that a step needs of one type of server. @param cap_W, clock_lock_Hz board limit and table's end for none
NodeType make_node_type(const power::GpuPowerParams&, const dvfs::GovernorParams&, const power::ServerPowerParams&,
                        const thermal::ServerAirParams&, const thermal::PackageParams&, double cap_W,
                        double clock_lock_Hz, const std::optional<thermal::LiquidCooling>& liquid = {});

/// Fan speed at rest for a node's hottest die and its inlet, relative.
inline double fan_at_rest_frac(const NodeType& type, double hottest_K, double inlet_K) {
  return type.stairs ? type.stairs->at_rest_frac(hottest_K, inlet_K) : thermal::fan_target_frac(type.air, hottest_K);
}

/// Liquid flow of one server's plates, kg/s; 0 in air.
double liquid_flow_kg_per_s(const NodeType& type);

/// AC power of one node with every GPU at its board limit and fans at full speed: what feeders and plants are sized for.
double design_W(const NodeType& type);

/// The checked, flat, constant description of the fleet. GPUs of one node are contiguous. Nodes are in the order of
/// their occupants: those of the first job by rank, those of the next, then the free ones; `node_number` says where each one is.
struct Fleet {
  std::vector<NodeType> types;  ///< [hall]
  std::size_t n_gpu_per_node = 8;
  std::vector<std::uint32_t> node_hall;    ///< [node]
  std::vector<std::uint32_t> node_row;     ///< [node], counted over the site
  std::vector<std::uint32_t> node_rack;    ///< [node], counted over the site
  std::vector<std::uint32_t> node_number;  ///< [node], counted over the site hall by hall and rack by rack
  std::vector<double> node_recirculation;  ///< [node] share of hot-aisle air in the inlet
  std::vector<power::Chip> chip;           ///< [gpu]
  std::vector<double> resistance_ratio;    ///< [gpu]
  std::size_t n_node() const { return node_hall.size(); }
  std::size_t n_gpu() const { return chip.size(); }
  /// Whether a GPU's slot is in the second row of its server's air.
  bool rear(std::size_t slot) const { return thermal::in_rear_row(slot, n_gpu_per_node); }
};

}  // namespace TIDEWATT_NAMESPACE::fleet
