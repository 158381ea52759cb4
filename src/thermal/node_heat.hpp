#pragma once
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "tidewatt/thermal/cold_plate.hpp"
#include "tidewatt/thermal/hbm_package.hpp"
#include "tidewatt/thermal/server_air.hpp"

namespace TIDEWATT_NAMESPACE::thermal {

/// State of one server with n GPUs.
struct NodeHeatState {
  std::vector<std::array<double, 4>> store_K;  ///< [gpu][die, base, sink, memory], set by `step`
  double fan_frac;                             ///< speed ÷ full speed, set by `step`
  double front_W;  ///< heat of the front row's sinks in the last step, breathed by the rear row
};

/// Heat that moved in one step.
struct NodeHeatBooks {
  double in_J, air_J, stored_J;
  double liquid_J;  ///< that the plates' liquid takes; 0 in air
};

/// One server on its own: packages with memory branch, two rows of GPUs in series in the air or a cold plate on each GPU, and the fan
/// controller that lags behind the hottest die. It serves single servers (step responses, telemetry fits, loss of
/// cooling); fleets are stepped by `sim`.
///
/// With plates every package has the plate's resistance at its reference flow to the liquid's inlet temperature, and rows do not meet;
/// of the heat that leaves a package, to_liquid_frac · gpu_liquid_frac goes with the liquid.
///
/// Per step: fan speed by its first-order lag towards fan_target_frac, then the exact step of every package in the air
/// of its row, the front row's heat of the step before warming the rear one.
class NodeHeat {
 public:
  /// @param n_gpu even: two rows  @param air_J_per_m3_K volumetric heat capacity of air
  /// @param liquid  none: in air
  NodeHeat(const PackageParams& package, const HbmBranchParams& hbm, const ServerAirParams& air, std::size_t n_gpu,
           double air_J_per_m3_K, std::optional<LiquidCooling> liquid = {});

  /// Everything at `inlet_K`, fans at their lowest speed.
  NodeHeatState cold(double inlet_K) const;
  /// @param die_W,hbm_W  [gpu] heat into dies and memory stacks  @param resistance_ratio  [gpu]
  /// @param inlet_K  air at the server's front, or liquid at its plates
  NodeHeatBooks step(NodeHeatState& state, std::span<const double> die_W, std::span<const double> hbm_W,
                     std::span<const double> resistance_ratio, double inlet_K, double step_s) const;
  std::size_t n_gpu() const { return n_gpu_; }
  /// Whether a GPU is in the second row of the air.
  bool rear(std::size_t gpu) const { return in_rear_row(gpu, n_gpu_); }

 private:
  PackageParams package_;
  HbmBranchParams hbm_;
  ServerAirParams air_;
  std::size_t n_gpu_;
  double air_J_per_m3_K_;
  std::optional<LiquidCooling> liquid_;
  double plate_K_per_W_ = 0.0, to_liquid_frac_ = 0.0;  ///< at the plates' reference flow
};

}  // namespace TIDEWATT_NAMESPACE::thermal
