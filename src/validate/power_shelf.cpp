#include "power_shelf.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::validate {

using namespace power;

void PowerShelfParams::fields(FieldVisitor& v) {
  v.number("rating_kW", rating_W, {0.1, 2000}, "output of the rectifiers");
  v.number("overload_ratio", overload_ratio, {1, 3}, "short-time output over rating");
  v.number("efficiency_frac", efficiency_frac, {0.5, 1}, "alternating current to bus");
  v.number("holdup_J", holdup_J, {0, 1e6}, "hold-up energy at the bus");
  v.number("holdup_charge_kW", holdup_charge_W, {0.001, 1000}, "power that refills the hold-up capacitors");
  v.number("restart_ms", restart_s, {0, 60000}, "from the return of the input to regulated output");
  v.number("bus_V", bus_V, {1, 2000}, "bus voltage that the rectifiers regulate");
  v.number("holdup_bus_V", holdup_bus_V, {1, 2000}, "bus voltage while the hold-up capacitors supply the rectifiers");
  v.number("battery_bus_V", battery_bus_V, {1, 2000}, "bus voltage that the battery unit regulates");
  v.number("trigger_bus_V", trigger_bus_V, {1, 2000}, "bus voltage below which the trigger time runs");
  v.number("trigger_ms", trigger_s, {0, 1000}, "time below this voltage until the battery unit is triggered");
  v.number("start_ms", start_s, {0, 10000}, "from its trigger to its output");
  v.number("standby_ms", standby_s, {0, 60000}, "time above this voltage until the battery unit returns to standby");
  v.number("recharge_kW", recharge_W, {0, 1000}, "battery's charging power");
  battery.fields(v, "battery");
}

double PowerShelfMeters::closure() const {
  CompensatedSum gap = input_J;
  gap.add(holdup_out_J.value());
  gap.add(battery.discharged_J.value());
  for (const CompensatedSum* out : {&rectifier_loss_J, &holdup_in_J, &load_J, &battery.charged_J})
    gap.add(-out->value());
  const double moved_J = input_J.value() + holdup_out_J.value() + battery.discharged_J.value();
  return moved_J > 0.0 ? std::abs(gap.value()) / moved_J : 0.0;
}

PowerShelf::PowerShelf(const PowerShelfParams& p)
    : p_(p),
      battery_(p.battery, "battery"),
      restart_(to_tick(p.restart_s)),
      trigger_(to_tick(p.trigger_s)),
      start_(to_tick(p.start_s)),
      standby_(to_tick(p.standby_s)) {
  std::vector<Finding> findings;
  const auto need = [&](bool ok, const char* key, const char* message) {
    if (!ok) findings.push_back({{}, key, message});
  };
  need(p.rating_W > 0.0, "rating_kW", "must be positive");
  need(p.efficiency_frac > 0.0 && p.efficiency_frac <= 1.0, "efficiency_frac", "must be in (0, 1]");
  need(p.holdup_J >= 0.0 && (p.holdup_J == 0.0 || p.holdup_charge_W > 0.0), "holdup_charge_kW", "must be positive");
  need(p.bus_V > p.trigger_bus_V, "trigger_bus_V", "must lie below bus_V, or the battery would run all the time");
  need(p.battery_bus_V < p.trigger_bus_V, "battery_bus_V",
       "must lie below the trigger, or the battery would leave its load");
  if (!findings.empty()) throw InputError(std::move(findings));
}

PowerShelfState PowerShelf::start() const {
  PowerShelfState s;
  s.holdup_J = p_.holdup_J;
  s.battery = battery_.start();
  s.input_good_for = restart_;
  s.bus_V = p_.bus_V;
  return s;
}

PowerShelf::Source PowerShelf::source(const PowerShelfState& s, double load_W, bool input_good) const {
  if (input_good && s.input_good_for >= restart_ && load_W <= p_.rating_W * p_.overload_ratio) return Source::rectifier;
  if (s.unit == BatteryUnit::delivering && battery_.usable_J(s.battery) > 1e-8 * load_W && load_W <= p_.battery.power_W)
    return Source::battery;
  if (s.holdup_J + s.holdup_carry_J > 0.0 && load_W <= p_.rating_W * p_.overload_ratio) return Source::holdup;
  return Source::none;
}

double PowerShelf::bus_V(Source from) const {
  switch (from) {
    case Source::rectifier:
      return p_.bus_V;
    case Source::battery:
      return p_.battery_bus_V;
    case Source::holdup:
      return p_.holdup_bus_V;
    case Source::none:
      break;
  }
  return 0.0;
}

// The longest stretch over which nothing changes.
Tick PowerShelf::piece(const PowerShelfState& s, Source from, double load_W, bool input_good, Tick left) const {
  Tick d = left;
  const auto until = [&](Tick t) {
    if (t > 0) d = std::min(d, t);
  };
  if (input_good) until(restart_ - s.input_good_for);
  if (s.unit == BatteryUnit::standby && bus_V(from) < p_.trigger_bus_V) until(trigger_ - s.below_for);
  if (s.unit == BatteryUnit::starting) until(start_ - s.starting_for);
  if (s.unit == BatteryUnit::delivering && bus_V(from) > p_.trigger_bus_V) until(standby_ - s.above_for);
  const auto lasts = [&](double energy_J, double power_W) {
    if (energy_J > 1e-9 * power_W && energy_J < power_W * seconds(d))
      until(std::max<Tick>(1, to_tick(energy_J / power_W)));
  };
  if (from == Source::holdup) lasts(s.holdup_J, load_W);
  if (from == Source::battery) lasts(battery_.usable_J(s.battery) * p_.battery.discharge_efficiency_frac, load_W);
  if (from == Source::rectifier) lasts(p_.holdup_J - s.holdup_J, p_.holdup_charge_W);
  return d;
}

void PowerShelf::move(Tick d, Source from, double load_W, bool input_good, PowerShelfState& s,
                      PowerShelfMeters& m) const {
  const double h_s = seconds(d);
  double holdup_in_W = 0.0, holdup_out_W = 0.0, served_W = load_W;
  if (from == Source::rectifier) {
    holdup_in_W = std::min(p_.holdup_charge_W, std::max(0.0, p_.holdup_J - s.holdup_J - s.holdup_carry_J) / h_s);
    const double spare_W = std::max(0.0, p_.rating_W - load_W - holdup_in_W);
    const double asked_W = std::min({p_.recharge_W, spare_W, battery_.room_J(s.battery) / h_s});
    const double charge_W = asked_W > 0.0 ? battery_.exchange(s.battery, asked_W, h_s, m.battery) : 0.0;
    const double out_W = load_W + holdup_in_W + charge_W;
    m.input_J.add(out_W / p_.efficiency_frac * h_s);
    m.rectifier_loss_J.add((1.0 / p_.efficiency_frac - 1.0) * out_W * h_s);
  } else if (from == Source::battery) {
    served_W = -battery_.exchange(s.battery, -load_W, h_s, m.battery);
  } else if (from == Source::holdup) {
    holdup_out_W = std::min(load_W, (s.holdup_J + s.holdup_carry_J) / h_s);
    served_W = holdup_out_W;
  } else {
    served_W = 0.0;
    if (input_good || s.unit == BatteryUnit::delivering) ++m.n_overload;
  }
  const double rise_J = (holdup_in_W - holdup_out_W) * h_s + s.holdup_carry_J, next_J = s.holdup_J + rise_J;
  s.holdup_carry_J = rise_J - (next_J - s.holdup_J);
  s.holdup_J = next_J;
  if (from == Source::holdup && s.holdup_J < 2e-9 * load_W) {  // less than two nanoseconds' worth: rounding
    m.holdup_out_J.add(s.holdup_J + s.holdup_carry_J);
    m.load_J.add(s.holdup_J + s.holdup_carry_J);
    s.holdup_J = s.holdup_carry_J = 0.0;
  }
  m.holdup_in_J.add(holdup_in_W * h_s);
  m.holdup_out_J.add(holdup_out_W * h_s);
  m.load_J.add(served_W * h_s);
  m.unserved_J.add((load_W - served_W) * h_s);
}

void PowerShelf::unit_after(Tick d, PowerShelfState& s) const {
  const bool low = s.bus_V < p_.trigger_bus_V;
  s.below_for = low ? s.below_for + d : 0;
  if (s.unit == BatteryUnit::starting) s.starting_for += d;
  if (s.unit == BatteryUnit::starting && s.starting_for >= start_) {
    s.unit = BatteryUnit::delivering;
    s.starting_for = s.above_for = 0;
  } else if (s.unit == BatteryUnit::delivering) {
    s.above_for = low ? 0 : s.above_for + d;
    if (s.above_for >= standby_) s.unit = BatteryUnit::standby;
  } else if (s.unit == BatteryUnit::standby && low && s.below_for >= trigger_) {
    s.unit = start_ > 0 ? BatteryUnit::starting : BatteryUnit::delivering;
  }
}

void PowerShelf::step(Tick duration, double load_W, bool input_good, PowerShelfState& s, PowerShelfMeters& m) const {
  if (!(load_W >= 0.0) || duration < 0) throw InputError("power shelf: load and duration must not be negative");
  if (!input_good) s.input_good_for = 0;
  for (Tick left = duration; left > 0;) {
    const Source from = source(s, load_W, input_good);
    const Tick d = piece(s, from, load_W, input_good, left);
    s.bus_V = bus_V(from);
    move(d, from, load_W, input_good, s, m);
    if (input_good) s.input_good_for = std::min(restart_, s.input_good_for + d);
    unit_after(d, s);
    left -= d;
  }
}

}  // namespace TIDEWATT_NAMESPACE::validate
