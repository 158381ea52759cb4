// Load that repeats itself, in closed form.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "repeated_buckets.hpp"
#include "site_stream.hpp"

namespace TIDEWATT_NAMESPACE::connection {
namespace {

constexpr auto unlimited = std::numeric_limits<std::int64_t>::max();

void scale_add(power::FeederMeters& to, const power::FeederMeters& from, double factor) {
  to.load_J.add(from.load_J.value() * factor);
  to.auxiliary_J.add(from.auxiliary_J.value() * factor);
  to.drawn_J.add(from.drawn_J.value() * factor);
  for (std::size_t i = 0; i < to.loss_J.size(); ++i) {
    to.loss_J[i].add(from.loss_J[i].value() * factor);
    to.loading2_s[i].add(from.loading2_s[i].value() * factor);
    to.loading_max_frac[i] = std::max(to.loading_max_frac[i], from.loading_max_frac[i]);
  }
}

/// How far bins end behind whole periods, or, below zero, before them: the nearest.
Tick beyond_periods(std::int64_t n_bin, Tick period) {
  const Tick passed = n_bin * ns_per_ms;
  return passed - (passed + period / 2) / period * period;
}

/// Energies of whole periods from the template, and of the fraction of a bin by which the landing misses them.
/// @param pcc_W receives the template's bins at the connection
power::FeederMeters repeated_meters(const power::Feeder& feeder, const LoadTemplate& load, double constant_W,
                                    double auxiliary_W, const RepeatedBins& s, std::vector<double>& pcc_W,
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

/// As many periods as it takes to last a second.
Tick unit_of(const LoadTemplate& load) { return load.period * ((ns_per_s + load.period - 1) / load.period); }

std::int64_t bins_in(Tick t) { return (t + ns_per_ms / 2) / ns_per_ms; }

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

/// A span may hold nothing but repetitions: then it has their extremes.
void widen(SpanMeter& span, const std::vector<double>& pcc_W) {
  const auto [lowest, highest] = std::minmax_element(pcc_W.begin(), pcc_W.end());
  span.widen(*lowest, *highest);
}

/// Load that single meters are shown, bin by bin; its energy is booked elsewhere.
struct ShownLoad {
  std::vector<LoadLane>& lanes;
  const power::Feeder& feeder;
  double auxiliary_W;
  ConnectionMeters& to;
  StreamChunk& chunk;  ///< scratch

  /// The chunk from `bin` on, until `end_bin` at most. @return its end
  std::int64_t lay(std::int64_t bin, std::int64_t end_bin) const {
    power::FeederMeters booked;
    const std::int64_t end = std::min(end_bin, bin + chunk_bins);
    lay_chunk(lanes, bin, end, chunk);
    feeder.through(chunk.load_W, auxiliary_W, chunk.pcc_W, chunk.pcc_var, booked);
    return end;
  }
};

/// Bins that no other meter sees, as many as the spectrum wants.
void show_lines(const ShownLoad& load, std::int64_t bin, std::int64_t end_bin) {
  while (bin < end_bin && load.to.spectrum.collects()) {
    bin = load.lay(bin, end_bin);
    load.to.push_lines(load.chunk.pcc_W);
  }
  if (bin < end_bin) load.to.grid.gap_lines();
}

/// Shows bins to the power's meters alone. @param pcc_W if given, receives them
void show_swings(const ShownLoad& load, std::int64_t bin, std::int64_t end_bin, std::vector<double>* pcc_W) {
  while (bin < end_bin) {
    bin = load.lay(bin, end_bin);
    if (pcc_W != nullptr) pcc_W->insert(pcc_W->end(), load.chunk.pcc_W.begin(), load.chunk.pcc_W.end());
    load.to.push_swings(load.chunk.pcc_W);
  }
}

/// Shows repetitions to the power's meters, in whole units, until no ramp reaches back to what came before. The last of them renews
/// what a unit adds there. @param unit_W receives the first unit  @return number of bins
std::int64_t show_units(const ShownLoad& load, Tick unit, std::int64_t begin, std::int64_t end_bin,
                        RepeatDetector& repeats, std::vector<double>& unit_W) {
  const std::int64_t far = (repeats.far_bin() - begin) * ns_per_ms,
                     all = ((end_bin - begin) * ns_per_ms + unit / 2) / unit,
                     n = std::clamp<std::int64_t>((far + unit - 1) / unit, 1, all);
  // Both ends are within bins.
  const auto begin_of = [&](std::int64_t i) { return std::min(begin + bins_in(i * unit), end_bin); };
  for (std::int64_t i = 0; i < n; ++i) {
    const auto mark = load.to.grid.load().mark();
    show_swings(load, begin_of(i), begin_of(i + 1), i == 0 ? &unit_W : nullptr);
    if (i + 1 == n) repeats.renew(load.to.grid.load().since(mark));
  }
  return begin_of(n) - begin;
}

/// Whether it is known what a unit adds to the meters from `bin` until `end_bin`. @param devices beyond the feeder
bool knows_unit(const RepeatDetector& repeats, const ConnectionMeters& seen, bool devices, std::int64_t bin,
                std::int64_t end_bin) {
  return (repeats.knows_unit() || (repeats.rests() && !devices && seen.grid.calm())) &&
         seen.grid.can_repeat(repeats.share(), bin, end_bin - bin);
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
  const bool continues = repeats_.begin({p->load->period, range_W, p->load->max_W + p->constant_W}, state_.bin);
  if (!stairs_.any()) repeat_periods(*p, continues, end_bin);
  pass(end_bin);
  repeats_.end(end_bin);
}

/// Passes bin by bin until the grid repeats itself, then adds the remaining repetitions. @param continues the last stretch
void SiteStream::repeat_periods(const PeriodicLoad& p, bool continues, std::int64_t end_bin) {
  const Tick unit = unit_of(*p.load);
  const auto bins_of = [&](std::int64_t n) { return bins_in(n * unit); };
  const auto knows = [&] { return knows_unit(repeats_, seen_, has_devices(), state_.bin, end_bin); };
  const std::int64_t settle = continues ? 0
                              : !has_devices() && knows()
                                  ? repeats_.known_settle_bins(state_.bin)
                                  : repeats_.settle_bins(state_.bin, bins_of(2), bins_of(1) + 1);
  // Whole periods up to the stretch's end, without a remainder. Both ends are within bins: repetitions of a known unit may lack them.
  const std::int64_t ends = continues && repeats_.knows() && !has_devices() ? 2 : 1;
  std::int64_t left = ((end_bin - state_.bin - settle + ends) * ns_per_ms - 1) / unit;
  if (left <= 0 || seen_.windows.open(state_.bin, end_bin) || (has_devices() && seen_.spectrum.collects())) return;
  pass(end_bin - bins_of(left));  // none, where the ends are left out
  // Number of units that may be repeated before the drifting charge of storage is computed again.
  std::int64_t most = has_devices() ? 0 : unlimited;
  while (left > 0) {
    // Devices make it matter where the frequency is: it changes what they do.
    if (most > 0 && knows() && (continues || !has_devices() || grid_.still(repeats_.deviation()))) {
      left -= std::min(most, left);
      repeat(p, continues, end_bin - bins_of(left));
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
void SiteStream::repeat(const PeriodicLoad& p, bool continues, std::int64_t end_bin) {
  const ShownLoad load{lanes_, feeder_, state_.auxiliary_W, seen_, chunk_};
  show_lines(load, state_.bin, end_bin);
  Tick period = p.load->period;
  std::vector<double> unit_W;
  const bool settled = has_devices() || continues || (repeats_.knows_unit() && grid_.still(repeats_.deviation()));
  const std::int64_t n_shown = settled && repeats_.far_bin() <= state_.bin
                                   ? 0
                                   : show_units(load, unit_of(*p.load), state_.bin, end_bin, repeats_, unit_W);
  RepeatedBins s{state_.bin, end_bin - state_.bin, (state_.bin * ns_per_ms - p.begin) % period};
  std::vector<double> pcc_W, pcc_var;
  const auto total = repeated_meters(feeder_, *p.load, p.constant_W, state_.auxiliary_W, s, pcc_W, pcc_var);
  if (!has_devices() && !follows_load()) see_extremes(state_.bin, pcc_W, pcc_var, grid_);
  const double drawn_J = unit_.repeat(battery_, delivery_, s.n_bin, total, state_.feeder);
  if (delivery_) state_.bus_J.add(drawn_J);
  if (has_devices()) pcc_W = unit_.pcc_W(), period = unit_.period(), s.phase = 0;  // from the unit's first bin
  state_.connection_J.add(drawn_J);
  seen_.span.add(drawn_J, s.n_bin), seen_.span.add_load(total.load_J.value());
  if (!follows_load()) widen(seen_.span, pcc_W);
  push_repeated(seen_, pcc_W, period, s);
  const auto n_again = bins_again(s.n_bin - n_shown, p.load->period);
  seen_.grid.repeat(repeats_.share(), s.n_bin, drawn_J, n_again, n_shown);
  seen_.levels.skip(s.n_bin, n_again, n_shown);
  if (settled)
    grid_.skip(s.n_bin);
  else
    grid_.settle(unit_W, s.n_bin);
  state_.bin = end_bin, state_.repeated_bins += s.n_bin;
  seen_.push_means();
  repeats_.found();
}

}  // namespace TIDEWATT_NAMESPACE::connection
