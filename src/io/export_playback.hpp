#pragma once
#include <string>
#include <vector>

#include "export_file.hpp"
#include "export_record.hpp"

namespace TIDEWATT_NAMESPACE::io {

/// Text files that simulation programs use as a load. Times begin at 0 with the record's first sample; powers are
/// in MW and Mvar unless said otherwise, with ten significant digits.

/// Comma-separated values: provenance as lines that begin with '#', a line of names with units, then time since the
/// start of the run and each channel with the shortest digits that read back to the same bits.
std::vector<ExportFile> csv_files(const ExportRecord& record);

/// PSCAD's File Read component: one comment line, then time and channels between blanks.
/// @throws InputError above ten channels
std::vector<ExportFile> pscad_files(const ExportRecord& record);

/// PowerFactory's ElmFile: the number of variables, then time and variables between blanks, no comment.
/// @throws InputError above 24 channels
std::vector<ExportFile> powerfactory_files(const ExportRecord& record);

/// OpenDSS: a LoadShape (npts, sinterval, mult, Qmult, UseActual=yes, in kW and kvar) and one file for each of the two.
/// @throws InputError unless the first two channels are P and Q
std::vector<ExportFile> opendss_files(const ExportRecord& record);

/// Where ANDES applies a series.
struct AndesTarget {
  std::string load = "PQ_1";  ///< idx of the PQ load
  double base_MVA = 100.0;    ///< of the system, > 0
};

/// ANDES TimeSeries: P and Q in pu of the system's base as CSV, and the device's line for the sheet `TimeSeries`
/// (mode 1, exact times; Ppf and Qpf of a PQ load that is constant power in dynamics).
/// @throws InputError unless the first two channels are P and Q and the base is positive
std::vector<ExportFile> andes_files(const ExportRecord& record, const AndesTarget& target);

}  // namespace TIDEWATT_NAMESPACE::io
