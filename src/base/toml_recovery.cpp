#include "toml_recovery.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "text.hpp"

namespace TIDEWATT_NAMESPACE {
namespace {

constexpr std::size_t most_errors = 5;
constexpr std::size_t long_text_B = 256u << 10;  ///< longer than any scenario that a person writes: parsed once

bool is_header(std::string_view line) { return trim(line).starts_with('['); }

/// Empties the line in error, and the rest of the table if it is a table's header.
void leave_out(std::vector<std::string>& lines, std::size_t at, RecoveredToml& out) {
  if (!is_header(lines[at])) {
    const std::string_view key = trim(std::string_view(lines[at]).substr(0, lines[at].find('=')));
    out.lost_keys.emplace_back(key.substr(key.rfind('.') + 1));
    lines[at].clear();
    return;
  }
  out.lost_table = true;
  do lines[at++].clear();
  while (at < lines.size() && !is_header(lines[at]));
}

/// Brackets that a line opens less those that it closes, texts and comments left out.
int open_brackets(std::string_view line) {
  int open = 0;
  char quote = 0;
  for (const char c : line) {
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      break;
    } else {
      open += (c == '[' ? 1 : 0) - (c == ']' ? 1 : 0);
    }
  }
  return open;
}

/// The line above `at` whose key opens a list that nothing closes before `at`; `at` if there is none.
std::size_t list_opener(const std::vector<std::string>& lines, std::size_t at) {
  int open = 0;
  for (std::size_t i = at; i-- > 0;) {
    open += open_brackets(lines[i]);
    if (open > 0) return lines[i].find('=') < lines[i].find('[') ? i : at;
  }
  return at;
}

/// Message for a list without an end, in place of the parser's message about a later line.
Finding unclosed_list(std::vector<std::string>& lines, std::size_t opener, std::size_t at, const Finding& f,
                      RecoveredToml& out) {
  const std::string_view line = lines[opener];
  const std::string key(trim(line.substr(0, line.find('='))));
  out.lost_keys.push_back(key.substr(key.rfind('.') + 1));
  for (std::size_t i = opener; i < at; ++i) lines[i].clear();
  return {{f.place.file, static_cast<std::uint32_t>(opener + 1), 1},
          "",
          fmt::format("the list of '{}' has no closing ']' before line {}", key, at + 1)};
}

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const auto& line : lines) out += line + "\n";
  return out;
}

}  // namespace

bool RecoveredToml::explains(const Finding& finding) const {
  if (!finding.message.starts_with("missing")) return false;
  const std::string key = finding.key.substr(finding.key.rfind('.') + 1);
  return lost_table || std::find(lost_keys.begin(), lost_keys.end(), key) != lost_keys.end();
}

RecoveredToml recover_toml(std::string_view text, const std::string& file) {
  RecoveredToml out;
  std::vector<std::string> lines;
  std::string mended;
  std::string_view rest = text;
  while (out.findings.size() < most_errors) {
    try {
      out.root = parse_toml(rest, file);
      return out;
    } catch (const InputError& e) {
      const Finding& f = e.findings().front();
      if (text.size() > long_text_B) {
        out.findings.push_back(f);
        break;
      }
      if (lines.empty()) lines = split(text, '\n');
      // The parser names the line after one that lacks its end.
      std::size_t at = f.place.line == 0 ? lines.size() : f.place.line - 1;
      if (const std::size_t opener = list_opener(lines, std::min(at, lines.size()));
          opener < std::min(at, lines.size())) {
        out.findings.push_back(unclosed_list(lines, opener, std::min(at, lines.size()), f, out));
        mended = joined(lines), rest = mended;
        continue;
      }
      out.findings.push_back(f);
      if (at < lines.size() && at > 0 && lines[at].empty()) --at;
      if (at >= lines.size() || lines[at].empty()) break;
      leave_out(lines, at, out);
      mended = joined(lines), rest = mended;
    }
  }
  out.root = Node{Node::Table{}, {file, 0, 0}};
  out.lost_table = true;
  return out;
}

}  // namespace TIDEWATT_NAMESPACE
