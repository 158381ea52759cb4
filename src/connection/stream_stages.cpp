#include "stream_stages.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace TIDEWATT_NAMESPACE::connection {
namespace {

constexpr std::int64_t never_bin = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t spectrum_bins = 300'000;

/// A battery without a controller.
mitigation::SiteBatteryParams without_controller(mitigation::SiteBatteryParams p) {
  p.ramp_up_W_per_s = p.ramp_down_W_per_s = p.smoothing_s = p.soc_gain_pu = p.band_W = 0.0;
  return p;
}

void add(std::vector<NamedArray>& arrays, std::string path, const char* dim, std::vector<double> v, const char* unit,
         const char* text) {
  const std::uint64_t n = v.size();
  arrays.push_back({std::move(path), {dim}, {n}, std::move(v), unit, text});
}

}  // namespace

void StreamChunk::resize(std::size_t n) {
  auto* room = rooms_.data();
  for (auto* bins : {&bin_J, &load_W, &pcc_W, &pcc_var, &bus_pu, &deviation_Hz}) {
    if (room->size() < n) room->resize(n);
    *bins = std::span(*room++).first(n);
  }
  std::fill(bin_J.begin(), bin_J.end(), 0.0);
}

BatteryStage::BatteryStage(const mitigation::SiteBatteryParams& params,
                           const std::optional<mitigation::BatteryWearParams>& wear, double rest_W)
    : battery_(params), following_(without_controller(params)), state_(battery_.start(rest_W)), start_(state_) {
  if (wear) wear_.emplace(*wear);
}

void BatteryStage::through(std::span<double> pcc_W, double ceiling_W) {
  const std::size_t n = pcc_W.size(), most = wear_ ? 100 : n;
  const auto period = static_cast<std::size_t>(std::llround(battery_.params().control_period_s * 1e3));
  for (std::size_t i = 0, end = 0; i < n; i = end) {
    end = std::min(n, i + most);
    if (asked_W_) end = std::min(end, i + period - static_cast<std::size_t>(state_.period_bins));
    const auto part = pcc_W.subspan(i, end - i);
    (asked_W_ ? following_ : battery_).step(part, part, state_, meters_, ceiling_W);
    if (asked_W_ && state_.period_bins == 0) {
      const double load_W = state_.reference_W - state_.command_W, rated_W = battery_.params().power_W;
      state_.command_W = std::clamp(std::min(*asked_W_, ceiling_W - load_W), -rated_W, rated_W);
      state_.reference_W = load_W + state_.command_W;
    }
    if (wear_)
      wear_->push(battery_.soc_frac(state_), static_cast<double>(part.size()) * 1e-3, wear_state_, wear_meters_);
  }
}

double BatteryStage::stored_J() const {
  // Subtract similar values first: the store is so large that a sum with its carry would lose the exchange of a short run.
  return (state_.energy_J - start_.energy_J) + (state_.energy_carry_J - start_.energy_carry_J);
}

WindowRecorder::WindowRecorder(const std::vector<StreamWindow>& windows, double nominal_Hz) : nominal_Hz_(nominal_Hz) {
  for (const auto& w : windows) recorded_.push_back({w, {}, {}, {}, {}, -1});
}

std::int64_t WindowRecorder::next_edge(std::int64_t bin) const {
  std::int64_t next = never_bin;
  for (const auto& r : recorded_)
    for (const std::int64_t edge : {r.window.begin / ns_per_ms, (r.window.end + ns_per_ms - 1) / ns_per_ms})
      if (edge > bin) next = std::min(next, edge);
  return next;
}

bool WindowRecorder::open(std::int64_t from_bin, std::int64_t to_bin) const {
  return std::any_of(recorded_.begin(), recorded_.end(), [&](const Recorded& r) {
    return r.window.begin / ns_per_ms < to_bin && r.window.end / ns_per_ms > from_bin;
  });
}

void WindowRecorder::push(std::int64_t first_bin, const StreamChunk& chunk) {
  const auto n = static_cast<std::int64_t>(chunk.pcc_W.size());
  for (auto& r : recorded_) {
    const std::int64_t begin = std::max(first_bin, r.window.begin / ns_per_ms),
                       end = std::min(first_bin + n, r.window.end / ns_per_ms);
    if (begin >= end) continue;
    if (r.first_bin < 0) r.first_bin = begin;
    const auto from = static_cast<std::ptrdiff_t>(begin - first_bin), to = static_cast<std::ptrdiff_t>(end - first_bin);
    const auto append = [&](std::vector<double>& all, std::span<const double> bins) {
      all.insert(all.end(), bins.begin() + from, bins.begin() + to);
    };
    append(r.pcc_W, chunk.pcc_W);
    append(r.pcc_var, chunk.pcc_var);
    append(r.bus_pu, chunk.bus_pu);
    for (auto i = from; i < to; ++i)
      r.frequency_Hz.push_back(nominal_Hz_ + chunk.deviation_Hz[static_cast<std::size_t>(i)]);
  }
}

void WindowRecorder::add_arrays(std::vector<NamedArray>& arrays) {
  for (auto& r : recorded_) {
    if (r.pcc_W.empty()) continue;  // the window is outside the run
    const std::string group = "/waveform_" + r.window.name;
    std::vector<double> time;
    time.reserve(r.pcc_W.size());
    for (std::size_t i = 0; i < r.pcc_W.size(); ++i)
      time.push_back(static_cast<double>(r.first_bin + static_cast<std::int64_t>(i)) * 1e-3);
    add(arrays, group + "/time", "time", time, "s", "start of the 1 ms bin");
    add(arrays, group + "/pcc_W", "time", r.pcc_W, "W", "power drawn at the connection, mean over the bin");
    add(arrays, group + "/pcc_var", "time", r.pcc_var, "var",
        "reactive power drawn at the connection, mean over the bin");
    add(arrays, group + "/bus_pu", "time", r.bus_pu, "1", "voltage at the connection over nominal");
    add(arrays, group + "/frequency_Hz", "time", r.frequency_Hz, "Hz", "system frequency at the end of the bin");
  }
}

void SpectrumCollector::begin_stretch(bool iterating) {
  if (!iterating) end_interval();
  iterating_ = iterating;
}

bool SpectrumCollector::collects() const {
  return iterating_ && best_bins_ < spectrum_bins && running_bins_ < spectrum_bins;
}

void SpectrumCollector::push(std::span<const double> pcc_W) {
  if (!collects()) return;
  running_.push(pcc_W);
  running_bins_ += static_cast<std::int64_t>(pcc_W.size());
}

void SpectrumCollector::end_interval() {
  if (running_bins_ > best_bins_) {
    best_bins_ = running_bins_;
    best_ = running_.result();
  }
  if (running_bins_ > 0) running_.restart();
  running_bins_ = 0;
}

void SpectrumCollector::add_arrays(std::vector<NamedArray>& arrays) const {
  std::vector<double> f, amplitude;
  for (std::size_t k = 0; k < best_.psd.size() && static_cast<double>(k) * best_.bin_Hz <= 60.0; ++k) {
    f.push_back(static_cast<double>(k) * best_.bin_Hz);
    amplitude.push_back(best_.amplitude(k));
  }
  add(arrays, "/spectrum/frequency_Hz", "frequency_Hz", f, "Hz", "frequency");
  add(arrays, "/spectrum/pcc_amplitude_W", "frequency_Hz", amplitude, "W", "amplitude of a sine at this frequency");
}

PowerLevels::PowerLevels(std::size_t first_kept_level, bool whole)
    : first_kept_level_(first_kept_level), whole_(whole), buckets_(4) {
  step_.begin(0);
  ramp_.begin(0);
  slow_ramp_.begin(0);
  pyramid_.begin(0);
  extremes_.begin(0);
}

void PowerLevels::push(std::span<const double> pcc_W) {
  push_steps(pcc_W);
  pyramid_.push(pcc_W);
  extremes_.push(pcc_W);
}

void PowerLevels::skip(std::int64_t n_bin, std::size_t n_again, std::int64_t n_shown) {
  step_.skip(n_bin - n_shown, n_again);
  ramp_.skip(n_bin - n_shown, n_again);
  extremes_.skip(n_bin);
}

std::span<const grid::Bucket> PowerLevels::keep() {
  for (std::size_t level = buckets_.size(); level-- > 0;) {  // the finest last: it stays
    pyramid_.take(level, finest_);
    if (level >= first_kept_level_) buckets_[level].insert(buckets_[level].end(), finest_.begin(), finest_.end());
  }
  if (whole_) return finest_;
  std::vector<double> mean_W;
  mean_W.reserve(finest_.size());
  for (const auto& b : finest_) mean_W.push_back(b.mean_W);
  push_means(mean_W);
  return finest_;
}

void PowerLevels::push_means(std::span<const double> mean_W) {
  if (!whole_) slow_ramp_.push(mean_W);
}

std::vector<grid::Ramp> PowerLevels::ramps(const GridMeters& meters) const {
  auto all = whole_ ? meters.load().ramps() : ramp_.ramps();
  if (!whole_) {
    const auto slow = slow_ramp_.ramps();
    all.insert(all.end(), slow.begin(), slow.end());
  }
  std::erase_if(all, [](const grid::Ramp& r) {
    constexpr double usual_s[] = {0.1, 1.0, 10.0, 60.0, 300.0, 900.0};
    return std::none_of(std::begin(usual_s), std::end(usual_s),
                        [&](double s) { return std::abs(s - r.window_s) <= 1e-9 * s; });
  });
  return all;
}

void PowerLevels::add_arrays(std::vector<NamedArray>& arrays) const {
  const char* names[] = {"100ms", "1s", "10s", "60s"};
  for (std::size_t level = first_kept_level_; level < buckets_.size(); ++level) {
    std::vector<double> time, lo, mean, hi;
    for (const auto& b : buckets_[level]) {
      time.push_back(static_cast<double>(b.first_bin) * 1e-3);
      lo.push_back(b.min_W);
      mean.push_back(b.mean_W);
      hi.push_back(b.max_W);
    }
    const std::string group = std::string("/pyramid_") + names[level];
    add(arrays, group + "/time", "time", time, "s", "start of the bucket");
    add(arrays, group + "/pcc_min_W", "time", lo, "W", "lowest power at the connection");
    add(arrays, group + "/pcc_mean_W", "time", mean, "W", "mean power at the connection");
    add(arrays, group + "/pcc_max_W", "time", hi, "W", "highest power at the connection");
  }
}

void PowerLevels::add_ramps(const GridMeters& meters, std::vector<NamedArray>& arrays) const {
  std::vector<double> window, up, down;
  for (const auto& r : ramps(meters)) {
    window.push_back(r.window_s);
    up.push_back(r.up_W_per_s);
    down.push_back(r.down_W_per_s);
  }
  add(arrays, "/ramps/window_s", "window_s", window, "s", "averaging window");
  add(arrays, "/ramps/up_W_per_s", "window_s", up, "W/s", "largest rise between adjacent means");
  add(arrays, "/ramps/down_W_per_s", "window_s", down, "W/s", "largest fall between adjacent means");
}

void SpanMeter::add(const CompensatedSum& J, std::int64_t n_bin) {
  J_.add(J);
  n_bin_ += n_bin;
}

void SpanMeter::add(double J, std::int64_t n_bin) {
  J_.add(J);
  n_bin_ += n_bin;
}

void SpanMeter::widen(double low_W, double high_W) {
  min_W_ = std::min(min_W_, low_W);
  max_W_ = std::max(max_W_, high_W);
}

SpanMeter::Span SpanMeter::take() {
  const double span_s = static_cast<double>(n_bin_) * 1e-3;
  Span out{J_.value(), load_J_.value(), 0.0, 0.0, min_W_, max_W_};
  if (n_bin_ > 0) {
    out.mean_W = out.J / span_s;
    out.load_mean_W = out.load_J / span_s;
  }
  *this = {};
  return out;
}

void ConnectionMeters::push(std::int64_t first_bin, const StreamChunk& c, const CompensatedSum& J, bool widen) {
  grid.push(first_bin, c.pcc_W, c.bus_pu, c.deviation_Hz);
  levels.push(c.pcc_W);
  push_means();
  span.add(J, static_cast<std::int64_t>(c.pcc_W.size()));
  if (widen) {
    const auto [lo, hi] = std::minmax_element(c.pcc_W.begin(), c.pcc_W.end());
    span.widen(*lo, *hi);
  }
  spectrum.push(c.pcc_W);
  windows.push(first_bin, c);
}

void ConnectionMeters::push_lines(std::span<const double> pcc_W) {
  spectrum.push(pcc_W);
  grid.push_lines(pcc_W);
}

void ConnectionMeters::push_swings(std::span<const double> pcc_W) {
  levels.push_steps(pcc_W);
  grid.push_swings(pcc_W);
}

void ConnectionMeters::push_means() {
  const auto finest = levels.keep();
  grid.push_means(finest);
  orders.push_means(finest);
}

void ConnectionMeters::push_seconds(std::int64_t first_bin, std::span<const double> low_W,
                                    std::span<const double> sum_W, std::span<const double> high_W,
                                    std::span<const double> mean_W) {
  levels.push_seconds(low_W, sum_W, high_W);
  levels.push_means(mean_W);
  grid.push_means(first_bin, mean_W);
}

void ConnectionMeters::end() {
  spectrum.end_interval();
  levels.end();
  push_means();
}

void ConnectionMeters::add_arrays(std::vector<NamedArray>& arrays) {
  windows.add_arrays(arrays);
  levels.add_arrays(arrays);
  spectrum.add_arrays(arrays);
  levels.add_ramps(grid, arrays);
}

}  // namespace TIDEWATT_NAMESPACE::connection
