#pragma once
#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fleet/fleet_state.hpp"
#include "fleet/site.hpp"
#include "hall_books.hpp"
#include "outdoor_air.hpp"
#include "outside.hpp"
#include "plant_outages.hpp"
#include "planted_hall.hpp"
#include "rack_flows.hpp"
#include "tidewatt/base/sum.hpp"
#include "tidewatt/cooling/cooling_plant.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// What the servers of one hall gave for a while, means.
struct HeatPulse {
  std::size_t hall;
  Tick begin, end;
  double heat_W, flow_m3_per_s, liquid_W;
  template <class A>
  void archive(A& a) {
    a(hall, begin, end, heat_W, flow_m3_per_s, liquid_W);
  }
};

/// Halls and their plants, once per macro step: collects what the servers give, moves the plant, sets the inlets.
class HallLoop {
 public:
  HallLoop(const Scenario& scenario, const fleet::Fleet& fleet, const cooling::Weather& weather);

  /// What a range of nodes gives from `begin` to `end`: heat and flow, at their means over the step. Steps may reach
  /// beyond the macro step; every macro step takes its share of the time.
  void collect(const fleet::FleetSignals& signals, std::size_t first_node, std::size_t n_node, Tick begin, Tick end);
  /// Puts every plant into equilibrium with the servers' present heat; counts no energy.
  void settle(const fleet::FleetSignals& signals);
  /// Moves every plant over [t0, t1] with the means collected; returns the cooling power, W.
  double advance(Tick t0, Tick t1);
  /// Where every plant would go over [t0, t1] with the last macro step's heat.
  HallForecast forecast(Tick t0, Tick t1) const;
  /// The inlets move so from now on.
  void expect(const HallForecast& forecast);
  /// What has been collected beyond `now`, J: heat on its way into the next macro step.
  double pending_heat_J(Tick now) const;
  /// Coolant at every server for the next macro step, K: air at its front, or liquid at its cold plates.
  std::span<const double> inlet_K() const { return state_.inlet_K; }
  /// How it is expected to move until then, K/s.
  std::span<const double> inlet_K_per_s() const { return state_.inlet_K_per_s; }
  /// For how long from the macro step's begin, s: no longer than is known and as long again, also where a job's step is longer.
  double drifts_for_s() const { return state_.drifts_for_s; }
  /// [node] liquid through the cold plates for the next macro step ÷ their reference flow; 1 in air.
  std::span<const double> flow_frac() const { return state_.flow_frac; }
  /// Takes set points and outdoor air from outside; nothing: their own. @throws InputError if a plant cannot have its set point
  void set_outside(const Outside& given);
  const OutdoorAir& outdoor() const { return outdoor_; }
  /// [node] which have switched themselves off: their plates ask for no flow.
  void see_nodes(std::span<const std::uint8_t> off) { set_live(halls_, fleet_, off); }
  /// The hall of a node as its plant left it, and the share of its plates' flow that a node's rack lets through.
  const PlantedHall& of_node(std::size_t node) const { return halls_[fleet_.node_hall[node]]; }
  double open_frac(std::size_t node, Tick now) const { return flows_.open_frac(node, now); }
  /// Whether parts of the plant of a node's hall are out.
  bool parts_out(std::size_t node, Tick now) const { return outages_.any(fleet_.node_hall[node], now); }
  /// What plants work with has changed from outside: short steps follow, and a plant without memory answers at once.
  void disturb(Tick now);
  /// Whether the site has power from `now` on; without it plants stop and draw nothing.
  void set_power(bool on, Tick now) { state_.powered = on, state_.power_changed = now; }
  /// Next time at which parts of a plant fail or return; the largest tick: never.
  Tick next_edge(Tick now) const { return outages_.next_edge(now); }
  /// When they last did, or the site's power last ended or came back; −1: never yet.
  Tick last_edge(Tick now) const { return std::max(outages_.last_edge(now), state_.power_changed); }
  /// Largest |mean supply − what had been expected| of the last macro step, K: too much, and steps should be shorter.
  double miss_K() const { return state_.miss_K; }
  Tick macro_begin() const { return state_.macro_begin; }
  /// That a hall's plant supplies now: air, or the liquid for its cold plates.
  double coolant_K(std::size_t hall) const {
    return halls_[hall].liquid_asked_kg_per_s > 0.0 ? halls_[hall].coolant_K : halls_[hall].supply_K;
  }
  /// [hall] volumetric heat capacity of the air that its plant supplies.
  std::span<const double> air_J_per_m3_K() const { return state_.air_J_per_m3_K; }
  /// [hall] how that is expected to move until the next macro step.
  std::span<const double> air_J_per_m3_K_per_s() const { return state_.air_J_per_m3_K_per_s; }

  const HallMeans& means() const { return state_.means; }
  const HallBooks& books() const { return state_.books; }
  template <class A>
  void archive(A& a) {
    a(halls_, state_);
  }

 private:
  /// The plant's own step. @throws SolverError with hall, time, key and events if the result is not finite
  cooling::PlantStep move(std::size_t hall, std::span<double> state, const cooling::PlantInput& given, Tick t0, Tick t1,
                          cooling::PlantWorkspace& workspace) const;
  /// The same for a hall's own plant over a macro step, in steps that are not too long for it.
  cooling::PlantStep move_through(std::size_t hall, const PlantDemand& give, Tick t0, Tick t1);
  void start(std::size_t hall, const cooling::PlantInput& input);
  void set_inlets(Tick now);
  cooling::PlantInput input(std::size_t hall, const PlantDemand& give, const cooling::WeatherSample& outdoor,
                            Tick t) const;
  /// In the weather from `begin` to `end`.
  cooling::PlantInput input(std::size_t hall, const PlantDemand& give, Tick begin, Tick end) const;
  const Scenario& scenario_;
  double base_s_;  ///< the scenario's macro step
  const fleet::Fleet& fleet_;
  OutdoorAir outdoor_;
  PlantOutages outages_;
  RackFlows flows_;
  std::vector<PlantedHall> halls_;
  struct State {
    std::vector<double> inlet_K, inlet_K_per_s, flow_frac;     ///< [node]
    std::vector<double> air_J_per_m3_K, air_J_per_m3_K_per_s;  ///< [hall]
    std::vector<HeatPulse> given;
    bool powered = true;
    Tick power_changed = -1;  ///< −1: never
    double miss_K = 0, drifts_for_s = 0.0;
    Tick macro_begin = 0;
    HallMeans means;
    HallBooks books;
    template <class A>
    void archive(A& a) {
      auto& [inlet, drift, flow, air, air_drift, pending, on, changed, missed, drifts, begin, mean, energies] = *this;
      a(inlet, drift, flow, air, air_drift, pending, on, changed, missed, drifts, begin, mean, energies);
    }
  } state_;
};

}  // namespace TIDEWATT_NAMESPACE::sim
