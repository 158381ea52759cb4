#pragma once
// The text side of the EPW reader: lines, fields, findings and the eight header lines.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "epw.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::cooling::epw_text {

/// Findings of one file, 20 at most and a count of the rest.
class Findings {
 public:
  explicit Findings(std::string file) : file_(std::move(file)) {}
  void add(std::size_t line, std::size_t column, std::string_view key, std::string message);
  void throw_if_any();

 private:
  std::string file_;
  std::vector<Finding> findings_;
  std::size_t more_ = 0;
};

/// One line cut at its commas.
struct Line {
  std::size_t number = 0;
  std::string_view text;
  std::vector<std::string_view> fields;
  std::size_t column(std::size_t field) const;  ///< 1-based character column
  std::optional<int> integer(std::size_t field, int lo, int hi, std::string_view what, Findings&) const;
  /// Empty if missing or wrong; wrong ones are reported.
  std::optional<double> value(std::size_t field, double missing, double lo, double hi, std::string_view what,
                              Findings&) const;
  void check_number_or_empty(std::size_t field, Findings&) const;
};

/// Lines of a text from line `first` on; blank lines at the end of the file are left out.
class Rows {
 public:
  Rows(std::string_view text, std::size_t first);
  bool next(Line& line);

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

/// What the last header line announces.
struct Period {
  MonthDay from, to;
  int per_hour = 1;
};

std::optional<Period> read_header(std::string_view& text, EpwYear& year, Findings& findings);
void check_period(const Period& period, EpwYear& year, Findings& findings, std::size_t end_line);

}  // namespace TIDEWATT_NAMESPACE::cooling::epw_text
