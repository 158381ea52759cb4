#include "load_template.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "tidewatt/base/sum.hpp"

namespace TIDEWATT_NAMESPACE::connection {
namespace {

struct Jump {
  Tick at;
  double W;
};

/// Stable, for jumps that are nearly in order.
void sort_near(std::span<Jump> jumps) {
  for (std::size_t i = 1; i < jumps.size(); ++i) {
    const Tick at = jumps[i].at;
    if (at >= jumps[i - 1].at) continue;
    const double W = jumps[i].W;
    std::size_t k = i;
    for (; k > 0 && at < jumps[k - 1].at; --k) jumps[k].at = jumps[k - 1].at, jumps[k].W = jumps[k - 1].W;
    jumps[k].at = at, jumps[k].W = W;
  }
}

/// Where jumps are sorted. They only grow, and each thread keeps its own from one iteration to the next.
struct Rooms {
  std::vector<Jump> found, sorted;
  std::vector<std::uint32_t> start;
  std::vector<std::size_t> full;  ///< bins with so many jumps that they are sorted on their own
};

/// All power changes inside the period, grouped by 1 ms bin and in time order within a bin.
std::span<const Jump> jumps_by_time(const workload::Timeline& timeline, const fleet::ClassPower& power, Rooms& rooms) {
  const auto n_bin = static_cast<std::size_t>((timeline.period + ns_per_ms - 1) / ns_per_ms);
  std::size_t n_segment = 0;
  for (const auto& segments : timeline.classes) n_segment += segments.size();
  if (rooms.found.size() < n_segment) rooms.found.resize(n_segment), rooms.sorted.resize(n_segment);
  auto& start = rooms.start;
  start.assign(n_bin + 2, 0);
  Jump* next = rooms.found.data();
  for (std::size_t c = 0; c < timeline.classes.size(); ++c) {
    Tick at = 0;
    double before = 0.0;
    const double* W = power[c].data();
    for (const auto& s : timeline.classes[c]) {
      if (*W != before && s.duration > 0) {
        *next++ = {at, *W - before};
        ++start[static_cast<std::size_t>(at / ns_per_ms) + 1];
        before = *W;
      }
      ++W;
      at += s.duration;
    }
  }
  // Counting sort by bin, then a stable sort inside each.
  const std::span<const Jump> found(rooms.found.data(), next);
  const auto sorted = std::span(rooms.sorted).first(found.size());
  constexpr std::uint32_t many = 32;
  rooms.full.clear();
  for (std::size_t b = 1; b < start.size(); ++b) {
    if (start[b] > many) rooms.full.push_back(b - 1);
    start[b] += start[b - 1];
  }
  for (const auto& j : found) sorted[start[static_cast<std::size_t>(j.at / ns_per_ms)]++] = j;
  for (const std::size_t b : rooms.full) {
    const std::uint32_t first = b == 0 ? 0 : start[b - 1];  // each bin now begins where the one before it ends
    const auto bin = sorted.subspan(first, start[b] - first);
    std::stable_sort(bin.begin(), bin.end(), [](const Jump& x, const Jump& y) { return x.at < y.at; });
  }
  sort_near(sorted);  // each comes from its own bin's first place at most
  return sorted;
}

}  // namespace

double LoadTemplate::total_J() const {
  CompensatedSum sum;
  for (const double J : bin_J) sum.add(J);
  return sum.value();
}

LoadEdges make_load_edges(const workload::Timeline& timeline, const fleet::ClassPower& power) {
  static thread_local Rooms rooms;
  const auto jumps = jumps_by_time(timeline, power, rooms);
  LoadEdges out;
  out.edge.resize(jumps.size() + 2), out.load_W.resize(jumps.size() + 1);
  Tick* edge = out.edge.data();  // of the last step, which is at 0 W from 0 on
  double* W = out.load_W.data();
  CompensatedSum now_W;
  for (const auto& j : jumps) {
    now_W.add(j.W);
    if (*edge != j.at) *++edge = j.at, ++W;
    *W = now_W.value();
  }
  *++edge = timeline.period;
  out.edge.resize(static_cast<std::size_t>(edge - out.edge.data()) + 1);
  out.load_W.resize(out.edge.size() - 1);
  return out;
}

namespace {

/// Edges `first` to `last` as one template.
LoadTemplate laid(const LoadEdges& edges, std::size_t first, std::size_t last) {
  const Tick begin = edges.edge[first];
  LoadTemplate t;
  t.period = edges.edge[last] - begin;
  const auto n_bin = static_cast<std::size_t>((t.period + ns_per_ms - 1) / ns_per_ms);
  t.bin_J.assign(n_bin + 1, 0.0);  // one more, so that nothing need be asked at the last edge
  t.min_W = std::numeric_limits<double>::infinity();
  t.max_W = -t.min_W;
  double *J = t.bin_J.data(), now_J = 0.0;  // of the bin in which `at` is
  Tick at = begin, bin_end = begin + ns_per_ms;
  for (std::size_t i = first; i < last; ++i) {
    const double W = edges.load_W[i];
    t.min_W = std::min(t.min_W, W);
    t.max_W = std::max(t.max_W, W);
    // Whether an edge is in the same bin as the one before it cannot be foreseen: no branch asks.
    const Tick end = edges.edge[i + 1], until = std::min(end, bin_end);
    const bool full = until == bin_end;
    now_J += W * seconds(until - at);
    *J = now_J;
    J += full ? 1 : 0;
    now_J = full ? 0.0 : now_J;
    at = until;
    bin_end += full ? ns_per_ms : 0;
    if (bin_end <= end) {
      const Tick whole = (end - at) / ns_per_ms;  // bins in which nothing else happens
      J = std::fill_n(J, whole, 0.0 + W * seconds(ns_per_ms));
      at += whole * ns_per_ms, bin_end = at + ns_per_ms;
    }
    now_J += W * seconds(end - at);
    at = end;
  }
  *J = now_J;
  t.bin_J.pop_back();
  return t;
}

}  // namespace

LoadTemplate make_load_template(const LoadEdges& edges) { return laid(edges, 0, edges.load_W.size()); }

LoadTemplate make_load_template(const workload::Timeline& timeline, const fleet::ClassPower& power) {
  return make_load_template(make_load_edges(timeline, power));
}

std::vector<LoadPiece> make_held_load(const workload::Timeline& timeline, const fleet::ClassPower& power) {
  constexpr Tick second = ns_per_s;
  const LoadEdges edges = make_load_edges(timeline, power);
  std::vector<LoadPiece> out;
  std::size_t first = 0;  // of the part not handed out yet
  for (std::size_t i = 0; i < edges.load_W.size(); ++i) {
    const Tick begin = edges.edge[i], end = edges.edge[i + 1];
    const std::int64_t n = (end - begin) / second;
    if (n < 4) continue;
    if (i > first) out.push_back({laid(edges, first, i), 1});
    const double W = edges.load_W[i];
    out.push_back({laid({{0, second}, {W}}, 0, 1), n});
    if (const Tick rest = end - begin - n * second; rest > 0) out.push_back({laid({{0, rest}, {W}}, 0, 1), 1});
    first = i + 1;
  }
  if (first < edges.load_W.size()) out.push_back({laid(edges, first, edges.load_W.size()), 1});
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::connection
