#pragma once
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"
#include "tidewatt/mitigation/cost.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Prices and footprints of a run. All are inputs.
struct TIDEWATT_API EconomicsParams {
  mitigation::TariffParams tariff;        ///< prices of energy and of the demand peak
  mitigation::FootprintParams footprint;  ///< carbon and water of the energy
  double devices_USD_per_year = 0.0;      ///< cost of mitigations, e.g. from `tidewatt size`
  mitigation::TariffParams low;   ///< tariff with every price at the low end of its assumed range, where it has one
  mitigation::TariffParams high;  ///< the same at the high end
  /// The keys that belong to neither `tariff` nor `footprint`.
  void fields(FieldVisitor& v);
};

/// Means over a run's minutes.
struct TIDEWATT_API MinuteMeans {
  std::vector<double> mean_W;  ///< [minute]
  double last_s = 60.0;        ///< length of the last minute, which the run's end may cut
};

/// What a run cost and emitted.
struct TIDEWATT_API RunCost {
  double energy_USD = 0.0, water_USD = 0.0;
  double demand_USD = 0.0, fixed_USD = 0.0;  ///< the run's share of a month's charges
  double devices_USD = 0.0;
  double peak_W = 0.0;  ///< largest mean over the demand window
  double carbon_kg = 0.0;
  double water_m3 = 0.0;                          ///< of the site and of generation
  std::vector<double> hour_USD, hour_kg, hour_J;  ///< [hour of the run], of energy only
  double total_USD() const { return energy_USD + water_USD + demand_USD + fixed_USD + devices_USD; }  ///< all of it
};

/// Energy is priced by the hour of the day in which it is drawn, with working days and weekends apart. Demand is priced by
/// the largest mean over the demand window, and demand and fixed charges by the run's share of a month. A demand window
/// that the run's end cuts counts only if there is no whole one. Fuel of turbines on the site is not priced.
/// @param minutes power drawn at the connection  @param start when the run begins  @param site_water_m3 evaporated
/// @throws InputError as mitigation::bill
TIDEWATT_API RunCost run_cost(const EconomicsParams& prices, const mitigation::TariffParams& tariff,
                              const MinuteMeans& minutes, mitigation::CalendarStart start, double site_water_m3);

/// Hour and weekday of a start time YYYY-MM-DDThh:00:00. @throws InputError if it is none
TIDEWATT_API mitigation::CalendarStart calendar_start(const std::string& start);

}  // namespace TIDEWATT_NAMESPACE::sim
