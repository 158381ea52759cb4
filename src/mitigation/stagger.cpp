#include "tidewatt/mitigation/stagger.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/fft.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::mitigation {

void BeatParams::fields(FieldVisitor& v) {
  v.number("period_s", period_s, {1e-3, 3600}, "time from iteration to iteration");
  v.number("phase_s", phase_s, {0, 3600}, "end of an iteration, from the start of the run", Need::optional);
}

Tick beat_end(const BeatParams& beat, Tick begin, Tick own) {
  const Tick period = to_tick(beat.period_s), phase = to_tick(beat.phase_s);
  if (period <= 0) throw InputError("beat: the period must be positive");
  const Tick goal = begin + period - phase;  // of which the nearest whole multiple is wanted
  Tick k = goal / period;
  if (goal - k * period > period / 2) ++k;
  if (goal - k * period < -(period / 2)) --k;
  return std::max(begin + own, phase + k * period);
}

std::vector<Tick> stagger_jobs(std::int64_t n_job, Tick period) {
  if (n_job < 1 || period <= 0) throw InputError("stagger: needs at least one job and a positive period");
  std::vector<Tick> out;
  for (std::int64_t k = 0; k < n_job; ++k) out.push_back(period / n_job * k + period % n_job * k / n_job);
  return out;
}

double harmonic_left(std::span<const Tick> offset, std::span<const double> weight, Tick period, std::int64_t harmonic) {
  if (offset.size() != weight.size() || period <= 0) throw InputError("harmonic: one weight per offset is needed");
  constexpr std::size_t turns = std::size_t{1} << 20;  // angles to 2^-20 of a turn, the same bits everywhere
  double re = 0.0, im = 0.0, sum = 0.0;
  for (std::size_t i = 0; i < offset.size(); ++i) {
    const Tick phase = (offset[i] % period) * harmonic % period;
    const double turn = static_cast<double>(phase) / static_cast<double>(period);
    const auto k = static_cast<std::size_t>(std::floor((turn < 0 ? turn + 1.0 : turn) * turns + 0.5)) % turns;
    const auto root = numerics::unit_root(k, turns);
    re += weight[i] * root.cos;
    im += weight[i] * root.sin;
    sum += weight[i];
  }
  return sum > 0.0 ? std::sqrt(re * re + im * im) / sum : 0.0;
}

ReplicaStagger stagger_replicas(std::int64_t n_group, Tick spread, Tick iteration, Tick slack) {
  if (n_group < 1 || spread < 0 || iteration <= 0 || slack < 0)
    throw InputError("replica stagger: needs a group, a positive iteration, spread and slack not negative");
  ReplicaStagger out;
  for (std::int64_t k = 0; k < n_group; ++k) out.offset.push_back(n_group > 1 ? spread * k / (n_group - 1) : 0);
  const Tick longer = std::max<Tick>(0, spread - slack);
  out.iteration_ratio = static_cast<double>(iteration + longer) / static_cast<double>(iteration);
  out.lost_throughput_frac = 1.0 - 1.0 / out.iteration_ratio;
  out.edge_ratio = spread > 0 ? 1.0 / static_cast<double>(n_group) : 1.0;
  return out;
}

PeriodShift shift_period(double period_s, std::span<const double> mode_Hz, double margin_Hz, std::int64_t n_harmonic,
                         double stretch_max_ratio) {
  if (!(period_s > 0.0 && margin_Hz >= 0.0 && stretch_max_ratio >= 1.0) || n_harmonic < 1)
    throw InputError("period shift: needs a positive period, a margin, harmonics and a stretch of at least 1");
  const auto clearance = [&](double T) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const double f : mode_Hz)
      for (std::int64_t k = 1; k <= n_harmonic; ++k)
        nearest = std::min(nearest, std::abs(static_cast<double>(k) / T - f));
    return nearest;
  };
  PeriodShift best{period_s, 0.0, -1.0, false};
  const double step_s = period_s * 1e-4;
  for (std::int64_t i = 0; !best.found; ++i) {
    const double T = period_s + static_cast<double>(i) * step_s;
    if (T > period_s * stretch_max_ratio * (1.0 + 1e-12)) break;
    const double here = clearance(T);
    if (here > best.clearance_Hz) best = {T, 1.0 - period_s / T, here, here >= margin_Hz};
  }
  return best;
}

std::int64_t most_overlapping(std::span<const Tick> offset, std::span<const Tick> duration, Tick period) {
  std::int64_t most = 0;
  for (std::size_t i = 0; i < offset.size(); ++i) {  // the count can only rise at a begin
    std::int64_t here = 0;
    for (std::size_t j = 0; j < offset.size(); ++j) {
      if (duration[j] <= 0) continue;
      const Tick since = ((offset[i] - offset[j]) % period + period) % period;
      here += duration[j] / period + (since < duration[j] % period ? 1 : 0);
    }
    most = std::max(most, here);
  }
  return most;
}

CheckpointStagger stagger_checkpoints(std::span<const Tick> duration, Tick interval, std::int64_t concurrent) {
  if (interval <= 0 || concurrent < 1)
    throw InputError("checkpoint stagger: needs an interval and at least one writer");
  CheckpointStagger out;
  std::vector<Tick> free_at(static_cast<std::size_t>(concurrent), 0);  // writers' next free time within the interval
  out.fits = true;
  for (const Tick d : duration) {
    if (d < 0) throw InputError("checkpoint stagger: a duration is negative");
    auto writer = std::min_element(free_at.begin(), free_at.end());
    out.offset.push_back(*writer);
    *writer += d;
    out.fits = out.fits && *writer <= interval;
  }
  if (!out.fits && !duration.empty()) out.offset = stagger_jobs(static_cast<std::int64_t>(duration.size()), interval);
  out.most_at_once = most_overlapping(out.offset, duration, interval);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::mitigation
