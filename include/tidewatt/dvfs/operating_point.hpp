#pragma once
#include <cstddef>
#include <cstdint>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"
#include "tidewatt/power/gpu.hpp"

namespace TIDEWATT_NAMESPACE::dvfs {

/// Limits of the clock governor of one GPU type.
struct TIDEWATT_API GovernorParams {
  double cap_margin_W;  ///< the 1 s power limiter keeps the mean this far below the cap, W
  double edp_peak_ratio =
      0.0;                  ///< highest board power ÷ rating, see peak_limited_clock_Hz; 0: not known, no such bound
  double thermal_target_K;  ///< die temperature to which the thermal limiter controls, K
  double slowdown_K;        ///< hardware slowdown, K
  double slowdown_clock_ratio;  ///< clock during slowdown ÷ highest clock
  double shutdown_K;            ///< K
  double window_s;              ///< averaging time of the power limiter, s
  void fields(FieldVisitor& v);
};

/// Mean power to which the governor controls a board, W. @param cap_W of the board, W
constexpr double limit_W(double cap_W, const GovernorParams& governor) { return cap_W - governor.cap_margin_W; }
/// The inverse of limit_W(): the cap under which the governor controls to this limit, W. @param limit_W W
constexpr double cap_for_limit_W(double limit_W, const GovernorParams& governor) {
  return limit_W + governor.cap_margin_W;
}
/// Cap in force on a board, W. @param cap_W the user's, W; 0: none  @param most_W of the board, W, if there is no cap
constexpr double cap_in_force_W(double cap_W, double most_W) { return cap_W > 0.0 ? cap_W : most_W; }

/// Limiter of a GPU's clock. memory: the clock is lowered to keep the memory stacks below their temperature limit; brake: the
/// facility's power brake.
enum class Limiter : std::uint8_t { none, power, thermal, clock, slowdown, brake, memory };
inline constexpr std::size_t n_limiter = 7;

/// Work of one phase, or of one limiter window, as seconds at the reference clock. See workload::PhaseKind.
struct TIDEWATT_API PhaseMix {
  double matrix_s = 0.0;
  double memory_s = 0.0;
  double link_s = 0.0;
  double wait_s = 0.0;
  double active_matrix_s = 0.0;  ///< Σ activity × matrix_s
  double hbm_s = 0.0;            ///< Σ HBM bandwidth share × seconds
  double full_link_s = 0.0;      ///< Σ link bandwidth share × seconds
};

/// Mean power over a phase, split where temperature enters: P = fixed_W + leakage_W · e^{k_T (T − T_ref)}.
struct TIDEWATT_API PhasePower {
  double fixed_W;
  double leakage_W;
  double duration_s;
  /// W. @param leakage_temperature_factor e^{k_T (T − T_ref)}
  double at_W(double leakage_temperature_factor) const { return fixed_W + leakage_W * leakage_temperature_factor; }
};

/// Power of `mix` at a clock. The gating clock sets the length of the phase: the rank works for matrix_s·f_ref/f, then waits
/// until matrix_s·f_ref/f_gate has passed.
/// @param gate_Hz clock of the slowest rank; 0: this rank gates
TIDEWATT_API PhasePower phase_power(const power::GpuModel& gpu, const power::Chip& chip, const PhaseMix& mix,
                                    double reference_Hz, double clock_Hz, double gate_Hz);

/// Highest power that the board has been measured at, W: edp_peak_ratio times its rating, whatever the cap. Infinite where the entry does
/// not know it.
TIDEWATT_API double peak_W(const GovernorParams& governor, const power::GpuPowerParams& board);

struct TIDEWATT_API OperatingPoint {
  double clock_Hz;
  Limiter limiter;
};

/// Highest clock at which the mean power over the limiter's window stays at or below `cap_W`:
///
///     ∫ P(f) dt over the window = cap · (length of the window)
///
/// The sampled governor dithers around this mean clock, so it is not rounded to a bin.
/// @param leakage_temperature_factor e^{k_T (T − T_ref)} at the die's mean temperature in the window
/// @param max_Hz highest clock allowed (table end or user lock)  @param start_Hz first guess of the search
TIDEWATT_API OperatingPoint operating_point(const power::GpuModel& gpu, const power::Chip& chip, const PhaseMix& window,
                                            double reference_Hz, double gate_Hz, double leakage_temperature_factor,
                                            double cap_W, double max_Hz, double start_Hz);

/// Clock of one phase under the board's peak: faster than any governor samples, the chip stretches its clock so that the board draws
/// `peak_W` at most while the phase works,
///
///     f = min(f_governor, f_peak),   P(f_peak) = peak_W.
///
/// Work takes longer at the lower clock; no power is cut off. The power is the phase's mean without the time in which it waits for a slower
/// rank. One H100 behaves so (docs/records): its clock reads 1,980 MHz at 941 W, and products come at 0.78 of that clock's rate.
/// @param leakage_temperature_factor e^{k_T (T − T_ref)} at the die's temperature in the phase, dimensionless
/// @param peak_W of the board, see peak_W(); infinite: no bound  @param clock_Hz that the governor allows, Hz
/// @returns Hz, at least the lowest clock of the table
TIDEWATT_API double peak_limited_clock_Hz(const power::GpuModel& gpu, const power::Chip& chip, const PhaseMix& phase,
                                          double reference_Hz, double leakage_temperature_factor, double peak_W,
                                          double clock_Hz);

}  // namespace TIDEWATT_NAMESPACE::dvfs
