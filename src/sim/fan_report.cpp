#include "fan_report.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace TIDEWATT_NAMESPACE::sim {
namespace {

const std::vector<double>* column_of(std::span<const NamedArray> arrays, std::string_view path) {
  for (const auto& a : arrays)
    if (a.path == path) return &std::get<std::vector<double>>(a.values);
  return nullptr;
}

double median(std::vector<double> x) {
  if (x.empty()) return 0.0;
  const auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
  std::nth_element(x.begin(), middle, x.end());
  return *middle;
}

/// One server of the picture through a function of fleet/fan_cycle.hpp.
template <class Figures>
std::optional<Figures> play(Figures (*of_server)(const fleet::NodeType&, std::span<const double>,
                                                 std::span<const double>, double, double, double, double, double),
                            const fleet::Fleet& fleet, std::span<const NamedArray> arrays, std::size_t node) {
  constexpr double room_air_J_per_m3_K = thermal::reference_air_J_per_m3_K, watched_s = 7200.0;
  const auto* W = column_of(arrays, "/fleet/mean_W");
  const auto& type = fleet.types[fleet.node_hall[node]];
  if (W == nullptr || !type.stairs) return std::nullopt;
  const std::size_t n = fleet.n_gpu_per_node, first = node * n;
  return of_server(type, std::span(*W).subspan(first, n), std::span(fleet.resistance_ratio).subspan(first, n),
                   (*column_of(arrays, "/fleet/inlet_K"))[first], room_air_J_per_m3_K,
                   (*column_of(arrays, "/fleet/fan_frac"))[first], (*column_of(arrays, "/fleet/fan_accepted_K"))[first],
                   watched_s);
}

}  // namespace

std::optional<fleet::FanCycle> node_fan_cycle(const fleet::Fleet& fleet, std::span<const NamedArray> arrays,
                                              std::size_t node) {
  return play(fleet::fan_cycle, fleet, arrays, node);
}

std::optional<FanReport> fan_report(const fleet::Fleet& fleet, std::span<const NamedArray> arrays) {
  const auto *low = column_of(arrays, "/fleet/fan_low_frac"), *high = column_of(arrays, "/fleet/fan_high_frac");
  if (low == nullptr || high == nullptr) return std::nullopt;
  std::vector<std::size_t> cycling;
  for (std::size_t node = 0; node < fleet.n_node(); ++node)
    if ((*high)[node * fleet.n_gpu_per_node] > (*low)[node * fleet.n_gpu_per_node]) cycling.push_back(node);
  FanReport out{static_cast<std::int64_t>(cycling.size())};
  constexpr std::size_t most = 64;
  std::vector<double> amplitude_K, period_s;
  const std::size_t n = std::min(most, cycling.size());
  for (std::size_t i = 0; i < n; ++i) {
    const auto c = play(fleet::fan_swing, fleet, arrays, cycling[i * cycling.size() / n]);
    if (!c || c->period_s == 0.0) continue;
    amplitude_K.push_back(c->amplitude_K), period_s.push_back(c->period_s);
  }
  out.amplitude_K = median(amplitude_K), out.period_s = median(period_s);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::sim
