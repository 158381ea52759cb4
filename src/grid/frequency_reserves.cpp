#include "tidewatt/grid/frequency_reserves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "numerics/block.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// A stage of the turbine without a time constant passes its input on.
double own(double time_s, double state, double input) { return time_s > 0.0 ? state : input; }
double lag(double time_s, double state, double input) { return time_s > 0.0 ? (input - state) / time_s : 0.0; }

}  // namespace

void ReserveParams::fields(FieldVisitor& v) {
  v.number("governor_deadband_mHz", governor_deadband_Hz, {0, 1000}, "deviation that governors ignore; 0: none");
  v.number("fast_MW", fast_W, {0, 1e5}, "fast reserve available; 0: none");
  v.number("fast_below_Hz", fast_below_Hz, {10, 60}, "fast reserve starts when frequency falls below this");
  v.number("fast_delay_s", fast_delay_s, {0, 60}, "time from this threshold to the first power of the fast reserve");
  v.number("fast_ramp_s", fast_ramp_s, {0, 600}, "time from zero to full fast reserve; 0: at once");
  v.number("fast_hold_s", fast_hold_s, {0, 1e5}, "time at full fast reserve; then it ramps down as it ramped up");
  v.numbers("shed_below_Hz", shed_below_Hz, {10, 60},
            "frequencies of the under-frequency load shedding stages, highest first");
  v.numbers("shed_frac", shed_frac, {0, 1}, "fraction of the system's load that each stage sheds");
  v.number("shed_delay_s", shed_delay_s, {0, 60}, "relay and breaker of a stage");
  v.number("system_load_GW", system_load_W, {0, 2000}, "load of the system");
}

void ReserveParams::check() const {
  std::vector<Finding> findings;
  const auto wrong = [&](const char* key, std::string message) { findings.push_back({{}, key, std::move(message)}); };
  if (shed_below_Hz.size() != shed_frac.size())
    wrong("shed_frac",
          fmt::format("{} thresholds and {} shares; they belong together", shed_below_Hz.size(), shed_frac.size()));
  if (!std::is_sorted(shed_below_Hz.rbegin(), shed_below_Hz.rend()))
    wrong("shed_below_Hz", "must fall from stage to stage");
  if (std::accumulate(shed_frac.begin(), shed_frac.end(), 0.0) > 1.0)
    wrong("shed_frac", "all stages together shed more than the load");
  if (!shed_frac.empty() && !(system_load_W > 0.0))
    wrong("system_load_GW", "must be above 0 where stages shed shares of it");
  if (fast_W > 0.0 && !(fast_below_Hz > 0.0)) wrong("fast_below_Hz", "must be given with a fast reserve");
  if (!findings.empty()) throw InputError(std::move(findings));
}

FrequencyReserves::FrequencyReserves(const FrequencyParams& system, ReserveParams reserves)
    : p_(system), r_(std::move(reserves)) {
  (void)Frequency(system);  // its checks
  r_.check();
}

ReserveState FrequencyReserves::start(double load_W) const {
  ReserveState s;
  s.equilibrium_W = load_W;
  s.below_from_s.assign(r_.shed_frac.size(), -1.0);
  s.shed_at_s.assign(r_.shed_frac.size(), -1.0);
  return s;
}

double FrequencyReserves::fast_W(const ReserveState& s, double time_s) const {
  if (s.fast_from_s < 0.0) return 0.0;
  const double t = time_s - s.fast_from_s - r_.fast_delay_s, end = r_.fast_ramp_s + r_.fast_hold_s;
  if (t < 0.0) return 0.0;
  if (t < r_.fast_ramp_s) return r_.fast_W * t / r_.fast_ramp_s;
  if (t < end) return r_.fast_W;
  return t < end + r_.fast_ramp_s ? r_.fast_W * (1.0 - (t - end) / r_.fast_ramp_s) : 0.0;
}

double FrequencyReserves::shed_W(const ReserveState& s) const {
  double out = 0.0;
  for (std::size_t k = 0; k < s.shed_at_s.size(); ++k)
    if (s.shed_at_s[k] >= 0.0) out += r_.shed_frac[k] * r_.system_load_W;
  return out;
}

void FrequencyReserves::rates(const std::array<double, 4>& x, double power_pu, std::array<double, 4>& rate) const {
  const double dead = r_.governor_deadband_Hz / p_.nominal_Hz;
  const double seen = std::copysign(std::max(0.0, std::abs(x[0]) - dead), x[0]);
  const double asked = -seen / p_.droop_pu, governor = own(p_.governor_s, x[1], asked),
               chest = own(p_.chest_s, x[2], governor), reheater = own(p_.reheat_s, x[3], chest);
  const double mechanical = p_.high_pressure_frac * chest + (1.0 - p_.high_pressure_frac) * reheater;
  rate = {(mechanical + power_pu - p_.damping_pu * x[0]) / (2.0 * p_.inertia_s), lag(p_.governor_s, x[1], asked),
          lag(p_.chest_s, x[2], governor), lag(p_.reheat_s, x[3], chest)};
}

double FrequencyReserves::rate_Hz_per_s(double load_W, const ReserveState& s) const {
  std::array<double, 4> rate{};
  rates(s.deviation, (fast_W(s, s.time_s) + shed_W(s) - (load_W - s.equilibrium_W)) / p_.system_VA, rate);
  return rate[0] * p_.nominal_Hz;
}

double FrequencyReserves::next_action_s(const ReserveState& s) const {
  double next = never;
  const auto at = [&](double t_s) {
    if (t_s > s.time_s + 1e-9) next = std::min(next, t_s);
  };
  if (s.fast_from_s >= 0.0) {
    double t_s = s.fast_from_s + r_.fast_delay_s;
    for (const double more_s : {0.0, r_.fast_ramp_s, r_.fast_hold_s, r_.fast_ramp_s}) at(t_s += more_s);
  }
  for (std::size_t k = 0; k < s.below_from_s.size(); ++k)
    if (s.below_from_s[k] >= 0.0 && s.shed_at_s[k] < 0.0) at(s.below_from_s[k] + r_.shed_delay_s);
  return next;
}

void FrequencyReserves::act(double before_Hz, double after_Hz, double from_s, double h_s, ReserveState& s) const {
  // When a falling frequency crossed a threshold; below it from the start: at the step's begin.
  const auto crossed_s = [&](double limit_Hz) {
    return before_Hz <= limit_Hz ? from_s : from_s + h_s * (before_Hz - limit_Hz) / (before_Hz - after_Hz);
  };
  if (r_.fast_W > 0.0 && s.fast_from_s < 0.0 && after_Hz < r_.fast_below_Hz)
    s.fast_from_s = crossed_s(r_.fast_below_Hz);
  for (std::size_t k = 0; k < s.below_from_s.size(); ++k) {
    double& since_s = s.below_from_s[k];
    if (after_Hz >= r_.shed_below_Hz[k])
      since_s = -1.0;
    else if (since_s < 0.0)
      since_s = crossed_s(r_.shed_below_Hz[k]);
    if (since_s >= 0.0 && s.shed_at_s[k] < 0.0 && s.time_s >= since_s + r_.shed_delay_s - 1e-9)
      s.shed_at_s[k] = s.time_s;
  }
}

void FrequencyReserves::step(double load_W, double h_s, ReserveState& s) const {
  const auto power_pu = [&](double after_s) {
    return (fast_W(s, s.time_s + after_s) + shed_W(s) - (load_W - s.equilibrium_W)) / p_.system_VA;
  };
  const double from_s = s.time_s, before_Hz = p_.nominal_Hz * (1.0 + s.deviation[0]);
  std::array<std::array<double, 4>, 4> k{};
  std::array<double, 4> x = s.deviation;
  constexpr std::array<double, 4> ahead = {0.5, 0.5, 1.0, 0.0}, at = {0.0, 0.5, 0.5, 1.0};
  // Power just inside of the step, where it jumps at an end.
  for (std::size_t stage = 0; stage < 4; ++stage) {
    rates(x, power_pu(h_s * std::clamp(at[stage], 1e-7, 1.0 - 1e-7)), k[stage]);
    for (std::size_t i = 0; i < 4; ++i) x[i] = s.deviation[i] + h_s * ahead[stage] * k[stage][i];
  }
  for (std::size_t i = 0; i < 4; ++i) s.deviation[i] += h_s / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
  s.time_s = from_s + h_s;
  act(before_Hz, p_.nominal_Hz * (1.0 + s.deviation[0]), from_s, h_s, s);
}

void FrequencyReserves::advance(std::span<const double> load_W, std::span<double> deviation_Hz,
                                ReserveState& state) const {
  if (deviation_Hz.size() != load_W.size()) throw InputError("frequency: input and output chunks differ in length");
  for (std::size_t bin = 0; bin < load_W.size(); ++bin) {
    const double end_s = state.time_s + numerics::bin_s;
    while (state.time_s < end_s - 1e-9) {
      const double action_s = next_action_s(state);
      step(load_W[bin], std::min(end_s, action_s) - state.time_s, state);
    }
    state.time_s = end_s;
    deviation_Hz[bin] = p_.nominal_Hz * state.deviation[0];
  }
}

}  // namespace TIDEWATT_NAMESPACE::grid
