#pragma once
#include <functional>
#include <string>
#include <vector>

#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// One key that two scenarios have differently, as TOML text; "" where one does not have it.
struct KeyChange {
  /// `job.main.plan.tp`; a value inside a catalog entry reads `hall.a.gpu: power.tdp_W`; a table or list item that only one
  /// scenario has is one change: `mitigation.battery`.
  std::string key;
  std::string before, after;
  bool behind_name = false;  ///< not written in the scenario, but in the catalog entry that it names
};

/// One figure of the summary in both.
struct FigureChange {
  std::string name;  ///< ends with its unit
  double before = 0.0, after = 0.0;
  /// What each written change does alone, from the first scenario on, [key] in the order of `Comparison::keys`; NaN where
  /// it cannot run alone. The rest of the whole change comes from interactions.
  std::vector<double> alone;
};

struct Comparison {
  std::vector<KeyChange> keys;
  std::vector<FigureChange> figures;  ///< that changed, largest relative change first
  std::string text() const;           ///< as a report of some lines
};

/// Runs two scenarios, and the first with each single change of the second, and reports what differs and its effect.
/// Random draws are common to all (the first scenario's seed, unless the seed is what differs).
/// @param alone false: only the two runs
/// @param stop checked between steps: true ends it with a std::runtime_error
/// @throws InputError, SolverError, RefusedError as `sim::run` of either
Comparison compare(const std::string& before, const std::string& after, const sim::LoadOptions& options = {},
                   bool alone = true, const std::function<bool()>& stop = {});

/// The keys alone, without running. @throws InputError
std::vector<KeyChange> changed_keys(const std::string& before, const std::string& after,
                                    const sim::LoadOptions& options = {});

}  // namespace TIDEWATT_NAMESPACE::study
