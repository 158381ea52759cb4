#include "load_lane.hpp"

#include <algorithm>

namespace TIDEWATT_NAMESPACE::connection {

double energy_between_J(const LoadTemplate& load, Tick from, Tick to) {
  double J = 0.0;
  for (Tick at = from; at < to;) {
    const Tick bin = at / ns_per_ms;
    const Tick bin_end = std::min((bin + 1) * ns_per_ms, load.period);
    const Tick stop = std::min(bin_end, to);
    const double width = static_cast<double>(bin_end - bin * ns_per_ms);
    J += load.bin_J[static_cast<std::size_t>(bin)] * (static_cast<double>(stop - at) / width);
    at = stop;
  }
  return J;
}

double repeated_energy_J(const LoadTemplate& load, Tick from, Tick length) {
  double J = 0.0;
  for (Tick phase = from % load.period; length > 0; phase = 0) {
    const Tick part = std::min(length, load.period - phase);
    J += energy_between_J(load, phase, phase + part);
    length -= part;
  }
  return J;
}

void LoadLane::append(LoadTemplate load, std::int64_t repetitions, bool iterating) {
  const Tick begin = end_;
  end_ += load.period * repetitions;
  queue_.push_back({std::move(load), begin, end_, iterating});
}

const LoadLane::Stretch& LoadLane::at(Tick at) {
  while (queue_.size() > 1 && queue_.front().end <= at) queue_.pop_front();
  return queue_.front();
}

void LoadLane::lay(Tick from, Tick to, std::span<double> bin_J) {
  for (Tick now = from; now < to;) {
    const Stretch& s = at(now);
    const Tick phase = (now - s.begin) % s.load.period;
    const Tick rest = std::min({s.load.period - phase, s.end - now, to - now});
    auto* out = bin_J.data() + (now - from) / ns_per_ms;
    const Tick late = phase % ns_per_ms;
    const auto first = static_cast<std::size_t>(phase / ns_per_ms);
    // Whole absolute bins that end before the template's last, possibly shorter one.
    const Tick whole = std::min(rest, static_cast<Tick>(s.load.bin_J.size() - 1) * ns_per_ms - phase) / ns_per_ms;
    if (now % ns_per_ms == 0 && whole > 0) {
      const double share = static_cast<double>(late) / static_cast<double>(ns_per_ms);
      const double* in = s.load.bin_J.data() + first;
      if (late == 0)
        for (Tick i = 0; i < whole; ++i) out[i] += in[i];
      else
        for (Tick i = 0; i < whole; ++i) out[i] += in[i] + share * (in[i + 1] - in[i]);
      now += whole * ns_per_ms;
      continue;
    }
    const Tick part = std::min(rest, ns_per_ms - now % ns_per_ms);
    *out += energy_between_J(s.load, phase, phase + part);
    now += part;
  }
}

std::optional<PeriodicLoad> periodic_load(std::span<LoadLane> lanes, Tick now) {
  PeriodicLoad p{nullptr, 0, 0.0};
  for (auto& lane : lanes) {
    const auto& s = lane.at(now);
    if (s.constant()) {
      p.constant_W += s.load.max_W;
    } else {
      if (p.load != nullptr) return std::nullopt;
      p.load = &s.load;
      p.begin = s.begin;
    }
  }
  if (p.load == nullptr) {  // all constant: any length repeats
    const auto& s = lanes.front().at(now);
    p = {&s.load, s.begin, p.constant_W - s.load.max_W};
  }
  return p;
}

}  // namespace TIDEWATT_NAMESPACE::connection
