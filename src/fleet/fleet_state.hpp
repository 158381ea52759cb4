#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "controls.hpp"
#include "tidewatt/base/sum.hpp"
#include "tidewatt/dvfs/operating_point.hpp"
#include "tidewatt/thermal/package.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

/// All state that a restart of the fleet needs, and nothing else.
struct FleetState {
  std::vector<double> die_K, base_K, sink_K;  ///< [gpu] package temperatures now, K; set by advance
  /// [node] switched itself off by heat: its GPUs draw nothing; set and reset by its occupant.
  std::vector<std::uint8_t> off;
  std::vector<double> fan_frac;    ///< [node] fan speed now ÷ full speed; set by advance
  std::vector<Controls> controls;  ///< [hall] present limits of its GPUs; set by the engine
  // Results of a step that the next step uses (→ its use).
  /// [gpu] mean power of the last step of the same work, W → predicts the die temperature; 0: not known yet.
  std::vector<double> mean_W;
  /// [gpu] change of mean_W per change of mean die temperature between jumps, W/K → the same; NaN: the last step was no jump.
  std::vector<double> W_per_K;
  /// [mode][gpu] mode after repetitions − mode after constant power of the same mean → the same.
  std::array<std::vector<double>, thermal::n_mode> ripple_K;
  std::vector<double> work_W;      ///< [gpu] mean_W when the job last iterated → first guess after a pause
  std::vector<double> die_mean_K;  ///< [gpu] mean die temperature of the last step, K → thermal limit
  /// [gpu] die at the hottest instant of a repetition about the last step's mean, K → thermal limit. The hottest die of a step, with what it
  /// rose in the step, is a signal.
  std::vector<double> die_peak_K;
  std::vector<double> clock_Hz;  ///< [gpu] operating point of the last step → start of the search
  std::vector<double> own_Hz;    ///< [gpu] clock in the last step without waiting for others → start of the search
  /// [gpu] power that the governor allowed in its window in the last step, W → thermal limit; 0: not known yet.
  std::vector<double> window_W;
  std::vector<double> front_W;  ///< [node] heat of the front GPU row in the last step → rear inlet
  // Of fans in steps; unused with a straight line.
  std::vector<double> fan_accepted_K;  ///< [node] reading that its fan table holds on to, K; NaN: none yet
  std::vector<double> fan_term_frac;   ///< [node] PID term that its controller holds
  template <class A>
  void archive(A& a) {
    auto& [die, base, sink, switched_off, fan, held, mean, slope, ripple, work, die_mean, die_peak, clock, own, window,
           front, accepted, term] = *this;
    a(die, base, sink, switched_off, fan, held, mean, slope, ripple, work, die_mean, die_peak, clock, own, window,
      front, accepted, term);
  }
};

/// Recomputed every step; carries nothing from one step to the next.
struct FleetSignals {
  std::vector<dvfs::Limiter> limiter;   ///< [gpu]
  std::vector<double> guess_K;          ///< [gpu] predicted mean die temperature of the coming step
  std::vector<double> fan_before_frac;  ///< [node] target of its fans in the previous step
  std::vector<double> guess_fan_frac;   ///< [node] mean fan speed to which guess_K belongs; of fans in steps
  std::vector<double> guess_rests_s;  ///< [node] step through which they rest at it; 0: they may not; of fans in steps
  std::vector<double> guess_accepted_K;  ///< [node] reading that its table then holds on to at the end
  std::vector<double> guess_front_W;     ///< [node] predicted heat of the front GPU row in the coming step → rear inlet
  std::vector<double> miss_K;            ///< [node] largest |mean die temperature − its guess| in the step
  std::vector<std::uint8_t>
      fan_stepped;                 ///< [node] its fans ran at another mean speed than guess_fan_frac; of fans in steps
  std::vector<double> gpu_J;       ///< [gpu] electrical energy of the step
  std::vector<double> hottest_K;   ///< [gpu] highest die temperature inside the step, K
  std::vector<double> node_air_W;  ///< [node] mean heat given to the hall's air
  std::vector<double> node_liquid_W;       ///< [node] mean heat given to the liquid
  std::vector<double> node_flow_m3_per_s;  ///< [node]
  /// [node] steps between which its fans cycled in the step; equal: they rested. Of fans in steps.
  std::vector<double> fan_low_frac, fan_high_frac;
  std::vector<double> memory_K;  ///< [gpu] mean temperature of the memory stacks in the step; 0: not known
  double pause_W = 0.0;          ///< AC power of all nodes in the pauses of the last step
};

/// Energy balance of the fleet over the whole run, J. No entry is computed as a difference of others.
struct FleetMeters {
  CompensatedSum gpu_in, package_out, package_stored;
  CompensatedSum ac_in, conversion_loss, host, fan, psu_loss;
  CompensatedSum air_out, liquid_out;
  CompensatedSum input_reference;  ///< Σ seconds × reference power of the kinds as the kernel integrated them, J
  CompensatedSum smoothing_burn;
  template <class A>
  void archive(A& a) {
    auto& [gpu, out, stored, ac, conversion, hosts, fans, supplies, air, liquid, reference, burn] = *this;
    a(gpu, out, stored, ac, conversion, hosts, fans, supplies, air, liquid, reference, burn);
  }
};

}  // namespace TIDEWATT_NAMESPACE::fleet
