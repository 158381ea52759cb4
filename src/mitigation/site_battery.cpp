#include "tidewatt/mitigation/site_battery.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "numerics/block.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/math.hpp"

namespace TIDEWATT_NAMESPACE::mitigation {
namespace {

using numerics::bin_s;

void check(const SiteBatteryParams& p) {
  std::vector<Finding> findings;
  const auto need = [&](bool ok, const char* key, const char* message) {
    if (!ok) findings.push_back({{}, key, message});
  };
  need(p.power_W > 0.0, "power_MW", "must be positive");
  need(p.energy_J > 0.0, "energy_MWh", "must be positive");
  need(p.charge_efficiency_frac > 0.0 && p.charge_efficiency_frac <= 1.0, "charge_efficiency_frac",
       "must be in (0, 1]");
  need(p.discharge_efficiency_frac > 0.0 && p.discharge_efficiency_frac <= 1.0, "discharge_efficiency_frac",
       "must be in (0, 1]");
  need(p.soc_min_frac >= 0.0 && p.soc_min_frac < p.soc_max_frac && p.soc_max_frac <= 1.0, "soc_min_frac",
       "needs 0 <= soc_min < soc_max <= 1");
  need(p.soc_initial_frac >= p.soc_min_frac && p.soc_initial_frac <= p.soc_max_frac, "soc_initial_frac",
       "must lie within its bounds");
  need(p.soc_target_frac >= p.soc_min_frac && p.soc_target_frac <= p.soc_max_frac, "soc_target_frac",
       "must lie within its bounds");
  need(p.standby_W >= 0.0 && p.standby_W < p.charge_efficiency_frac * p.power_W, "standby_W",
       "the charger must be able to make up for it");
  const double ms = p.control_period_s * 1e3;
  need(ms >= 1.0 - 1e-9 && std::abs(ms - std::round(ms)) < 1e-9, "control_period_ms",
       "must be a whole number of milliseconds");
  need(p.response_s >= 0.0 && p.smoothing_s >= 0.0 && p.ramp_up_W_per_s >= 0.0 && p.ramp_down_W_per_s >= 0.0 &&
           p.soc_gain_pu >= 0.0 && p.band_W >= 0.0,
       "response_ms", "times, ramps, band and gain must not be negative");
  if (!findings.empty()) throw InputError(std::move(findings));
}

double per_period(double W_per_s, double period_s) {
  return W_per_s > 0.0 ? W_per_s * period_s : std::numeric_limits<double>::infinity();
}

}  // namespace

void SiteBatteryParams::fields(FieldVisitor& v) {
  v.number("power_MW", power_W, {1e-3, 5000}, "rating at the AC side, charging and discharging");
  v.number("energy_MWh", energy_J, {1e-6, 50000}, "capacity of the store");
  v.number("charge_efficiency_frac", charge_efficiency_frac, {0.5, 1}, "AC to store");
  v.number("discharge_efficiency_frac", discharge_efficiency_frac, {0.5, 1}, "store to AC");
  v.number("standby_kW", standby_W, {0, 10000}, "auxiliaries and self-discharge, drawn from the store");
  v.number("soc_min_frac", soc_min_frac, {0, 1}, "lowest state of charge");
  v.number("soc_max_frac", soc_max_frac, {0, 1}, "highest state of charge");
  v.number("soc_initial_frac", soc_initial_frac, {0, 1}, "state of charge at the start of the run");
  v.number("soc_target_frac", soc_target_frac, {0, 1}, "state of charge to return to");
  v.number("response_ms", response_s, {0, 5000}, "first-order lag of the converter; 0: none");
  v.number("control_period_ms", control_period_s, {1, 60000}, "controller's sampling period, whole milliseconds");
  v.number("ramp_up_MW_per_min", ramp_up_W_per_s, {0, 1e6}, "largest rise at the connection; 0: not limited",
           Need::optional);
  v.number("ramp_down_MW_per_min", ramp_down_W_per_s, {0, 1e6}, "largest fall at the connection; 0: not limited",
           Need::optional);
  v.number("smoothing_s", smoothing_s, {0, 86400}, "low-pass time constant that the connection follows; 0: none",
           Need::optional);
  v.number("band_MW", band_W, {0, 5000}, "largest deviation of the connection from the low-pass; 0: it follows exactly",
           Need::optional);
  v.number("soc_gain_pu", soc_gain_pu, {0, 100},
           "fraction of rated power per unit of deviation from the target state of charge");
}

double SiteBatteryMeters::closure(double stored_J) const {
  CompensatedSum gap = charged_J;
  for (const CompensatedSum* out : {&discharged_J, &charge_loss_J, &discharge_loss_J, &standby_J})
    gap.add(-out->value());
  gap.add(-stored_J);
  const double moved_J = charged_J.value() + discharged_J.value() + standby_J.value();
  return moved_J > 0.0 ? std::abs(gap.value()) / moved_J : std::abs(gap.value());
}

SiteBattery::SiteBattery(const SiteBatteryParams& params) : p_(params) {
  check(p_);
  period_bins_ = std::llround(p_.control_period_s / bin_s);
  smooth_gain_ = p_.smoothing_s > 0.0 ? 1.0 - math::exp(-p_.control_period_s / p_.smoothing_s) : 1.0;
  lag_end_ = p_.response_s > 0.0 ? math::exp(-bin_s / p_.response_s) : 0.0;
  lag_mean_ = p_.response_s > 0.0 ? math::mean_decay(bin_s / p_.response_s) : 0.0;
  ramp_up_W_ = per_period(p_.ramp_up_W_per_s, p_.control_period_s);
  ramp_down_W_ = per_period(p_.ramp_down_W_per_s, p_.control_period_s);
}

SiteBatteryState SiteBattery::start(double load_W) const {
  SiteBatteryState s;
  s.energy_J = p_.soc_initial_frac * p_.energy_J;
  resume(s, load_W);
  return s;
}

void SiteBattery::resume(SiteBatteryState& s, double load_W) const {
  s.power_W = s.command_W = 0.0;
  s.reference_W = s.smoothed_W = load_W;
  s.period_sum_W = 0.0;
  s.period_bins = 0;
  s.cut_in_period = false;
}

void SiteBattery::decide(SiteBatteryState& s, SiteBatteryMeters& meters, double ceiling_W) const {
  const double load_W = s.period_sum_W / static_cast<double>(period_bins_);
  if (s.cut_in_period)
    s.reference_W = load_W + s.power_W;  // no wind-up: continue from what the connection really draws
  s.cut_in_period = false;
  s.smoothed_W += smooth_gain_ * (load_W - s.smoothed_W);
  const double within_W = std::clamp(load_W, s.smoothed_W - p_.band_W, s.smoothed_W + p_.band_W);
  const double goal_W = within_W + p_.soc_gain_pu * p_.power_W * (p_.soc_target_frac - soc_frac(s));
  s.reference_W = std::clamp(goal_W, s.reference_W - ramp_down_W_, s.reference_W + ramp_up_W_);
  s.reference_W = std::min(s.reference_W, ceiling_W);
  const double asked_W = s.reference_W - load_W;
  s.command_W = std::clamp(asked_W, -p_.power_W, p_.power_W);
  if (s.command_W != asked_W) {
    ++meters.n_power_limited;
    meters.not_served_J.add(std::abs(asked_W - s.command_W) * p_.control_period_s);
    s.reference_W = load_W + s.command_W;
  }
  s.period_sum_W = 0.0;
  s.period_bins = 0;
}

// At most one block of bins inside one control period.
void SiteBattery::bins(std::span<const double> load_W, double* pcc_W, SiteBatteryState& s,
                       SiteBatteryMeters& meters) const {
  const double E_min_J = p_.soc_min_frac * p_.energy_J, E_max_J = p_.soc_max_frac * p_.energy_J;
  double charged_W = 0.0, discharged_W = 0.0, cut_W = 0.0;
  double sum_W = s.period_sum_W;
  double power_W = s.power_W, energy_J = s.energy_J, carry_J = s.energy_carry_J;
  double E_low_J = energy_J, E_high_J = energy_J;
  for (std::size_t k = 0; k < load_W.size(); ++k) {
    double mean_W = s.command_W + (power_W - s.command_W) * lag_mean_;
    power_W = s.command_W + (power_W - s.command_W) * lag_end_;
    const double full_W = ((E_max_J - energy_J) - carry_J) / bin_s + p_.standby_W;   // store-side power that fills it
    const double empty_W = ((E_min_J - energy_J) - carry_J) / bin_s + p_.standby_W;  // and that empties it
    const double store_W = mean_W > 0.0 ? mean_W * p_.charge_efficiency_frac : mean_W / p_.discharge_efficiency_frac;
    if (store_W > full_W || store_W < empty_W) {
      const double held_W = store_W > full_W ? full_W : empty_W;
      const double given_W = held_W > 0.0 ? held_W / p_.charge_efficiency_frac : held_W * p_.discharge_efficiency_frac;
      cut_W += std::abs(mean_W - given_W);
      mean_W = power_W = given_W;
      ++meters.n_energy_limited;
      s.cut_in_period = true;
    }
    const double in_W = mean_W > 0.0 ? mean_W : 0.0, out_W = mean_W < 0.0 ? -mean_W : 0.0;
    charged_W += in_W;
    discharged_W += out_W;
    const double rise_J =
        (in_W * p_.charge_efficiency_frac - out_W / p_.discharge_efficiency_frac - p_.standby_W) * bin_s + carry_J;
    const double next_J = energy_J + rise_J;
    carry_J = rise_J - (next_J - energy_J);
    energy_J = next_J;
    E_low_J = energy_J < E_low_J ? energy_J : E_low_J;
    E_high_J = energy_J > E_high_J ? energy_J : E_high_J;
    sum_W += load_W[k];
    pcc_W[k] = load_W[k] + mean_W;
  }
  s.power_W = power_W;
  s.energy_J = energy_J;
  s.energy_carry_J = carry_J;
  s.period_sum_W = sum_W;
  s.period_bins += static_cast<std::int64_t>(load_W.size());
  meters.charged_J.add(charged_W * bin_s);
  meters.discharged_J.add(discharged_W * bin_s);
  meters.charge_loss_J.add((1.0 - p_.charge_efficiency_frac) * charged_W * bin_s);
  meters.discharge_loss_J.add((1.0 / p_.discharge_efficiency_frac - 1.0) * discharged_W * bin_s);
  meters.not_served_J.add(cut_W * bin_s);
  meters.standby_J.add(p_.standby_W * (static_cast<double>(load_W.size()) * bin_s));
  meters.soc_min_frac = std::min(meters.soc_min_frac, E_low_J / p_.energy_J);
  meters.soc_max_frac = std::max(meters.soc_max_frac, E_high_J / p_.energy_J);
}

void SiteBattery::step(std::span<const double> load_W, std::span<double> pcc_W, SiteBatteryState& state,
                       SiteBatteryMeters& meters, double ceiling_W) const {
  if (pcc_W.size() != load_W.size()) throw InputError("site battery: input and output chunks differ in length");
  for (std::size_t at = 0; at < load_W.size();) {
    const auto left = static_cast<std::size_t>(period_bins_ - state.period_bins);
    const std::size_t n = std::min({left, load_W.size() - at, numerics::block_size});
    bins(load_W.subspan(at, n), pcc_W.data() + at, state, meters);
    at += n;
    if (state.period_bins == period_bins_) decide(state, meters, ceiling_W);
  }
}

std::int64_t SiteBattery::repeatable(const SiteBatteryState& before, const SiteBatteryMeters& meters_before,
                                     const SiteBatteryState& now, const SiteBatteryMeters& meters, std::int64_t n_bin,
                                     double drift_W) const {
  if (now.cut_in_period || before.cut_in_period || meters.n_energy_limited != meters_before.n_energy_limited) return 0;
  const double T = static_cast<double>(n_bin) * bin_s;
  const double charged_J = meters.charged_J.value() - meters_before.charged_J.value(),
               discharged_J = meters.discharged_J.value() - meters_before.discharged_J.value();
  // At rest the low-pass is at the load's mean: the battery's mean power is that of its charge control.
  const double asked_W = p_.soc_gain_pu * p_.power_W * (p_.soc_target_frac - 0.5 * (soc_frac(before) + soc_frac(now)));
  const double gap_W = std::abs(asked_W - (charged_J - discharged_J) / T);
  if (gap_W > 10.0 * drift_W) return 0;
  const double passed = p_.smoothing_s > 0.0 ? 1.0 - math::exp(-T / p_.smoothing_s) : 1.0;
  const double climb_W = gap_W > drift_W ? gap_W * passed : 0.0;
  const double rise_J = (now.energy_J - before.energy_J) + (now.energy_carry_J - before.energy_carry_J);
  const double by_charge_W = p_.soc_gain_pu * p_.power_W * std::abs(rise_J) / p_.energy_J;
  const double moved_J = charged_J + discharged_J;
  const double room_J = rise_J > 0.0 ? p_.soc_max_frac * p_.energy_J - now.energy_J - moved_J
                                     : now.energy_J - p_.soc_min_frac * p_.energy_J - moved_J;
  if (room_J <= 0.0) return 0;
  constexpr double many = 1e9;
  const double times = std::min(drift_W / std::max({by_charge_W, climb_W, drift_W / many}),
                                room_J / std::max(std::abs(rise_J), room_J / many));
  return static_cast<std::int64_t>(times);
}

double SiteBattery::repeat(SiteBatteryState& s, SiteBatteryMeters& meters, const SiteBatteryMeters& before,
                           double count) const {
  double rise_J = s.energy_carry_J, taken_J = 0.0;
  const auto book = [&](CompensatedSum& now, const CompensatedSum& then, double sign, bool at_connection) {
    const double J = (now.value() - then.value()) * count;
    now.add(J);
    rise_J += sign * J;
    if (at_connection) taken_J += sign * J;
  };
  book(meters.charged_J, before.charged_J, 1.0, true);
  book(meters.discharged_J, before.discharged_J, -1.0, true);
  book(meters.charge_loss_J, before.charge_loss_J, -1.0, false);
  book(meters.discharge_loss_J, before.discharge_loss_J, -1.0, false);
  book(meters.standby_J, before.standby_J, -1.0, false);
  book(meters.not_served_J, before.not_served_J, 0.0, false);
  meters.n_power_limited += std::llround(static_cast<double>(meters.n_power_limited - before.n_power_limited) * count);
  const double next_J = s.energy_J + rise_J;
  s.energy_carry_J = rise_J - (next_J - s.energy_J);
  s.energy_J = next_J;
  meters.soc_min_frac = std::min(meters.soc_min_frac, soc_frac(s));
  meters.soc_max_frac = std::max(meters.soc_max_frac, soc_frac(s));
  return taken_J;
}

}  // namespace TIDEWATT_NAMESPACE::mitigation
