#pragma once
#include <memory>
#include <span>
#include <vector>

#include "tidewatt/base/sum.hpp"
#include "tidewatt/cooling/outside_air_plant.hpp"
#include "tidewatt/cooling/weather.hpp"
#include "tidewatt/sim/fleet_state.hpp"
#include "tidewatt/sim/scenario.hpp"
#include "tidewatt/sim/site.hpp"

namespace tidewatt::sim {

/// Halls and their plants, once per macro step: collects what the servers give, moves the plant, sets the inlets.
class HallLoop {
 public:
  HallLoop(const Scenario& scenario, const Fleet& fleet, const cooling::Weather& weather);

  /// What a range of nodes gives from `begin` to `end`: heat and flow, at their means over the step. Steps may reach
  /// beyond the macro step; every macro step takes its share of the time.
  void collect(const FleetSignals& signals, std::size_t first_node, std::size_t n_node, Tick begin, Tick end);
  /// Puts every plant into equilibrium with what the servers give now; nothing is booked.
  void settle(const FleetSignals& signals);
  /// Moves every plant over [t0, t1] with the means collected; returns the cooling power, W.
  double advance(Tick t0, Tick t1);
  /// What has been collected beyond `now`, J: heat on its way into the next macro step.
  double pending_heat_J(Tick now) const;
  /// Air at every server's front for the next macro step, K.
  std::span<const double> inlet_K() const { return inlet_K_; }
  /// How it is expected to move until then: as the supply moved over the last macro step, K/s.
  std::span<const double> inlet_K_per_s() const { return inlet_K_per_s_; }
  /// Largest |mean supply − what had been expected| of the last macro step, K: too much, and steps should be shorter.
  double miss_K() const { return miss_K_; }
  Tick macro_begin() const { return macro_begin_; }
  double mean_inlet_K() const;
  double air_J_per_m3_K() const { return air_J_per_m3_K_; }

  /// Means of the last macro step (heat-weighted over halls where there are several).
  struct Means {
    double outdoor_drybulb_K = 0, outdoor_wetbulb_K = 0, supply_K = 0, inlet_K = 0, hot_aisle_K = 0;
    double plant_W = 0, water_kg_per_s = 0, capacity_margin_frac = 0;
    template <class A>
    void archive(A& a) {
      a(outdoor_drybulb_K, outdoor_wetbulb_K, supply_K, inlet_K, hot_aisle_K, plant_W, water_kg_per_s, capacity_margin_frac);
    }
  };
  const Means& means() const { return means_; }
  struct Books {
    CompensatedSum electric, heat_in, fan, heat_out, stored, water_kg;
    template <class A>
    void archive(A& a) {
      a(electric, heat_in, fan, heat_out, stored, water_kg);
    }
  };
  const Books& books() const { return books_; }
  template <class A>
  void archive(A& a) {
    a(halls_, given_, inlet_K_, inlet_K_per_s_, miss_K_, macro_begin_, air_J_per_m3_K_, means_, books_);
  }

 private:
  struct Hall {
    std::shared_ptr<const cooling::CoolingPlant> plant;
    std::unique_ptr<cooling::PlantWorkspace> workspace;
    std::vector<double> state;
    double supply_K = 0, supply_K_per_s = 0, hot_aisle_K = 0;
    template <class A>
    void archive(A& a) {
      a(state, supply_K, supply_K_per_s, hot_aisle_K);
    }
  };
  struct Given {  // by the servers of one hall
    std::size_t hall;
    Tick begin, end;
    double heat_W, flow_m3_per_s;
    template <class A>
    void archive(A& a) {
      a(hall, begin, end, heat_W, flow_m3_per_s);
    }
  };
  void start(Hall& h, const cooling::PlantInput& input);
  void set_inlets(Tick now);
  const Fleet& fleet_;
  const cooling::Weather& weather_;
  std::vector<Hall> halls_;
  std::vector<Given> given_;
  std::vector<double> inlet_K_, inlet_K_per_s_;
  double miss_K_ = 0;
  Tick macro_begin_ = 0;
  double air_J_per_m3_K_ = 0;
  Means means_;
  Books books_;
};

}  // namespace tidewatt::sim
