#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "entry_base.hpp"
#include "fit_entry.hpp"
#include "fit_log.hpp"
#include "fit_tables.hpp"
#include "fit_telemetry.hpp"

// What the fits to tables share; each of `fit_…_table` is one of them.
namespace TIDEWATT_NAMESPACE::study::table_fit {

/// Columns of one table by name. A missing optional column, and every empty cell, is NaN.
class Columns {
 public:
  explicit Columns(const std::string& file);
  /// @throws InputError if none of the names is there
  std::vector<double> needed(std::initializer_list<const char*> names) const;
  std::vector<double> optional(std::initializer_list<const char*> names) const;
  bool has(std::initializer_list<const char*> names) const { return table_.column(names) >= 0; }
  std::vector<std::string> words(std::initializer_list<const char*> names) const;  ///< empty without such a column
  std::vector<double> time_s() const;  ///< row numbers where there is no column that begins with `time`
  const std::string& file() const { return table_.file; }

 private:
  std::vector<double> numbers(std::ptrdiff_t column) const;
  TextTable table_;
};

/// Entry, text and residuals of a fit whose values are keys of its base.
class EntryMaker {
 public:
  EntryMaker(const EntryBase& base, const FitTableOptions& options);
  /// Says a fit and keeps its values. @param keys  fitted key → the entry's; values that are not in it or not identified stay the base's
  void add(const std::string& title, const Posterior& fit, std::span<const double> time_s, const char* unit,
           const std::vector<std::pair<std::string, std::string>>& keys);
  /// Says a fit of one of several GPUs, whose type is added later.
  void add_gpu(const std::string& gpu, const Posterior& fit, std::span<const double> time_s, const char* unit);
  void add_values(const std::vector<FitValue>& values, const std::vector<std::pair<std::string, std::string>>& keys);
  void write(FittedValue value) { values_.push_back(std::move(value)); }
  void say(const std::string& line) { out_.text += line + "\n"; }
  const std::string& source() const { return source_; }
  FittedEntry done();

 private:
  const EntryBase& base_;
  FittedEntry out_;
  std::vector<FittedValue> values_;
  std::string source_;
};

FittedEntry clocks(const FitTableOptions& options);
FittedEntry limiter(const FitTableOptions& options);
FittedEntry server(const FitTableOptions& options);
FittedEntry rows(const FitTableOptions& options);
FittedEntry feeder(const FitTableOptions& options);
FittedEntry plant(const FitTableOptions& options);
FittedEntry failures(const FitTableOptions& options);
FittedEntry jitter(const FitTableOptions& options);

}  // namespace TIDEWATT_NAMESPACE::study::table_fit
