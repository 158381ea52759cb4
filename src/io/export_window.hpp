#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "export_file.hpp"
#include "export_playback.hpp"
#include "export_record.hpp"

namespace TIDEWATT_NAMESPACE::io {

/// What to write of a recorded window, and where.
struct ExportOptions {
  std::string format;  ///< one of export_formats()
  std::string window;  ///< name of the recorded window; empty: the first one
  std::string folder;  ///< empty: beside the result
  ExportCut cut{};
  std::string encoding{};  ///< COMTRADE: ascii, binary or float32; empty: binary
  std::string station{};   ///< COMTRADE: name; empty: the result's
  AndesTarget andes{};
};

/// Files that are ready to be written.
struct Exported {
  std::string folder;
  std::vector<ExportFile> files;
  std::vector<std::uint64_t> bytes;  ///< [file]
  std::size_t n_sample = 0;
  double step_s = 0.0;  ///< between samples
  std::uint64_t total_bytes() const;
  std::string path(std::size_t i) const;  ///< of file i
};

/// "comtrade", "comtrade2013", "pscad", "powerfactory", "opendss", "andes", "csv".
std::vector<std::string> export_formats();

/// Prepares a recorded window of a result file for another program; nothing is written yet. @param result path (HDF5)
/// @throws InputError for an unknown format, encoding or window, or a record that the format cannot represent
Exported export_window(const std::string& result, const ExportOptions& options);

}  // namespace TIDEWATT_NAMESPACE::io
