#pragma once
#include <span>
#include <string>
#include <vector>

#include "tidewatt/io/export_file.hpp"
#include "tidewatt/io/export_record.hpp"

namespace tidewatt::io {

/// Text files that simulation programs play back as a load. Times begin at 0 with the record's first sample; powers are
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

/// A load's response to a voltage event as the block of a ride-through computing load (PERC1 style), with how well the
/// block reproduces it:
///
///     v < v_trip: the share f_trip transfers to its own supply after t_trip; the rest holds constant power
///     after v > v_return for t_return, the lost share comes back on a straight line over t_ramp, up to f_back of it
struct RideThroughBlock {
  double v_trip_pu = 0.0, t_trip_s = 0.0, f_trip_frac = 0.0;
  double v_return_pu = 0.0, t_return_s = 0.0, t_ramp_s = 0.0, f_back_frac = 0.0;
  double rms_error_frac = 0.0;  ///< of the power before, over the record
  double max_error_frac = 0.0;
  double r_squared = 0.0;    ///< share of the response's variance that the block explains
  std::string text() const;  ///< as lines "NAME = value ! meaning"
};
/// @param v_pu voltage and @param p_W power, one per sample; the record begins in steady state before the event and
/// holds one event  @param v_trip_pu, v_return_pu thresholds of the site's protection, known from its settings
/// @throws InputError if lengths differ, nothing is below the threshold, or the power before is not positive
RideThroughBlock fit_ride_through(double step_s, std::span<const double> v_pu, std::span<const double> p_W,
                                  double v_trip_pu, double v_return_pu);
/// The block's own response to a voltage record, as a share of the power before.
std::vector<double> replay(const RideThroughBlock& block, double step_s, std::span<const double> v_pu);

}  // namespace tidewatt::io
