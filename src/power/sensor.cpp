#include "sensor.hpp"

#include <algorithm>
#include <cmath>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::power {

void PowerSensorParams::fields(FieldVisitor& v) {
  v.number("window_s", window_s, {0, 60}, "trailing mean that a reading shows; 0: the instant");
  v.number("period_s", period_s, {0.001, 3600}, "time between two readings");
  v.number("delay_s", delay_s, {0, 60}, "age of the newest power in a reading");
  v.number("step_W", step_W, {0, 10000}, "resolution of a reading; 0: none");
}

WaveMeter::WaveMeter(StepWave wave) : wave_(std::move(wave)) {
  const auto& e = wave_.edge_s;
  if (e.size() != wave_.level_W.size() + 1 || e.size() < 2)
    throw InputError("a step wave needs one edge more than it has levels, and one level at least");
  sum_J_.push_back(0.0);
  for (std::size_t i = 1; i < e.size(); ++i) {
    if (!(e[i] > e[i - 1])) throw InputError("the edges of a step wave must ascend");
    sum_J_.push_back(sum_J_.back() + wave_.level_W[i - 1] * (e[i] - e[i - 1]));
  }
}

std::size_t WaveMeter::level_at(double at_s) const {
  const auto& e = wave_.edge_s;
  const auto after = std::upper_bound(e.begin(), e.end(), at_s) - e.begin();
  return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(after - 1, 0, static_cast<std::ptrdiff_t>(e.size()) - 2));
}

double WaveMeter::integral_J(double at_s) const {
  const std::size_t i = level_at(at_s);
  return sum_J_[i] + wave_.level_W[i] * (at_s - wave_.edge_s[i]);
}

double WaveMeter::energy_J(double from_s, double to_s) const { return integral_J(to_s) - integral_J(from_s); }

double WaveMeter::mean_W(double from_s, double to_s) const {
  if (!(to_s > from_s)) return wave_.level_W[level_at(to_s)];
  return energy_J(from_s, to_s) / (to_s - from_s);
}

double WaveMeter::reading_W(const PowerSensorParams& sensor, double at_s) const {
  const double to_s = at_s - sensor.delay_s;
  const double W = mean_W(to_s - sensor.window_s, to_s);
  return sensor.step_W > 0.0 ? sensor.step_W * std::round(W / sensor.step_W) : W;
}

double WaveMeter::logged_W(const PowerSensorParams& sensor, double offset_s, double at_s) const {
  const double k = std::floor((at_s - offset_s) / sensor.period_s);
  return reading_W(sensor, offset_s + k * sensor.period_s);
}

MeanWindowState start_mean(double window_s, double step_s, double level_W) {
  const double n = std::round(window_s / step_s);
  if (!(n >= 1.0 && n <= 1e6)) throw InputError("a mean's window must hold 1 to 1,000,000 steps");
  MeanWindowState s;
  s.ring_W.assign(static_cast<std::size_t>(n), level_W);
  s.sum_W = level_W * n;
  return s;
}

double push_mean(MeanWindowState& s, double step_mean_W) {
  s.sum_W += step_mean_W - s.ring_W[s.next];
  s.ring_W[s.next] = step_mean_W;
  if (++s.next == s.ring_W.size()) {
    s.next = 0;
    // Once per turn the sum is taken afresh, so that rounding cannot gather over days.
    s.sum_W = 0.0;
    for (const double x : s.ring_W) s.sum_W += x;
  }
  return s.sum_W / static_cast<double>(s.ring_W.size());
}

double quantised_K(double true_K, double step_K) { return step_K * std::round(true_K / step_K); }

}  // namespace TIDEWATT_NAMESPACE::power
