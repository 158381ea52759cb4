#pragma once
#include <string>
#include <utility>
#include <vector>

#include "grid/rule_book.hpp"
#include "io/read_waveform.hpp"
#include "io/result_origin.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// An answer in both forms: one JSON object or list on one line, and text for people.
struct RuleAnswer {
  std::string json, text;
};

/// The rules of a catalog name, or of the user's own file (a path that ends in .toml or contains a slash).
/// @param overlay catalog folder; empty: none  @throws InputError with everything that is wrong
grid::RuleBook find_rule_book(const std::string& name_or_file, const std::string& overlay);

/// Status in words for a verdict: "proposal, 2026-06-15: not binding".
std::string status_text(const grid::RuleBook& book);

/// Disturbances that the grid caused in a window: from each one's begin until a minute after the voltage is back, s since the
/// start of the run. Rules on ramps and swings do not look at them.
std::vector<std::pair<double, double>> grid_disturbances(const io::Waveform& window, const io::ResultOrigin& origin);

/// Every rule file of the catalog with its status and date. @throws InputError as find_rule_book
RuleAnswer list_rules(const std::string& overlay);

/// A rule file in words. @throws InputError as find_rule_book
RuleAnswer show_rules(const std::string& name_or_file, const std::string& overlay);

struct RuleCheckOptions {
  std::string rule;           ///< name in the catalog, or a file
  std::string window;         ///< recorded window; empty: the first
  std::string overlay;        ///< catalog folder; empty: none
  double site_W = 0.0;        ///< the site's peak; 0: the window's largest
  double connection_V = 0.0;  ///< voltage at the connection, for thresholds that depend on it; 0: not stated
  bool as_if = false;         ///< judge also if the rule does not apply
};

/// A recorded window of a result file against a rule file (grid/record_check.hpp). Disturbances that the grid caused, and the
/// minute after each, are left out.
/// @param result path (HDF5)  @throws InputError for an unknown rule or window, or a window without samples
RuleAnswer check_rules(const std::string& result, const RuleCheckOptions& options);

}  // namespace TIDEWATT_NAMESPACE::study
