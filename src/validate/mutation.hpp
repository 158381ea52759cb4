#pragma once
#include <string>
#include <vector>

#include "declared_key.hpp"
#include "row.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// A passing row with its declared key at another value.
struct Mutation {
  std::string id, group, entry, key;
  double factor = 0.0;
  double moved = 0.0;       ///< change of the error, in the unit of its tolerance
  double elasticity = 0.0;  ///< ln(got'/got) / ln(factor), dimensionless; NaN: none
  bool red = false;         ///< the row fails, and its error moved by more than its tolerance
  std::string why_not;      ///< reason where no key is declared or the row could not be computed
};

/// Computes each passing row once more with its key times its factor. Rows that share key and factor share the computation.
/// @param keys as `declared_keys()`  @param share of the computations, every n-th, 0 to 1
/// @return a line for every passing row; with a share below 1 for the rows of the chosen computations
std::vector<Mutation> mutated(const std::vector<NamedGroup>& groups, const Context& context,
                              const std::vector<DeclaredKey>& keys, double share);
/// For people, a line per row.
std::string mutation_text(const std::vector<Mutation>& rows);
/// One JSON object with count, red and rows.
std::string mutation_json(const std::vector<Mutation>& rows);

}  // namespace TIDEWATT_NAMESPACE::validate
