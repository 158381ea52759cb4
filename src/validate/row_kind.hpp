#pragma once
#include <string_view>
#include <vector>

#include "row.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// What a row can say about the world.
enum class Kind {
  identity,     ///< a closed form, arithmetic, or inputs read back: cannot be wrong about the world
  conformance,  ///< a standard, a rule or a table, kept as written
  fit,          ///< set a parameter of its own model
  half_fit,     ///< one part of a record predicted from another part
  bound,        ///< one-sided, or an interval wide enough to hold other models too
  simulator,    ///< figures that somebody else's model computed
  blind,        ///< somebody's measurement, two-sided, by which no parameter was set, chosen or kept; see the ledger
  seen,         ///< the same, but the figure was known while the model was made
};
std::string_view name(Kind kind);  ///< the words above
/// All kinds, in their order.
const std::vector<Kind>& kinds();
/// Whether a row is one of a prefix: "W1" is a prefix of "W1" and "W1/rate", not of "W10"; "fit/nodes" is one of "fit/nodes-ac".
bool is_below(std::string_view prefix, std::string_view id);
/// The kind declared for a row's id: that of the longest prefix in the table. @throws std::logic_error if there is none
Kind kind_of(std::string_view id);

}  // namespace TIDEWATT_NAMESPACE::validate
