#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "grid/rule_book.hpp"
#include "io/export_file.hpp"
#include "site_load.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// What a filing is made of beside its scenario and its rules.
struct FilingOptions {
  std::string file;                  ///< the scenario's file, as it is named in the texts
  std::vector<std::string> results;  ///< result files of it; without one, figures of a run are listed as open
  std::string window{};              ///< recorded window of each; empty: the first
  LoadSource source{};               ///< settings of the load; empty: what the scenario names
  std::int64_t bus = 1;              ///< of the model records
  bool as_if = false;                ///< judge also if the rules do not apply to the site
  /// Between connection and load, "wye_wye" or "delta_wye", for sags of one and two phases; empty: not stated.
  std::string transformer{};
};

/// One line of the data sheet.
struct DataSheetRow {
  std::string field, value, unit, method, input;
  std::string span = "always";  ///< part of the run that it is taken from
};

/// A folder to be filed, ready to be written.
struct FilingPack {
  std::vector<io::ExportFile> files;  ///< report.html, datasheet.csv, records, playback files
  std::vector<DataSheetRow> sheet;
  std::vector<std::string> open;        ///< items without a value in the scenario, its results or the rules
  std::string ride;                     ///< verdict of ride-through in words
  std::vector<std::string> warnings{};  ///< what its maker must know at once: results of another scenario
};

/// Report, data sheet, model records and playback files of a site for a rule file. Nothing is invented: what is not
/// stated is listed as open, and a figure that needs a run is open without one.
/// @throws InputError for a result without the window  @throws UnfitError never: an unfit model is an open item
FilingPack make_filing(const sim::Scenario& scenario, const grid::RuleBook& book, const FilingOptions& options);

/// Name, size and SHA-256 of each file as JSON, with the program's version and the scenario's hash.
std::string filing_manifest(const sim::Scenario& scenario, const std::vector<io::ExportFile>& files);

}  // namespace TIDEWATT_NAMESPACE::study
