#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "tidewatt/base/node.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE {

/// What could be read of a TOML text with syntax errors.
struct RecoveredToml {
  Node root;                      ///< the text without the lines in error
  std::vector<Finding> findings;  ///< the syntax errors, in the order of the text; empty: `root` is the whole text
  /// Whether a finding of a reader may only be there because lines are missing: a key of an erroneous line, or any
  /// missing key where a table's header is lost.
  bool explains(const Finding& finding) const;
  std::vector<std::string> lost_keys;  ///< keys of the lines in error, [n]
  bool lost_table = false;             ///< whether a table was left out because of its header
};

/// Parses TOML text; after a syntax error it continues without that line, or without the table whose header is in error. At
/// most 5 errors, so that one open bracket does not cause a page of them; a text above 256 KiB ends at its first.
RecoveredToml recover_toml(std::string_view text, const std::string& file);

}  // namespace TIDEWATT_NAMESPACE
