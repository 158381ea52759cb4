#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ledger.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// A figure of the summary that rows may back.
struct BackedHeadline {
  const char* key;                      ///< of the summary
  std::vector<std::string_view> areas;  ///< whose rows compare its quantity
  /// The headline's own quantity and what the hardware does meanwhile, as in RowTraits.
  std::string_view quantity, state;
  std::vector<std::string_view> inputs;     ///< parts of the keys of inputs that enter it
  std::vector<std::string_view> rows = {};  ///< rows of other areas that measure what it follows from
};
/// All of them, in the order in which they are printed.
const std::vector<BackedHeadline>& backed_headlines();
/// Whether a row says how wrong a headline is.
/// @param area of the row, from evidence.toml
bool backs(const BackedHeadline& headline, std::string_view area, std::string_view row);

/// A row that compares the same quantity as a headline with a measurement, and was blind when it was computed first.
struct BackingRow {
  std::string row, source, device;
  double first_error = 0.0;  ///< as in LedgerLine
  std::string unit;          ///< of the error; empty: a fraction
};

/// What a headline of a run rests on.
struct Backing {
  std::string headline;            ///< key of the summary
  std::string label;               ///< of it, for people
  std::vector<BackingRow> rows;    ///< blind rows of the headline's areas on the run's devices; empty: no row backs it
  std::vector<BackingRow> fitted;  ///< rows that measure what it follows from, to which an entry has been fitted since
  std::size_t n_other_device = 0;  ///< blind rows of the areas on other devices, a count
  std::vector<std::string> assumed;  ///< of the run's assumed inputs those that could move it
};

/// For each headline: the blind rows behind it and the assumed inputs that could move it.
/// @param scenario text of the run's scenario, which names its catalog entries  @param assumed keys of the run's assumed inputs
std::vector<Backing> backing(const std::vector<LedgerLine>& lines, const std::string& scenario,
                             const std::vector<std::string>& assumed);
/// A line for each headline with rows: their number, the median of their first errors, the three largest; and one that names the
/// headlines that no blind row backs, with the rows to which the entries have been fitted since.
std::string backing_text(const std::vector<Backing>& all);

}  // namespace TIDEWATT_NAMESPACE::validate
