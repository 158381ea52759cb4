#include "neighbour_load.hpp"

#include <algorithm>

namespace TIDEWATT_NAMESPACE::sim {
namespace {

constexpr Tick hour = 3600 * ns_per_s;

/// Power of all copies in every segment of the recording, W.
std::vector<double> recorded_W(const NeighbourSpec& spec) {
  const auto& t = spec.recording;
  std::vector<double> out(t.n_segment(), 0.0);
  for (const auto& channel : t.value)
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] += t.is_power ? channel[i] : spec.replay.empty_W + channel[i] * (spec.replay.full_W - spec.replay.empty_W);
  for (double& W : out) W *= static_cast<double>(spec.replay.n_copy);
  return out;
}

/// Rest of a repetition when another load begins.
connection::LoadTemplate first_part(const connection::LoadTemplate& load, Tick length) {
  connection::LoadTemplate out{length, {}, load.min_W, load.max_W};
  for (Tick at = 0; at < length; at += ns_per_ms)
    out.bin_J.push_back(connection::energy_between_J(load, at, std::min(at + ns_per_ms, length)));
  return out;
}

}  // namespace

NeighbourLoad::NeighbourLoad(const Scenario& scenario, const NeighbourSpec& spec, std::uint64_t entity, Tick end)
    : spec_(&spec), end_(end), local_start_(local_time_of_day(scenario.run.start)) {
  if (spec.kind == NeighbourKind::replay)
    segment_W_ = recorded_W(spec);
  else
    service_.emplace(scenario, spec, entity);
}

double NeighbourLoad::design_W() const {
  if (service_) return service_->design_W();
  return std::max(*std::max_element(segment_W_.begin(), segment_W_.end()),
                  static_cast<double>(spec_->replay.n_copy) * spec_->replay.outside_W);
}

double NeighbourLoad::start_W() {
  const auto load = service_ ? service_->hour(local_start_ / hour) : replay(0, ns_per_ms);
  return load.total_J() / seconds(load.period);
}

/// The recording from `from` to `to` of the run, exact to the nanosecond.
connection::LoadTemplate NeighbourLoad::replay(Tick from, Tick to) const {
  const auto& p = spec_->replay;
  const auto& edges = spec_->recording.edges;
  const Tick begin = to_tick(p.begin_s), length = spec_->recording.length();
  workload::Timeline timeline{{}, {{}}, to - from};
  fleet::ClassPower power(1);
  const auto add = [&](Tick duration, double W) {
    timeline.classes[0].push_back({duration, 0});
    power[0].push_back(W);
  };
  for (Tick at = from; at < to;) {
    Tick inside = at - begin;
    if (p.repeat && inside >= 0 && length > 0) inside %= length;
    if (inside < 0 || inside >= length) {
      const Tick stop = inside < 0 ? std::min(to, begin) : to;
      add(stop - at, static_cast<double>(p.n_copy) * p.outside_W);
      at = stop;
      continue;
    }
    const auto i = static_cast<std::size_t>(std::upper_bound(edges.begin(), edges.end(), inside) - edges.begin()) - 1;
    const Tick stop = std::min(to, at + edges[i + 1] - inside);
    add(stop - at, segment_W_[i]);
    at = stop;
  }
  return connection::make_load_template(timeline, power);
}

double NeighbourLoad::advance_to(Tick until, Tick power_edge, bool dark, std::size_t lane,
                                 std::vector<connection::LaneLoad>& loads) {
  CompensatedSum J;
  const auto append = [&](connection::LoadTemplate load, std::int64_t n) {
    const double once_J = load.total_J();
    J.add(once_J * static_cast<double>(n));
    max_W_ = std::max(max_W_, load.max_W);
    now_ += load.period * n;
    loads.push_back({lane, std::move(load), n, false});
  };
  while (now_ < until) {
    if (dark) {
      append({until - now_,
              std::vector<double>(static_cast<std::size_t>((until - now_ + ns_per_ms - 1) / ns_per_ms), 0.0), 0.0, 0.0},
             1);
      continue;
    }
    if (!service_) {
      append(replay(now_, until), 1);
      continue;
    }
    const Tick local = local_start_ + now_,
               stop = std::min({end_, power_edge, (local / hour + 1) * hour - local_start_});
    const connection::LoadTemplate& load = service_->hour(local / hour);
    const std::int64_t whole = (stop - now_) / load.period, wanted = (until - now_ + load.period - 1) / load.period;
    if (whole == 0)
      append(first_part(load, stop - now_), 1);
    else
      append(load, std::min(whole, wanted));
  }
  J_.add(J.value());
  return J.value();
}

}  // namespace TIDEWATT_NAMESPACE::sim
