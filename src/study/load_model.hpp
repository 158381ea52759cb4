#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "grid/perc1_check.hpp"
#include "io/export_file.hpp"
#include "io/read_waveform.hpp"
#include "io/result_origin.hpp"
#include "site_load.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// A model does not follow the site within the limits, so that no file is written. Exit code 5.
class UnfitError : public RefusedError {
  using RefusedError::RefusedError;
};

/// Where the records go.
struct ModelTarget {
  std::int64_t bus = 1;   ///< number of the load's bus
  std::string origin{};   ///< program and run that they come from, in one line without '/'
  std::string stem{};     ///< file names begin with it
  std::string program{};  ///< one of model_programs(format); empty: the first
  /// cmpldw: only the parts that PERC1 cannot represent, to be used with its records; otherwise all parts, to be used instead of
  /// them.
  bool beside_perc1 = false;
};

/// Programs and versions whose form of a record is known, [n]: "psse36" and the like. @param format perc1, cmpldw, linjbl
std::vector<std::string> model_programs(const std::string& format);

/// One record's load.
struct ModelLoad {
  std::string id, part;  ///< load id on its bus; part of the site
  double power_W = 0.0;
};

/// Records in PSS/E's format, and notes for their reader.
struct ModelFiles {
  std::vector<io::ExportFile> files;
  std::vector<std::string> warnings;  ///< what the records cannot show and may matter: counters
  std::string checked;                ///< how they were checked, with figures
  std::vector<ModelLoad> loads{};     ///< [record]; ids differ between the files of a site
};

/// PERC1 records from a site's settings, checked by simulation (grid/perc1_check.hpp). The header lists each record's
/// megawatts, the remainder, and what PERC1 has no state for.
/// @throws UnfitError if no part can be represented, or the records miss the limits  @throws InputError, also for an unknown
/// program
ModelFiles perc1_model(const SiteLoad& site, const ModelTarget& target);

/// Composite loads: one record for each electronic part, drives and (unless target.beside_perc1) supplies. Load ids follow
/// those of PERC1. The model has no timers; it is not checked.
/// @throws UnfitError if no part remains to be represented
ModelFiles cmpldw_model(const SiteLoad& site, const ModelTarget& target);

/// The largest line of a window's power as a load that repeats. @throws InputError if there is none
ModelFiles linjbl_model(const io::Waveform& window, const ModelTarget& target);

/// The line of a result for ModelTarget::origin.
std::string model_origin(const io::ResultOrigin& origin);

}  // namespace TIDEWATT_NAMESPACE::study
