#pragma once
#include <cstddef>
#include <vector>

#include "fit.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// Telemetry of one GPU: reported power and die temperature.
struct ThermalRecord {
  std::vector<double> time_s;   ///< ascending
  std::vector<double> power_W;  ///< mean since the sample before
  std::vector<double> die_K;
  std::size_t size() const { return time_s.size(); }
};

/// Two poles between power and die temperature:
///
///     T = T_ambient + x_1 + x_2,   τ_i dx_i/dt = R_i P − x_i
struct TwoPoles {
  double fast_K_per_W, fast_s, slow_K_per_W, slow_s, ambient_K;
  double rms_K;
  Fit fit;  ///< intervals
};

/// Temperatures for a power history, at rest at `before_W` at its start; exact for power constant between samples.
std::vector<double> predict_die_K(const TwoPoles& poles, const ThermalRecord& record, double before_W);

/// Fits the poles and the ambient temperature to a record that started at rest at `before_W`.
TwoPoles fit_step(const ThermalRecord& record, double before_W);

}  // namespace TIDEWATT_NAMESPACE::study
