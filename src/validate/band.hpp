#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ledger.hpp"
#include "row.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// Rows whose model errors are taken together.
struct ErrorClass {
  std::string area;  ///< of evidence.toml
  std::string name;  ///< by tolerance and software, see bands.toml
};
/// @param tolerance as declared with the row  @param absolute whether it is in the row's unit
ErrorClass error_class(std::string_view row, double tolerance, bool absolute);

/// How wrong the model is in a class, by the first errors of all other sources.
struct NamedError {
  double scale = 0.0;  ///< mean size of ln(got/expected), or of the error in the row's unit where its tolerance is
  std::size_t n_source = 0;  ///< sources of the class that it rests on, a count
  double n_counted = 0.0;    ///< sources that it counts for: those of the class and the weight of the area
  std::string whose;         ///< class and area; "all areas" where fewer than three sources of the area are left
};
/// Each source counts once, by the mean size of its rows' first errors; the row's own source is left out. The class's mean b_c over n
/// sources leans on the area's mean b_a as if that were three more sources:
///
///     b = (n b_c + 3 b_a)/(n + 3)
///
/// Blind rows alone where three sources of them are left in the area, else blind and seen ones.
/// @param unit of an error in the row's own unit; empty: errors are fractions
NamedError named_error(const std::vector<LedgerLine>& lines, const ErrorClass& of, std::string_view source,
                       std::string_view unit);
/// Half-width of a 90 % band whose errors are exponential in size (Laplace: large errors are more frequent than in a normal
/// distribution), with a mean size that comes from n sources itself:  b n (10^{1/n} − 1), from b ln 10 for many sources.
/// @returns of ln(got/expected), or in the row's unit
double half_width(const NamedError& model);

/// Standard deviation of each row, of its logarithm or in its unit, over replays with the catalog's conditioned draws.
/// @param rows of the group, as they are without a draw
std::map<std::string, double> draw_spread(const std::vector<Row>& rows, const NamedGroup& group,
                                          const Context& context);

/// Puts p05 and p95 into the blind rows of a group, and into their notes what the band rests on:
///
///     got · exp(∓ √(h² + z² σ_draw²)),  or  got ∓ √(…)  where the tolerance is in the row's unit;  h: half_width, z = 1.645
void add_bands(std::vector<Row>& rows, const NamedGroup& group, const Context& context);

}  // namespace TIDEWATT_NAMESPACE::validate
