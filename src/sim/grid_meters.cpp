#include "tidewatt/sim/grid_meters.hpp"

#include <algorithm>
#include <cmath>

namespace tidewatt::sim {
namespace {

using grid::Metric;

constexpr std::int64_t slow_from_bins = 60'000;  ///< ramps over windows from here on look at means of 100 ms
constexpr std::int64_t welch_most_bins = 600'000;

bool is_ramp(Metric m) { return m == Metric::ramp_up || m == Metric::ramp_down; }
bool is_band(Metric m) { return m == Metric::band_rms || m == Metric::band_share; }

std::vector<std::int64_t> ramp_windows(const GridMeterParams& p, bool slow) {
  std::vector<std::int64_t> bins = slow ? std::vector<std::int64_t>{60'000, 300'000, 900'000} : std::vector<std::int64_t>{100, 1000, 10'000};
  for (const auto& set : p.rules)
    for (const auto& r : set.rules)
      if (is_ramp(r.metric))
        if (const auto w = std::llround(r.window_s * 1e3); (w >= slow_from_bins) == slow) bins.push_back(w);
  std::sort(bins.begin(), bins.end());
  bins.erase(std::unique(bins.begin(), bins.end()), bins.end());
  if (slow)
    for (auto& w : bins) w /= 100;
  return bins;
}

std::vector<std::pair<double, double>> bands_of(const GridMeterParams& p) {
  std::vector<std::pair<double, double>> out = {{0.1, 1.0}, {1.0, 2.5}, {2.5, 7.0}, {7.0, 60.0}};
  for (const auto& set : p.rules)
    for (const auto& r : set.rules) {
      const std::pair<double, double> band{r.low_Hz, r.high_Hz};
      if (is_band(r.metric) && out.size() < grid::BandMeter::most_bands && std::find(out.begin(), out.end(), band) == out.end())
        out.push_back(band);
    }
  return out;
}

}  // namespace

GridMeters::GridMeters(const GridMeterParams& p)
    : p_(p),
      bands_(bands_of(p)),
      cycles_(p.class_W, 1024),
      flicker_{grid::Flickermeter(grid::FlickerLamp::v120_60Hz), grid::Flickermeter(grid::FlickerLamp::v230_50Hz)},
      ramp_(ramp_windows(p, false)),
      slow_ramp_(ramp_windows(p, true), 0.1) {
  step_windows_ = {1000};
  for (const auto& set : p.rules)
    for (const auto& r : set.rules) {
      if (r.metric == Metric::line_share) line_bands_.emplace_back(r.low_Hz, r.high_Hz);
      const auto w = std::llround(r.window_s * 1e3);
      if (r.metric == Metric::step && std::find(step_windows_.begin(), step_windows_.end(), w) == step_windows_.end()) step_windows_.push_back(w);
    }
  for (const auto w : step_windows_) steps_.emplace_back(w);
  if (std::find(line_bands_.begin(), line_bands_.end(), std::pair{0.1, 20.0}) == line_bands_.end()) line_bands_.emplace_back(0.1, 20.0);
}

void GridMeters::push(std::int64_t first_bin, std::span<const double> pcc_W, std::span<const double> bus_pu,
                      std::span<const double> deviation_Hz) {
  const std::int64_t last = first_bin + static_cast<std::int64_t>(pcc_W.size());
  const std::int64_t begin = std::max(first_bin, p_.from_bin), end = std::min(last, p_.until_bin);
  if (begin >= end) return;
  const auto from = static_cast<std::size_t>(begin - first_bin), n = static_cast<std::size_t>(end - begin);
  const auto W = pcc_W.subspan(from, n), v = bus_pu.subspan(from, n), f = deviation_Hz.subspan(from, n);
  if (!begun_) {
    begun_ = true;
    bands_.begin(begin, W.front());
    cycles_.begin(begin);
    for (auto& m : flicker_) m.begin(begin, v.front());
    voltage_.begin(begin);
    frequency_.begin(begin);
    extremes_.begin(begin);
    ramp_.begin(begin);
    slow_ramp_.begin(begin / 100);
    for (auto& s : steps_) s.begin(begin);
  }
  bands_.push(W);
  cycles_.push(W);
  grid::Flickermeter::push_two(flicker_[0], flicker_[1], v);
  voltage_.push(v);
  frequency_.push(f);
  extremes_.push(W);
  ramp_.push(W);
  for (auto& s : steps_) s.push(W);
  const auto [v_low, v_high] = std::minmax_element(v.begin(), v.end());
  const auto [f_low, f_high] = std::minmax_element(f.begin(), f.end());
  if (*v_low < low_pu_) low_pu_ = *v_low, low_bin_ = begin + (v_low - v.begin());
  if (*v_high > high_pu_) high_pu_ = *v_high, high_bin_ = begin + (v_high - v.begin());
  if (*f_low < low_Hz_) low_Hz_ = *f_low, low_Hz_bin_ = begin + (f_low - f.begin());
  if (*f_high > high_Hz_) high_Hz_ = *f_high, high_Hz_bin_ = begin + (f_high - f.begin());
  if (welch_bins_ < welch_most_bins) {
    welch_.push(W);
    welch_bins_ += static_cast<std::int64_t>(n);
  }
  next_bin_ = end;
}

void GridMeters::push_means(std::span<const grid::Bucket> finest) {
  std::vector<double> mean_W;
  for (const auto& b : finest)
    if (b.first_bin >= p_.from_bin && b.first_bin + b.n_bin <= p_.until_bin) mean_W.push_back(b.mean_W);
  slow_ramp_.push(mean_W);
}

GridMeters::Mark GridMeters::mark() const {
  if (!begun_) return {};
  return {next_bin_, bands_.snapshot(), cycles_.snapshot(), {flicker_[0].snapshot(), flicker_[1].snapshot()},
          voltage_.snapshot(), frequency_.snapshot()};
}

GridMeters::Share GridMeters::since(const Mark& m) const {
  if (!begun_ || m.next_bin == 0 || next_bin_ == m.next_bin || !flicker_[0].same_window(m.flicker[0])) return {};
  return {next_bin_ - m.next_bin, bands_.since(m.bands), cycles_.since(m.cycles), {flicker_[0].since(m.flicker[0]), flicker_[1].since(m.flicker[1])},
          voltage_.since(m.voltage), frequency_.since(m.frequency)};
}

bool GridMeters::can_repeat(const Share& share, std::int64_t first_bin, std::int64_t n_bin) const {
  if (first_bin + n_bin <= p_.from_bin || first_bin >= p_.until_bin) return true;
  return share.n_bin > 0 && begun_ && first_bin + n_bin <= p_.until_bin;
}

void GridMeters::repeat(const Share& share, std::int64_t n_bin, double energy_J) {
  if (!begun_ || next_bin_ >= p_.until_bin) return;
  bands_.repeat_bins(share.bands, n_bin);
  cycles_.repeat_bins(share.cycles, n_bin);
  for (std::size_t i = 0; i < 2; ++i) flicker_[i].repeat_bins(share.flicker[i], n_bin);
  voltage_.repeat_bins(share.voltage, n_bin);
  frequency_.repeat_bins(share.frequency, n_bin);
  extremes_.repeat_bins(energy_J, n_bin);
  ramp_.skip(n_bin);
  for (auto& s : steps_) s.skip(n_bin);
  if (welch_bins_ < welch_most_bins) welch_.gap();
  next_bin_ += n_bin;
}

std::vector<grid::Ramp> GridMeters::ramps() const {
  auto out = ramp_.ramps();
  for (auto r : slow_ramp_.ramps()) {
    r.up_bin *= r.up_bin < 0 ? 1 : 100;
    r.down_bin *= r.down_bin < 0 ? 1 : 100;
    out.push_back(r);
  }
  return out;
}

}  // namespace tidewatt::sim
