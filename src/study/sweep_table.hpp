#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "case_list.hpp"
#include "case_record.hpp"
#include "tidewatt/sim/result.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// A column: text, or numbers with NaN where a case has none.
struct Column {
  std::string name;
  std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<std::string>> values;
};

/// One row per case: the varied keys first, then case, status ("ok" | "failed"), error, then the figures in the order of
/// the summary. A list of pairs becomes a column per pair (`limiter_share.power`), a list of whole
/// numbers a text. Equal cases give equal tables, bit for
/// bit, in whatever order and on however many processes they ran.
struct SweepTable {
  std::vector<Column> columns;
  std::size_t n_row = 0;

  /// Null if there is no such column.
  const Column* find(const std::string& name) const;
  /// A figure of all cases. @returns [n_row], NaN where a case failed; its unit is in the name
  /// @throws InputError if it is no column of numbers, with the nearest known name
  std::vector<double> numbers(const std::string& name) const;
};

/// Makes a table of records that come one after the other: a number takes eight bytes of memory, and no record stays.
class TableBuilder {
 public:
  /// @param list of the sweep; must outlive the builder
  explicit TableBuilder(const CaseList& list) : list_(list) {}
  /// The next case, ascending by `record.index`; of equal cases only the first. Nothing is added after a gap.
  void add(const CaseRecord& record);
  /// The table of all cases; the builder is empty then. @throws InputError if a case is missing
  SweepTable finish();

 private:
  bool add_equal_before(std::size_t index);
  void set(const std::string& name, sim::Value value);
  const CaseList& list_;
  std::size_t n_row_ = 0;
  std::vector<Column> figures_;
  std::map<std::string, std::size_t> place_;
  std::vector<std::string> status_, error_;
};

/// RFC 4180 with a heading; numbers as the shortest text that reads back the same, nothing where there is none.
/// @param append takes the text piece by piece
void write_csv(const SweepTable& table, const std::function<void(std::span<const char>)>& append);

/// The table as result arrays `/table/<column>` over the dimension `case`, for io::hdf5_image.
sim::Result to_result(SweepTable table);

}  // namespace TIDEWATT_NAMESPACE::study
