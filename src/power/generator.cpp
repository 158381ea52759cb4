#include "tidewatt/power/generator.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "numerics/block.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/math.hpp"

namespace TIDEWATT_NAMESPACE::power {

using numerics::bin_s;

void GeneratorParams::fields(FieldVisitor& v) {
  v.integer("n_unit", n_unit, {1, 1000}, "machines");
  v.number("unit_MW", unit_W, {1e-3, 2000}, "rating of one machine");
  v.number("start_s", start_s, {0, 86400}, "time from the start signal to the first unit on the bus");
  v.number("sync_interval_s", sync_interval_s, {0, 3600}, "time between the connection of further units");
  v.number("load_step_frac", load_step_frac, {0.01, 1}, "largest load step as a fraction of the online capacity");
  v.number("load_step_interval_s", load_step_interval_s, {0, 3600}, "time between load steps");
  v.number("ramp_MW_per_min", ramp_W_per_s, {1e-3, 1e5}, "fastest change of one unit's mechanical power");
  v.number("governor_s", governor_s, {0, 60}, "lag of governor and fuel system");
  v.number("droop_pu", droop_pu, {0.001, 1}, "relative speed deviation for full power");
  v.number("reset_s", reset_s, {0, 3600}, "integral time of the governor; 0: none");
  v.number("inertia_s", inertia_s, {0.1, 20}, "kinetic energy over rating");
  v.number("damping_pu", damping_pu, {0, 10}, "load damping on online rating");
  v.number("nominal_Hz", nominal_Hz, {40, 70}, "frequency");
  v.number("low_Hz", low_Hz, {30, 70}, "the generators trip below this frequency");
  v.number("high_Hz", high_Hz, {40, 90}, "the generators trip above this frequency");
  v.number("trip_s", trip_s, {0, 600}, "time outside these frequencies until the trip");
  v.number("fuel_no_load_frac", fuel_no_load_frac, {0, 0.9}, "heat input without load over that at rating");
  v.number("efficiency_frac", efficiency_frac, {0.1, 0.7}, "electrical power over heat input at rating");
}

double GeneratorMeters::closure(const GeneratorState& now, double kinetic_before_J) const {
  CompensatedSum gap = mechanical_J;
  gap.add(joined_J.value());
  for (const CompensatedSum* out : {&electrical_J, &damping_J, &left_J}) gap.add(-out->value());
  gap.add(-(now.kinetic_J - kinetic_before_J) - now.kinetic_carry_J);
  const double moved_J = mechanical_J.value() + joined_J.value();
  return moved_J > 0.0 ? std::abs(gap.value()) / moved_J : 0.0;
}

Generator::Generator(const GeneratorParams& p)
    : p_(p),
      lag_(p.governor_s > 0.0 ? 1.0 - math::exp(-bin_s / p.governor_s) : 1.0),
      start_(to_tick(p.start_s)),
      sync_(to_tick(p.sync_interval_s)),
      step_(to_tick(p.load_step_interval_s)),
      trip_(to_tick(p.trip_s)) {
  std::vector<Finding> findings;
  const auto need = [&](bool ok, const char* key) {
    if (!ok) findings.push_back({{}, key, "must be positive"});
  };
  need(p.n_unit >= 1, "n_unit");
  need(p.unit_W > 0.0, "unit_MW");
  need(p.inertia_s > 0.0, "inertia_s");
  need(p.droop_pu > 0.0, "droop_pu");
  need(p.ramp_W_per_s > 0.0, "ramp_MW_per_min");
  need(p.load_step_frac > 0.0, "load_step_frac");
  need(p.efficiency_frac > 0.0, "efficiency_frac");
  if (!(p.low_Hz < p.nominal_Hz && p.nominal_Hz < p.high_Hz))
    findings.push_back({{}, "nominal_Hz", "must lie between low_Hz and high_Hz"});
  if (!findings.empty()) throw InputError(std::move(findings));
}

GeneratorState Generator::running(double load_W) const {
  GeneratorState s;
  s.ordered = true;
  s.n_online = p_.n_unit;
  s.running_for = start_ + sync_ * p_.n_unit;
  s.kinetic_J = p_.inertia_s * rating_W(s);
  s.mechanical_W = load_W;
  s.set_pu = load_W / rating_W(s);
  s.accepted_W = rating_W(s);
  if (load_W > rating_W(s)) throw InputError("generator: the load is above the rating of all units");
  return s;
}

void Generator::order(bool run, GeneratorState& s, GeneratorMeters& m) const {
  if (run == s.ordered) return;
  if (!run) leave(s, m);
  s.ordered = run;
}

void Generator::leave(GeneratorState& s, GeneratorMeters& m) const {
  m.left_J.add(s.kinetic_J);
  m.left_J.add(s.kinetic_carry_J);
  const bool tripped = s.tripped;
  s = {};
  s.tripped = tripped;
}

void Generator::trip(GeneratorState& s, GeneratorMeters& m) const {
  ++m.n_trip;
  s.tripped = true;
  leave(s, m);
}

double Generator::frequency_Hz(const GeneratorState& s) const {
  return s.n_online > 0 ? p_.nominal_Hz * std::sqrt(s.kinetic_J / (p_.inertia_s * rating_W(s))) : 0.0;
}

void Generator::join(GeneratorState& s, GeneratorMeters& m) const {
  if (s.running_for < start_ || s.n_online >= p_.n_unit) return;
  const std::int64_t due = sync_ > 0 ? 1 + (s.running_for - start_) / sync_ : p_.n_unit;
  while (s.n_online < std::min(due, p_.n_unit)) {  // a unit joins at the speed of the bus, or at nominal speed
    const double unit_J = s.n_online > 0 ? s.kinetic_J / static_cast<double>(s.n_online) : p_.inertia_s * p_.unit_W;
    s.kinetic_J += unit_J;
    m.joined_J.add(unit_J);
    s.set_pu *= static_cast<double>(s.n_online) / static_cast<double>(s.n_online + 1);
    ++s.n_online;
  }
}

double Generator::limit_W(const GeneratorState& s) const {
  return s.tripped ? 0.0 : std::min(rating_W(s), s.accepted_W);
}

// The level rises by one step per interval, as long as the load makes use of it.
void Generator::accept(double load_W, GeneratorState& s) const {
  const double step_W = p_.load_step_frac * rating_W(s);
  if (s.accepted_W == 0.0 || s.step_for >= step_) {
    const double next_W = std::min(load_W, s.accepted_W) + step_W;
    if (next_W > s.accepted_W) {
      s.accepted_W = next_W;
      s.step_for = 0;
    }
  }
  s.step_for = std::min(s.step_for + ns_per_ms, std::max(step_, ns_per_ms));
}

void Generator::turn(double electrical_W, GeneratorState& s, GeneratorMeters& m) const {
  const double S = rating_W(s), deviation_pu = frequency_Hz(s) / p_.nominal_Hz - 1.0;
  if (p_.reset_s > 0.0) s.set_pu = std::clamp(s.set_pu - deviation_pu / (p_.droop_pu * p_.reset_s) * bin_s, 0.0, 1.0);
  const double command_W = S * (s.set_pu - deviation_pu / p_.droop_pu);
  const double held_W = std::clamp(command_W, 0.0, S);
  if (held_W != command_W) ++m.n_power_limited;
  const double most_W = static_cast<double>(s.n_online) * p_.ramp_W_per_s * bin_s,
               asked_W = lag_ * (held_W - s.mechanical_W);
  const double change_W = std::clamp(asked_W, -most_W, most_W);
  if (change_W != asked_W) ++m.n_ramp_limited;
  const double mean_W = s.mechanical_W + 0.5 * change_W, damping_W = p_.damping_pu * S * deviation_pu;
  s.mechanical_W += change_W;
  const double rise_J = (mean_W - electrical_W - damping_W) * bin_s + s.kinetic_carry_J, next_J = s.kinetic_J + rise_J;
  s.kinetic_carry_J = rise_J - (next_J - s.kinetic_J);
  s.kinetic_J = next_J;
  m.mechanical_J.add(mean_W * bin_s);
  m.electrical_J.add(electrical_W * bin_s);
  m.damping_J.add(damping_W * bin_s);
  const double rated_heat_W = S / p_.efficiency_frac;
  m.fuel_J.add((p_.fuel_no_load_frac * rated_heat_W + (1.0 - p_.fuel_no_load_frac) / p_.efficiency_frac * mean_W) *
               bin_s);
}

double Generator::bin(double load_W, GeneratorState& s, GeneratorMeters& m) const {
  // Timers stop where they decide nothing more, so that a steady state repeats.
  if (s.ordered) s.running_for = std::min(s.running_for + ns_per_ms, start_ + sync_ * p_.n_unit);
  if (s.ordered && !s.tripped) join(s, m);
  const double served_W = s.n_online > 0 ? load_W : 0.0;
  m.unserved_J.add((load_W - served_W) * bin_s);
  if (s.n_online == 0) return 0.0;
  accept(load_W, s);
  turn(served_W, s, m);
  const double f = s.kinetic_J > 0.0 ? frequency_Hz(s) : 0.0;
  m.lowest_Hz = std::min(m.lowest_Hz, f);
  m.highest_Hz = std::max(m.highest_Hz, f);
  s.outside_for = f < p_.low_Hz || f > p_.high_Hz ? s.outside_for + ns_per_ms : 0;
  // Below half speed machines are stalled, whatever their protection waits for.
  if (s.outside_for > trip_ || f < 0.5 * p_.nominal_Hz) trip(s, m);
  return served_W;
}

void Generator::step(std::span<const double> load_W, std::span<double> served_W, std::span<double> frequency_out_Hz,
                     GeneratorState& state, GeneratorMeters& meters) const {
  if (served_W.size() != load_W.size() || frequency_out_Hz.size() != load_W.size())
    throw InputError("generator: chunks differ in length");
  for (std::size_t k = 0; k < load_W.size(); ++k) {
    served_W[k] = bin(load_W[k], state, meters);
    frequency_out_Hz[k] = frequency_Hz(state);
  }
}

}  // namespace TIDEWATT_NAMESPACE::power
