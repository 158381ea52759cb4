#pragma once
#include <array>
#include <functional>

#include "tidewatt/base/version.hpp"
#include "tidewatt/cooling/cooling_plant.hpp"

namespace TIDEWATT_NAMESPACE::cooling {

/// What a plant did in one calendar month, or over the whole run.
struct TIDEWATT_API PlantMonth {
  double span_s = 0.0;
  double it_J = 0.0, electric_J = 0.0, water_kg = 0.0, reuse_J = 0.0;
  double supply_max_K = 0.0, liquid_supply_max_K = 0.0, capacity_margin_min_frac = 1.0;
  double pue() const { return it_J > 0.0 ? 1.0 + electric_J / it_J : 0.0; }  ///< cooling's share only
  /// Water per energy of the servers; 0 before any.
  double water_kg_per_kWh() const { return it_J > 0.0 ? water_kg * 3.6e6 / it_J : 0.0; }
};

struct TIDEWATT_API PlantYear {
  std::array<PlantMonth, 12> months;
  PlantMonth total;
  double closure_frac = 0.0;        ///< |in + inside - out - stored| / (in + inside) over the run
  double closure_worst_frac = 0.0;  ///< largest of a step
};

/// The plant alone under weather and a load: no servers, no grid.
/// @param load heat, flows and capacity at a run time; its `outdoor` is filled by the driver
/// @param duration 1 s to 366 days from local midnight of 1 January; months are those of a 365-day year
/// @param step macro step, > 0
/// @throws as CoolingPlant::advance
TIDEWATT_API PlantYear run_plant(const CoolingPlant& plant, const Weather& weather,
                                 const std::function<PlantInput(Tick)>& load, Tick duration, Tick step);

}  // namespace TIDEWATT_NAMESPACE::cooling
