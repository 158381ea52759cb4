#pragma once
// Private to study: the runs of many fleets that explain_swing() compares.
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "explain_swing.hpp"

namespace TIDEWATT_NAMESPACE::study::detail {

/// Whether every seed gives a scenario the same run: chips and racks are identical, and neither failures, scatter of iterations, slow hosts,
/// generated years of weather nor recorded neighbours are drawn.
bool drawn_alike(const sim::Scenario& scenario);

/// Mean of x over fleets, and its standard error. @param x [fleet], at least one
FleetMean over_fleets(std::span<const double> x);

/// What a run is compared by.
struct SwingFigures {
  double swing_percent = 0.0, tokens_per_s = 0.0, MW = 0.0, fall_MW_per_s = 0.0;
};
/// Those of a run's summary, in the units of its keys.
SwingFigures swing_figures(const sim::Result& result);

/// One variant of the run, with every fleet.
struct VariantRuns {
  std::string name, how;                ///< of the first fleet
  std::vector<SwingFigures> of_fleets;  ///< [fleet]
};
/// The run and all its variants, with every fleet.
struct PairedRuns {
  std::vector<SwingFigures> base;  ///< [fleet], the run's own first
  std::vector<VariantRuns> causes, levers;
  std::vector<std::string> notes;
};
/// Runs them, fleet by fleet, without what is only measured for rules. @param base of the scenario itself  @param progress as of explain_swing
PairedRuns paired_runs(const sim::Scenario& scenario, const sim::Result& base, const ExplainOptions& options,
                       const std::function<void(const std::string&)>& progress);

}  // namespace TIDEWATT_NAMESPACE::study::detail
