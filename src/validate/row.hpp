#pragma once
#include <filesystem>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::validate {

enum class Verdict { pass, fail, skipped, calibrated };

/// One published result compared with the model: inputs in `what`, the published interval, what tidewatt gives.
/// error = (got − nearest end of the expected interval) / |that end|, 0 inside it; pass where |error| ≤ tolerance.
/// A row with an absolute tolerance (`absolute`) carries its error in the row's unit instead.
struct Row {
  std::string id;                                  ///< as in the validation list, e.g. "W3/39.1B"
  std::string what;                                ///< the inputs, in words
  std::string unit;                                ///< of expected and got, e.g. "s", "TF", "degC", "%"
  double expected_low = 0.0, expected_high = 0.0;  ///< equal where one value is published
  double got = 0.0;
  double tolerance = 0.0;  ///< fraction, or in `unit` where `absolute`
  bool absolute = false;
  double error = 0.0;
  Verdict verdict = Verdict::skipped;
  std::string source;  ///< key in docs/references.bib, or the publication
  std::string note;    ///< why it falls short, why it was skipped, what was fitted
  double p05 =
      std::numeric_limits<double>::quiet_NaN();  ///< ends of the 90 % band of a blind row, in `unit`; NaN: none
  double p95 = std::numeric_limits<double>::quiet_NaN();
};

/// One value with a relative tolerance.
Row against(std::string id, std::string what, std::string unit, double expected, double got, double tolerance_frac,
            std::string source, std::string note = "");
/// An interval: inside passes; outside, the distance to its nearer end counts against `tolerance_frac` (0: none allowed).
/// @param low, high, got in `unit`
Row within(std::string id, std::string what, std::string unit, double low, double high, double got,
           double tolerance_frac, std::string source, std::string note = "");
/// One value with a tolerance in the row's own unit.
Row within_absolute(std::string id, std::string what, std::string unit, double expected, double got, double tolerance,
                    std::string source, std::string note = "");
/// A yes or no: expected 1, got 1 or 0.
Row holds(std::string id, std::string what, bool held, std::string source, std::string note = "");
/// A row whose measurement file is absent.
Row skipped(std::string id, std::string what, std::string source, std::string why);
/// A row whose data set a parameter: shown, never counted as a prediction.
Row calibrated(Row row, std::string note);

std::string_view name(Verdict v);  ///< "pass", "fail", "skipped", "calibrated"

struct Context {
  std::filesystem::path data;  ///< folder of measurement files; rows whose files are absent are skipped
  /// Ids of the rows that are asked for; a part that computes each row on its own leaves out the others, and what only their notes
  /// say. Empty: all.
  std::set<std::string, std::less<>> only{};
  /// Whether a row is asked for.
  bool wants(std::string_view id) const { return only.empty() || only.contains(id); }
};

/// Rows that belong together and share their runs.
using Part = std::vector<Row> (*)(const Context&);
struct NamedGroup {
  std::string_view
      name;  ///< "workload", "power", "chips", "thermal", "diurnal", "plant", "grid", "racks", "evidence", "references"
  std::vector<Part> parts;
  /// Of all parts, in their order.
  std::vector<Row> rows(const Context& context) const;
};
/// All groups in a fixed order.
std::vector<NamedGroup> groups();

}  // namespace TIDEWATT_NAMESPACE::validate
