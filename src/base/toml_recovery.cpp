#include "tidewatt/base/toml_recovery.hpp"

#include <algorithm>

#include "tidewatt/base/text.hpp"

namespace tidewatt {
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
  std::string rest(text);
  const std::size_t most = text.size() > long_text_B ? 1 : most_errors;
  while (out.findings.size() < most) {
    try {
      out.root = parse_toml(rest, file);
      return out;
    } catch (const InputError& e) {
      const Finding& f = e.findings().front();
      out.findings.push_back(f);
      if (lines.empty()) lines = split(text, '\n');
      // The parser names the line after one that lacks its end.
      std::size_t at = f.place.line == 0 ? lines.size() : f.place.line - 1;
      if (at < lines.size() && at > 0 && lines[at].empty()) --at;
      if (at >= lines.size() || lines[at].empty()) break;
      leave_out(lines, at, out);
      rest = joined(lines);
    }
  }
  out.root = Node{Node::Table{}, {file, 0, 0}};
  out.lost_table = true;
  return out;
}

}  // namespace tidewatt
