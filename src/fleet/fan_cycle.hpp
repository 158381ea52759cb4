#pragma once
#include <span>
#include <vector>

#include "site.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

/// One server whose GPUs draw constant powers, under its fan controller sample by sample.
struct FanCycle {
  double period_s = 0.0;     ///< mean time from one rise of the fans to the next; 0: they rest
  double amplitude_K = 0.0;  ///< of the hottest die, from its lowest to its highest temperature
  double mean_K = 0.0;       ///< of the hottest die
  double low_frac = 0.0, high_frac = 0.0, mean_frac = 0.0;  ///< fan speed: lowest, highest, mean
  std::vector<double> time_s, fan_frac, die_K;              ///< by sample; the hottest die
};
/// Packages are exact between samples; sensors read whole degrees [assumed]. The first half of `duration_s` is not counted.
/// @param type with fans in steps  @param gpu_W,resistance_ratio [GPU of the server]  @param accepted_K reading that its table holds on to
FanCycle fan_cycle(const NodeType& type, std::span<const double> gpu_W, std::span<const double> resistance_ratio,
                   double inlet_K, double air_J_per_m3_K, double start_frac, double accepted_K, double duration_s);

/// Of the same, only how fast and how far the hottest die swings: a server that comes back to a state within 1e-6 (K, K s or of full speed) is not played further.
struct FanSwing {
  double period_s = 0.0, amplitude_K = 0.0;  ///< as of FanCycle
};
/// @param type and all others as of fan_cycle()
FanSwing fan_swing(const NodeType& type, std::span<const double> gpu_W, std::span<const double> resistance_ratio,
                   double inlet_K, double air_J_per_m3_K, double start_frac, double accepted_K, double duration_s);

/// Hottest die of such a server at a fixed speed, once everything rests.
double hottest_at_K(const NodeType& type, std::span<const double> gpu_W, std::span<const double> resistance_ratio,
                    double inlet_K, double air_J_per_m3_K, double fan_frac);

}  // namespace TIDEWATT_NAMESPACE::fleet
