#pragma once
// Private to sim: a hall and its plant between two macro steps.
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fleet/site.hpp"
#include "outdoor_air.hpp"
#include "tidewatt/base/tick.hpp"
#include "tidewatt/cooling/cooling_plant.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Of one hall's plant over a macro step, means.
struct PlantDemand {
  double heat_W = 0, flow_m3_per_s = 0, liquid_W = 0;
  template <class A>
  void archive(A& a) {
    a(heat_W, flow_m3_per_s, liquid_W);
  }
};

/// How the coolant and the air of every hall are expected to move through a macro step.
struct HallForecast {
  struct Hall {
    double first_K, last_K;  ///< coolant: means of the first and the last of the plant's own steps
    double mean_K, end_K;
    double air_mean_K;
    std::size_t n_step;
  };
  Tick begin, end;
  std::vector<Hall> hall;
  double bend_K = 0;  ///< largest distance of a coolant's course from the line that stands for it
};

/// One hall as its plant leaves it.
struct PlantedHall {
  std::string name;
  std::shared_ptr<const cooling::CoolingPlant> plant;
  std::optional<double> supply_set_K;                            ///< of the plant, from outside
  std::unique_ptr<cooling::PlantWorkspace> workspace, forecast;  ///< of its steps and of looks ahead
  std::vector<double> state;
  double liquid_asked_kg_per_s = 0;  ///< by all plates of the hall; 0 in air
  double supply_K = 0, rise_K = 0;   ///< and how much warmer the hot aisle was in the mean of the last macro step
  double rise_moved_K = 0, rise_moved_s = 0;  ///< since the mean of the step before; 0 while the hall settles
  double rise_K_per_s = 0;                    ///< as it is expected to move
  double air_K = 0, air_K_per_s = 0;          ///< supply air as it is expected to move
  double coolant_K = 0, coolant_K_per_s = 0;  ///< coolant of the GPUs: the supply air, or the liquid
  double mean_K = 0, last_s = 0;              ///< mean coolant of the last macro step, and its length; 0: none yet
  double flow_frac = 1;
  double most_flow_frac = 1;  ///< that the pumps in service could give of what all plates ask for
  double live_frac = 1;       ///< of its nodes, those that have not switched themselves off
  PlantDemand given;          ///< by its servers over the last macro step
  template <class A>
  void archive(A& a) {
    a(state, supply_K, rise_K, rise_moved_K, rise_moved_s, rise_K_per_s, air_K, air_K_per_s, coolant_K, coolant_K_per_s,
      mean_K, last_s, flow_frac, most_flow_frac, live_frac, given);
  }
};

/// Which nodes are in service. @param off [node of the site] has switched itself off
void set_live(std::vector<PlantedHall>& halls, const fleet::Fleet& fleet, std::span<const std::uint8_t> off);
/// What a plant's step leaves for the servers. @param asked_frac share of the plates' flow that the racks let through
void apply_plant_step(PlantedHall& h, const cooling::PlantStep& p, double asked_frac);
/// How the hot aisle's rise moved between two macro steps, before `last_s` becomes `step_s`. @param before_K its mean in the last one
void see_rise(PlantedHall& h, double before_K, double step_s, double base_s);
/// Whether the plant takes a step whole, in weather that moves evenly through it.
bool follows_evenly(const PlantedHall& h, const OutdoorAir& outdoor, Tick t0, Tick t1);
/// Another of the plant's own steps. @param share of it in the time of all
void add_step(HallForecast::Hall& to, const PlantedHall& h, const cooling::PlantStep& p, double share);
/// How coolant and air are expected to move in a step of `step_s`. @param base_s length of the scenario's macro step
void expect(PlantedHall& h, const HallForecast::Hall& to, double step_s, double base_s);
/// Largest distance of the coolant's course from the line that stands for it; known of a plant that follows its weather.
double bend_K(const PlantedHall& h, const HallForecast::Hall& to, const fleet::NodeType& type);
/// By how much the coolant's mean came out other than expected.
double missed_K(const PlantedHall& h, const fleet::NodeType& type, double mean_K, double step_s);

}  // namespace TIDEWATT_NAMESPACE::sim
