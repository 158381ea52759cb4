#pragma once
// Private to study: the slow and hot nodes of many fleets, side by side in one run.
#include <cstdint>
#include <optional>
#include <vector>

#include "fleet_scores.hpp"

namespace TIDEWATT_NAMESPACE::study::detail {

/// Nodes of one fleet that may have its slowest GPU or its hottest die.
struct ScreenedFleet {
  std::uint64_t seed = 0;
  std::size_t n_for_clock = 0;        ///< nodes, the first ones; the others are looked at for their dies alone
  sim::FleetDraws draws;              ///< of these nodes alone
  std::vector<std::size_t> of_class;  ///< [node] see NodePlaces
  std::vector<std::size_t> job;       ///< [node]
  std::vector<double> slowness;       ///< [node] of its host
};
/// The fleet that a seed draws, and of it the four nodes of each job with the lowest clocks by their scores, and the six with the hottest dies.
ScreenedFleet screened(const sim::Scenario& scenario, const NodePlaces& places, const FleetScores& scores,
                       std::uint64_t seed);

/// What one fleet does, as far as its few nodes decide it.
struct FleetCourse {
  std::vector<std::map<std::int64_t, double>> slowest_Hz;  ///< [job][hour, see FleetClocks] mean over the hour
  double die_K = 0.0;                                      ///< hottest of the run
};

/// The scenario with a larger or smaller fleet: its halls and jobs × num ÷ den, in whole replicas. Nothing where a part of it has a size
/// of its own.
std::optional<sim::Scenario> scaled(const sim::Scenario& scenario, std::int64_t num, std::int64_t den);

/// A run whose nodes are those of many fleets. Each node works as it does in its own fleet: in its class, under the same power limit, in
/// the same supply air. Where its class is full it works in one of almost the same level, and the difference of the levels is added. All
/// replicas are one group, as the slowest ones of a fleet are. What a node cannot see is how slow the other nodes of its own fleet are.
class Screen {
 public:
  /// @param scenario perhaps scaled  @param scores of the classes
  Screen(const sim::Scenario& scenario, const FleetScores& scores);
  /// Takes a fleet's nodes. @returns false, with nothing taken, where one finds no place
  bool take(const ScreenedFleet& fleet);
  /// [fleet taken] @throws as sim::run
  std::vector<FleetCourse> run(std::size_t n_thread) const;

 private:
  struct Taken {
    std::size_t n_for_clock;
    std::vector<std::size_t> node, job;  ///< of the screen
    std::vector<double> slowness, add_Hz, add_K;
  };
  std::optional<std::size_t> place_for(std::size_t of_class) const;
  std::optional<std::size_t> roomiest(std::size_t of_class) const;
  sim::Scenario scenario_;
  const FleetScores& scores_;
  NodePlaces places_;
  sim::FleetDraws draws_;
  std::vector<std::vector<std::size_t>> free_;  ///< [class] nodes, the first one last
  std::vector<Taken> taken_;
};

}  // namespace TIDEWATT_NAMESPACE::study::detail
