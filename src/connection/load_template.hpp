#pragma once
#include <vector>

#include "fleet/fleet_step.hpp"

namespace TIDEWATT_NAMESPACE::connection {

/// The site's load over one repetition: energy in 1 ms bins from its start (the last bin may be shorter) and the exact
/// extremes over edges.
struct LoadTemplate {
  Tick period = 0;
  std::vector<double> bin_J;
  double min_W = 0.0, max_W = 0.0;
  /// Energy of one repetition.
  double total_J() const;
  template <class A>
  void archive(A& a) {
    a(period, bin_J, min_W, max_W);
  }
};

/// The site's load as exact steps: `edge[i]` to `edge[i+1]` at `load_W[i]`; classes' edges at the same tick are merged.
struct LoadEdges {
  std::vector<Tick> edge;
  std::vector<double> load_W;
};
/// @param power [class][segment], W, summed over each class's nodes
LoadEdges make_load_edges(const workload::Timeline& timeline, const fleet::ClassPower& power);

/// Sums all classes' piecewise-constant powers. Every edge lands in its bin with its exact share.
LoadTemplate make_load_template(const workload::Timeline& timeline, const fleet::ClassPower& power);
LoadTemplate make_load_template(const LoadEdges& edges);  ///< the same from steps

/// A template and its number of repetitions.
struct LoadPiece {
  LoadTemplate load;
  std::int64_t repetitions = 1;
};
/// A constant state, divided so that a long constant load is a repeated second, which need not pass bin by bin.
std::vector<LoadPiece> make_held_load(const workload::Timeline& timeline, const fleet::ClassPower& power);

}  // namespace TIDEWATT_NAMESPACE::connection
