#pragma once
#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"
#include "tidewatt/thermal/package.hpp"
#include "tidewatt/thermal/store_network.hpp"

namespace TIDEWATT_NAMESPACE::thermal {

/// The memory stacks beside the die, as one more store on the lid and sink base.
struct TIDEWATT_API HbmBranchParams {
  double hbm_J_per_K;       ///< all stacks together
  double hbm_base_K_per_W;  ///< stacks to lid and sink base
  double die_hbm_W_per_K;   ///< through the interposer, W/K
  void fields(FieldVisitor& v);
};

/// Places of the stores in a package with memory branch.
enum HbmStore : std::size_t { die_store = 0, base_store = 1, sink_store = 2, hbm_store = 3 };

/// die – base – sink – coolant, memory stacks on the base:
///
///     C_d dT_d/dt = G_db (T_b − T_d) + G_dm (T_m − T_d) + Q_die          C_m dT_m/dt = G_mb (T_b − T_m) + G_dm (T_d − T_m) + Q_hbm
///     C_b dT_b/dt = G_db (T_d − T_b) + G_bs (T_s − T_b) + G_mb (T_m − T_b)   C_s dT_s/dt = G_bs (T_b − T_s) + Gc (T_c − T_s)
///
/// @param coolant_K_per_W  sink to coolant: p.sink_air_K_per_W · flow_ratio^−exponent in air, cold_plate_K_per_W in liquid
TIDEWATT_API StoreNetwork<4> hbm_network(const PackageParams& p, const HbmBranchParams& hbm, double coolant_K_per_W);

/// How much warmer the memory stacks are than the die of the plain chain (package.hpp), in which all board power enters the
/// die: ΔT = r (die_K_per_W Q_die + memory_K_per_W Q_memory).
struct TIDEWATT_API MemoryLead {
  double die_K_per_W, memory_K_per_W;
};

/// The branch beside a chain that does not have it. The stacks' own time constant, C_m/(G_mb + G_dm), is below a second, and the
/// base's temperature is the same in both (all heat passes it), so over stretches that are long against it the means obey
///
///     (G_db + G_dm) x_d − G_dm x_m = Q_die      (G_mb + G_dm) x_m − G_dm x_d = Q_memory      x over the base
///     T_memory = T_chain − (Q_die + Q_memory)/G_db + x_m
///
/// Exact for the means of a repetition that repeats and in steady state; hbm_package_test has the error after steps.
TIDEWATT_API MemoryLead memory_lead(const PackageParams& p, const HbmBranchParams& hbm);

/// Convection resistance of an air-cooled sink at a fan speed, K/W.
TIDEWATT_API double sink_air_K_per_W(const PackageParams& p, double flow_ratio);

}  // namespace TIDEWATT_NAMESPACE::thermal
