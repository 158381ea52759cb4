#include "csv_rows.hpp"

#include <fmt/format.h>

#include <utility>

namespace TIDEWATT_NAMESPACE::workload {

CsvRows::CsvRows(std::string_view text, std::string file) : rest_(text), file_(std::move(file)) {
  line_ = 1;
  if (text.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);  // spreadsheets write it, as before weather files
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    report(1, "", "begins with a byte order mark of UTF-16; save it as plain UTF-8");
    rest_ = {};
  }
  line_ = 0;
}

void CsvRows::report(std::uint32_t column, const std::string& key, std::string message) {
  if (findings_.size() < max_findings)
    findings_.push_back({{file_, line_, column}, key, std::move(message)});
  else
    ++more_;
}

void CsvRows::finish() {
  if (findings_.empty()) return;
  if (more_ > 0) findings_.push_back({{file_, 0, 0}, "", fmt::format("and {} more findings", more_)});
  throw InputError(std::move(findings_));
}

void CsvRows::read_field(std::string_view line, std::size_t& at, CsvField& field) {
  field.column = static_cast<std::uint32_t>(at + 1);
  field.text.clear();
  if (at >= line.size() || line[at] != '"') {
    const std::size_t end = std::min(line.find(',', at), line.size());
    field.text = line.substr(at, end - at);
    at = end;
    return;
  }
  for (++at; at < line.size(); ++at) {
    if (line[at] != '"') {
      field.text += line[at];
    } else if (at + 1 < line.size() && line[at + 1] == '"') {
      field.text += line[at++];
    } else {
      ++at;
      if (at < line.size() && line[at] != ',') report(field.column, "", "text after a closing quote");
      at = std::min(line.find(',', at), line.size());
      return;
    }
  }
  report(field.column, "", "a quote that is not closed on its line");
}

bool CsvRows::next(std::vector<CsvField>& fields) {
  while (!rest_.empty()) {
    const std::size_t end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
    ++line_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    if (line.size() > max_line_bytes) {
      report(1, "", fmt::format("a line of {} bytes; the limit is {}", line.size(), max_line_bytes));
      continue;
    }
    std::size_t n = 0;
    for (std::size_t at = 0;; ++at) {
      if (n == fields.size()) fields.emplace_back();
      read_field(line, at, fields[n++]);
      if (at >= line.size()) break;
    }
    fields.resize(n);
    return true;
  }
  return false;
}

}  // namespace TIDEWATT_NAMESPACE::workload
