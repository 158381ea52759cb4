#include "tidewatt/sim/site_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace tidewatt::sim {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
/// Levels of the pyramid that are kept for the whole run; finer ones live in the recorded windows.
constexpr std::size_t first_kept_level = 2;

}  // namespace

SiteStream::SiteStream(const Params& params, double initial_load_W, double initial_auxiliary_W)
    : feeder_(params.feeder),
      source_(params.source),
      frequency_(params.frequency),
      nominal_Hz_(params.frequency.nominal_Hz),
      span_min_W_(infinite),
      span_max_W_(-infinite),
      buckets_(5) {
  const auto point = feeder_.at(initial_load_W, initial_auxiliary_W);
  if (params.battery) {
    battery_.emplace(*params.battery);
    battery_state_ = battery_->start(point.connection_W());
    battery_start_J_ = battery_state_.energy_J + battery_state_.energy_carry_J;
  }
  frequency_state_ = frequency_.start(point.connection_W(), 0);
  initial_pu_ = source_.voltage_pu(point.connection_W(), point.connection_var()).value_or(1.0);
  step_.begin(0);
  ramp_.begin(0);
  pyramid_.begin(0);
  extremes_.begin(0);
  for (const auto& w : params.windows) recorded_.push_back({w, {}, {}, {}, -1});
}

void SiteStream::append(LoadTemplate load, std::int64_t repetitions, bool iterating) {
  pending_.push_back({std::move(load), repetitions, iterating});
}

void SiteStream::add_energy(Tick begin, Tick end, double J) {
  for (Tick at = begin; at < end;) {
    const Tick stop = std::min(end, (at / ns_per_ms + 1) * ns_per_ms);
    const auto bin = static_cast<std::size_t>(at / ns_per_ms - first_bin_);
    if (bin >= bins_J_.size()) bins_J_.resize(bin + 1, 0.0);
    bins_J_[bin] += J * (static_cast<double>(stop - at) / static_cast<double>(end - begin));
    at = stop;
  }
}

/// Lays one repetition on absolute bins. A template bin that straddles two of them is split in proportion to time.
void SiteStream::repeat(const LoadTemplate& load) {
  const std::size_t n = load.bin_J.size();
  const Tick last_begin = static_cast<Tick>(n - 1) * ns_per_ms;
  const auto first = static_cast<std::size_t>(now_ / ns_per_ms - first_bin_);
  const double late = static_cast<double>(now_ % ns_per_ms) / static_cast<double>(ns_per_ms);
  if (bins_J_.size() < first + n + 1) bins_J_.resize(first + n + 1, 0.0);
  double* to = bins_J_.data() + first;
  const double* from = load.bin_J.data();
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const double next = late * from[i];
    to[i] += from[i] - next;
    to[i + 1] += next;
  }
  add_energy(now_ + last_begin, now_ + load.period, load.bin_J.back());
  now_ += load.period;
}

void SiteStream::flush(double auxiliary_W) {
  // The macro step ends inside a bin: what cooling draws in that bin's part is carried to the next flush, so that its
  // energy is exact.
  Tick flush_end = now_;
  for (const auto& p : pending_) flush_end += p.load.period * p.repetitions;
  const std::int64_t complete = flush_end / ns_per_ms;
  const double n_bin = static_cast<double>(complete - first_bin_);
  if (n_bin > 0) {
    const double drawn_J = carried_J_ + auxiliary_W * seconds(complete * ns_per_ms - now_);
    auxiliary_W_ = drawn_J / (n_bin * 1e-3);
    carried_J_ = auxiliary_W * seconds(flush_end - complete * ns_per_ms);
  } else {
    carried_J_ += auxiliary_W * seconds(flush_end - now_);
  }
  for (const auto& p : pending_) {
    if (!p.iterating) end_interval();
    if (!battery_) {
      // Without storage the connection follows the load, so exact extremes over edges map to exact extremes.
      const double lo = feeder_.at(p.load.min_W, auxiliary_W_).connection_W();
      const double hi = feeder_.at(p.load.max_W, auxiliary_W_).connection_W();
      extremes_.widen(lo, hi);
      span_min_W_ = std::min(span_min_W_, lo);
      span_max_W_ = std::max(span_max_W_, hi);
    }
    for (std::int64_t r = 0; r < p.repetitions; ++r) {
      repeat(p.load);
      if (bins_J_.size() > 16384) pass(p.iterating, false);
    }
    pass(p.iterating, false);
  }
  pending_.clear();
}

void SiteStream::finish() {
  auxiliary_W_ = carried_J_ * 1e3;
  pass(false, true);
  end_interval();
  pyramid_.end();
  for (std::size_t level = 0; level < buckets_.size(); ++level)
    for (auto& b : pyramid_.take(level))
      if (level >= first_kept_level) buckets_[level].push_back(b);
}

void SiteStream::pass(bool iterating, bool last) {
  const std::int64_t complete = last ? (now_ + ns_per_ms - 1) / ns_per_ms : now_ / ns_per_ms;
  const auto n = static_cast<std::size_t>(std::max<std::int64_t>(0, complete - first_bin_));
  if (n == 0) return;
  bins_J_.resize(std::max(bins_J_.size(), n), 0.0);
  load_W_.resize(n);
  for (std::size_t i = 0; i < n; ++i) load_W_[i] = bins_J_[i] * 1e3;
  for (auto* v : {&pcc_W_, &pcc_var_, &bus_pu_, &deviation_Hz_}) v->resize(n);
  feeder_.through(load_W_, auxiliary_W_, pcc_W_, pcc_var_, feeder_meters_);
  if (battery_) battery_->step(pcc_W_, pcc_W_, battery_state_, battery_meters_);
  source_.voltage_pu(pcc_W_, pcc_var_, bus_pu_, voltage_meters_, first_bin_);
  frequency_.advance(pcc_W_, deviation_Hz_, frequency_state_, frequency_meters_);
  step_.push(pcc_W_);
  ramp_.push(pcc_W_);
  pyramid_.push(pcc_W_);
  extremes_.push(pcc_W_);
  for (std::size_t level = 0; level < buckets_.size(); ++level)
    for (auto& b : pyramid_.take(level))
      if (level >= first_kept_level) buckets_[level].push_back(b);
  CompensatedSum chunk_J;
  for (const double W : pcc_W_) chunk_J.add(W * 1e-3);
  connection_J_.add(chunk_J);
  span_J_.add(chunk_J);
  span_bins_ += static_cast<std::int64_t>(n);
  if (battery_) {
    const auto [lo, hi] = std::minmax_element(pcc_W_.begin(), pcc_W_.end());
    span_min_W_ = std::min(span_min_W_, *lo);
    span_max_W_ = std::max(span_max_W_, *hi);
  }
  if (iterating) {
    running_.push(pcc_W_);
    running_bins_ += static_cast<std::int64_t>(n);
  }
  record(n);
  bins_J_.erase(bins_J_.begin(), bins_J_.begin() + static_cast<std::ptrdiff_t>(n));
  first_bin_ += static_cast<std::int64_t>(n);
}

void SiteStream::record(std::size_t n) {
  for (auto& r : recorded_) {
    const std::int64_t begin = std::max(first_bin_, r.window.begin / ns_per_ms);
    const std::int64_t end = std::min(first_bin_ + static_cast<std::int64_t>(n), r.window.end / ns_per_ms);
    if (begin >= end) continue;
    if (r.first_bin < 0) r.first_bin = begin;
    const auto from = static_cast<std::ptrdiff_t>(begin - first_bin_), to = static_cast<std::ptrdiff_t>(end - first_bin_);
    r.pcc_W.insert(r.pcc_W.end(), pcc_W_.begin() + from, pcc_W_.begin() + to);
    r.bus_pu.insert(r.bus_pu.end(), bus_pu_.begin() + from, bus_pu_.begin() + to);
    for (auto i = from; i < to; ++i) r.frequency_Hz.push_back(nominal_Hz_ + deviation_Hz_[static_cast<std::size_t>(i)]);
  }
}

void SiteStream::end_interval() {
  if (running_bins_ > best_bins_) {
    best_bins_ = running_bins_;
    best_ = running_.result();
  }
  if (running_bins_ > 0) running_ = numerics::Welch(std::size_t{1} << 16, 1000.0);
  running_bins_ = 0;
}

SiteStream::Span SiteStream::take_span() {
  const Span out{span_J_.value(), span_bins_ > 0 ? span_J_.value() / (static_cast<double>(span_bins_) * 1e-3) : 0.0, span_min_W_, span_max_W_};
  span_J_ = {};
  span_bins_ = 0;
  span_min_W_ = infinite;
  span_max_W_ = -infinite;
  return out;
}

double SiteStream::battery_stored_J() const {
  return battery_ ? battery_state_.energy_J + battery_state_.energy_carry_J - battery_start_J_ : 0.0;
}

double SiteStream::frequency_deviation_Hz() const {
  return std::max(frequency_meters_.highest_Hz, -frequency_meters_.lowest_Hz);
}

double SiteStream::voltage_deviation_pu() const {
  return std::max(std::abs(voltage_meters_.max_pu - initial_pu_), std::abs(initial_pu_ - voltage_meters_.min_pu));
}

numerics::Spectrum SiteStream::spectrum() const { return best_; }

void SiteStream::add_arrays(std::vector<Array>& arrays) {
  const auto add = [&](std::string path, const char* dim, std::vector<double> v, const char* unit, const char* text) {
    const std::uint64_t n = v.size();
    arrays.push_back({std::move(path), {dim}, {n}, std::move(v), unit, text});
  };
  for (auto& r : recorded_) {
    if (r.pcc_W.empty()) continue;  // the window lies outside the run
    const std::string group = "/waveform_" + r.window.name;
    std::vector<double> time;
    for (std::size_t i = 0; i < r.pcc_W.size(); ++i)
      time.push_back(static_cast<double>(r.first_bin + static_cast<std::int64_t>(i)) * 1e-3);
    add(group + "/time", "time", time, "s", "start of the 1 ms bin");
    add(group + "/pcc_W", "time", r.pcc_W, "W", "power drawn at the connection, mean over the bin");
    add(group + "/bus_pu", "time", r.bus_pu, "1", "voltage at the connection over nominal");
    add(group + "/frequency_Hz", "time", r.frequency_Hz, "Hz", "system frequency at the end of the bin");
  }
  const char* names[] = {"10ms", "100ms", "1s", "10s", "60s"};
  for (std::size_t level = first_kept_level; level < buckets_.size(); ++level) {
    std::vector<double> time, lo, mean, hi;
    for (const auto& b : buckets_[level]) {
      time.push_back(static_cast<double>(b.first_bin) * 1e-3);
      lo.push_back(b.min_W);
      mean.push_back(b.mean_W);
      hi.push_back(b.max_W);
    }
    const std::string group = std::string("/pyramid_") + names[level];
    add(group + "/time", "time", time, "s", "start of the bucket");
    add(group + "/pcc_min_W", "time", lo, "W", "lowest power at the connection");
    add(group + "/pcc_mean_W", "time", mean, "W", "mean power at the connection");
    add(group + "/pcc_max_W", "time", hi, "W", "highest power at the connection");
  }
  std::vector<double> f, amplitude;
  for (std::size_t k = 0; k < best_.psd.size() && static_cast<double>(k) * best_.bin_Hz <= 60.0; ++k) {
    f.push_back(static_cast<double>(k) * best_.bin_Hz);
    amplitude.push_back(best_.amplitude(k));
  }
  add("/spectrum/frequency_Hz", "frequency_Hz", f, "Hz", "frequency");
  add("/spectrum/pcc_amplitude_W", "frequency_Hz", amplitude, "W", "amplitude of a sine at this frequency");
  std::vector<double> window, up, down;
  for (const auto& r : ramp_.ramps()) {
    window.push_back(r.window_s);
    up.push_back(r.up_W_per_s);
    down.push_back(r.down_W_per_s);
  }
  add("/ramps/window_s", "window_s", window, "s", "averaging window");
  add("/ramps/up_W_per_s", "window_s", up, "W/s", "largest rise between adjacent means");
  add("/ramps/down_W_per_s", "window_s", down, "W/s", "largest fall between adjacent means");
}

}  // namespace tidewatt::sim
