#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "error_scale.hpp"
#include "ledger.hpp"
#include "row.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// How wrong the model is for rows of a class, by the first errors of all other sources.
struct NamedError {
  double spread = 0.0;       ///< s of ln(got/expected), see error_scale.hpp
  double centre = 0.0;       ///< m of the same, positive where times are too long and rates too low
  std::size_t n_source = 0;  ///< sources that it rests on, a count; 0: too few
  std::size_t n_same = 0;    ///< those with rows of the same class
  std::string whose;         ///< area and class
};
/// The regression of error_scale.hpp without the row's own source.
NamedError named_error(const std::vector<LedgerLine>& lines, const ErrorClass& of, std::string_view source);
/// Half-width of a 90 % band around the centre: the 95 % quantile of Student's distribution of 4 degrees, times s.
/// @returns of ln(got/expected), dimensionless
double half_width(const NamedError& model);

/// Standard deviation of each row, of its logarithm or in its unit, over replays with the catalog's conditioned draws.
/// @param rows of the group, as they are without a draw
std::map<std::string, double> draw_spread(const std::vector<Row>& rows, const NamedGroup& group,
                                          const Context& context);

/// Puts p05 and p95 into the blind rows of a group, and into their notes what the band rests on:
///
///     got · exp(-sign_of m ∓ √(h² + z² σ_draw²));  m: centre, h: half_width, z = 1.645
void add_bands(std::vector<Row>& rows, const NamedGroup& group, const Context& context);

}  // namespace TIDEWATT_NAMESPACE::validate
