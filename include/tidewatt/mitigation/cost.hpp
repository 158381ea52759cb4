#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/tick.hpp"
#include "tidewatt/base/version.hpp"

/// Money, carbon and water of a run: needed where mitigations are weighed against one another.
namespace TIDEWATT_NAMESPACE::mitigation {

/// An energy tariff with a price by hour of the day, and a charge on the month's largest demand.
struct TIDEWATT_API TariffParams {
  std::vector<double> price_USD_per_J;    ///< 24 values by hour of a working day; key in USD/MWh
  std::vector<double> weekend_USD_per_J;  ///< 24 values
  double demand_USD_per_W = 0.0;          ///< per month, on the largest mean over the demand window
  double demand_window_s = 0.0;           ///< 900 s: quarter-hour means
  double fixed_USD = 0.0;                 ///< per month
  double water_USD_per_m3 = 0.0;          ///< of what the site evaporates
  void fields(FieldVisitor& v);
};

/// Carbon of the grid and water of generation and site by hour of the day.
struct TIDEWATT_API FootprintParams {
  std::vector<double> carbon_kg_per_J;  ///< 24 values; key in kg/MWh
  std::vector<double> water_m3_per_J;   ///< 24 values, off-site; key in L/kWh
  void fields(FieldVisitor& v);
};

/// Place of a series of demand means in the calendar.
struct TIDEWATT_API CalendarStart {
  double hour = 0.0;         ///< of the day at the first value, 0 <= hour < 24
  std::int64_t weekday = 0;  ///< 0: Monday … 6: Sunday
};

struct TIDEWATT_API Bill {
  double energy_USD = 0.0, demand_USD = 0.0, fixed_USD = 0.0;
  double energy_J = 0.0, peak_W = 0.0;
  std::int64_t peak_window = -1;  ///< index of the largest mean
  /// Energy, demand and fixed charges together.
  double total_USD() const { return energy_USD + demand_USD + fixed_USD; }
};

/// A month's bill (or a part of it, its demand charge in full): energy by the hour in which a window begins, demand by
/// its largest window mean.  @param mean_W means over the tariff's demand window, in order  @throws InputError
TIDEWATT_API Bill bill(const TariffParams& tariff, std::span<const double> mean_W, CalendarStart start);

struct TIDEWATT_API Footprint {
  double carbon_kg = 0.0, water_m3 = 0.0;
};
/// @param window_s length of each mean  @param site_water_m3 evaporated on the site, added
TIDEWATT_API Footprint footprint(const FootprintParams& params, std::span<const double> mean_W, double window_s,
                                 CalendarStart start, double site_water_m3 = 0.0);

/// A yearly payment for a capital sum:  C r/(1 − (1 + r)^−n), C/n where r = 0.
/// @param interest_frac per year  @throws InputError unless years > 0 and interest >= 0
TIDEWATT_API double annuity_USD(double capital_USD, double interest_frac, double years);

/// A device's price as a required input with its range.
struct TIDEWATT_API PriceParams {
  double capital_USD_per_W = 0.0;  ///< of its power rating; key in USD/kW
  double capital_USD_per_J = 0.0;  ///< of its energy rating; key in USD/kWh
  double operating_frac = 0.0;     ///< of the capital, per year
  double years = 0.0;              ///< life, unless wear ends it sooner
  double interest_frac = 0.0;      ///< per year
  void fields(FieldVisitor& v);
};

}  // namespace TIDEWATT_NAMESPACE::mitigation
