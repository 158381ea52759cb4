#include <algorithm>
#include <cmath>
#include <numeric>

#include "tidewatt/sim/site_stream.hpp"

namespace tidewatt::sim {
namespace {

constexpr std::int64_t blip_bins = 10'000;
constexpr std::int64_t slow_bins = 20'000;  ///< twice the longest ramp window that looks at single bins

/// Smallest (or largest) of every `width` consecutive values of a ring, by blocks: out[i] covers i … i + width − 1.
template <class Better>
std::vector<double> sliding(const std::vector<double>& ring, std::size_t width, Better better) {
  const std::size_t n = ring.size();
  std::vector<double> forward(n + width), backward(n + width), out(n);
  for (std::size_t i = 0; i < n + width; ++i)
    forward[i] = i % width == 0 ? ring[i % n] : better(forward[i - 1], ring[i % n]);
  for (std::size_t i = n + width; i-- > 0;)
    backward[i] = (i + 1) % width == 0 || i + 1 == n + width ? ring[i % n] : better(backward[i + 1], ring[i % n]);
  for (std::size_t i = 0; i < n; ++i) out[i] = better(backward[i], forward[i + width - 1]);
  return out;
}

void scale_add(power::FeederMeters& to, const power::FeederMeters& from, double factor) {
  to.load_J.add(from.load_J.value() * factor);
  to.auxiliary_J.add(from.auxiliary_J.value() * factor);
  to.drawn_J.add(from.drawn_J.value() * factor);
  for (std::size_t i = 0; i < to.loss_J.size(); ++i) {
    to.loss_J[i].add(from.loss_J[i].value() * factor);
    to.loading_max_frac[i] = std::max(to.loading_max_frac[i], from.loading_max_frac[i]);
  }
}

}  // namespace

/// One lane repeats and the others are constant.
struct SiteStream::Periodic {
  const LoadTemplate* load;
  Tick begin;  ///< of the lane's stretch
  double constant_W;
};

std::optional<SiteStream::Periodic> SiteStream::periodic(std::int64_t bin) {
  Periodic p{nullptr, 0, 0.0};
  for (auto& lane : lanes_) {
    const auto& s = lane.at(bin * ns_per_ms);
    if (s.constant()) {
      p.constant_W += s.load.max_W;
    } else {
      if (p.load != nullptr) return std::nullopt;
      p.load = &s.load;
      p.begin = s.begin;
    }
  }
  if (p.load == nullptr) {  // all constant: any length repeats
    const auto& s = lanes_.front().at(bin * ns_per_ms);
    p = {&s.load, s.begin, p.constant_W - s.load.max_W};
  }
  return p;
}

/// From where the stream stands to `end_bin`, within one stretch of every lane.
void SiteStream::advance_stretch(std::int64_t end_bin) {
  const auto p = periodic(bin_);
  if (!closed_form_ || battery_ || delivery_ || !p) {
    last_ = {};
    pass(end_bin);
    return;
  }
  const double range_W = p->load->max_W - p->load->min_W;
  const Tick period = p->load->period;
  if (range_W == 0.0 && last_.range_W > 0.0 && end_bin - bin_ <= blip_bins) {
    // A pause: what it disturbs passes bin by bin, what repeated before it goes on to repeat afterwards.
    pass(end_bin);
    found_repeating_ = false;
    disturbed_until_ = end_bin;
    return;
  }
  const double high_W = p->load->max_W + p->constant_W;
  const Shape shape{period, range_W, high_W};
  if (!shape.like(last_, 0.01)) alike_since_ = bin_;
  // A stretch that goes on as the last one, which was found to repeat.
  const bool goes_on = found_repeating_ && bin_ == repeated_until_ && shape.like(last_, 0.01);
  last_ = shape;
  found_repeating_ = goes_on;
  // As many periods as it takes to last a second.
  const Tick unit = period * ((ns_per_s + period - 1) / period);
  const auto bins_of = [&](std::int64_t n) { return (n * unit + ns_per_ms / 2) / ns_per_ms; };
  const std::int64_t unit_bins = bins_of(1) + 1;
  const std::int64_t lead = goes_on ? 0 : std::max({bins_of(2), disturbed_until_ + slow_bins / 2 - bin_, alike_since_ + slow_bins + unit_bins - bin_});
  // Whole periods before the stretch's end: behind them nothing is left to pass.
  std::int64_t left = ((end_bin - bin_ - lead + 1) * ns_per_ms - 1) / unit;  // the ends lie within bins
  if (left > 0 && !open_window(bin_, end_bin)) {
    pass(end_bin - bins_of(left));
    for (; left > 0; --left) {
      // What one period adds to the meters is kept as long as the load moves by no more than a fifth of a percent.
      const bool known = shape.like(kept_.shape, 0.002) && (goes_on || still(kept_.deviation));
      if (known && meters_.can_repeat(kept_.share, bin_, end_bin - bin_)) {
        repeat(*p, end_bin);
        found_repeating_ = true;
        break;
      }
      if (left < 2) break;
      // Has the grid come to repeat itself? One more period decides.
      const auto before = frequency_state_.deviation;
      const auto mark = meters_.mark();
      pass(end_bin - bins_of(left - 1));
      if (still(before)) kept_ = {shape, frequency_state_.deviation, meters_.since(mark)};
    }
  }
  pass(end_bin);
  repeated_until_ = end_bin;
}

bool SiteStream::Shape::like(const Shape& o, double share) const {
  return o.period > 0 && std::abs(static_cast<double>(period - o.period)) <= share * static_cast<double>(period) &&
         std::abs(range_W - o.range_W) <= 2.0 * share * range_W && std::abs(high_W - o.high_W) <= share * o.high_W;
}

/// Whether the grid has come back to where it was, to a bin's worth of phase.
bool SiteStream::still(const grid::FrequencyState::Deviation& before) const {
  constexpr double share = 1e-2, rest_Hz = 1e-9;
  double moved = 0.0, size = 0.0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    moved = std::max(moved, std::abs(frequency_state_.deviation[i] - before[i]));
    size = std::max(size, std::abs(frequency_state_.deviation[i]));
  }
  return moved <= share * size + rest_Hz;
}

/// Books the repetitions up to `end_bin`, which is at the same phase to within a bin.
void SiteStream::repeat(const Periodic& p, std::int64_t end_bin) {
  const Tick now = bin_ * ns_per_ms, period = p.load->period;
  const std::int64_t n_bin = end_bin - bin_;
  const double J = book_repetitions(p, (n_bin * ns_per_ms + period / 2) / period, (now - p.begin) % period, n_bin);
  meters_.repeat(kept_.share, n_bin, J);
  bin_ += n_bin;
  repeated_bins_ += n_bin;
  span_bins_ += n_bin;
  step_.skip(n_bin);
  ramp_.skip(n_bin);
  extremes_.skip(n_bin);
  frequency_state_.next_bin += n_bin;
  frequency_meters_.window.skip(n_bin);
  keep_buckets();
}

/// Energies of whole periods from the template, and of the fraction of a bin by which the landing misses them.
double SiteStream::book_repetitions(const Periodic& p, std::int64_t periods, Tick phase, std::int64_t n_bin) {
  const auto& load = *p.load;
  const std::size_t n = load.bin_J.size();
  const Tick last_width = load.period - static_cast<Tick>(n - 1) * ns_per_ms;
  std::vector<double> load_W(n), pcc_W(n), pcc_var(n);
  for (std::size_t i = 0; i < n; ++i) load_W[i] = load.bin_J[i] * 1e3 + p.constant_W;
  load_W[n - 1] = load.bin_J[n - 1] / seconds(last_width) + p.constant_W;
  power::FeederMeters whole, last;
  const std::span<double> W(load_W), out(pcc_W), var(pcc_var);
  if (n > 1) feeder_.through(W.first(n - 1), auxiliary_W_, out.first(n - 1), var.first(n - 1), whole);
  feeder_.through(W.last(1), auxiliary_W_, out.last(1), var.last(1), last);
  const double last_share = static_cast<double>(last_width) / static_cast<double>(ns_per_ms);
  const double count = static_cast<double>(periods);
  const Tick rest = n_bin * ns_per_ms - load.period * periods;
  power::FeederMeters total;
  scale_add(total, whole, count);
  scale_add(total, last, count * last_share);
  if (rest != 0) {
    const Tick from = rest > 0 ? phase : (phase + rest + load.period) % load.period;
    const double rest_J = repeated_energy_J(load, from, std::abs(rest));
    const double rest_W[] = {rest_J / seconds(std::abs(rest)) + p.constant_W};
    double rest_pcc[1], rest_var[1];
    power::FeederMeters part;
    feeder_.through(rest_W, auxiliary_W_, rest_pcc, rest_var, part);
    scale_add(total, part, static_cast<double>(rest) / static_cast<double>(ns_per_ms));
  }
  scale_add(feeder_meters_, total, 1.0);
  connection_J_.add(total.drawn_J.value());
  span_J_.add(total.drawn_J.value());
  span_load_J_.add(total.load_J.value());

  // The pyramid's finest buckets from the repeated template: means from its integral, extremes from its bins.
  std::vector<double> integral_J(n + 1, 0.0);
  for (std::size_t i = 0; i < n; ++i) integral_J[i + 1] = integral_J[i] + pcc_W[i] * (i + 1 < n ? 1e-3 : seconds(last_width));
  const auto integral = [&](Tick at) {  // from the start of a repetition
    const auto i = static_cast<std::size_t>(at / ns_per_ms);
    return integral_J[i] + pcc_W[std::min(i, n - 1)] * seconds(at % ns_per_ms);
  };
  constexpr std::size_t width = 101;
  const auto lowest = sliding(pcc_W, width, [](double a, double b) { return a < b ? a : b; });
  const auto highest = sliding(pcc_W, width, [](double a, double b) { return a > b ? a : b; });
  const double period_J = integral_J[n];
  for (std::int64_t bin = bin_, end = bin_ + n_bin; bin < end;) {
    const std::int64_t stop = std::min(end, (bin / 100 + 1) * 100);
    const Tick length = (stop - bin) * ns_per_ms;
    const Tick from = phase % load.period, to = from + length;
    const double J = integral(to % load.period) - integral(from) + period_J * static_cast<double>(to / load.period);
    const auto i = static_cast<std::size_t>(from / ns_per_ms);
    double low_W = lowest[i], high_W = highest[i];
    if (stop == end) {  // what comes behind may be something else: no bin beyond the end
      low_W = high_W = pcc_W[i];
      for (auto j = static_cast<Tick>(i) + 1; j < to / ns_per_ms; ++j) {
        const double here_W = pcc_W[static_cast<std::size_t>(j) % n];
        low_W = std::min(low_W, here_W);
        high_W = std::max(high_W, here_W);
      }
    }
    pyramid_.push_part(stop - bin, low_W, J * 1e3, high_W);
    phase = to % load.period;
    bin = stop;
  }
  return total.drawn_J.value();
}

}  // namespace tidewatt::sim
