#pragma once
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "tidewatt/sim/result.hpp"
#include "tidewatt/study/case_list.hpp"
#include "tidewatt/study/case_record.hpp"

namespace tidewatt::study {

/// A column: text, or numbers with NaN where a case has none.
struct Column {
  std::string name;
  std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<std::string>> values;
};

/// One row per case: the varied keys first, then case, status ("ok" | "failed"), error, then the figures in the order of
/// the summary. A list of pairs becomes a column per pair (`limiter_share.power`). Equal cases give equal tables, bit for
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

/// @param finished by case number; all that `list.same_as` refers to  @throws InputError if one is missing
SweepTable make_table(const CaseList& list, const std::map<std::size_t, CaseRecord>& finished);

/// RFC 4180 with a heading; numbers as the shortest text that reads back the same, nothing where there is none.
std::string to_csv(const SweepTable& table);

/// The table as result arrays `/table/<column>` over the dimension `case`, for io::hdf5_image.
sim::Result to_result(const SweepTable& table);

}  // namespace tidewatt::study
