#pragma once
// Private to study: which GPUs of a fleet may be its slowest or hottest, from one run of another fleet.
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/build_fleet.hpp"
#include "sim/fleet_clocks.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::study::detail {

/// What decides, besides its chips, what a node may be exchanged for: nodes of a class do the same work in the same air.
struct NodePlaces {
  std::vector<std::uint32_t> order;  ///< as sim::placed_nodes
  std::vector<std::size_t> job;      ///< [node of jobs] a job's number
  std::vector<std::size_t> first;    ///< [job] its first node
  /// [node of jobs] class: job, hall and pipeline stage; with fans in steps also whether their tables hold on to even or odd degrees
  std::vector<std::size_t> of;
  std::vector<std::size_t> stock;  ///< [class] job and hall: classes of one stock differ by their level alone
  std::size_t n_class = 0, n_gpu_per_node = 8;
  std::size_t n_node() const { return of.size(); }
};
/// Places of a checked scenario's jobs. @throws InputError for jobs that cannot be placed
NodePlaces node_places(const sim::Scenario& scenario);

/// What moves a GPU's clock and temperature, dimensionless: with x_v = voltage offset ÷ 10 mV, x_l = ln leakage ratio, x_r = ln resistance
/// ratio, x_n = mean and x_m = largest of x_r over its node, x_c = recirculation, x_s = 1 in the rear row of its server:
///
///     x_v, x_l, x_r, x_n, x_m, x_c, x_s and the products of the first three
inline constexpr std::size_t n_feature = 13;
using Features = std::array<double, n_feature>;
/// Of the GPUs of one node. @param draws of the fleet  @param node in the order of the occupants
void features_of(const sim::FleetDraws& draws, std::size_t node, std::span<Features> out);

/// A quantity of GPUs, linear in their features, with an own level in every class of nodes.
class Response {
 public:
  /// Least squares over the GPUs; then once more over the tenth at the far end by the first fit.
  /// @param y [gpu of jobs] in any unit; NaN: not known  @param low the far end is the low one
  Response(const NodePlaces& places, const sim::FleetDraws& draws, std::span<const double> y, bool low);
  /// In the unit of y. @param x of a GPU, dimensionless
  double at(std::size_t of_class, const Features& x) const;
  /// Of a nominal GPU in the front row without recirculation, in the unit of y.
  double level(std::size_t of_class) const { return level_[of_class]; }

 private:
  std::vector<double> level_;  ///< [class]
  Features slope_{};
};

/// A run's GPUs: clocks without waiting for others, Hz, and the highest temperatures of their dies, K.
struct FleetScores {
  Response own_Hz, die_K;
};
/// Of one node: the lowest clock of its GPUs and their hottest die.
struct NodeScore {
  double own_Hz = 0.0, die_K = 0.0;
};
/// @param x [gpu of the node]
NodeScore score_of(const FleetScores& scores, std::size_t of_class, std::span<const Features> x);
/// Fitted to a run. @param draws of its fleet  @param clocks that watched it
FleetScores fleet_scores(const NodePlaces& places, const sim::FleetDraws& draws, const sim::FleetClocks& clocks);

}  // namespace TIDEWATT_NAMESPACE::study::detail
