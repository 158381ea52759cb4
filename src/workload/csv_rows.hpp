#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::workload {

/// A field of a CSV line: its text without quotes, and the 1-based column (in bytes) where it begins.
struct CsvField {
  std::string text;
  std::uint32_t column = 0;
};

/// Splits CSV text into lines and fields: commas, optional double quotes ("" inside them is one), LF or CRLF ends.
/// No line breaks inside quotes. What is wrong is added to `findings`; at most `max_findings` are kept and the rest is
/// counted.
class CsvRows {
 public:
  CsvRows(std::string_view text, std::string file);
  /// The next line that is not empty; false at the end of the text.
  bool next(std::vector<CsvField>& fields);
  std::uint32_t line() const { return line_; }
  void report(std::uint32_t column, const std::string& key, std::string message);
  /// @throws InputError if anything was reported
  void finish();

 private:
  static constexpr std::size_t max_findings = 100, max_line_bytes = 1u << 20;
  void read_field(std::string_view line, std::size_t& at, CsvField& field);
  std::string_view rest_;
  std::string file_;
  std::uint32_t line_ = 0;
  std::vector<Finding> findings_;
  std::size_t more_ = 0;
};

}  // namespace TIDEWATT_NAMESPACE::workload
