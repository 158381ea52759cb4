#include <algorithm>
#include <cmath>

#include "waveform_meters.hpp"

namespace TIDEWATT_NAMESPACE::connection {
namespace {

Tick tick_of(std::int64_t bin) { return bin < 0 ? -1 : bin * ns_per_ms; }

NamedArray column(const std::string& path, const char* dim, std::vector<double> v, const char* unit, const char* text) {
  const std::uint64_t n = v.size();
  return {path, {dim}, {n}, std::move(v), unit, text};
}

}  // namespace

grid::Figure figure_of(double value, std::int64_t bin, double spread_frac) {
  return {value, spread_frac * std::abs(value), tick_of(bin)};
}

grid::BandFigures LoadMeters::band_figures(double low_Hz, double high_Hz, const numerics::Spectrum& s) const {
  grid::BandFigures out{low_Hz, high_Hz, {}, {}};
  for (const auto& b : bands())
    if (b.low_Hz == low_Hz && b.high_Hz == high_Hz) out.rms_W = {b.rms_W, spread_frac_ * b.rms_W, -1};
  if (s.n_segment == 0) return out;
  double sum = 0.0, most = 0.0;
  for (auto k = static_cast<std::size_t>(std::ceil(low_Hz / s.bin_Hz));
       k < s.psd.size() && static_cast<double>(k) * s.bin_Hz <= high_Hz; ++k) {
    const double A = s.amplitude(k);
    sum += 0.5 * A;
    most = std::max(most, A);
  }
  if (sum > 0.0) out.line_share_frac = {most / sum, spread_frac_ * most / sum, -1};
  return out;
}

void LoadMeters::add_figures(grid::WaveformFigures& f) const {
  const auto figure = [&](double x, std::int64_t bin) { return figure_of(x, bin, spread_frac_); };
  f.peak_W = figure(state_.extremes.max_W(), state_.extremes.max_bin());
  f.mean_W = figure(state_.extremes.mean_W(), -1);
  f.range_W = figure(state_.extremes.range_W(), state_.extremes.min_bin());
  for (const auto& r : ramps())
    f.ramps.push_back({r.window_s, figure(r.up_W_per_s, r.up_bin), figure(r.down_W_per_s, r.down_bin)});
  for (std::size_t i = 0; i < step_bins_.size(); ++i) {
    const auto& s = state_.steps[i];
    f.steps.push_back({static_cast<double>(step_bins_[i]) * 1e-3,
                       figure(s.largest(), s.rise() > s.fall() ? s.rise_bin() : s.fall_bin())});
  }
  const auto spectrum = state_.lines ? state_.lines->result() : numerics::Spectrum{};
  for (const auto& b : bands()) f.bands.push_back(band_figures(b.low_Hz, b.high_Hz, spectrum));
  for (const auto& [low, high] : line_bands_) f.bands.push_back(band_figures(low, high, spectrum));
}

void BusMeters::add_figures(grid::WaveformFigures& f) const {
  double P_st = std::nan(""), P_lt = std::nan("");
  for (const auto& m : state_.flicker)
    if (!m.windows().empty()) {
      P_st = std::max(std::isnan(P_st) ? 0.0 : P_st, m.P_st_max());
      if (m.windows().size() >= 12) P_lt = std::max(std::isnan(P_lt) ? 0.0 : P_lt, m.P_lt_max());
    }
  f.P_st = figure_of(P_st, -1, spread_frac_);
  f.P_lt = figure_of(P_lt, -1, spread_frac_);
  // What is not known about voltage and frequency is a share of their distance from rest.
  const auto &v = state_.voltage_pu, &d = state_.deviation_Hz;
  f.voltage_low_pu = {v.low(), spread_frac_ * std::abs(1.0 - v.low()), tick_of(v.low_bin())};
  f.voltage_high_pu = {v.high(), spread_frac_ * std::abs(1.0 - v.high()), tick_of(v.high_bin())};
  f.voltage_change_pu = {v.high() - v.low(), spread_frac_ * (v.high() - v.low()), tick_of(v.low_bin())};
  f.frequency_low_Hz = {nominal_Hz_ + d.low(), spread_frac_ * std::abs(d.low()), tick_of(d.low_bin())};
  f.frequency_high_Hz = {nominal_Hz_ + d.high(), spread_frac_ * std::abs(d.high()), tick_of(d.high_bin())};
}

void LoadMeters::add_arrays(std::vector<NamedArray>& arrays) const {
  std::vector<double> window_s, up, down, up_s, down_s;
  for (const auto& r : ramps()) {
    window_s.push_back(r.window_s);
    up.push_back(r.up_W_per_s);
    down.push_back(r.down_W_per_s);
    up_s.push_back(r.up_bin < 0 ? std::nan("") : static_cast<double>(r.up_bin) * 1e-3);
    down_s.push_back(r.down_bin < 0 ? std::nan("") : static_cast<double>(r.down_bin) * 1e-3);
  }
  arrays.push_back(column("/grid_ramps/window_s", "window", window_s, "s", "averaging window of the ramp"));
  arrays.push_back(column("/grid_ramps/up_W_per_s", "window", up, "W s-1", "largest ramp up at the connection"));
  arrays.push_back(column("/grid_ramps/down_W_per_s", "window", down, "W s-1", "largest ramp down at the connection"));
  arrays.push_back(column("/grid_ramps/up_at_s", "window", up_s, "s", "when the largest ramp up stood"));
  arrays.push_back(column("/grid_ramps/down_at_s", "window", down_s, "s", "when the largest ramp down stood"));
  std::vector<double> low, high, energy, rms, peak;
  for (const auto& b : bands()) {
    low.push_back(b.low_Hz);
    high.push_back(b.high_Hz);
    energy.push_back(b.energy_W2s);
    rms.push_back(b.rms_W);
    peak.push_back(b.peak_W);
  }
  arrays.push_back(column("/grid_bands/low_Hz", "band", low, "Hz", "lower edge of the band"));
  arrays.push_back(column("/grid_bands/high_Hz", "band", high, "Hz", "upper edge of the band"));
  arrays.push_back(column("/grid_bands/energy_W2s", "band", energy, "W2 s", "integral of the filtered power squared"));
  arrays.push_back(column("/grid_bands/rms_W", "band", rms, "W", "root mean square of the filtered power"));
  arrays.push_back(column("/grid_bands/peak_W", "band", peak, "W", "largest filtered power"));
  std::vector<double> range, count;
  for (const auto& c : cycles()) {
    range.push_back(c.range_W);
    count.push_back(c.count);
  }
  arrays.push_back(column("/grid_cycles/range_W", "class", range, "W", "rainflow: middle of the class of ranges"));
  arrays.push_back(column("/grid_cycles/count", "class", count, "1", "rainflow: cycles, halves from what stayed open"));
}

void BusMeters::add_arrays(std::vector<NamedArray>& arrays) const {
  for (std::size_t i = 0; i < 2; ++i) {
    std::vector<double> time, P_st;
    for (const auto& w : state_.flicker[i].windows()) {
      time.push_back(static_cast<double>(w.first_bin) * 1e-3);
      P_st.push_back(w.P_st);
    }
    const std::string group = i == 0 ? "/flicker_120V_60Hz" : "/flicker_230V_50Hz";
    arrays.push_back(column(group + "/time", "time", time, "s", "start of the ten-minute window"));
    arrays.push_back(column(group + "/P_st", "time", P_st, "1", "short-term flicker severity"));
  }
}

}  // namespace TIDEWATT_NAMESPACE::connection
