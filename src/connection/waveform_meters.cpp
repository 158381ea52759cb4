#include "waveform_meters.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/block.hpp"

namespace TIDEWATT_NAMESPACE::connection {
namespace {

using grid::Metric;

constexpr std::int64_t slow_from_bins = 60'000;  ///< ramps over longer windows use means of 100 ms
constexpr std::int64_t most_line_bins = 600'000;

bool is_ramp(Metric m) { return m == Metric::ramp_up || m == Metric::ramp_down; }
bool is_band(Metric m) { return m == Metric::band_rms || m == Metric::band_share; }
std::int64_t bins_of(const grid::Rule& r) { return std::llround(r.window_s * 1e3); }

std::vector<std::int64_t> ramp_windows(const GridMeterParams& p, bool slow) {
  std::vector<std::int64_t> bins =
      slow ? std::vector<std::int64_t>{60'000, 300'000, 900'000} : std::vector<std::int64_t>{100, 1000, 10'000};
  for (const auto& set : p.rules)
    for (const auto& r : set.rules)
      if (is_ramp(r.metric))
        if (const auto w = bins_of(r); (w >= slow_from_bins) == slow) bins.push_back(w);
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
      if (is_band(r.metric) && out.size() < grid::BandMeter::most_bands &&
          std::find(out.begin(), out.end(), band) == out.end())
        out.push_back(band);
    }
  return out;
}

std::vector<std::int64_t> step_windows(const GridMeterParams& p) {
  std::vector<std::int64_t> out = {1000};
  for (const auto& set : p.rules)
    for (const auto& r : set.rules)
      if (const auto w = bins_of(r); r.metric == Metric::step && std::find(out.begin(), out.end(), w) == out.end())
        out.push_back(w);
  return out;
}

std::vector<std::pair<double, double>> bands_with_lines(const GridMeterParams& p) {
  std::vector<std::pair<double, double>> out;
  for (const auto& set : p.rules)
    for (const auto& r : set.rules)
      if (r.metric == Metric::line_share) out.emplace_back(r.low_Hz, r.high_Hz);
  return out;
}

}  // namespace

void RangeMeter::push(std::int64_t first_bin, std::span<const double> x) {
  const auto bin_of = [&](auto it) { return first_bin + (it - x.begin()); };
  if (const double least = numerics::lane_min(x); least < state_.low)
    state_.low = least, state_.low_bin = bin_of(std::find(x.begin(), x.end(), least));
  // The last of equal ones, as std::minmax_element has it.
  if (const double most = numerics::lane_max(x); most > state_.high)
    state_.high = most, state_.high_bin = bin_of(std::find(x.rbegin(), x.rend(), most).base() - 1);
}

LoadMeters::LoadMeters(const GridMeterParams& p)
    : spread_frac_(p.spread_frac),
      step_bins_(step_windows(p)),
      line_bands_(bands_with_lines(p)),
      state_{.bands = grid::BandMeter(bands_of(p)),
             .cycles = {p.class_W, 1024},
             .extremes = {},
             .ramp = grid::RampMeter(ramp_windows(p, false)),
             .slow_ramp = grid::RampMeter(ramp_windows(p, true), 0.1),
             .steps = {step_bins_.begin(), step_bins_.end()},
             .lines = {}} {
  if (!line_bands_.empty()) state_.lines.emplace(std::size_t{1} << 16, 1000.0);
}

void LoadMeters::begin(std::int64_t bin, double first_W) {
  state_.bands.begin(bin, first_W);
  state_.cycles.begin(bin);
  state_.extremes.begin(bin);
  state_.ramp.begin(bin);
  state_.slow_ramp.begin(bin / 100);
  for (auto& s : state_.steps) s.begin(bin);
}

void LoadMeters::push(std::span<const double> pcc_W) {
  state_.extremes.push(pcc_W);
  push_swings(pcc_W);
  push_lines(pcc_W);
}

void LoadMeters::push_swings(std::span<const double> pcc_W) {
  state_.bands.push(pcc_W);
  state_.cycles.push(pcc_W);
  state_.ramp.push(pcc_W);
  for (auto& s : state_.steps) s.push(pcc_W);
}

void LoadMeters::push_lines(std::span<const double> pcc_W) {
  if (!state_.lines || state_.line_bins >= most_line_bins) return;
  state_.lines->push(pcc_W);
  state_.line_bins += static_cast<std::int64_t>(pcc_W.size());
}

void LoadMeters::gap_lines() {
  if (state_.lines && state_.line_bins < most_line_bins) state_.lines->gap();
}

void LoadMeters::repeat(const Share& share, std::int64_t n_bin, double energy_J, std::size_t n_again,
                        std::int64_t n_shown) {
  state_.bands.repeat_bins(share.bands, n_bin - n_shown);
  state_.cycles.repeat_bins(share.cycles, n_bin - n_shown);
  state_.extremes.repeat_bins(energy_J, n_bin);
  state_.ramp.skip(n_bin - n_shown, n_again);
  for (auto& s : state_.steps) s.skip(n_bin - n_shown, n_again);
}

std::vector<grid::Ramp> LoadMeters::ramps() const {
  auto out = state_.ramp.ramps();
  for (auto r : state_.slow_ramp.ramps()) {
    r.up_bin *= r.up_bin < 0 ? 1 : 100;
    r.down_bin *= r.down_bin < 0 ? 1 : 100;
    out.push_back(r);
  }
  return out;
}

void BusMeters::begin(std::int64_t bin, double first_pu) {
  for (auto& m : state_.flicker) m.begin(bin, first_pu);
  state_.voltage.begin(bin);
  state_.frequency.begin(bin);
}

void BusMeters::push(std::int64_t first_bin, std::span<const double> bus_pu, std::span<const double> deviation_Hz) {
  grid::Flickermeter::push_two(state_.flicker[0], state_.flicker[1], bus_pu);
  state_.voltage.push(bus_pu);
  state_.frequency.push(deviation_Hz);
  state_.voltage_pu.push(first_bin, bus_pu);
  state_.deviation_Hz.push(first_bin, deviation_Hz);
}

BusMeters::Mark BusMeters::mark() const {
  return {{state_.flicker[0].snapshot(), state_.flicker[1].snapshot()},
          state_.voltage.snapshot(),
          state_.frequency.snapshot()};
}

BusMeters::Share BusMeters::since(const Mark& m) const {
  return {{state_.flicker[0].since(m.flicker[0]), state_.flicker[1].since(m.flicker[1])},
          state_.voltage.since(m.voltage),
          state_.frequency.since(m.frequency)};
}

void BusMeters::repeat(const Share& share, std::int64_t n_bin) {
  for (std::size_t i = 0; i < 2; ++i) state_.flicker[i].repeat_bins(share.flicker[i], n_bin);
  state_.voltage.repeat_bins(share.voltage, n_bin);
  state_.frequency.repeat_bins(share.frequency, n_bin);
}

}  // namespace TIDEWATT_NAMESPACE::connection
