#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/tick.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::mitigation {

/// A beat that a job's iterations keep: each ends at phase + k · period, and the ranks wait for it where they meet. A late
/// iteration catches up. It moves a job's lines to chosen frequencies, and jobs of one beat keep their distance.
struct TIDEWATT_API BeatParams {
  double period_s = 0.0;  ///< longer than an iteration, or iterations miss the beat
  double phase_s = 0.0;   ///< of an iteration's end, from the start of the run
  void fields(FieldVisitor& v);
};

/// End of an iteration on a beat: the beat's tick nearest to begin + period, or its own end where that is later.
/// @param own how long it takes without waiting, > 0  @throws InputError for a period not above 0
TIDEWATT_API Tick beat_end(const BeatParams& beat, Tick begin, Tick own);

/// Start offsets k T/n of n equal jobs with one period: their harmonics cancel but for multiples of n.
/// @throws InputError if n < 1 or the period is not positive
TIDEWATT_API std::vector<Tick> stagger_jobs(std::int64_t n_job, Tick period);

/// What is left of harmonic k of waveforms with one period:  |Σ w_i e^(−2πi k o_i/T)| / Σ w_i.
/// @param offset [waveform]  @param weight [waveform] amplitude of each, >= 0, relative  @throws InputError
/// @returns dimensionless, 0 to 1
TIDEWATT_API double harmonic_left(std::span<const Tick> offset, std::span<const double> weight, Tick period,
                                  std::int64_t harmonic);

/// Replicas of one job that begin their iterations apart. They still meet at the gradient reduction, so the last one
/// sets the pace:  T' = T + spread − slack (never below T).
struct TIDEWATT_API ReplicaStagger {
  std::vector<Tick> offset;      ///< of each group of replicas, within the spread
  double iteration_ratio = 1.0;  ///< T'/T
  double lost_throughput_frac = 0.0;
  double edge_ratio = 1.0;  ///< steepest change of the sum over that without staggering: 1/n where groups keep apart
};
/// @param spread from first to last group  @param slack time that an iteration waits anyway  @throws InputError
TIDEWATT_API ReplicaStagger stagger_replicas(std::int64_t n_group, Tick spread, Tick iteration, Tick slack);

/// A longer iteration whose harmonics keep away from the grid's modes.
struct TIDEWATT_API PeriodShift {
  double period_s = 0.0;
  double lost_throughput_frac = 0.0;  ///< 1 − T/T'
  double clearance_Hz = 0.0;          ///< distance of the nearest harmonic to a mode
  bool found = false;                 ///< false: no period within the bound keeps the margin; the best one is given
};
/// The smallest stretch T' in [T, stretch_max T] with |k/T' − f| >= margin for all modes f and k = 1…n_harmonic.
/// Searched on steps of T/10,000. @throws InputError
TIDEWATT_API PeriodShift shift_period(double period_s, std::span<const double> mode_Hz, double margin_Hz,
                                      std::int64_t n_harmonic, double stretch_max_ratio);

/// Offsets of checkpoints of several jobs that share one interval, so that at most `concurrent` write at once.
struct TIDEWATT_API CheckpointStagger {
  std::vector<Tick> offset;
  std::int64_t most_at_once = 0;  ///< counted on the schedule
  bool fits = false;              ///< false: the interval is too short; offsets are spread evenly instead
};
/// @param duration of one checkpoint of each job  @throws InputError
TIDEWATT_API CheckpointStagger stagger_checkpoints(std::span<const Tick> duration, Tick interval,
                                                   std::int64_t concurrent);

/// The most intervals [o, o + d) modulo the period that overlap at any time.
TIDEWATT_API std::int64_t most_overlapping(std::span<const Tick> offset, std::span<const Tick> duration, Tick period);

}  // namespace TIDEWATT_NAMESPACE::mitigation
