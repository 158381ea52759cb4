#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ledger.hpp"
#include "row.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// How wrong the model is in an area, by the first errors of all other sources.
struct NamedError {
  double sigma = 0.0;        ///< of ln(got/expected), or in the row's unit where its tolerance is
  std::size_t n_source = 0;  ///< sources that it rests on, a count
  std::string area;          ///< whose rows they are; "all areas" where fewer than three sources of the area are left
};
/// Root mean square over sources of each source's mean square of first errors, without the row's own source. Blind rows alone where
/// three sources of them are left, else blind and seen ones.
/// @param unit of an error in the row's own unit; empty: errors are fractions
NamedError named_error(const std::vector<LedgerLine>& lines, std::string_view area, std::string_view source,
                       std::string_view unit);
/// Factor of sigma at the ends of a 90 % band when sigma itself comes from n sources: 95 % quantile of Student's t with n degrees of
/// freedom, by its expansion in 1/n (0.02 off at n = 3).
double band_factor(std::size_t n_source);

/// Standard deviation of each row, of its logarithm or in its unit, over replays with the catalog's conditioned draws.
/// @param rows whose groups are replayed
std::map<std::string, double> draw_spread(const std::vector<Row>& rows, Group group, const Context& context);

/// Puts p05 and p95 into the blind rows of a group, and into their notes what the band rests on:
///
///     got · exp(∓ t √(σ_model² + σ_draw²)),  or  got ∓ t √(…)  where the tolerance is in the row's unit
void add_bands(std::vector<Row>& rows, Group group, const Context& context);

}  // namespace TIDEWATT_NAMESPACE::validate
