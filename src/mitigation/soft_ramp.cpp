#include "tidewatt/mitigation/soft_ramp.hpp"

#include <cmath>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/math.hpp"

namespace tidewatt::mitigation {

std::vector<RampStep> cap_ramp(Tick begin, double from_W, double to_W, double rate_W_per_s, double step_W) {
  if (!(rate_W_per_s > 0.0) || !(step_W > 0.0)) throw InputError("ramp: rate and step must be positive");
  const double change_W = std::abs(to_W - from_W);
  std::vector<RampStep> out;
  if (change_W == 0.0) return out;
  const double n = std::max(1.0, std::ceil(change_W / step_W - 1e-9));
  if (n > 1e6) throw InputError("ramp: more than a million steps");
  const double interval_s = change_W / n / rate_W_per_s;
  for (int k = 0; k < static_cast<int>(n); ++k)
    out.push_back({begin + to_tick(interval_s * k),
                   k + 1 == static_cast<int>(n) ? to_W : from_W + (to_W - from_W) * (k + 1) / n});
  return out;
}

std::vector<RampStep> soft_ramp(Tick begin, double from_frac, double to_frac, double full_W, double rate_W_per_s,
                                double step_W) {
  if (!(full_W > 0.0) || !(from_frac >= 0.0 && from_frac <= 1.0) || !(to_frac >= 0.0 && to_frac <= 1.0))
    throw InputError("soft ramp: shares must be in [0, 1] and the full power positive");
  auto steps = cap_ramp(begin, from_frac * full_W, to_frac * full_W, rate_W_per_s, step_W);
  for (auto& s : steps) s.value /= full_W;
  if (!steps.empty()) steps.back().value = to_frac;
  return steps;
}

Precool precool(const PrecoolParams& p, Tick event, Tick duration, Tick lead) {
  if (!(p.lowered_K >= 0.0 && p.mass_J_per_K >= 0.0 && p.cop_ratio > 0.0 && p.approach_s > 0.0) || duration <= 0 ||
      lead < 0)
    throw InputError("precool: the event needs a duration, the plant a COP and a time constant");
  Precool out;
  out.set_K = {{event - lead, p.set_K - p.lowered_K}, {event, p.set_K}};
  out.stored_J = p.mass_J_per_K * p.lowered_K * (1.0 - math::exp(-seconds(lead) / p.approach_s));
  out.extra_J = out.stored_J / p.cop_ratio;
  // Over the event the mass warms back by its own time constant; what it has not taken by then is no relief.
  out.relief_W = out.extra_J * (1.0 - math::exp(-seconds(duration) / p.approach_s)) / seconds(duration);
  return out;
}

}  // namespace tidewatt::mitigation
