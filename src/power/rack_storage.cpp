#include "tidewatt/power/rack_storage.hpp"

#include <algorithm>
#include <limits>

#include "numerics/block.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/math.hpp"

namespace TIDEWATT_NAMESPACE::power {
namespace {
using numerics::bin_s;
double per_bin(double W_per_s) { return W_per_s > 0.0 ? W_per_s * bin_s : std::numeric_limits<double>::infinity(); }
}  // namespace

void RackStorageParams::fields(FieldVisitor& v) {
  store.fields(v, "store");
  v.number("smoothing_s", smoothing_s, {0.001, 86400}, "time constant of the mean that the input follows");
  v.number("soc_target_frac", soc_target_frac, {0, 1}, "state of charge to return to");
  v.number("soc_return_s", soc_return_s, {0.01, 1e6}, "time constant of the return to the target");
  v.number("ramp_up_W_per_s", ramp_up_W_per_s, {0, 1e12}, "largest rise of the input; 0: not limited", Need::optional);
  v.number("ramp_down_W_per_s", ramp_down_W_per_s, {0, 1e12}, "largest fall of the input; 0: not limited",
           Need::optional);
}

RackStorage::RackStorage(const RackStorageParams& p)
    : p_(p),
      store_(p.store, "store"),
      gain_(1.0 - math::exp(-bin_s / p.smoothing_s)),
      target_J_(p.soc_target_frac * p.store.energy_J),
      return_per_s_(1.0 / p.soc_return_s),
      up_W_(per_bin(p.ramp_up_W_per_s)),
      down_W_(per_bin(p.ramp_down_W_per_s)) {
  if (!(p.smoothing_s > 0.0) || !(p.soc_return_s > 0.0))
    throw InputError("rack storage: smoothing_s and soc_return_s must be positive");
  if (!(p.soc_target_frac >= p.store.soc_min_frac && p.soc_target_frac <= p.store.soc_max_frac))
    throw InputError("rack storage: soc_target_frac must lie within the bounds of the charge");
}

void RackStorage::step(std::span<const double> load_W, std::span<double> drawn_W, RackStorageState& s,
                       StoreMeters& meters) const {
  if (drawn_W.size() != load_W.size()) throw InputError("rack storage: input and output chunks differ in length");
  for (std::size_t k = 0; k < load_W.size(); ++k) {
    const double L = load_W[k];
    // An input cannot be negative: a rack gives nothing back to its feeder.
    const double goal_W =
        std::max(0.0, s.smoothed_W + (target_J_ - s.store.energy_J - s.store.carry_J) * return_per_s_);
    s.reference_W = std::clamp(goal_W, s.reference_W - down_W_, s.reference_W + up_W_);
    const double given_W = store_.exchange(s.store, s.reference_W - L, bin_s, meters);
    s.reference_W = L + given_W;  // no wind-up behind a limit
    drawn_W[k] = s.reference_W;
    s.smoothed_W += gain_ * (L - s.smoothed_W);
  }
}

}  // namespace TIDEWATT_NAMESPACE::power
