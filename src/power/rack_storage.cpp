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
constexpr std::int64_t window_bins = 10'000;
constexpr double in_use = 0.02;      ///< share of the charge: less than this teaches nothing
constexpr double last_part = 0.25;   ///< share of the charge over which the store lets go
constexpr double rest_frac = 1e-12;  ///< of the charge: as good as nothing
double per_bin(double W_per_s) { return W_per_s > 0.0 ? W_per_s * bin_s : std::numeric_limits<double>::infinity(); }
}  // namespace

void RackStorageParams::fields(FieldVisitor& v) {
  store.fields(v, "store");
  v.number("smoothing_s", smoothing_s, {0.001, 86400}, "longest time constant of the input behind the load");
  v.number("learning_s", learning_s, {1, 1e6},
           "time in which the droop of the input over the charge narrows from the store's rating to nothing");
  v.number("ramp_up_W_per_s", ramp_up_W_per_s, {0, 1e12}, "largest rise of the input; 0: not limited", Need::optional);
  v.number("ramp_down_W_per_s", ramp_down_W_per_s, {0, 1e12}, "largest fall of the input; 0: not limited",
           Need::optional);
}

RackStorage::RackStorage(const RackStorageParams& p)
    : p_(p),
      store_(p.store, "store"),
      usable_J_((p.store.soc_max_frac - p.store.soc_min_frac) * p.store.energy_J),
      least_W_(usable_J_ / p.smoothing_s),
      move_W_(p.store.power_W * bin_s / p.learning_s),
      up_W_(per_bin(p.ramp_up_W_per_s)),
      down_W_(per_bin(p.ramp_down_W_per_s)) {
  if (!(p.smoothing_s > 0.0) || !(p.learning_s > 0.0))
    throw InputError("rack storage: smoothing_s and learning_s must be positive");
}

RackStorageState RackStorage::start(double load_W) const {
  RackStorageState s;
  s.store = store_.start();
  const double width_W = std::max(least_W_, p_.store.power_W);
  s.low_W = s.goal_low_W = load_W - store_.room_J(s.store) / usable_J_ * width_W;
  s.high_W = s.goal_high_W = s.low_W + width_W;
  s.reference_W = s.seen_low_W = s.seen_high_W = load_W;
  s.charge_low_J = s.charge_high_J = store_.usable_J(s.store);
  return s;
}

/// A load beyond an end pulls it: what is missing to the load falls as what the store has left.
void RackStorage::pull_ends(RackStorageState& s, double load_W, double before_J) const {
  // What is left of the last part of the charge or room, as a share of what was.
  const auto kept = [&](double was_J, double is_J) {
    const double last_J = last_part * usable_J_;
    return is_J <= rest_frac * usable_J_ ? 0.0 : std::min(1.0, std::min(is_J, last_J) / std::min(was_J, last_J));
  };
  if (load_W > s.high_W) s.high_W = load_W - (load_W - s.high_W) * kept(before_J, store_.usable_J(s.store));
  if (load_W < s.low_W) s.low_W = load_W + (s.low_W - load_W) * kept(usable_J_ - before_J, store_.room_J(s.store));
}

/// An end moves as far as it brings the input to the load at most, so the input never passes the load on its account.
void RackStorage::move_ends(RackStorageState& s, double load_W) const {
  const double spare_W = s.high_W - s.low_W - least_W_;
  if (spare_W <= 0.0) return;
  const double step_W = std::min(move_W_, spare_W), above_W = s.reference_W - load_W,
               filled = store_.usable_J(s.store) / usable_J_;
  if (above_W >= (1.0 - filled) * step_W) {
    const double end_W = std::max(s.goal_high_W, s.seen_high_W);
    if (s.high_W > end_W) s.high_W = std::max(end_W, s.high_W - step_W);
  } else if (-above_W >= filled * step_W) {
    const double end_W = std::min(s.goal_low_W, s.seen_low_W);
    if (s.low_W < end_W) s.low_W = std::min(end_W, s.low_W + step_W);
  }
}

void RackStorage::watch(RackStorageState& s) const {
  const double charge_J = store_.usable_J(s.store);
  s.seen_low_W = std::min(s.seen_low_W, s.reference_W), s.seen_high_W = std::max(s.seen_high_W, s.reference_W);
  s.charge_low_J = std::min(s.charge_low_J, charge_J), s.charge_high_J = std::max(s.charge_high_J, charge_J);
  if (++s.n_bin < window_bins) return;
  const bool used = s.charge_high_J - s.charge_low_J >= in_use * usable_J_;
  s.goal_low_W = used ? s.seen_low_W : s.low_W, s.goal_high_W = used ? s.seen_high_W : s.high_W;
  s.seen_low_W = s.seen_high_W = s.reference_W;
  s.charge_low_J = s.charge_high_J = charge_J;
  s.n_bin = 0;
}

void RackStorage::step(std::span<const double> load_W, std::span<double> drawn_W, RackStorageState& s,
                       StoreMeters& meters) const {
  if (drawn_W.size() != load_W.size()) throw InputError("rack storage: input and output chunks differ in length");
  // Copies that no array can alias: they stay in registers.
  RackStorageState now = s;
  StoreMeters booked = meters;
  const double rise_per_J = p_.store.charge_efficiency_frac, fall_per_J = 1.0 / p_.store.discharge_efficiency_frac;
  const double rest_J = rest_frac * usable_J_;
  for (std::size_t k = 0; k < load_W.size(); ++k) {
    const double L = load_W[k], before_J = store_.usable_J(now.store), width_W = now.high_W - now.low_W;
    const double room_J = store_.room_J(now.store), droop_W = now.low_W + room_J / usable_J_ * width_W;
    // The input at the bin's end charge: implicit, so no store is too small for the bin.
    const double a = bin_s * (L > droop_W ? fall_per_J : rise_per_J) * width_W / usable_J_;
    // An input cannot be negative: a rack gives nothing back to its feeder.
    const double goal_W =
        std::clamp(std::max(0.0, (droop_W + a * L) / (1.0 + a)), now.reference_W - down_W_, now.reference_W + up_W_);
    const bool spent = L > droop_W ? before_J <= rest_J : room_J <= rest_J;  // nothing left in this direction
    const double asked_W = spent && (L > droop_W) == (goal_W < L) ? 0.0 : goal_W - L;
    now.reference_W = L + store_.exchange(now.store, asked_W, bin_s, booked);
    drawn_W[k] = now.reference_W;
    pull_ends(now, L, before_J);
    move_ends(now, L);
    watch(now);
  }
  s = now;
  meters = booked;
}

// The charge forgets what it was with the input's time constant; the rest of its drift is its change over a unit times the
// fraction that a unit leaves of it. The ends move at a constant rate and then stay.
bool RackStorage::repeats(const RackStorageState& before, const StoreMeters& meters_before, const RackStorageState& now,
                          const StoreMeters& meters, std::int64_t n_bin, double drift_W) const {
  if (meters.n_energy_limited != meters_before.n_energy_limited) return false;
  if (now.n_bin < std::min(n_bin, window_bins / 2)) return false;  // the window has not seen the unit
  const bool used = now.charge_high_J - now.charge_low_J >= in_use * usable_J_;
  double ends_W = std::abs(now.high_W - before.high_W) + std::abs(now.low_W - before.low_W);
  if (used && now.high_W - now.low_W > least_W_)  // what the present window will ask them to move
    ends_W += (now.high_W - now.seen_high_W) + (now.seen_low_W - now.low_W);
  const double tau_s = time_constant_s(now), left = math::exp(-static_cast<double>(n_bin) * bin_s / tau_s);
  const double charge_W = std::abs(store_.stored_J(now.store) - store_.stored_J(before.store)) / tau_s;
  return ends_W + charge_W * left / (1.0 - left) <= drift_W;
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
