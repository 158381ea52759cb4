#include "weather_days.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <vector>

namespace TIDEWATT_NAMESPACE::cooling {
namespace {

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return 0.5 * (v[(v.size() - 1) / 2] + v[v.size() / 2]);
}

/// Of the days at `chosen`.
std::size_t typical_day(std::span<const DayFigures> days, const std::vector<std::size_t>& chosen) {
  std::vector<double> means, ranges;
  for (const auto i : chosen) means.push_back(days[i].mean_K), ranges.push_back(days[i].range_K);
  const double mean = median(means), range = median(ranges);
  const auto off = [&](std::size_t i) { return std::abs(days[i].mean_K - mean) + std::abs(days[i].range_K - range); };
  return *std::min_element(chosen.begin(), chosen.end(), [&](auto a, auto b) { return off(a) < off(b); });
}

}  // namespace

std::size_t pick_day(std::span<const DayFigures> days, DayKind kind, int warmest) {
  std::vector<std::size_t> all(days.size()), of_month;
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (kind == DayKind::typical) {
    std::copy_if(all.begin(), all.end(), std::back_inserter(of_month),
                 [&](std::size_t i) { return days[i].month == warmest; });
    return typical_day(days, of_month.empty() ? all : of_month);
  }
  std::stable_sort(all.begin(), all.end(), [&](auto a, auto b) { return days[a].max_K > days[b].max_K; });
  if (kind == DayKind::extreme) return all.front();
  const std::size_t hottest = std::max<std::size_t>(1, days.size() / 20);
  return *std::max_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(hottest),
                           [&](auto a, auto b) { return days[a].range_K < days[b].range_K; });
}

}  // namespace TIDEWATT_NAMESPACE::cooling
