#pragma once
// The node of a replayed log: its hardware, which GPU sits where, and packages and fans driven by the logged watts.
#include <functional>
#include <vector>

#include "fit_poles.hpp"
#include "power/sensor.hpp"
#include "replay_log.hpp"
#include "thermal/node_heat.hpp"
#include "tidewatt/power/gpu.hpp"
#include "tidewatt/power/server.hpp"

namespace TIDEWATT_NAMESPACE::study::log_replay {

constexpr double zero_degC_K = 273.15;
constexpr double start_s = 10.0;  // left out of the comparison: it depends on what was before the record

struct Hardware {
  thermal::PackageParams package;
  power::GpuPowerParams gpu;
  power::ServerPowerParams server;
  thermal::ServerAirParams air;
  thermal::HbmBranchParams memory;
};

Hardware hardware_of(const ReplayOptions& options);

/// GPUs of one host by slot: their own number where it is one, else their order.
struct Slots {
  std::vector<GpuTelemetry> gpu;
  std::vector<std::size_t> slot;
};

Slots slots_of(const ReplayOptions& options, std::size_t n_slot, ReplayReport& report);

/// Power of one GPU over time, from its readings or its counter.
power::WaveMeter wave_of(const GpuTelemetry& telemetry, double window_s);

struct Played {
  std::vector<double> time_s, fan_frac, gpu_sum_W;  ///< [step]
  std::vector<std::vector<double>> die_K;           ///< [GPU of the log][step]
};

class Player {
 public:
  Player(const Hardware& h, const Slots& slots, std::vector<power::WaveMeter> waves, double from_s, double to_s)
      : hardware_(h), slots_(slots), waves_(std::move(waves)), from_s_(from_s), to_s_(to_s) {}

  /// The record from its start to its end with air of this temperature, K at each time.
  Played play(const std::function<double(double)>& inlet_K) const;

 private:
  std::vector<double> watts(double from_s, double to_s) const;

  const Hardware& hardware_;
  const Slots& slots_;
  std::vector<power::WaveMeter> waves_;
  double from_s_, to_s_;
};

/// Value of a played series at a time: its steps are short, so the nearest end of a step serves.
double played_at(const Played& played, const std::vector<double>& x, double at_s);

}  // namespace TIDEWATT_NAMESPACE::study::log_replay
