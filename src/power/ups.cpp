#include "tidewatt/power/ups.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "numerics/block.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::power {

using numerics::bin_s;

void UpsParams::fields(FieldVisitor& v) {
  v.number("rating_MW", rating_W, {1e-4, 5000}, "output rating");
  v.flag("eco", eco, "true: a static switch connects the load directly to the source");
  v.number("no_load_loss_frac", no_load_loss_frac, {0, 0.2},
           "loss while the converters run, as a fraction of the rating");
  v.number("proportional_loss_frac", proportional_loss_frac, {0, 0.3},
           "loss proportional to the load, as a fraction of the rating");
  v.number("quadratic_loss_frac", quadratic_loss_frac, {0, 0.3},
           "loss proportional to the square of the load, as a fraction of the rating");
  v.number("eco_loss_frac", eco_loss_frac, {0, 0.1}, "loss in eco operation, as a fraction of the load");
  v.number("eco_gap_ms", eco_gap_s, {0, 100}, "interruption of a transfer out of eco operation");
  v.number("low_pu", low_pu, {0, 1}, "lowest source voltage that is accepted");
  v.number("high_pu", high_pu, {1, 2}, "highest source voltage that is accepted");
  v.number("return_s", return_s, {0, 86400}, "time of good voltage before the return begins");
  v.number("walk_in_s", walk_in_s, {0, 3600}, "time in which the input power rises linearly after a return");
  v.integer("lockout_count", lockout_count, {0, 8}, "transfers within the window that lock it on battery; 0: never");
  v.number("lockout_window_s", lockout_window_s, {0, 86400}, "window of the lockout");
  v.number("overload_ratio", overload_ratio, {1, 3}, "output over rating beyond which the load is dropped");
  v.number("recharge_MW", recharge_W, {0, 5000}, "charging power of the battery");
  battery.fields(v, "battery");
}

double UpsMeters::closure() const {
  CompensatedSum gap = drawn_J;
  gap.add(battery.discharged_J.value());
  for (const CompensatedSum* out : {&battery.charged_J, &served_J, &loss_J}) gap.add(-out->value());
  const double moved_J = drawn_J.value() + battery.discharged_J.value();
  return moved_J > 0.0 ? std::abs(gap.value()) / moved_J : 0.0;
}

Ups::Ups(const UpsParams& p)
    : p_(p),
      battery_(p.battery, "battery"),
      return_(to_tick(p.return_s)),
      walk_(to_tick(p.walk_in_s)),
      window_(to_tick(p.lockout_window_s)),
      gap_(to_tick(p.eco_gap_s)) {
  std::vector<Finding> findings;
  if (!(p.rating_W > 0.0)) findings.push_back({{}, "rating_MW", "must be positive"});
  if (!(p.low_pu < p.high_pu)) findings.push_back({{}, "low_pu", "must lie below high_pu"});
  if (p.lockout_count < 0 || p.lockout_count > 8) findings.push_back({{}, "lockout_count", "must be 0 to 8"});
  if (!findings.empty()) throw InputError(std::move(findings));
}

void Ups::release(UpsState& s) const {
  if (s.mode != UpsMode::locked) return;
  s.mode = s.dark ? UpsMode::off : UpsMode::on_battery;
  s.n_transfer_kept = 0;
}

void Ups::drop(UpsState& s, UpsMeters& m) const {
  if (!s.dark) ++m.n_off;
  s.dark = true;
  s.gap_left = 0;
  if (s.mode == UpsMode::locked) return;
  if (s.mode != UpsMode::off) s.good_for = 0;
  s.mode = UpsMode::off;
}

double Ups::loss_W(double load_W, bool eco) const {
  if (eco) return p_.eco_loss_frac * load_W;
  const double x = load_W / p_.rating_W;
  return p_.rating_W * (p_.no_load_loss_frac + x * (p_.proportional_loss_frac + x * p_.quadratic_loss_frac));
}

namespace {
void forget_first(UpsState& s) {
  std::rotate(s.transfers.begin(), s.transfers.begin() + 1, s.transfers.end());
  --s.n_transfer_kept;
}
}  // namespace

void Ups::transfer(UpsState& s, UpsMeters& m) const {
  if (s.mode == UpsMode::normal && p_.eco) s.gap_left = gap_;
  ++m.n_transfer;
  if (s.n_transfer_kept == 8) forget_first(s);
  s.transfers[static_cast<std::size_t>(s.n_transfer_kept++)] = s.now;
  const bool lock = p_.lockout_count > 0 && s.n_transfer_kept >= p_.lockout_count;
  if (lock) ++m.n_lockout;
  s.mode = lock ? UpsMode::locked : UpsMode::on_battery;
  s.good_for = s.walk_for = 0;
}

void Ups::decide(bool good, UpsState& s, UpsMeters& m) const {
  if (!good) {
    s.good_for = 0;
    if (s.mode == UpsMode::normal || s.mode == UpsMode::returning) transfer(s, m);
    return;
  }
  if (s.mode == UpsMode::on_battery || s.mode == UpsMode::off) {
    if (s.good_for >= return_) {
      // After a loss the load restarts on the source: there is no walk-in from a battery.
      s.mode = s.mode == UpsMode::off ? UpsMode::normal : UpsMode::returning;
      s.walk_for = 0;
    }
    s.good_for += ns_per_ms;
  }
  if (s.mode == UpsMode::returning && s.walk_for >= walk_) s.mode = UpsMode::normal;
}

double Ups::bin(double load_W, double source_pu, double limit_W, double& served_W, UpsState& s, UpsMeters& m) const {
  const bool good = source_pu >= p_.low_pu && source_pu <= p_.high_pu;
  while (s.n_transfer_kept > 0 && s.now - s.transfers[0] > window_) forget_first(s);
  decide(good, s, m);
  const bool linked = s.mode == UpsMode::normal || s.mode == UpsMode::returning;
  const double gap_frac = static_cast<double>(std::min(s.gap_left, ns_per_ms)) / static_cast<double>(ns_per_ms);
  s.gap_left -= std::min(s.gap_left, ns_per_ms);
  double P_W = load_W * (1.0 - gap_frac);
  const bool overload = load_W > p_.rating_W * p_.overload_ratio;
  const bool empty = s.mode == UpsMode::locked && s.dark;  // locked and out of charge: waits for `release`
  if (s.mode == UpsMode::off || overload || empty) P_W = 0.0;
  double loss = P_W > 0.0 || linked ? loss_W(P_W, p_.eco && s.mode == UpsMode::normal) : 0.0;
  double may_W = 0.0;
  if (linked) {
    const double share =
        s.mode == UpsMode::normal
            ? 1.0
            : std::min(1.0, static_cast<double>(s.walk_for) / static_cast<double>(std::max<Tick>(1, walk_)));
    may_W = std::min(share * (P_W + loss), limit_W);
    if (may_W < share * (P_W + loss)) ++m.n_input_limited;
    s.walk_for += s.mode == UpsMode::returning ? ns_per_ms : 0;
  }
  double drawn_W = may_W;
  const double short_W = P_W + loss - drawn_W;
  if (short_W > battery_.available_W(s.battery, bin_s) * (1.0 + 1e-12)) {  // the load drops
    if (s.mode != UpsMode::locked) s.mode = UpsMode::off;
    P_W = loss = drawn_W = 0.0;
  } else if (short_W > 0.0) {
    const double given_W = -battery_.exchange(s.battery, -short_W, bin_s, m.battery);
    P_W -= short_W - given_W;  // a last rounding of the bound
  } else if (s.mode == UpsMode::normal && p_.recharge_W > 0.0) {
    const double room_W = battery_.room_J(s.battery) / (bin_s * p_.battery.charge_efficiency_frac);
    const double asked_W = std::min({p_.recharge_W, std::max(0.0, limit_W - drawn_W), room_W});
    if (asked_W > 0.0) drawn_W += battery_.exchange(s.battery, asked_W, bin_s, m.battery);
  }
  const bool dropped = load_W > 0.0 && P_W == 0.0 && gap_frac < 1.0;
  if (dropped && !s.dark) ++m.n_off;
  s.dark = dropped;
  s.now += ns_per_ms;
  served_W = P_W;
  m.drawn_J.add(drawn_W * bin_s);
  m.served_J.add(P_W * bin_s);
  m.unserved_J.add((load_W - P_W) * bin_s);
  m.loss_J.add(loss * bin_s);
  return drawn_W;
}

void Ups::step(std::span<const double> load_W, std::span<const double> source_pu, std::span<double> drawn_W,
               std::span<double> served_W, UpsState& state, UpsMeters& meters) const {
  if (source_pu.size() != load_W.size() || drawn_W.size() != load_W.size() || served_W.size() != load_W.size())
    throw InputError("ups: chunks differ in length");
  for (std::size_t k = 0; k < load_W.size(); ++k)
    drawn_W[k] = bin(load_W[k], source_pu[k], std::numeric_limits<double>::infinity(), served_W[k], state, meters);
}

}  // namespace TIDEWATT_NAMESPACE::power
