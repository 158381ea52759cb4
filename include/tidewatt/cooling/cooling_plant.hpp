#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidewatt/base/tick.hpp"
#include "tidewatt/base/version.hpp"
#include "tidewatt/base/words.hpp"
#include "tidewatt/cooling/weather.hpp"

namespace TIDEWATT_NAMESPACE::cooling {

/// Share of each kind of part that is able to work, 0 to 1; 1 unless parts have failed. A plant ignores the parts that
/// it does not have.
struct TIDEWATT_API PlantCapacity {
  double fan_frac = 1.0;        ///< fan walls or CRAH units
  double cdu_frac = 1.0;        ///< distribution units with their pumps
  double pump_frac = 1.0;       ///< facility and rejection pumps; the media's pumps of an outside air plant
  double rejection_frac = 1.0;  ///< tower cells or dry coolers
  double chiller_frac = 1.0;
};

/// A kind of part of a plant, the one that binds; `none` where nothing is sized.
enum class PlantPart : std::uint8_t { none, fans, distribution, pumps, rejection, chillers };

}  // namespace TIDEWATT_NAMESPACE::cooling

namespace TIDEWATT_NAMESPACE {
template <>
inline constexpr std::array words_of<cooling::PlantPart>{
    std::string_view("none"),  std::string_view("fans"),      std::string_view("distribution"),
    std::string_view("pumps"), std::string_view("rejection"), std::string_view("chillers")};
}  // namespace TIDEWATT_NAMESPACE

namespace TIDEWATT_NAMESPACE::cooling {

/// Input of a hall's plant over one macro step: means, not samples.
struct TIDEWATT_API PlantInput {
  /// Heat that the servers give to the air, their fans included; < 0 while warm air heats servers that were off.
  double it_heat_W = 0.0;
  double server_flow_m3_per_s = 0.0;  ///< air that the servers pull, at the density of the cold aisle; > 0
  WeatherSample outdoor;
  double liquid_heat_W = 0.0;  ///< heat that the servers give to the liquid; < 0 while it warms servers that are off
  double liquid_flow_kg_per_s = 0.0;  ///< liquid flow that their cold plates need; >= 0
  PlantCapacity capacity{};
  bool powered = true;  ///< false: the site has no power, `capacity` is 0 and the plant draws nothing
  /// How `outdoor`, its mean, moves through the step, per s; for plants that follow it.
  WeatherSample outdoor_per_s{};
};
inline constexpr PlantCapacity no_capacity{0.0, 0.0, 0.0, 0.0, 0.0};

/// What the plant did in one macro step. Means are exact integrals over the step, divided by its length.
struct TIDEWATT_API PlantStep {
  double supply_mean_K = 0.0;  ///< air at the servers' inlets
  double supply_end_K = 0.0;
  double hot_aisle_mean_K = 0.0;
  double supply_rh_frac = 0.0;    ///< at mean supply temperature and humidity
  double fan_mean_W = 0.0;        ///< electric power whose heat enters the plant's streams: fans, pumps, compressors
  double other_electric_W = 0.0;  ///< pumps, tower fans and controls whose heat does not enter the streams
  double water_kg = 0.0;          ///< evaporated and bled
  double evaporated_kg = 0.0;
  double return_mix_frac = 0.0;   ///< share of return air in the supply
  double evaporation_frac = 0.0;  ///< share of the evaporative media in use
  /// Smallest (available − requested) / installed capacity; below 0 hot air recirculates or a set point is not held.
  double capacity_margin_frac = 0.0;
  PlantPart margin_part = PlantPart::none;  ///< whose margin it is
  double supply_over_limit_K = 0.0;         ///< mean supply above the plant's upper limit, 0 if below
  // Plants with liquid; without, liquid_* stay 0.
  double liquid_supply_mean_K = 0.0;  ///< liquid at the cold plates' inlets
  double liquid_supply_end_K = 0.0;
  double liquid_flow_mean_kg_per_s = 0.0;  ///< delivered flow; less than requested if pumps are out
  double liquid_flow_most_kg_per_s = 0.0;  ///< flow that pumps in service could deliver at the end; 0: not known
  double liquid_warmest_K = 0.0;           ///< warmest liquid anywhere in the plant at the end
  /// Parts of the draw.
  double air_fan_mean_W = 0.0, pump_mean_W = 0.0, chiller_mean_W = 0.0, rejection_fan_mean_W = 0.0;
  double reuse_J = 0.0;       ///< the part of heat_out that went to a user
  double chilled_frac = 0.0;  ///< of the rated chillers at work
  // Energy balance: heat_in + fan = heat_out + stored_change, each from its own meter.
  double heat_in_J = 0.0;
  double fan_J = 0.0;
  double heat_out_J = 0.0;  ///< into the outdoor air and to users of heat, evaporated water's latent heat included
  double latent_J = 0.0;    ///< the part of heat_out that left as vapour
  double stored_change_J = 0.0;
};

/// Scratch memory that a plant keeps between calls for speed; no physical state. One per thread, from make_workspace().
class TIDEWATT_API PlantWorkspace {
 public:
  virtual ~PlantWorkspace() = default;
};

/// A hall's cooling plant. Const: its memory is `state`, n_state() values that the caller keeps, copies and restores.
class TIDEWATT_API CoolingPlant {
 public:
  virtual ~CoolingPlant() = default;
  /// Length of the plant's state.
  virtual std::size_t n_state() const = 0;
  virtual std::vector<std::string> state_names() const = 0;  ///< with unit suffix
  /// Whether weather moves within its steps (PlantInput::outdoor_per_s): then it ends a step as the weather at the end leaves it. false:
  /// as that of the step's middle does.
  virtual bool follows_weather() const { return false; }
  /// A new workspace for one thread; any one serves any state.
  virtual std::unique_ptr<PlantWorkspace> make_workspace() const = 0;
  /// A workspace for predictions, whose figures do not enter the energy balance: a plant may integrate with ten times the
  /// tolerance.
  virtual std::unique_ptr<PlantWorkspace> make_forecast_workspace() const { return make_workspace(); }
  /// Fills `state` with steady operation under `input` at run time `t`.
  /// @param state [n_state], in the units that state_names() ends with
  virtual void initialise(std::span<double> state, const PlantInput& input, Tick t) const = 0;
  /// Advances `state` from t0 to t1 > t0 under constant `input`, weather apart.
  /// @throws SolverError with time and components, InputError for impossible input; `state` is then unchanged
  /// @param state [n_state], in and out
  virtual PlantStep advance(std::span<double> state, const PlantInput& input, Tick t0, Tick t1,
                            PlantWorkspace& workspace) const = 0;
};

/// Electric power of the plant over a step of `span_s`.
inline double plant_electric_W(const PlantStep& step, double span_s) {
  return step.fan_J / span_s + step.other_electric_W;
}

/// Throws InputError unless `input` is finite and physical and t1 > t0.
TIDEWATT_API void check_plant_input(const PlantInput& input, Tick t0, Tick t1);

}  // namespace TIDEWATT_NAMESPACE::cooling
