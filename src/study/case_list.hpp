#pragma once
#include <string>
#include <vector>

#include "sweep_spec.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// What each case of a sweep sets. A pure function of the sweep's file and of the scenario's assumed inputs.
struct CaseList {
  std::vector<std::string> names;  ///< headings of the varied columns, [variable]
  /// As TOML text, "" where a case does not set the key, [case][variable].
  std::vector<std::vector<std::string>> values;
  std::vector<std::vector<std::string>> keys;  ///< scenario keys that get the value, [variable]
  std::vector<std::size_t> same_as;            ///< first case with the same values (itself if first), [case]

  std::size_t size() const { return values.size(); }
  /// The overrides of case i < size(), key=value.
  std::vector<std::string> assignments(std::size_t i) const;
};

/// @param spec with its variables: for tornado, monte_carlo and sobol_indices see also `assumed_variables`
/// @throws InputError if the modes' limits are exceeded (1,000,000 cases, dimensions of Sobol points)
CaseList list_cases(const SweepSpec& spec);

/// A variable for every assumed input of the scenario whose range can be set by its key; those that cannot, and why, go
/// to `left_out`. Their ranges are those of the catalog.
std::vector<Variable> assumed_variables(const sim::Scenario& scenario, const Node& root, const std::string& folder,
                                        const sim::LoadOptions& options, std::vector<std::string>& left_out);

}  // namespace TIDEWATT_NAMESPACE::study
