#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tidewatt/base/tick.hpp"
#include "tidewatt/cooling/weather.hpp"

namespace tidewatt::cooling {

/// What a hall asks of its plant over one macro step: means, never samples.
struct PlantInput {
  double it_heat_W = 0.0;             ///< heat that the servers give to the air, their fans included; >= 0
  double server_flow_m3_per_s = 0.0;  ///< air that the servers pull, at the density of the cold aisle; > 0
  WeatherSample outdoor;
};

/// What the plant did in one macro step. Means are exact integrals over the step, divided by its length.
struct PlantStep {
  double supply_mean_K = 0.0;  ///< air at the servers' inlets
  double supply_end_K = 0.0;
  double hot_aisle_mean_K = 0.0;
  double supply_rh_frac = 0.0;  ///< at mean supply temperature and humidity
  double fan_mean_W = 0.0;
  double other_electric_W = 0.0;  ///< pumps and controls; their heat does not reach the hall
  double water_kg = 0.0;          ///< evaporated and bled
  double evaporated_kg = 0.0;
  double return_mix_frac = 0.0;       ///< share of return air in the supply
  double evaporation_frac = 0.0;      ///< share of the evaporative media at work
  double capacity_margin_frac = 0.0;  ///< 1 - (needed flow / largest flow); below 0 hot air recirculates
  double supply_over_limit_K = 0.0;   ///< mean supply above the plant's upper limit, 0 if below
  // Energy books: heat_in + fan = heat_out + stored_change, each from its own meter.
  double heat_in_J = 0.0;
  double fan_J = 0.0;
  double heat_out_J = 0.0;  ///< exhaust minus intake air, evaporated water's latent heat included
  double latent_J = 0.0;    ///< the part of heat_out that left as vapour
  double stored_change_J = 0.0;
};

/// Whatever a plant wants to keep from call to call for speed; holds no physics. One per thread, from make_workspace().
class PlantWorkspace {
 public:
  virtual ~PlantWorkspace() = default;
};

/// A hall's cooling plant. Const: its memory is `state`, n_state() values that the caller keeps, copies and restores.
class CoolingPlant {
 public:
  virtual ~CoolingPlant() = default;
  virtual std::size_t n_state() const = 0;
  virtual std::vector<std::string> state_names() const = 0;  ///< with unit suffix
  virtual std::unique_ptr<PlantWorkspace> make_workspace() const = 0;
  /// Fills `state` with the steady operation that `input` asks for at run time `t`.
  virtual void initialise(std::span<double> state, const PlantInput& input, Tick t) const = 0;
  /// Advances `state` from t0 to t1 > t0 under constant `input`.
  /// @throws SolverError with time and components, InputError for impossible input; `state` is then unchanged
  virtual PlantStep advance(std::span<double> state, const PlantInput& input, Tick t0, Tick t1,
                            PlantWorkspace& workspace) const = 0;
};

/// Throws InputError unless `input` is finite and physical and t1 > t0.
void check_plant_input(const PlantInput& input, Tick t0, Tick t1);

}  // namespace tidewatt::cooling
