#include "tidewatt/power/rack_storage.hpp"

#include <algorithm>
#include <cmath>
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
  // Copies that no array can alias: they stay in registers.
  RackStorageState now = s;
  StoreMeters booked = meters;
  for (std::size_t k = 0; k < load_W.size(); ++k) {
    const double L = load_W[k];
    // An input cannot be negative: a rack gives nothing back to its feeder.
    const double goal_W =
        std::max(0.0, now.smoothed_W + (target_J_ - now.store.energy_J - now.store.carry_J) * return_per_s_);
    now.reference_W = std::clamp(goal_W, now.reference_W - down_W_, now.reference_W + up_W_);
    const double given_W = store_.exchange(now.store, now.reference_W - L, bin_s, booked);
    now.reference_W = L + given_W;  // no wind-up at a limit
    drawn_W[k] = now.reference_W;
    now.smoothed_W += gain_ * (L - now.smoothed_W);
  }
  s = now;
  meters = booked;
}

// Both approaches are exponentials: the rest of one is its change over a unit times the fraction that a unit leaves of it.
bool RackStorage::repeats(const RackStorageState& before, const StoreMeters& meters_before, const RackStorageState& now,
                          const StoreMeters& meters, std::int64_t n_bin, double drift_W) const {
  if (meters.n_energy_limited != meters_before.n_energy_limited) return false;
  const double T = static_cast<double>(n_bin) * bin_s;
  const double mean_W = std::abs(now.smoothed_W - before.smoothed_W),
               charge_W = std::abs(store_.stored_J(now.store) - store_.stored_J(before.store)) * return_per_s_;
  return mean_W / (1.0 - math::exp(-T / p_.smoothing_s)) + charge_W / (1.0 - math::exp(-T * return_per_s_)) <= drift_W;
}

// A unit begins and ends within a millisecond of the same phase, so its charge has moved by what that millisecond was worth.
double RackStorage::repeat(const RackStorageState& now, StoreMeters& meters, const RackStorageState& before,
                           const StoreMeters& meters_before, double count) const {
  const double efficiency = store_.params().charge_efficiency_frac;
  const double rise_J = (store_.stored_J(now.store) - store_.stored_J(before.store)) * count,
               less_J = rise_J / efficiency;
  const auto book = [count](CompensatedSum& to, const CompensatedSum& from, double less) {
    to.add((to.value() - from.value()) * count - less);
  };
  book(meters.charged_J, meters_before.charged_J, less_J);
  book(meters.charge_loss_J, meters_before.charge_loss_J, less_J - rise_J);
  book(meters.discharged_J, meters_before.discharged_J, 0.0);
  book(meters.discharge_loss_J, meters_before.discharge_loss_J, 0.0);
  book(meters.not_served_J, meters_before.not_served_J, 0.0);
  meters.n_power_limited +=
      std::llround(static_cast<double>(meters.n_power_limited - meters_before.n_power_limited) * count);
  return less_J;
}

}  // namespace TIDEWATT_NAMESPACE::power
