#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sweep_spec.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// Key of a run's seed, and heading of its column.
inline constexpr const char* seed_key = "run.seed";

/// What each case of a sweep sets. A pure function of the sweep's file and of the scenario's assumed inputs.
struct CaseList {
  std::vector<std::string> names;  ///< headings of the varied columns, [variable]
  /// As TOML text, "" where a case does not set the key, [case][variable].
  std::vector<std::vector<std::string>> values;
  std::vector<std::vector<std::string>> keys;  ///< scenario keys that get the value, [variable]
  std::vector<std::size_t> same_as;            ///< first case with the same values (itself if first), [case]
  /// Values are numbers and words that are set on the resolved scenario (sim::with_values), not in its text.
  bool resolved = false;
  std::map<std::string, catalog::AssumedInput> words;  ///< inputs of a resolved list that are words, by key path

  std::size_t size() const { return values.size(); }
  /// The overrides of case i < size(), key=value.
  std::vector<std::string> assignments(std::size_t i) const;
  /// The numbers of case i < size() of a resolved list, by key path in the key's unit, of words their places.
  /// @throws InputError for a text that is no such word
  std::map<std::string, double> numbers(std::size_t i) const;
};

/// @param spec with its variables: for tornado and sobol_indices see also `assumed_variables`, for monte_carlo `joint_cases`
/// @param run_seed of the scenario: then each case gets a seed of its own in the last column; absent: all cases keep the scenario's
/// @throws InputError if the modes' limits are exceeded (1,000,000 cases, dimensions of Sobol points)
CaseList list_cases(const SweepSpec& spec, std::optional<std::int64_t> run_seed = {});

/// The seed of case i: run_seed + i, and a million further for each further seed of the sweep, so that sweeps of other seeds share none.
std::int64_t case_seed(std::int64_t run_seed, std::int64_t sweep_seed, std::size_t i);

/// A variable for every assumed input of the scenario whose range or words can be set by its key; those that cannot, and why, go
/// to `left_out`. Their ranges are those of the catalog.
std::vector<Variable> assumed_variables(const sim::Scenario& scenario, const Node& root, const std::string& folder,
                                        const sim::LoadOptions& options, std::vector<std::string>& left_out);

}  // namespace TIDEWATT_NAMESPACE::study
