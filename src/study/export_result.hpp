#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "io/export_window.hpp"
#include "site_load.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// What to write of a result for another program: a recorded window, or its load as model records.
struct ResultExport {
  io::ExportOptions options;  ///< format: one of result_formats(); model records take window, begin and length only
  LoadSource source;          ///< perc1, cmpldw: settings of the load
  std::int64_t bus = 1;       ///< perc1, cmpldw, linjbl: number of the load's bus
  std::string program{};      ///< the same: program and version that they are for; empty: the latest that is known
  bool drives_only = false;   ///< cmpldw: drives beside the records of PERC1, else also the supplies instead of them
};

/// Files that are ready to be written.
struct ResultFiles {
  io::Exported made;    ///< n_sample 0: model records, which have no samples
  std::string checked;  ///< model records: how they were checked, with figures
  std::vector<std::string> warnings;
};

/// io::export_formats(), "perc1", "cmpldw", "linjbl".
std::vector<std::string> result_formats();
/// Whether a format contains the load's settings: its file does not depend on window and time.
bool is_settings_format(const std::string& format);

/// Prepares the files; nothing is written yet. @param result path (HDF5)
/// @throws InputError for an unknown format or window  @throws UnfitError if a model does not follow the site within the limits
ResultFiles export_result(const std::string& result, const ResultExport& what);

}  // namespace TIDEWATT_NAMESPACE::study
