#pragma once
// What drives one GPU of a replayed log: its watts, or the activity or clocks from which the power model gives them.
#include <string>
#include <vector>

#include "fit_telemetry.hpp"
#include "power/sensor.hpp"
#include "tidewatt/dvfs/operating_point.hpp"

namespace TIDEWATT_NAMESPACE::study::log_replay {

enum class DriveBy { power, activity, clock };
DriveBy drive_by(const std::string& word);  ///< power, activity or clock  @throws InputError

/// Power of one GPU over time, from its readings or its counter.
power::WaveMeter wave_of(const GpuTelemetry& telemetry, double window_s);

/// Watts of one GPU over time.
///
///   * power: as logged.
///   * activity: P = P_board + P_leak(T, V(f)) + a P_dyn(V, f) + b P_hbm with the logged clock f, matrix activity t and memory activity b.
///     The rest of the time is split as in iterations: a = t + m a_memory + (1 − t − m) a_wait, m = min(b, 1 − t). At most the cap less the
///     limiter's margin. Without a clock in the log f is the highest at which P meets that limit.
///   * clock: below the highest clock an active GPU is limited by its cap, so P is that limit; at the highest clock P lies
///   between
///     that of waiting and the limit, and the middle is taken.
///
/// T is the die's temperature in the replay. A reading covers the time from the previous one to its own.
class GpuDrive {
 public:
  /// @param cap_W  limit where the log has none  @throws InputError if the log lacks what this way needs
  GpuDrive(const GpuTelemetry& telemetry, DriveBy by, double window_s, const power::GpuPowerParams& gpu,
           const dvfs::GovernorParams& governor, double cap_W);
  /// Mean from one time to another at a die's temperature, W.
  double mean_W(double from_s, double to_s, double die_K) const;
  /// The memory's part of it, W: as logged, or of the memory's activity; NaN where the log has neither.
  double memory_W(double from_s, double to_s) const;
  /// Share of readings whose watts are an assumption: an activity that needs more than the cap, or the highest clock.
  double assumed_frac() const;
  bool has_memory() const { return !memory_W_.empty(); }

 private:
  struct Reading {
    double activity, dram, clock_Hz, limit_W;
  };
  std::size_t at(double time_s) const;
  double limited_W(const Reading& r, double die_K) const;
  double of_clock_W(const Reading& r, double die_K) const;
  double at_clock_W(double clock_Hz, double activity, double dram, double die_K) const;
  void read(const GpuTelemetry& t, const dvfs::GovernorParams& governor, double cap_W);

  DriveBy by_;
  power::GpuModel gpu_;
  std::vector<power::WaveMeter> wave_;  ///< one, or none
  std::vector<double> time_s_, memory_W_;
  std::vector<Reading> reading_;
};

}  // namespace TIDEWATT_NAMESPACE::study::log_replay
