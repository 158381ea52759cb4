// Load that repeats itself, in closed form.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "site_stream.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::connection {
namespace {

constexpr auto unlimited = std::numeric_limits<std::int64_t>::max();

TIDEWATT_INLINE double less(double a, double b) { return a < b ? a : b; }
TIDEWATT_INLINE double more(double a, double b) { return a > b ? a : b; }

/// Smallest (or largest) of every `width` consecutive values: from those of 1, 2, 4 … values, in place. @param x [n + width]
template <double (*better)(double, double)>
TIDEWATT_INLINE void slide(double* x, std::size_t n, std::size_t width) {
  std::size_t covers = 1;
  for (; 2 * covers <= width; covers *= 2)
    for (std::size_t i = 0; i < n + width - 2 * covers; ++i) x[i] = better(x[i], x[i + covers]);
  for (std::size_t i = 0; i < n; ++i) x[i] = better(x[i], x[i + width - covers]);
}
TIDEWATT_CLONES
void slide_least(double* x, std::size_t n, std::size_t width) { slide<less>(x, n, width); }
TIDEWATT_CLONES
void slide_most(double* x, std::size_t n, std::size_t width) { slide<more>(x, n, width); }

/// Smallest and largest of every `width` consecutive values of a ring: [i] covers i … i + width − 1.
struct Extremes {
  std::vector<double> least, most;
  Extremes(const std::vector<double>& ring, std::size_t width) {
    const std::size_t n = ring.size();
    least.reserve(n + width);
    while (least.size() < n + width)
      least.insert(least.end(), ring.begin(),
                   ring.begin() + static_cast<std::ptrdiff_t>(std::min(n, n + width - least.size())));
    most = least;
    slide_least(least.data(), n, width);
    slide_most(most.data(), n, width);
  }
};

void scale_add(power::FeederMeters& to, const power::FeederMeters& from, double factor) {
  to.load_J.add(from.load_J.value() * factor);
  to.auxiliary_J.add(from.auxiliary_J.value() * factor);
  to.drawn_J.add(from.drawn_J.value() * factor);
  for (std::size_t i = 0; i < to.loss_J.size(); ++i) {
    to.loss_J[i].add(from.loss_J[i].value() * factor);
    to.loading_max_frac[i] = std::max(to.loading_max_frac[i], from.loading_max_frac[i]);
  }
}

/// How far bins end behind whole periods, or, below zero, before them: the nearest.
Tick beyond_periods(std::int64_t n_bin, Tick period) {
  const Tick passed = n_bin * ns_per_ms;
  return passed - (passed + period / 2) / period * period;
}

/// Where repetitions begin and end: `n_bin` bins from `bin` on, `phase` into a period.
struct Stretch {
  std::int64_t bin, n_bin;
  Tick phase;
};

/// Energies of whole periods from the template, and of the fraction of a bin by which the landing misses them.
/// @param pcc_W receives the template's bins at the connection
power::FeederMeters repeated_meters(const power::Feeder& feeder, const LoadTemplate& load, double constant_W,
                                    double auxiliary_W, const Stretch& s, std::vector<double>& pcc_W,
                                    std::vector<double>& pcc_var) {
  const Tick rest = beyond_periods(s.n_bin, load.period);
  const std::int64_t periods = (s.n_bin * ns_per_ms - rest) / load.period;
  const std::size_t n = load.bin_J.size();
  const Tick last_width = load.period - static_cast<Tick>(n - 1) * ns_per_ms;
  std::vector<double> load_W(n);
  pcc_W.resize(n), pcc_var.resize(n);
  for (std::size_t i = 0; i < n; ++i) load_W[i] = load.bin_J[i] * 1e3 + constant_W;
  load_W[n - 1] = load.bin_J[n - 1] / seconds(last_width) + constant_W;
  power::FeederMeters whole, last;
  const std::span<double> W(load_W), out(pcc_W), var(pcc_var);
  if (n > 1) feeder.through(W.first(n - 1), auxiliary_W, out.first(n - 1), var.first(n - 1), whole);
  feeder.through(W.last(1), auxiliary_W, out.last(1), var.last(1), last);
  const double last_share = static_cast<double>(last_width) / static_cast<double>(ns_per_ms);
  const double count = static_cast<double>(periods);
  power::FeederMeters total;
  scale_add(total, whole, count);
  scale_add(total, last, count * last_share);
  if (rest != 0) {
    const Tick from = rest > 0 ? s.phase : (s.phase + rest + load.period) % load.period;
    const double rest_J = repeated_energy_J(load, from, std::abs(rest));
    const double rest_W[] = {rest_J / seconds(std::abs(rest)) + constant_W};
    double rest_pcc[1], rest_var[1];
    power::FeederMeters part;
    feeder.through(rest_W, auxiliary_W, rest_pcc, rest_var, part);
    scale_add(total, part, static_cast<double>(rest) / static_cast<double>(ns_per_ms));
  }
  return total;
}

/// By how many bins repetitions fall short of whole periods: as many come again.
std::size_t bins_again(std::int64_t n_bin, Tick period) {
  const Tick rest = beyond_periods(n_bin, period);
  return rest < -ns_per_ms / 2 ? static_cast<std::size_t>((ns_per_ms / 2 - rest) / ns_per_ms) : 0;
}

/// The least and the largest power among repetitions: their voltages count.
void see_extremes(std::int64_t bin, const std::vector<double>& pcc_W, const std::vector<double>& pcc_var,
                  GridStage& grid) {
  const auto [least, most] = std::minmax_element(pcc_W.begin(), pcc_W.end());
  for (const auto at : {least - pcc_W.begin(), most - pcc_W.begin()})
    grid.see(bin, pcc_W[static_cast<std::size_t>(at)], pcc_var[static_cast<std::size_t>(at)]);
}

/// Means of a repeated template from its integral, from where a repetition is followed on.
class RepeatedIntegral {
 public:
  RepeatedIntegral(const std::vector<double>& pcc_W, Tick period, Tick phase)
      : pcc_W_(pcc_W), integral_J_(pcc_W.size() + 1, 0.0), period_(period) {
    const std::size_t n = pcc_W.size();
    const Tick last_width = period - static_cast<Tick>(n - 1) * ns_per_ms;
    for (std::size_t i = 0; i < n; ++i)
      integral_J_[i + 1] = integral_J_[i] + pcc_W[i] * (i + 1 < n ? 1e-3 : seconds(last_width));
    stand(phase % period);
    from_J_ = here_J();
  }
  std::size_t bin() const { return static_cast<std::size_t>(bin_); }  ///< of the repetition
  /// Energy of the next `n_bin` bins; moves past them.
  double pass_J(std::int64_t n_bin) {
    bin_ += n_bin;
    double turns = 0.0;  // whole periods that end on the way; there is at most one unless iterations are very short
    if (Tick at = bin_ * ns_per_ms + rest_; at >= period_) {
      for (; at >= period_; at -= period_) turns += 1.0;
      stand(at);
    }
    const double to_J = here_J(), J = to_J - from_J_ + integral_J_.back() * turns;
    from_J_ = to_J;
    return J;
  }

 private:
  void stand(Tick at) {
    bin_ = at / ns_per_ms;
    rest_ = at % ns_per_ms;
    rest_s_ = seconds(rest_);
  }
  double here_J() const {
    const auto i = bin();
    return integral_J_[i] + pcc_W_[std::min(i, pcc_W_.size() - 1)] * rest_s_;
  }
  const std::vector<double>& pcc_W_;
  std::vector<double> integral_J_;  ///< [bin] from the start of a repetition
  Tick period_, rest_ = 0;          ///< how far into the bin
  std::int64_t bin_ = 0;
  double rest_s_ = 0.0, from_J_ = 0.0;
};

/// A span may hold nothing but repetitions: then it has their extremes.
void widen(SpanMeter& span, const std::vector<double>& pcc_W) {
  const auto [lowest, highest] = std::minmax_element(pcc_W.begin(), pcc_W.end());
  span.widen(*lowest, *highest);
}

/// The pyramid's buckets from the repeated template: means from its integral, extremes from its bins.
class RepeatedBuckets {
 public:
  RepeatedBuckets(ConnectionMeters& to, const std::vector<double>& pcc_W, Tick period, const Stretch& s)
      : to_(to), pcc_W_(pcc_W), load_(pcc_W, period, s.phase), bin_(s.bin), end_(s.bin + s.n_bin) {}

  /// Whole seconds where nobody looks at the extremes of 100 ms, buckets of 100 ms before and behind them.
  void push() {
    constexpr std::int64_t second = 10 * bucket;
    const std::int64_t from = (bin_ + second - 1) / second * second, until = (end_ - 1) / second * second;
    if (until - from >= second && !to_.orders.any() && !to_.levels.keeps_tenths()) {
      push_to(from);
      to_.push_means();
      push_seconds((until - from) / second);
    }
    push_to(end_);
  }

 private:
  static constexpr std::int64_t bucket = 100;
  /// A bucket begins inside a bin of the template.
  Extremes of_bins(std::int64_t n_bin) const { return {pcc_W_, static_cast<std::size_t>(n_bin) + 1}; }

  void push_seconds(std::int64_t n_second) {
    constexpr std::size_t per_second = 10, most = 256;
    const auto extremes = of_bins(per_second * bucket);
    std::array<double, most> low_W, sum_W, high_W;
    std::array<double, per_second * most> mean_W;
    constexpr double per_bucket = 1e3 / static_cast<double>(bucket);
    while (n_second > 0) {
      const std::size_t n = std::min(most, static_cast<std::size_t>(n_second));
      for (std::size_t k = 0; k < n; ++k) {
        const auto i = load_.bin();
        low_W[k] = extremes.least[i];
        high_W[k] = extremes.most[i];
        double J = 0.0;
        for (std::size_t u = k * per_second; u < (k + 1) * per_second; ++u) {
          const double part_J = load_.pass_J(bucket);
          mean_W[u] = part_J * per_bucket;
          J += part_J;
        }
        sum_W[k] = J * 1e3;
      }
      to_.push_seconds(bin_, std::span(low_W).first(n), std::span(sum_W).first(n), std::span(high_W).first(n),
                       std::span(mean_W).first(n * per_second));
      bin_ += static_cast<std::int64_t>(n * per_second) * bucket;
      n_second -= static_cast<std::int64_t>(n);
    }
  }

  /// Up to `end` by buckets of 100 ms; nothing is known of bins behind it.
  void push_to(std::int64_t end) {
    if (bin_ >= end) return;
    const auto extremes = of_bins(bucket);
    if (const std::int64_t edge = (bin_ / bucket + 1) * bucket; bin_ % bucket != 0 && edge < end) {
      const auto i = load_.bin();
      to_.levels.push_part(edge - bin_, extremes.least[i], load_.pass_J(edge - bin_) * 1e3, extremes.most[i]);
      bin_ = edge;
    }
    std::array<double, 256> low_W, sum_W, high_W;
    while (end - bin_ > bucket) {
      std::size_t k = 0;
      for (; k < sum_W.size() && end - bin_ > bucket; ++k, bin_ += bucket) {
        const auto i = load_.bin();
        low_W[k] = extremes.least[i];
        high_W[k] = extremes.most[i];
        sum_W[k] = load_.pass_J(bucket) * 1e3;
      }
      to_.levels.push_buckets(std::span(low_W).first(k), std::span(sum_W).first(k), std::span(high_W).first(k));
    }
    // What comes behind may be something else: no bin beyond the end.
    const auto i = load_.bin();
    double least_W = pcc_W_[i], most_W = pcc_W_[i];
    for (auto j = i + 1; j < i + static_cast<std::size_t>(end - bin_); ++j) {
      least_W = std::min(least_W, pcc_W_[j % pcc_W_.size()]);
      most_W = std::max(most_W, pcc_W_[j % pcc_W_.size()]);
    }
    to_.levels.push_part(end - bin_, least_W, load_.pass_J(end - bin_) * 1e3, most_W);
    bin_ = end;
  }

  ConnectionMeters& to_;
  const std::vector<double>& pcc_W_;
  RepeatedIntegral load_;
  std::int64_t bin_, end_;
};

/// Bins that no other meter sees, as many as the spectrum wants. @param c scratch
void show_lines(std::vector<LoadLane>& lanes, const power::Feeder& feeder, double auxiliary_W, std::int64_t bin,
                std::int64_t end_bin, ConnectionMeters& to, StreamChunk& c) {
  power::FeederMeters booked;  // elsewhere
  while (bin < end_bin && to.spectrum.collects()) {
    const std::int64_t end = std::min(end_bin, bin + chunk_bins);
    lay_chunk(lanes, bin, end, c);
    feeder.through(c.load_W, auxiliary_W, c.pcc_W, c.pcc_var, booked);
    to.push_lines(c.pcc_W);
    bin = end;
  }
  if (bin < end_bin) to.grid.gap_lines();
}

}  // namespace

void DeviceUnit::begin(const std::optional<BatteryStage>& battery, const std::optional<Delivery>& delivery,
                       double drawn_J, double load_J) {
  if (battery) before_ = battery->mark();
  if (delivery) delivery_before_ = delivery->mark();
  begin_J_ = drawn_J;
  load_J_ = load_J;
  pcc_W_.clear();
  open_ = true;
}

std::int64_t DeviceUnit::end(const std::optional<BatteryStage>& battery, const std::optional<Delivery>& delivery,
                             double drawn_J, double load_J) {
  open_ = false;
  load_J_ = load_J - load_J_;
  const auto n_bin = static_cast<std::int64_t>(pcc_W_.size());
  if (delivery && !delivery->repeats(delivery_before_, n_bin)) return 0;
  return battery ? battery->repeatable(before_, n_bin, std::abs(drawn_J - begin_J_) * 1e3 / static_cast<double>(n_bin))
                 : unlimited;
}

double DeviceUnit::repeat(std::optional<BatteryStage>& battery, std::optional<Delivery>& delivery, std::int64_t n_bin,
                          const power::FeederMeters& asked, power::FeederMeters& meters) const {
  const double times = static_cast<double>(n_bin) / static_cast<double>(std::max<std::size_t>(1, pcc_W_.size()));
  double drawn_J = asked.drawn_J.value();
  if (delivery) {
    const double load_J = asked.load_J.value();
    meters.load_J.add(load_J);
    meters.auxiliary_J.add(asked.auxiliary_J.value());
    drawn_J = delivery->repeat(delivery_before_, times, load_J - load_J_ * times);
    delivery->show_losses(meters);
  } else {
    scale_add(meters, asked, 1.0);
  }
  if (battery) drawn_J += battery->repeat(before_, times);
  if (delivery) delivery->add_bus(drawn_J);
  return drawn_J;
}

/// From the stream's present bin to `end_bin`, within one stretch of every lane.
void SiteStream::advance_stretch(std::int64_t end_bin) {
  const auto p = periodic_load(lanes_, state_.bin * ns_per_ms);
  if (!can_repeat() || !p) {
    repeats_.forget();
    return pass(end_bin);
  }
  const double range_W = p->load->max_W - p->load->min_W;
  if (repeats_.is_pause(range_W, end_bin - state_.bin)) {
    pass(end_bin);
    return repeats_.pause(end_bin);
  }
  repeat_periods(*p, repeats_.begin({p->load->period, range_W, p->load->max_W + p->constant_W}, state_.bin), end_bin);
  pass(end_bin);
  repeats_.end(end_bin);
}

/// Passes bin by bin until the grid repeats itself, then adds the remaining repetitions. @param continues the last stretch
void SiteStream::repeat_periods(const PeriodicLoad& p, bool continues, std::int64_t end_bin) {
  // As many periods as it takes to last a second.
  const Tick unit = p.load->period * ((ns_per_s + p.load->period - 1) / p.load->period);
  const auto bins_of = [&](std::int64_t n) { return (n * unit + ns_per_ms / 2) / ns_per_ms; };
  const std::int64_t settle = continues ? 0 : repeats_.settle_bins(state_.bin, bins_of(2), bins_of(1) + 1);
  // Whole periods up to the stretch's end, without a remainder. Both ends are within bins: repetitions of a known unit may lack them.
  const std::int64_t ends = continues && repeats_.knows() && !has_devices() ? 2 : 1;
  std::int64_t left = ((end_bin - state_.bin - settle + ends) * ns_per_ms - 1) / unit;
  if (left <= 0 || seen_.windows.open(state_.bin, end_bin) || (has_devices() && seen_.spectrum.collects())) return;
  pass(end_bin - bins_of(left));  // none, where the ends are left out
  // Number of units that may be repeated before the drifting charge of storage is computed again.
  std::int64_t most = has_devices() ? 0 : unlimited;
  while (left > 0) {
    const bool known = repeats_.knows() && (continues || grid_.still(repeats_.deviation()));
    if (known && most > 0 && seen_.grid.can_repeat(repeats_.share(), state_.bin, end_bin - state_.bin)) {
      left -= std::min(most, left);
      repeat(p, end_bin - bins_of(left));
    }
    if (left < 2) return;
    // Has the grid come to repeat itself? One more period decides.
    const auto before = grid_.deviation();
    const auto mark = seen_.grid.mark();
    most = pass_unit(end_bin - bins_of(--left));
    if (grid_.still(before)) repeats_.keep(grid_.deviation(), seen_.grid.since(mark));
  }
}

/// Passes a unit of repetitions bin by bin. @return number of times that it may be repeated
std::int64_t SiteStream::pass_unit(std::int64_t to_bin) {
  if (!has_devices()) return pass(to_bin), unlimited;
  unit_.begin(battery_, delivery_, state_.connection_J.value(), state_.feeder.load_J.value());
  pass(to_bin);
  return unit_.end(battery_, delivery_, state_.connection_J.value(), state_.feeder.load_J.value());
}

/// Books the repetitions up to `end_bin`, which is at the same phase to within a bin.
void SiteStream::repeat(const PeriodicLoad& p, std::int64_t end_bin) {
  show_lines(lanes_, feeder_, state_.auxiliary_W, state_.bin, end_bin, seen_, chunk_);
  Tick period = p.load->period;
  Stretch s{state_.bin, end_bin - state_.bin, (state_.bin * ns_per_ms - p.begin) % period};
  std::vector<double> pcc_W, pcc_var;
  const auto total = repeated_meters(feeder_, *p.load, p.constant_W, state_.auxiliary_W, s, pcc_W, pcc_var);
  if (!has_devices() && !follows_load()) see_extremes(state_.bin, pcc_W, pcc_var, grid_);
  const double drawn_J = unit_.repeat(battery_, delivery_, s.n_bin, total, state_.feeder);
  if (delivery_) state_.bus_J.add(drawn_J);
  if (has_devices()) pcc_W = unit_.pcc_W(), period = unit_.period(), s.phase = 0;  // from the unit's first bin
  state_.connection_J.add(drawn_J);
  seen_.span.add(drawn_J, s.n_bin), seen_.span.add_load(total.load_J.value());
  if (!follows_load()) widen(seen_.span, pcc_W);
  RepeatedBuckets(seen_, pcc_W, period, s).push();
  const auto n_again = bins_again(s.n_bin, p.load->period);
  seen_.grid.repeat(repeats_.share(), s.n_bin, drawn_J, n_again);
  seen_.levels.skip(s.n_bin, n_again), grid_.skip(s.n_bin);
  state_.bin = end_bin, state_.repeated_bins += s.n_bin;
  seen_.push_means();
  repeats_.found();
}

}  // namespace TIDEWATT_NAMESPACE::connection
