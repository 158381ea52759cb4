#include "site_stream.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace TIDEWATT_NAMESPACE::connection {
namespace {

constexpr double shows_frac = 2e-3;  ///< change of cooling power over the connection's power that is not a step

std::optional<Delivery> make_delivery(const StreamParams& p, double load_W, double auxiliary_W) {
  if (!p.delivery) return std::nullopt;
  return std::optional<Delivery>(std::in_place, *p.delivery, load_W, auxiliary_W);
}

std::optional<BatteryStage> make_battery(const StreamParams& p, double rest_W) {
  if (!p.battery) return std::nullopt;
  return BatteryStage(*p.battery, p.battery_wear, rest_W);
}

/// What the grid supplies of a power at the connection.
double from_grid_W(const StreamParams& p, double rest_W) {
  return p.delivery && p.delivery->turbines ? rest_W - p.delivery->turbines->dispatch_W : rest_W;
}

/// All lanes at a time.
struct LaneSum {
  double min_W = 0.0, max_W = 0.0;
  bool iterating = false;
  LaneSum(std::vector<LoadLane>& lanes, Tick at) {
    for (auto& lane : lanes) {
      const auto& s = lane.at(at);
      min_W += s.load.min_W;
      max_W += s.load.max_W;
      iterating = iterating || s.iterating;
    }
  }
};

/// What a disturbance makes of the grid's voltage and frequency.
void disturb(const Delivery& delivery, std::int64_t bin, StreamChunk& c) {
  if (const double ratio = delivery.voltage_ratio(bin); ratio != 1.0)
    for (double& pu : c.bus_pu) pu *= ratio;
  delivery.island_frequency(c.deviation_Hz);
}

/// The rated part begins with a stretch of its own: its meters have seen nothing of what repeats.
/// @returns its first bin if that comes before `end`
std::int64_t begin_rated(const GridMeters& meters, RepeatDetector& repeats, std::int64_t bin, std::int64_t end) {
  if (bin == meters.from_bin()) repeats.forget();
  return bin < meters.from_bin() ? std::min(end, meters.from_bin()) : end;
}

bool whole(const GridMeterParams& p) {
  return p.from_bin <= 0 && p.until_bin == std::numeric_limits<std::int64_t>::max();
}

/// First bin after `bin` in which a lane continues with its next stretch, the rated part begins, or a window begins or ends, at most
/// `until_bin`; at least one bin on.
std::int64_t stretch_end(std::vector<LoadLane>& lanes, const ConnectionMeters& seen, RepeatDetector& repeats,
                         std::int64_t bin, std::int64_t until_bin) {
  std::int64_t end = std::min(until_bin, seen.windows.next_edge(bin));
  for (auto& lane : lanes) end = std::min(end, lane.at(bin * ns_per_ms).end / ns_per_ms);
  return std::max(begin_rated(seen.grid, repeats, bin, end), bin + 1);
}

/// At the site bus under a steady load.
double rest_W(const std::optional<Delivery>& delivery, const power::Feeder& feeder, double load_W, double auxiliary_W) {
  return delivery ? delivery->connection_W() : feeder.at(load_W, auxiliary_W).connection_W();
}

/// From the nodes to the site bus, each stair of the cooling power by itself.
void pass_feeder(const power::Feeder& feeder, const AuxiliaryStairs& stairs, double auxiliary_W, std::int64_t bin,
                 StreamChunk& c, power::FeederMeters& meters) {
  const auto n_bin = static_cast<std::int64_t>(c.load_W.size());
  for (std::int64_t i = 0, end = 0; i < n_bin; i = end) {
    end = stairs.any() ? std::min(n_bin, stairs.stair_end(bin + i) - bin) : n_bin;
    const auto from = static_cast<std::size_t>(i), n = static_cast<std::size_t>(end - i);
    feeder.through(c.load_W.subspan(from, n), stairs.any() ? stairs.at_W(bin + i) : auxiliary_W,
                   c.pcc_W.subspan(from, n), c.pcc_var.subspan(from, n), meters);
  }
}

/// Least and largest power of a stretch's edges, which the connection follows. @param bin whose voltage it makes
void see_edges(const power::Feeder& feeder, const LaneSum& load, double auxiliary_W, std::int64_t bin,
               ConnectionMeters& seen, GridStage& grid) {
  const auto low = feeder.at(load.min_W, auxiliary_W), high = feeder.at(load.max_W, auxiliary_W);
  seen.levels.widen(low.connection_W(), high.connection_W());
  seen.span.widen(low.connection_W(), high.connection_W());
  for (const auto& p : {low, high}) grid.see(bin, p.connection_W(), p.connection_var());
}

}  // namespace

void lay_chunk(std::vector<LoadLane>& lanes, std::int64_t bin, std::int64_t end, StreamChunk& c) {
  c.resize(static_cast<std::size_t>(end - bin));
  for (auto& lane : lanes) lane.lay(bin * ns_per_ms, end * ns_per_ms, c.bin_J);
  for (std::size_t i = 0; i < c.load_W.size(); ++i) c.load_W[i] = c.bin_J[i] * 1e3;
}

SiteStream::SiteStream(const Params& params, double initial_load_W, double initial_auxiliary_W)
    : feeder_(params.feeder),
      closed_form_(params.closed_form),
      delivery_(make_delivery(params, initial_load_W, initial_auxiliary_W)),
      battery_(make_battery(params, rest_W(delivery_, feeder_, initial_load_W, initial_auxiliary_W))),
      grid_(params.source, params.frequency, params.reserves,
            from_grid_W(params, rest_W(delivery_, feeder_, initial_load_W, initial_auxiliary_W)),
            feeder_.at(initial_load_W, initial_auxiliary_W)),
      lanes_(params.n_lane),
      seen_{GridMeters(params.meters), PowerLevels(params.first_kept_level, whole(params.meters)),  {},
            OrderMeter(params.orders), WindowRecorder(params.windows, params.frequency.nominal_Hz), {}} {
  const double grid_W = from_grid_W(params, rest_W(delivery_, feeder_, initial_load_W, initial_auxiliary_W));
  state_.auxiliary_W = initial_auxiliary_W;
  state_.drawn_W = std::abs(grid_W);
  state_.last.frequency_Hz = grid_.nominal_Hz();
  state_.last.pcc_W = grid_W;
}

void SiteStream::impose(const Imposed& given, bool anew) {
  if (battery_) battery_->follow(given.storage_W);
  grid_.impose(given.voltage_pu, given.frequency_Hz);
  if (delivery_) delivery_->impose(given);
  if (anew) repeats_.begin_anew();
}

void SiteStream::flush(Tick until, double auxiliary_W) {
  const std::int64_t until_bin = until / ns_per_ms, n_bin = until_bin - state_.bin;
  const std::int64_t n_stair = n_bin / 4 / AuxiliaryStairs::bins;
  const double from_W = state_.auxiliary_W, T = static_cast<double>(n_bin),
               R = static_cast<double>(n_stair * AuxiliaryStairs::bins);
  const double to_W = (auxiliary_W * T - 0.5 * from_W * R) / (T - 0.5 * R);
  const bool shows = std::abs(auxiliary_W - from_W) > shows_frac * std::abs(state_.drawn_W);
  if (shows && n_stair > 0 && to_W >= 0.0) {
    stairs_ = {state_.bin, n_stair, from_W, to_W};
    advance_to(stairs_.end());
    stairs_ = {};
    state_.auxiliary_W = to_W;
  } else {
    state_.auxiliary_W = auxiliary_W;
  }
  const double before_J = state_.connection_J.value();
  const std::int64_t rest_bin = until_bin - state_.bin;
  advance_to(until_bin);
  if (rest_bin > 0) state_.drawn_W = (state_.connection_J.value() - before_J) * 1e3 / static_cast<double>(rest_bin);
}

void SiteStream::advance_to(std::int64_t until_bin) {
  while (state_.bin < until_bin) {
    const std::int64_t end = stretch_end(lanes_, seen_, repeats_, state_.bin, until_bin);
    const LaneSum load(lanes_, state_.bin * ns_per_ms);
    seen_.spectrum.begin_stretch(load.iterating);
    if (follows_load()) {
      // Without storage the connection follows the load, so exact extremes over edges map to exact extremes.
      for (const std::int64_t bin : {state_.bin, end - 1}) {
        see_edges(feeder_, load, auxiliary_W_at(bin), bin, seen_, grid_);
        if (!stairs_.any()) break;
      }
    }
    advance_stretch(end);
  }
}

/// Bin by bin from the stream's present bin: from the nodes through feeder, battery and devices to the grid.
void SiteStream::pass(std::int64_t to_bin) {
  while (state_.bin < to_bin) {
    const std::int64_t bin = state_.bin;
    std::int64_t end = std::min({to_bin, bin + chunk_bins, seen_.orders.next_edge(bin)});
    if (delivery_)
      end = std::min({end, delivery_->next_edge(bin), bin + std::min(chunk_bins, delivery_->most_bins(bin)),
                      stairs_.any() ? stairs_.stair_end(bin) : end});
    lay_chunk(lanes_, bin, end, chunk_);
    const double load_J = state_.feeder.load_J.value();
    if (delivery_)
      delivery_->through(chunk_.load_W, auxiliary_W_at(bin), bin, chunk_.pcc_W, chunk_.pcc_var, state_.feeder);
    else
      pass_feeder(feeder_, stairs_, state_.auxiliary_W, bin, chunk_, state_.feeder);
    seen_.span.add_load(state_.feeder.load_J.value() - load_J);
    if (battery_) {
      if (delivery_ && delivery_->bus_dead(bin))
        battery_->rest();
      else
        battery_->through(chunk_.pcc_W, seen_.orders.ceiling_W(bin));
    }
    if (delivery_) {  // from the site bus to the grid
      for (const double W : chunk_.pcc_W) state_.bus_J.add(W * 1e-3);
      delivery_->connect(chunk_.pcc_W, chunk_.pcc_var, bin, grid_.source());
    }
    grid_.through(bin, chunk_);
    if (delivery_) disturb(*delivery_, bin, chunk_);
    observe();
    state_.bin = end;
  }
}

/// Shows the chunk to all meters.
void SiteStream::observe() {
  const auto& c = chunk_;
  CompensatedSum J;
  for (const double W : c.pcc_W) J.add(W * 1e-3);
  state_.connection_J.add(J);
  unit_.push(c.pcc_W);
  seen_.push(state_.bin, c, J, !follows_load());
  state_.last = {c.pcc_W.back(), c.pcc_var.back(), c.bus_pu.back(), grid_.nominal_Hz() + c.deviation_Hz.back()};
}

}  // namespace TIDEWATT_NAMESPACE::connection
