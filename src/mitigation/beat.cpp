#include "tidewatt/mitigation/beat.hpp"

#include <algorithm>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::mitigation {

void BeatParams::fields(FieldVisitor& v) {
  v.number("period_s", period_s, {1e-3, 3600}, "time from iteration to iteration");
  v.number("phase_s", phase_s, {0, 3600}, "end of an iteration, from the start of the run", Need::optional);
}

Tick beat_end(const BeatParams& beat, Tick begin, Tick own) {
  const Tick period = to_tick(beat.period_s), phase = to_tick(beat.phase_s);
  if (period <= 0) throw InputError("beat: the period must be positive");
  const Tick goal = begin + period - phase;  // of which the nearest whole multiple is wanted
  Tick k = goal / period;
  if (goal - k * period > period / 2) ++k;
  if (goal - k * period < -(period / 2)) --k;
  return std::max(begin + own, phase + k * period);
}

}  // namespace TIDEWATT_NAMESPACE::mitigation
