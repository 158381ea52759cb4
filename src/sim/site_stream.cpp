#include "tidewatt/sim/site_stream.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tidewatt::sim {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr std::int64_t chunk_bins = 16384;
constexpr std::int64_t spectrum_bins = 300'000;
constexpr std::int64_t stair_bins = 100;  ///< of cooling power that moves
constexpr double shows_frac = 2e-3;       ///< change of cooling power over the connection's power that is not a step

}  // namespace

SiteStream::SiteStream(const Params& params, double initial_load_W, double initial_auxiliary_W)
    : feeder_(params.feeder),
      source_(params.source),
      frequency_(params.frequency),
      nominal_Hz_(params.frequency.nominal_Hz),
      closed_form_(params.closed_form),
      meters_(params.meters),
      orders_(params.orders),
      lanes_(params.n_lane),
      span_min_W_(infinite),
      span_max_W_(-infinite),
      whole_(params.meters.from_bin <= 0 && params.meters.until_bin == std::numeric_limits<std::int64_t>::max()),
      first_kept_level_(params.first_kept_level),
      buckets_(4) {
  const auto point = feeder_.at(initial_load_W, initial_auxiliary_W);
  double rest_W = point.connection_W();
  if (params.delivery) {
    delivery_.emplace(*params.delivery, initial_load_W, initial_auxiliary_W);
    rest_W = delivery_->connection_W();
  }
  if (params.battery) {
    battery_.emplace(*params.battery);
    battery_state_ = battery_->start(rest_W);
    battery_start_ = battery_state_;
    if (params.battery_wear) wear_.emplace(*params.battery_wear);
  }
  if (params.delivery && params.delivery->turbines) rest_W -= params.delivery->turbines->dispatch_W;
  auxiliary_W_ = initial_auxiliary_W;
  drawn_W_ = std::abs(rest_W);
  frequency_state_ = frequency_.start(rest_W, 0);
  last_bin_.frequency_Hz = nominal_Hz_;
  last_bin_.pcc_W = rest_W;
  initial_pu_ = source_.voltage_pu(point.connection_W(), point.connection_var()).value_or(1.0);
  step_.begin(0);
  ramp_.begin(0);
  slow_ramp_.begin(0);
  pyramid_.begin(0);
  extremes_.begin(0);
  for (const auto& w : params.windows) recorded_.push_back({w, {}, {}, {}, {}, -1});
}

void SiteStream::append(std::size_t lane, LoadTemplate load, std::int64_t repetitions, bool iterating) {
  lanes_[lane].append(std::move(load), repetitions, iterating);
}

/// First bin after `bin_` in which some lane goes on to its next stretch or a window begins or ends, at most `until_bin`; at
/// least one bin on.
std::int64_t SiteStream::stretch_end(std::int64_t until_bin) {
  std::int64_t end = until_bin;
  for (auto& lane : lanes_) end = std::min(end, lane.at(bin_ * ns_per_ms).end / ns_per_ms);
  for (const auto& r : recorded_)
    for (const std::int64_t edge : {r.window.begin / ns_per_ms, (r.window.end + ns_per_ms - 1) / ns_per_ms})
      if (edge > bin_) end = std::min(end, edge);
  return std::max(end, bin_ + 1);
}

void SiteStream::flush(Tick until, double auxiliary_W) {
  const std::int64_t until_bin = until / ns_per_ms, n_bin = until_bin - bin_;
  const std::int64_t n_stair = n_bin / 4 / stair_bins;
  const double from_W = auxiliary_W_, T = static_cast<double>(n_bin), R = static_cast<double>(n_stair * stair_bins);
  const double to_W = (auxiliary_W * T - 0.5 * from_W * R) / (T - 0.5 * R);
  const bool shows = std::abs(auxiliary_W - from_W) > shows_frac * std::abs(drawn_W_);
  if (shows && n_stair > 0 && to_W >= 0.0) {
    const std::int64_t begin = bin_;
    for (std::int64_t i = 0; i < n_stair; ++i) {
      auxiliary_W_ = from_W + (to_W - from_W) * (static_cast<double>(i) + 0.5) / static_cast<double>(n_stair);
      advance_to(begin + (i + 1) * stair_bins);
    }
    auxiliary_W_ = to_W;
  } else {
    auxiliary_W_ = auxiliary_W;
  }
  const double before_J = connection_J_.value();
  const std::int64_t rest_bin = until_bin - bin_;
  advance_to(until_bin);
  if (rest_bin > 0) drawn_W_ = (connection_J_.value() - before_J) * 1e3 / static_cast<double>(rest_bin);
}

void SiteStream::advance_to(std::int64_t until_bin) {
  while (bin_ < until_bin) {
    const std::int64_t end = stretch_end(until_bin);
    double lo = 0.0, hi = 0.0;
    bool iterating = false;
    for (auto& lane : lanes_) {
      const auto& s = lane.at(bin_ * ns_per_ms);
      lo += s.load.min_W;
      hi += s.load.max_W;
      iterating = iterating || s.iterating;
    }
    if (!iterating) end_interval();
    iterating_ = iterating;
    if (!battery_ && !delivery_ && lanes_.size() == 1) {
      // Without storage the connection follows the load, so exact extremes over edges map to exact extremes.
      lo = feeder_.at(lo, auxiliary_W_).connection_W();
      hi = feeder_.at(hi, auxiliary_W_).connection_W();
      extremes_.widen(lo, hi);
      span_min_W_ = std::min(span_min_W_, lo);
      span_max_W_ = std::max(span_max_W_, hi);
    }
    advance_stretch(end);
  }
}

void SiteStream::finish() {
  end_interval();
  pyramid_.end();
  keep_buckets();
}

void SiteStream::keep_buckets() {
  for (std::size_t level = 0; level < buckets_.size(); ++level) {
    const auto taken = pyramid_.take(level);
    if (level == 0) {
      std::vector<double> mean_W;
      for (const auto& b : taken) mean_W.push_back(b.mean_W);
      if (!whole_) slow_ramp_.push(mean_W);
      meters_.push_means(taken);
      watch_orders(taken);
    }
    if (level >= first_kept_level_) buckets_[level].insert(buckets_[level].end(), taken.begin(), taken.end());
  }
}

/// Bin by bin from where the stream stands.
void SiteStream::pass(std::int64_t to_bin) {
  while (bin_ < to_bin) {
    std::int64_t end = std::min({to_bin, bin_ + chunk_bins, next_edge(bin_)});
    if (delivery_) end = std::min(end, bin_ + std::min(chunk_bins, delivery_->most_bins(bin_)));
    const auto n = static_cast<std::size_t>(end - bin_);
    bin_J_.assign(n, 0.0);
    for (auto& lane : lanes_) lane.lay(bin_ * ns_per_ms, end * ns_per_ms, bin_J_);
    for (auto* v : {&load_W_, &pcc_W_, &pcc_var_, &bus_pu_, &deviation_Hz_}) v->resize(n);
    for (std::size_t i = 0; i < n; ++i) load_W_[i] = bin_J_[i] * 1e3;
    const double load_J = feeder_meters_.load_J.value();
    if (delivery_) delivery_->through(load_W_, auxiliary_W_, bin_, pcc_W_, pcc_var_, feeder_meters_);
    else feeder_.through(load_W_, auxiliary_W_, pcc_W_, pcc_var_, feeder_meters_);
    span_load_J_.add(feeder_meters_.load_J.value() - load_J);
    if (battery_) through_battery();
    if (delivery_) through_devices();
    source_.voltage_pu(pcc_W_, pcc_var_, bus_pu_, voltage_meters_, bin_);
    frequency_.advance(pcc_W_, deviation_Hz_, frequency_state_, frequency_meters_);
    if (delivery_) {
      if (const double ratio = delivery_->voltage_ratio(bin_); ratio != 1.0)
        for (double& v : bus_pu_) v *= ratio;
      delivery_->island_frequency(deviation_Hz_);
    }
    meters_.push(bin_, pcc_W_, bus_pu_, deviation_Hz_);
    if (!whole_) {
      step_.push(pcc_W_);
      ramp_.push(pcc_W_);
    }
    pyramid_.push(pcc_W_);
    extremes_.push(pcc_W_);
    keep_buckets();
    CompensatedSum chunk_J;
    for (const double W : pcc_W_) chunk_J.add(W * 1e-3);
    connection_J_.add(chunk_J);
    span_J_.add(chunk_J);
    span_bins_ += static_cast<std::int64_t>(n);
    if (battery_ || delivery_ || lanes_.size() > 1) {
      const auto [lo, hi] = std::minmax_element(pcc_W_.begin(), pcc_W_.end());
      span_min_W_ = std::min(span_min_W_, *lo);
      span_max_W_ = std::max(span_max_W_, *hi);
    }
    if (iterating_ && running_bins_ < spectrum_bins && best_bins_ < spectrum_bins) {
      running_.push(pcc_W_);
      running_bins_ += static_cast<std::int64_t>(n);
    }
    record(n);
    last_bin_ = {pcc_W_.back(), pcc_var_.back(), bus_pu_.back(), nominal_Hz_ + deviation_Hz_.back()};
    bin_ = end;
  }
}

std::int64_t SiteStream::next_edge(std::int64_t bin) const {
  std::int64_t next = delivery_ ? delivery_->next_edge(bin) : std::numeric_limits<std::int64_t>::max();
  for (const auto& o : orders_)
    for (const std::int64_t edge : {o.begin_bin, o.end_bin})
      if (edge > bin) next = std::min(next, edge);
  return next;
}

double SiteStream::ceiling_W(std::int64_t bin) const {
  double limit_W = infinite;
  for (const auto& o : orders_)
    if (o.by_storage && o.begin_bin <= bin && bin < o.end_bin) limit_W = std::min(limit_W, o.limit_W);
  return limit_W;
}

void SiteStream::watch_orders(const std::vector<grid::Bucket>& finest) {
  for (const auto& o : orders_)
    for (const auto& b : finest) {
      if (b.first_bin < o.begin_bin || b.first_bin + b.n_bin > o.end_bin) continue;
      const double s = static_cast<double>(b.n_bin) * 1e-3;
      auto& m = order_meters_;
      m.max_W = std::max(m.max_W, b.max_W);
      m.mean_J += b.mean_W * s;
      m.s += s;
      m.over_J += std::max(0.0, b.mean_W - o.limit_W) * s;
      m.most_over_W = std::max(m.most_over_W, b.max_W - o.limit_W);
    }
}

/// Its wear sees the charge every 100 ms.
void SiteStream::through_battery() {
  if (delivery_ && delivery_->bus_dead(bin_)) return battery_->resume(battery_state_, 0.0);  // nothing to charge from or to feed
  const std::size_t n = pcc_W_.size(), most = wear_ ? 100 : n;
  for (std::size_t i = 0; i < n; i += most) {
    const auto part = std::span<double>(pcc_W_).subspan(i, std::min(most, n - i));
    battery_->step(part, part, battery_state_, battery_meters_, ceiling_W(bin_));
    if (wear_) wear_->push(battery_->soc_frac(battery_state_), static_cast<double>(part.size()) * 1e-3, wear_state_, wear_meters_);
  }
}

/// From the site bus to the grid.
void SiteStream::through_devices() {
  for (const double W : pcc_W_) bus_J_.add(W * 1e-3);
  delivery_->connect(pcc_W_, pcc_var_, bin_, source_);
}

double SiteStream::load_lost_W() const {
  return delivery_ && delivery_->load_lost_bin() >= 0 ? delivery_->load_lost_W() : std::numeric_limits<double>::quiet_NaN();
}

std::vector<grid::RideThroughEvent> SiteStream::take_events() {
  return delivery_ ? delivery_->take_events() : std::vector<grid::RideThroughEvent>{};
}

bool SiteStream::open_window(std::int64_t from_bin, std::int64_t to_bin) const {
  for (const auto& r : recorded_)
    if (r.window.begin / ns_per_ms < to_bin && r.window.end / ns_per_ms > from_bin) return true;
  return iterating_ && best_bins_ < spectrum_bins && running_bins_ < spectrum_bins;
}

void SiteStream::record(std::size_t n) {
  for (auto& r : recorded_) {
    const std::int64_t begin = std::max(bin_, r.window.begin / ns_per_ms);
    const std::int64_t end = std::min(bin_ + static_cast<std::int64_t>(n), r.window.end / ns_per_ms);
    if (begin >= end) continue;
    if (r.first_bin < 0) r.first_bin = begin;
    const auto from = static_cast<std::ptrdiff_t>(begin - bin_), to = static_cast<std::ptrdiff_t>(end - bin_);
    r.pcc_W.insert(r.pcc_W.end(), pcc_W_.begin() + from, pcc_W_.begin() + to);
    r.pcc_var.insert(r.pcc_var.end(), pcc_var_.begin() + from, pcc_var_.begin() + to);
    r.bus_pu.insert(r.bus_pu.end(), bus_pu_.begin() + from, bus_pu_.begin() + to);
    for (auto i = from; i < to; ++i) r.frequency_Hz.push_back(nominal_Hz_ + deviation_Hz_[static_cast<std::size_t>(i)]);
  }
}

void SiteStream::end_interval() {
  if (running_bins_ > best_bins_) {
    best_bins_ = running_bins_;
    best_ = running_.result();
  }
  if (running_bins_ > 0) running_.restart();
  running_bins_ = 0;
}

std::vector<grid::Ramp> SiteStream::ramps() const {
  auto all = whole_ ? meters_.ramps() : ramp_.ramps();
  if (!whole_) {
    const auto slow = slow_ramp_.ramps();
    all.insert(all.end(), slow.begin(), slow.end());
  }
  std::erase_if(all, [](const grid::Ramp& r) {
    constexpr double usual_s[] = {0.1, 1.0, 10.0, 60.0, 300.0, 900.0};
    return std::none_of(std::begin(usual_s), std::end(usual_s), [&](double s) { return std::abs(s - r.window_s) <= 1e-9 * s; });
  });
  return all;
}

SiteStream::Span SiteStream::take_span() {
  const double span_s = static_cast<double>(span_bins_) * 1e-3;
  Span out{span_J_.value(), span_load_J_.value(), 0.0, 0.0, span_min_W_, span_max_W_};
  if (span_bins_ > 0) {
    out.mean_W = out.J / span_s;
    out.load_mean_W = out.load_J / span_s;
  }
  span_J_ = {};
  span_load_J_ = {};
  span_bins_ = 0;
  span_min_W_ = infinite;
  span_max_W_ = -infinite;
  return out;
}

double SiteStream::battery_stored_J() const {
  // Like from like first: the store is so large that a sum with its carry would lose what a short run moves.
  return (battery_state_.energy_J - battery_start_.energy_J) + (battery_state_.energy_carry_J - battery_start_.energy_carry_J);
}

double SiteStream::frequency_deviation_Hz() const {
  return std::max(frequency_meters_.highest_Hz, -frequency_meters_.lowest_Hz);
}

double SiteStream::voltage_deviation_pu() const {
  return std::max(std::abs(voltage_meters_.max_pu - initial_pu_), std::abs(initial_pu_ - voltage_meters_.min_pu));
}

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
    add(group + "/pcc_var", "time", r.pcc_var, "var", "reactive power drawn at the connection, mean over the bin");
    add(group + "/bus_pu", "time", r.bus_pu, "1", "voltage at the connection over nominal");
    add(group + "/frequency_Hz", "time", r.frequency_Hz, "Hz", "system frequency at the end of the bin");
  }
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
  for (const auto& r : ramps()) {
    window.push_back(r.window_s);
    up.push_back(r.up_W_per_s);
    down.push_back(r.down_W_per_s);
  }
  add("/ramps/window_s", "window_s", window, "s", "averaging window");
  add("/ramps/up_W_per_s", "window_s", up, "W/s", "largest rise between adjacent means");
  add("/ramps/down_W_per_s", "window_s", down, "W/s", "largest fall between adjacent means");
}

}  // namespace tidewatt::sim
