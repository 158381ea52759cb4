#pragma once
#include <string>
#include <vector>

#include "entry_base.hpp"
#include "fit_telemetry.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// GPUs of one server at the same times: watts and temperatures, lagged as the package's two poles lag them.
struct RowsLog {
  std::vector<double> time_s;
  std::vector<double> inlet_K;                             ///< [time]; NaN: not in the log
  std::vector<std::vector<double>> fast_W, slow_W, die_K;  ///< [gpu][time]
  std::vector<bool> rear;                                  ///< [gpu] in the air behind the others
};
/// @param telemetry  GPUs in the order of their slots  @param fast_s,slow_s  time constants of the base's package
/// @throws InputError if the GPUs have no times in common
RowsLog rows_log(const std::vector<GpuTelemetry>& telemetry, const std::vector<bool>& rear, double fast_s,
                 double slow_s);

/// Front and rear row of a server:
///
///     T_i = T_in + u ρ_i (R_fast x_i + R_slow y_i) + [rear] m Q_front/(ρc V̇ φ s),   Q_front = Σ_front y
///
/// x and y are watts behind the package's poles. m: preheat_mixing_ratio; u: package_ratio, all resistances over the base's; ρ_i:
/// slot_ratio_i with the prior 0.85 to 1.18; T_in is fitted where the log has no inlet. A fan speed that the log lacks is `fan_frac`.
/// If all GPUs always do the same, only its lag tells preheated air from a hot rear slot, and m is less certain.
Posterior fit_rows(const EntryBase& server, const EntryBase& gpu, double fan_frac, const RowsLog& log);

}  // namespace TIDEWATT_NAMESPACE::study
