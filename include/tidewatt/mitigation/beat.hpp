#pragma once
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

}  // namespace TIDEWATT_NAMESPACE::mitigation
