#include "psse_dyr.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <optional>
#include <utility>

#include "base/outside_text.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "psse_text.hpp"

namespace TIDEWATT_NAMESPACE::grid {

std::vector<DyrRecord> parse_dyr(std::string_view text, const std::string& name) {
  std::vector<DyrRecord> out;
  std::vector<Finding> findings;
  std::vector<std::string> words;
  std::string word;
  std::uint32_t line = 1, first = 0;
  PsseQuote quote;
  bool open = false;
  const auto close = [&] {
    if (open) words.emplace_back(trim(word));
    word.clear();
    open = false;
  };
  const auto end_record = [&] {
    close();
    if (words.empty()) return;
    const auto bus = psse_number(words[0]);
    if (words.size() < 3 || !bus || *bus != std::floor(*bus))
      findings.push_back({{name, first, 0}, words[0], "a record begins with bus, 'MODEL' and unit"});
    else
      out.push_back({{name, first, 0},
                     static_cast<std::int64_t>(*bus),
                     printable(words[1]),
                     printable(words[2]),
                     {words.begin() + 3, words.end()}});
    words.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n' && quote.open()) {
      findings.push_back({{name, line, 0}, "", "a quote that its line does not close"});
      quote = {};
    }
    if (c == '\n') ++line;
    if (!quote.open() && c == '/' && i + 1 < text.size() && text[i + 1] == '/' && words.empty() && !open) {
      while (i < text.size() && text[i] != '\n') ++i;
      ++line;
      continue;
    }
    if (!quote.open() && c == '/') {
      end_record();
      // What follows on the line is a comment.
      while (i + 1 < text.size() && text[i + 1] != '\n') ++i;
    } else if (quote.takes(c, open)) {
      if (!open && words.empty()) first = line;
      open = true;
    } else if (!quote.open() && (c == ',' || std::isspace(static_cast<unsigned char>(c)))) {
      close();
    } else {
      if (!open && words.empty()) first = line;
      open = true;
      word += c;
    }
  }
  close();
  if (!words.empty()) findings.push_back({{name, first, 0}, words[0], "the record does not end with '/'"});
  if (!findings.empty()) throw InputError(std::move(findings));
  return out;
}

std::vector<DyrRecord> read_dyr(const std::string& path) { return parse_dyr(read_text(path, psse_file_limit_B), path); }

double DyrValues::number(std::string_view name, Range range) {
  const double otherwise =
      std::isfinite(range.lo) ? (std::isfinite(range.hi) ? 0.5 * (range.lo + range.hi) : range.lo + 1.0) : 1.0;
  if (next_ >= record_.values.size()) {
    if (!std::exchange(short_, true))
      wrong(name, fmt::format("is missing: the record has {} values", record_.values.size()));
    return otherwise;
  }
  const std::string& word = record_.values[next_++];
  const auto value = psse_number(word);
  if (!value)
    wrong(name, fmt::format("'{}' is not a number", word));
  else if (!(*value >= range.lo && *value <= range.hi))
    wrong(name, fmt::format("{:g} is outside of {:g} to {:g}", *value, range.lo, range.hi));
  else
    return *value;
  return otherwise;
}

int DyrValues::whole(std::string_view name, Range range) {
  const double value = number(name, range);
  if (value != std::floor(value)) wrong(name, fmt::format("{:g} is not a whole number", value));
  return static_cast<int>(value);
}

std::string DyrValues::text(std::string_view name) {
  if (next_ < record_.values.size()) return record_.values[next_++];
  if (!std::exchange(short_, true))
    wrong(name, fmt::format("is missing: the record has {} values", record_.values.size()));
  return {};
}

void DyrValues::wrong(std::string_view name, const std::string& message) {
  findings_.push_back(
      {record_.place, fmt::format("{} {} at bus {}: {}", record_.model, record_.id, record_.bus, name), message});
}

void DyrValues::finish() {
  if (next_ < record_.values.size())
    wrong(record_.values[next_], fmt::format("the record has {} values, expected {}", record_.values.size(), next_));
}

}  // namespace TIDEWATT_NAMESPACE::grid
