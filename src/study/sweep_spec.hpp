#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// One thing that a sweep varies. Values are in the unit that the key's suffix names, as `--set` takes them.
struct Variable {
  std::string name;                 ///< heading of its column
  std::vector<std::string> keys;    ///< scenario key paths that all get the value
  std::vector<std::string> values;  ///< as TOML text; empty: a range
  double low = 0.0, high = 0.0;     ///< of a range, in the key's edge unit
  std::string scale = "linear";     ///< linear | log: how a range is divided
  bool whole = false;               ///< round to whole numbers
  std::int64_t n_point = 0;         ///< points of a range in a grid, ends included
  void fields(FieldVisitor& v);

  /// The value at `u` in [0, 1) of the variable, as TOML text: a list's item, or low + u (high - low), or the same of
  /// the logarithm.
  std::string at(double u) const;
  /// Whether its values are texts, which have no order.
  bool is_text() const;
  /// What a tornado runs, as TOML text: the values at both ends, [2]; of texts each of them, [n].
  std::vector<std::string> ends() const;
};

/// A sweep as read from its file. Checked; nothing is read from the scenario yet.
struct SweepSpec {
  std::string scenario;              ///< path of the base scenario, resolved
  std::string mode;                  ///< grid | list | latin_hypercube | sobol | sobol_indices | tornado | monte_carlo
  std::int64_t n_case = 0;           ///< points; of sobol_indices the base sample n of (k + 2) n cases
  std::int64_t seed = 1;             ///< of the sampling; the random draws of every case use the scenario's run.seed
  bool keep_results = false;         ///< also each case's full result file
  std::vector<std::string> outputs;  ///< figures of the summary to keep; empty: all
  std::vector<std::string> set;      ///< overrides of every case, key=value
  std::vector<Variable> variables;
  std::vector<std::vector<std::string>> cases;  ///< of mode list: key=value pairs of each case
  void fields(FieldVisitor& v);
};

/// What the caller adds to the file: command-line options and arguments of `tw.sweep`.
struct SweepOptions {
  std::string scenario;  ///< wins over the file's; the user's own path
  std::string mode;      ///< wins over the file's
  sim::LoadOptions load;
};

/// Reads a sweep file (TOML). A scenario file instead of a sweep file is a sweep of that scenario over all its assumed
/// inputs (then `options.mode` says how: tornado, monte_carlo or sobol_indices).
/// @throws InputError with every finding
SweepSpec read_sweep(const std::string& path, const SweepOptions& options = {});

/// The same from a parsed table. @param folder that paths inside are below  @throws InputError with every finding
SweepSpec read_sweep(const Node& root, const std::string& folder, const SweepOptions& options = {});

}  // namespace TIDEWATT_NAMESPACE::study
