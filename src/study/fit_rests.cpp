#include "fit_rests.hpp"

#include <algorithm>
#include <cmath>

namespace TIDEWATT_NAMESPACE::study {
namespace {

constexpr double rest_below_ratio = 0.6;  ///< of the median: a resting node; evaluations of any public log draw more
constexpr std::size_t least_readings = 3;

double median(std::vector<double> x) {
  const auto at = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
  std::nth_element(x.begin(), at, x.end());
  return *at;
}

/// The lowest power that readings in a row stay at or below.
double lowest_held(std::span<const double> W) {
  double low = W.front();
  for (std::size_t i = 0; i + least_readings <= W.size(); ++i) {
    const auto held = W.subspan(i, least_readings);
    const double highest = *std::max_element(held.begin(), held.end());
    low = i == 0 ? highest : std::min(low, highest);
  }
  return low;
}

/// Where the line from reading i - 1 to i crosses the level, s; the reading's own time at the log's ends.
double crossing_s(const NodePowerLog& log, std::size_t i, double level_W) {
  if (i == 0) return log.time_s.front();
  if (i >= log.time_s.size()) return log.time_s.back();
  const double step_W = log.node_W[i] - log.node_W[i - 1];
  return log.time_s[i - 1] + (level_W - log.node_W[i - 1]) / step_W * (log.time_s[i] - log.time_s[i - 1]);
}

}  // namespace

std::vector<Rest> find_rests(const NodePowerLog& log) {
  if (log.node_W.size() < 2 * least_readings) return {};
  const double low_W = lowest_held(log.node_W), median_W = median(log.node_W);
  if (!(low_W < rest_below_ratio * median_W)) return {};
  const double middle_W = 0.5 * (low_W + median_W);
  std::vector<Rest> rests;
  for (std::size_t i = 0, end = 0; i < log.node_W.size(); i = std::max(end, i + 1)) {
    for (end = i; end < log.node_W.size() && log.node_W[end] < middle_W;) ++end;
    if (end >= i + least_readings) rests.push_back({crossing_s(log, i, middle_W), crossing_s(log, end, middle_W)});
  }
  return rests;
}

std::vector<WorkInterval> with_rests(std::span<const WorkInterval> work, std::span<const Rest> rests) {
  std::vector<WorkInterval> out;
  for (const auto& w : work) {
    const auto part = [&](double from_s, double to_s, NodeWork kind) {
      if (to_s <= from_s) return;
      const double share = kind == w.work ? (to_s - from_s) / (w.end_s - w.start_s) : 0.0;
      out.push_back({from_s, to_s, kind, std::llround(share * static_cast<double>(w.iterations))});
    };
    double at_s = w.start_s;
    for (const auto& r : rests) {
      const double from_s = std::clamp(r.begin_s, at_s, w.end_s), to_s = std::clamp(r.end_s, at_s, w.end_s);
      if (to_s <= from_s) continue;
      part(at_s, from_s, w.work);
      part(from_s, to_s, NodeWork::idle);
      at_s = to_s;
    }
    part(at_s, w.end_s, w.work);
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
