#include "step_lengths.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace TIDEWATT_NAMESPACE::fleet {

workload::Timeline graded(const workload::Timeline& timeline, Tick first) {
  constexpr Tick longest = 86400 * ns_per_s;  // so long that it binds nothing, so short that it can double
  workload::Timeline out;
  out.kinds = timeline.kinds;
  out.period = timeline.period;
  for (const auto& segments : timeline.classes) {
    auto& fine = out.classes.emplace_back();
    std::uint32_t last_kind = UINT32_MAX;
    Tick step = 0;
    for (const auto& s : segments) {
      if (s.kind != last_kind) step = first;
      last_kind = s.kind;
      for (Tick left = s.duration; left > 0; step = std::min(2 * step, longest)) {  // of many segments of a kind, too
        const Tick d = left <= step + step / 2 ? left : step;
        fine.push_back({d, s.kind});
        left -= d;
      }
    }
  }
  return out;
}

void split_long(workload::Timeline& timeline) {
  constexpr Tick first = 40 * ns_per_ms;
  std::vector<workload::Segment> parts;
  for (auto& segments : timeline.classes) {
    parts.clear();
    for (const auto& s : segments) {
      if (s.duration <= first + first / 2) {
        parts.push_back(s);
        continue;
      }
      Tick left = s.duration;
      for (Tick step = first; left > 0; step *= 2) {
        const Tick d = left <= step + step / 2 ? left : step;
        parts.push_back({d, s.kind});
        left -= d;
      }
    }
    segments.assign(parts.begin(), parts.end());
  }
}

void split_after_waits(workload::Timeline& timeline) {
  constexpr Tick long_wait = 30 * ns_per_ms, least = 10 * ns_per_ms;
  constexpr std::array<Tick, 5> ends = {20 * ns_per_ms, 40 * ns_per_ms, 60 * ns_per_ms, 80 * ns_per_ms,
                                        160 * ns_per_ms};
  const auto works = [&](const workload::Segment& s) { return timeline.kinds[s.kind].matrix_s > 0.0; };
  std::vector<workload::Segment> out;
  for (auto& segments : timeline.classes) {
    out.clear();
    Tick waited = 0, worked = ends.back();
    for (auto s = segments.rbegin(); s != segments.rend() && !works(*s); ++s) waited += s->duration;
    for (auto s : segments) {
      if (!works(s)) {
        waited += s.duration;
      } else if (waited < long_wait && worked >= ends.back()) {  // most are long after a wait
        waited = 0;
      } else {
        if (waited >= long_wait) worked = 0;
        waited = 0;
        for (const Tick end : ends)
          if (const Tick first = end - worked; first > 0 && s.duration >= first + least) {
            out.push_back({first, s.kind});
            s.duration -= first, worked = end;
          }
        worked += s.duration;
      }
      out.push_back(s);
    }
    segments.assign(out.begin(), out.end());
  }
}

void split_evenly(workload::Timeline& timeline, Tick most) {
  for (auto& segments : timeline.classes) {
    std::vector<workload::Segment> out;
    out.reserve(segments.size());
    for (const auto& s : segments) {
      const Tick n = std::max<Tick>(1, (s.duration + most - 1) / most);
      for (Tick i = 0; i < n; ++i) out.push_back({s.duration * (i + 1) / n - s.duration * i / n, s.kind});
    }
    segments = std::move(out);
  }
}

std::vector<Tick> slice_ends(Tick begin, Tick end, Tick first, std::int64_t growth) {
  std::vector<Tick> out;
  Tick length = first;
  for (Tick at = begin; at < end; length *= growth)
    out.push_back(at = end - at <= length + length / 2 ? end : at + length);
  return out;
}

Tick exchange_begin(const workload::Timeline& timeline) {
  std::vector<std::uint8_t> exchanges;  // [kind]
  exchanges.reserve(timeline.kinds.size());
  for (const auto& kind : timeline.kinds) exchanges.push_back(kind.name == "gradient_sync" ? 1 : 0);
  Tick last = 0;
  for (const auto& segments : timeline.classes) {
    Tick at = 0;
    for (const auto& segment : segments) {
      if (exchanges[segment.kind] != 0) {
        last = std::max(last, at);
        break;
      }
      at += segment.duration;
    }
  }
  return last;
}

}  // namespace TIDEWATT_NAMESPACE::fleet
