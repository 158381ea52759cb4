#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::power {

/// One stage of a supply: equal units in parallel that share its power.
struct TIDEWATT_API SupplyStage {
  std::string name;                     ///< e.g. "unit_transformer"
  double rating_W = 0.0;                ///< output of one unit
  double design_loading_frac = 0.0;     ///< loading of a unit at the design load; redundancy and margin leave the rest
  double no_load_loss_frac = 0.0;       ///< of the rating, while energised
  double proportional_loss_frac = 0.0;  ///< loss proportional to the load, as a fraction of the rating
  double quadratic_loss_frac = 0.0;     ///< loss proportional to the square of the load, as a fraction of the rating
  double holdup_J = 0.0;                ///< energy that one unit gives when its input is lost
  void fields(FieldVisitor& v);
};

/// Stages from the 34.5 kV connection (first) to the trays' 50 V input (last).
struct TIDEWATT_API SupplyChainParams {
  std::vector<SupplyStage> stages;
};

/// One stage at one load.
struct TIDEWATT_API SupplyStagePoint {
  std::string name;
  std::int64_t n_unit = 0;
  double loading_frac = 0.0;
  double output_W = 0.0;  ///< towards the trays
  double loss_W = 0.0;    ///< from the stage's own loss equation
  double input_W = 0.0;   ///< from upstream
  double holdup_s = 0.0;  ///< stored energy over output; 0: none
};

/// A whole chain at one load.
struct TIDEWATT_API SupplyChainPoint {
  std::vector<SupplyStagePoint> stages;  ///< [stage], connection first
  double load_W = 0.0;                   ///< at the trays' inputs
  double connection_W = 0.0;             ///< out of the 34.5 kV network
  /// Of all stages.
  double loss_W() const;
  /// |connection − load − Σ loss| / connection, dimensionless.
  double closure() const;
  /// Trays' input over connection, dimensionless.
  double efficiency_frac() const { return load_W / connection_W; }
};

/// Losses of a supply from connection to trays.
///
///     loss = n P_r (a_0 + a_1 x + a_2 x²),   x = P_out/(n P_r),   P_in = P_out + loss,   n = ⌈P_design/(P_r x_design)⌉
///
/// going upstream from the trays. Covers transformers and conductors (a_0, a_2), rectifiers, converters and
/// uninterruptible supplies (all three). Assumptions: equal sharing; unity power factor at rectifiers and transformers;
/// steady state, storage neither charges nor discharges. Figures and sources: catalog kind supply_chain.
class TIDEWATT_API SupplyChain {
 public:
  /// @param design_W load of all trays that the units are counted for  @throws InputError for a chain without stages, a
  /// rating or loading that is not above 0, or a design load that is not above 0
  SupplyChain(const SupplyChainParams& params, double design_W);
  /// @param load_W at the trays' inputs, >= 0  @throws InputError for a negative load or a unit beyond its rating
  SupplyChainPoint at(double load_W) const;

 private:
  std::vector<SupplyStage> stages_;
  std::vector<std::int64_t> n_unit_;
};

}  // namespace TIDEWATT_NAMESPACE::power
