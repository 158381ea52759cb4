#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tidewatt::io {

/// One column of a table of samples.
struct Column {
  std::string name;  ///< with its unit, e.g. "pcc_W"
  std::span<const double> values;
};

/// Comma-separated values: a header line, the time of each sample in seconds, one column each; shortest digits that
/// read back to the same bits, an empty cell where a number is not finite.
/// @param first_s time of the first sample  @param step_s > 0
/// @throws InputError if lengths differ or a name holds a comma, quote or line end
std::string csv(double first_s, double step_s, std::span<const Column> columns);

/// A text file for PSCAD's File Read component: time and at most ten channels, blanks between, comment lines in front
/// that begin with '!'. Powers in MW and MVAr, voltages in pu: `scale` is applied to each column.
/// @throws InputError above ten columns, if lengths differ, or if a value is not finite
std::string pscad_file_read(double first_s, double step_s, std::span<const Column> columns,
                            std::span<const double> scale);

/// A load's active and reactive power as a PSS/E playback table: time s, P MW, Q MVAr, comma separated, no header.
/// Adjacent samples that lie on one straight line within `tolerance_W` are left out (the reader interpolates).
/// @throws InputError if lengths differ or a value is not finite
std::string psse_playback(double first_s, double step_s, std::span<const double> p_W, std::span<const double> q_var,
                          double tolerance_W);

/// A pulsating load for PSS/E's user load model LINJBL: one record with start, duty and the frequencies and amplitudes
/// of the lines. The order of its constants is the model's own documentation's to confirm: a comment line says so.
struct Pulsation {
  std::int64_t bus = 0;
  std::string load_id = "1";
  double start_s = 0.0, duty_frac = 1.0;
  std::vector<double> frequency_Hz, amplitude_W;
  double base_W = 1.0;  ///< amplitudes are written as shares of it
};
std::string psse_linjbl(const Pulsation& load);  ///< @throws InputError

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
