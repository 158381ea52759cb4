#include "summary_cause.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace TIDEWATT_NAMESPACE::io {
namespace {

constexpr double settled_s = 900.0;     // from the first iteration on: chips and fans warm up
constexpr double least_range_K = 0.5;   // of a supply that varies
constexpr double follows = 0.8;         // correlation of a quantity that follows another
constexpr double explained_frac = 0.5;  // of the swing
constexpr std::size_t least_rows = 8;   // macro steps

/// A column of /day in the macro steps in which jobs iterate, with the steps' lengths as weights.
struct Course {
  std::vector<double> x, s;
  double mean() const {
    double sum = 0.0, time = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * s[i], time += s[i];
    return sum / time;
  }
  double range() const {
    const auto [low, high] = std::ranges::minmax_element(x);
    return *high - *low;
  }
};

double covariance(const Course& a, const Course& b) {
  const double a0 = a.mean(), b0 = b.mean();
  double sum = 0.0;
  for (std::size_t i = 0; i < a.x.size(); ++i) sum += (a.x[i] - a0) * (b.x[i] - b0) * a.s[i];
  return sum;
}

/// Rows in which every one of the columns is known.
std::vector<Course> courses(const Figures& f, std::initializer_list<const char*> names) {
  const auto& time = f.array("/day/time");
  const auto& rate = f.array("/day/throughput_tokens_per_s");
  std::vector<const std::vector<double>*> columns;
  for (const char* name : names) columns.push_back(&f.array(std::string("/day/") + name));
  std::vector<Course> out(columns.size());
  const bool whole = rate.size() == time.size() &&
                     std::ranges::all_of(columns, [&](const auto* c) { return c->size() == time.size(); });
  if (!whole) return out;
  const auto begun = std::ranges::find_if(rate, [](double x) { return std::isfinite(x); }) - rate.begin();
  for (auto i = static_cast<std::size_t>(begun); i < time.size(); ++i) {
    const bool known = std::ranges::all_of(columns, [&](const auto* c) { return std::isfinite((*c)[i]); });
    if (!known || time[i] < time[static_cast<std::size_t>(begun)] + settled_s) continue;
    const double s = (i + 1 < time.size() ? time[i + 1] : f["simulated_s"]) - time[i];
    for (std::size_t k = 0; k < columns.size(); ++k) out[k].x.push_back((*columns[k])[i]), out[k].s.push_back(s);
  }
  return out;
}

double correlation(const Course& a, const Course& b) {
  return covariance(a, b) / std::sqrt(covariance(a, a) * covariance(b, b));
}

/// Whether something other than heat moves the GPUs' limits.
bool moved_from_outside(const Figures& f) {
  const auto& kind = f.texts("/events/kind");
  const auto &text = f.texts("/events/text"), &entity = f.texts("/events/entity");
  for (std::size_t i = 0; i < kind.size(); ++i) {
    const bool by_storage = i < text.size() && text[i].find("by storage") != std::string::npos;
    if ((kind[i] == "curtailment" && !by_storage) || kind[i] == "power_brake" || kind[i].starts_with("order_"))
      return true;
    if (kind[i] == "write" && i < entity.size() &&
        (entity[i].ends_with("cap_W") || entity[i].ends_with("clock_lock_Hz") || entity[i].ends_with("order_W")))
      return true;
  }
  return false;
}

}  // namespace

std::string swing_cause(const Figures& f, const std::string& limiter) {
  const double swing = f["throughput_swing_percent"], floor = f["throughput_swing_floor_percent"];
  const bool swings = swing > (std::isfinite(floor) ? floor : 0.0) && !f.whole("throughput_min_hours").empty();
  if (limiter == "slowdown") return "Chips reach the temperature of the hardware slowdown.";
  if (!std::isfinite(swing)) return {};
  if (moved_from_outside(f))
    return swings ? "An order, a brake or a write from outside moves the limits of the GPUs in this run: the swing is "
                    "not the weather's alone."
                  : "";
  const auto& liquid_K = f.array("/day/liquid_supply_K");
  const bool liquid = std::ranges::any_of(liquid_K, [](double K) { return std::isfinite(K); });
  const auto c = courses(
      f, {liquid ? "liquid_supply_K" : "inlet_mean_K", "die_mean_K", "clock_slowest_Hz", "throughput_tokens_per_s"});
  const auto &supply = c[0], &die = c[1], &clock = c[2], &rate = c[3];
  const std::string medium = liquid ? "liquid at the cold plates" : "air at the servers' fronts";
  if (supply.x.size() < least_rows || !(supply.range() >= least_range_K)) return {};
  if (!swings)
    return fmt::format("The {} varies by {} K, and throughput does not follow.", medium, shown(supply.range(), 2));
  if (limiter != "power" && limiter != "thermal") return {};
  const auto per_K = [&](const Course& y) { return covariance(supply, y) / covariance(supply, supply); };
  const double lost_percent = -100.0 * per_K(rate) * supply.range() / rate.mean();
  const bool shown_by_run = correlation(supply, die) >= follows && correlation(die, clock) <= -follows &&
                            correlation(clock, rate) >= follows && lost_percent >= explained_frac * swing;
  if (!shown_by_run) return {};
  return fmt::format(
      "Throughput follows the {}: over its {} K, dies become {} K warmer and the slowest clock falls by {} %. {}.",
      medium, shown(supply.range(), 2), shown(per_K(die) * supply.range(), 2),
      shown(-100.0 * per_K(clock) * supply.range() / clock.mean(), 2),
      limiter == "power" ? "Warmer chips leak more and leave fewer watts of the power limit for the clock"
                         : "Warmer chips have less room below the temperature limit");
}

}  // namespace TIDEWATT_NAMESPACE::io
