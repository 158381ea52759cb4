#pragma once
#include <string>
#include <vector>

#include "ledger.hpp"
#include "study/chance.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// How wrong the model was for blind rows that are like a run, each computed for the first time.
struct ModelError {
  std::string headline;              ///< key of the summary
  std::string class_name;            ///< what the rows have in common; empty: no row backs the headline
  std::vector<std::string> rows;     ///< ids, in the ledger's order, [n]
  std::vector<double> logs;          ///< ln(measured / computed) of each row, dimensionless, [n]
  std::vector<std::string> sources;  ///< of each row, [n]
  std::string note;                  ///< why it has no rows, why the class is a coarser one, what was left out
};

/// For each headline of `backed_headlines()`: first errors of the class of blind rows that backs it. A class has rows of one area and
/// quantity. Of these it takes the first that has at least 8 rows from at least 3 sources:
///
/// 1. the run's devices, number formats, kinds of model (dense, experts) and the headline's state (steps of a plan, chips at work);
/// 2. the run's devices;
/// 3. all devices, if the run's have at least one row.
///
/// The third is taken whatever its size. With LedgerLine::error e = computed / measured - 1 (measured: the nearest end of an interval),
///
///     ln(measured / computed) = -ln(1 + e), for throughput by a row in seconds +ln(1 + e)
///
/// Software is no trait: scenarios do not name it. Rows with errors in a unit, and rows that were computed as 0, have no ratio and
/// are left out.
/// @param scenario as Scenario::text  @param without_source key of a source whose rows are left out; empty: none
std::vector<ModelError> model_errors(const std::vector<LedgerLine>& lines, const std::string& scenario,
                                     const std::string& without_source = "");

/// The same as a part of a run's chance: 99 equally likely errors of a row from a source that the class does not have (`predictive`).
/// Iterations err as tokens do, the other way. The note names the classes and the headlines that no row backs; those get nothing added.
study::ChancePart model_part(const std::vector<LedgerLine>& lines, const std::string& scenario);

/// A blind row held to its class without all rows of its own source.
struct CheckedRow {
  std::string row, source;
  std::string own_class;     ///< its class with all rows
  double log = 0.0;          ///< its own ln(measured / computed); infinite where it was computed as 0
  std::string class_name;    ///< class without its source; empty: none of its device is left
  std::size_t n = 0;         ///< rows of that class, a count
  std::size_t n_source = 0;  ///< sources of these, a count
  double
      p05 = 0.0,
      p50 = 0.0,
      p95 = 0.0;  ///< where the next source's log lies by that class (`predictive`), dimensionless; NaN without a class
  std::string note;  ///< as in ModelError
  /// Whether the measured value lies between the quantiles, ends included.
  bool inside() const { return p05 <= log && log <= p95; }
};
/// All blind rows whose errors are ratios, in the ledger's order.
std::vector<CheckedRow> checked_rows(const std::vector<LedgerLine>& lines);
/// As a table: measured over computed less 1, in percent.
std::string checked_text(const std::vector<CheckedRow>& rows);
/// As one JSON object {"model_errors": [...]}: members of CheckedRow, logarithms as they are; what is not finite is null.
std::string checked_json(const std::vector<CheckedRow>& rows);

}  // namespace TIDEWATT_NAMESPACE::validate
