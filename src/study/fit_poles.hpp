#pragma once
#include <string>
#include <vector>

#include "fit_posterior.hpp"
#include "fit_telemetry.hpp"
#include "fit_thermal.hpp"
#include "tidewatt/thermal/package.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// Power that drives a package, in pieces, and the temperatures that its model must show.
struct ThermalDrive {
  struct Piece {
    double step_s, power_W;
    std::ptrdiff_t sample;  ///< temperature at the end of the piece, index into `time_s`; −1: none
  };
  std::vector<Piece> pieces;
  std::vector<double> time_s, die_K;  ///< [sample]
  double first_W = 0.0;               ///< of the first piece: the fast pole begins at rest there
  double longest_gap_s = 0.0;         ///< between two readings
  std::string power_from;             ///< what the powers are, for people
};

/// A record as pieces of power, without moving it in time:
///
///   * with an energy counter the mean power between two readings is ΔE/Δt, exactly;
///   * readings at least about a window w apart are the mean of the w seconds before them; what no window covers takes the mean of the
///     two readings around it;
///   * closer readings of overlapping windows: the package is linear, so that the same trailing mean of its temperature follows the
///     power readings. The temperatures are averaged over w, and one mean per w seconds counts.
///
/// A mean between those of its neighbours is a step from one to the other, at the instant that gives the mean. Temperatures of the first
/// 10 s are left out, since they depend on the initial state of the fast pole.
/// @param window_s  averaging window of each power reading, 0 to 30 s; not used with the counter
/// @throws InputError if times do not ascend or fewer than 20 temperatures are left
ThermalDrive thermal_drive(const GpuTelemetry& telemetry, double window_s);

/// The package's two visible poles at a fan speed, K/W and s.
TwoPoles package_poles(const thermal::PackageParams& package, double fan_frac);

/// Priors of fast_K_per_W, fast_s, slow_K_per_W, slow_s, ambient_K and before_W (at rest there before the record): 95 % lie within a factor of
/// 2.4, 2.8, 2.6 and 3.2 of the package's own poles, so that an H100's upper ends are those of published step responses (0.040 K/W,
/// 2.4 s, 0.063 K/W, 66 s); 5 to 60 °C; and 0 to 700 W unless before_W is given.
std::vector<PriorParameter> pole_priors(const TwoPoles& own, double tdp_W);
inline constexpr std::size_t n_pole_parameter = 4;  ///< of the chip; the others belong to the record

/// Temperatures of the two poles' model, [sample].
std::vector<double> predict_die_K(const TwoPoles& poles, const ThermalDrive& drive, double before_W);

/// Posterior of the poles. @param before_W power before the record; below 0: unknown
Posterior fit_poles(const ThermalDrive& drive, const TwoPoles& own, double tdp_W, double before_W);

/// Poles of a posterior's mode or of a point in z; the fields `rms_K` and `fit` stay empty.
TwoPoles poles_at(const std::vector<PriorParameter>& prior, std::span<const double> z);

}  // namespace TIDEWATT_NAMESPACE::study
