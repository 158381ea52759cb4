#pragma once
#include <cstdint>
#include <string>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::power {

/// Electrical parts of a rack: every cabinet that shares one scale-up domain. The GPU's own figures are limits (rated load).
struct TIDEWATT_API RackParams {
  std::int64_t n_cabinet = 0;          ///< cabinets of one scale-up domain
  std::int64_t n_compute_tray = 0;     ///< unit of repair
  std::int64_t gpus_per_tray = 0;      ///< packages, not dies
  std::int64_t cpus_per_tray = 0;      ///< CPUs per compute tray
  std::int64_t n_switch_tray = 0;      ///< of the scale-up links; losing one degrades the whole domain
  double gpu_W = 0.0;                  ///< limit of one package
  double cpu_W = 0.0;                  ///< of one CPU under training
  double tray_other_W = 0.0;           ///< of one compute tray: NICs, DPU, drives, board losses
  double switch_tray_W = 0.0;          ///< of one switch tray
  double switch_reduced_ratio = 1.0;   ///< of that with half of its links
  double management_W = 0.0;           ///< management switches and controllers, all together
  double fans_W = 0.0;                 ///< all fans, all cabinets
  double gpu_idle_W = 0.0;             ///< of one package without a process; 0: not read
  double cpu_idle_W = 0.0;             ///< one CPU without a process
  std::string input = "ac_480V";       ///< ac_480V | dc_800V
  std::int64_t n_shelf = 0;            ///< shelves (or direct-current converters) that feed the busbar
  std::int64_t n_shelf_needed = 0;     ///< of them for the rated load, the rest is redundancy
  double shelf_rating_W = 0.0;         ///< output of one shelf
  double shelf_efficiency_frac = 0.0;  ///< rack input to busbar, at the loading that redundancy leaves
  double storage_J = 0.0;              ///< at the shelves, per GPU
  double peak_ratio = 1.0;             ///< millisecond peak of a GPU over its limit
  double vendor_low_W = 0.0;           ///< lowest rack power that a vendor publishes
  double vendor_high_W = 0.0;          ///< highest rack power that a vendor publishes

  void fields(FieldVisitor& v);
  /// Packages in all trays.
  std::int64_t n_gpu() const { return n_compute_tray * gpus_per_tray; }
};

/// Parts of a rack's input power, each from its own equation.
struct TIDEWATT_API RackPower {
  double gpus_W = 0.0, cpus_W = 0.0, tray_other_W = 0.0, switch_trays_W = 0.0, management_W = 0.0, fans_W = 0.0;
  double shelf_loss_W = 0.0;  ///< of the shelves, (1/η − 1) × their output
  /// At the busbar.
  double busbar_W() const { return gpus_W + cpus_W + tray_other_W + switch_trays_W + management_W + fans_W; }
  /// At the rack's input.
  double input_W() const { return busbar_W() + shelf_loss_W; }
};

/// Power of a rack whose packages draw `gpu_W` and whose CPUs draw `cpu_W` each:
///
///     P_bus = n_t (n_g P_gpu + n_c P_cpu + P_other) + n_s P_switch + P_mgmt + P_fan,   P_in = P_bus / η
///
/// Assumptions: trays' other parts, switches, management and fans do not follow the load; η is constant.
/// @param gpu_W >= 0  @param cpu_W >= 0  @throws InputError for a negative power or an efficiency outside (0, 1]
TIDEWATT_API RackPower rack_power(const RackParams& rack, double gpu_W, double cpu_W);
/// All packages at their limit. @throws InputError as above
TIDEWATT_API RackPower rack_rated_power(const RackParams& rack);
/// No process on any package. @throws InputError as above, and where no idle reading is known
TIDEWATT_API RackPower rack_idle_power(const RackParams& rack);

}  // namespace TIDEWATT_NAMESPACE::power
