#include "replica_groups.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "dvfs/operating_point_batch.hpp"
#include "leakage_gain.hpp"
#include "task.hpp"

namespace TIDEWATT_NAMESPACE::fleet {
namespace {

double median_of(std::vector<double> x) {
  const auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
  std::nth_element(x.begin(), middle, x.end());
  return *middle;
}

/// [replica that has a node] by the clock it is rated for, and what it has lost or gained.
std::vector<std::size_t> in_order(std::span<const double> now_Hz, std::span<const double> rated_Hz, double apart_Hz) {
  std::vector<std::size_t> out;
  std::vector<double> moved_Hz;
  for (std::size_t r = 0; r < now_Hz.size(); ++r)
    if (std::isfinite(now_Hz[r])) out.push_back(r), moved_Hz.push_back(now_Hz[r] - rated_Hz[r]);
  const double all_Hz = median_of(moved_Hz);
  const auto place_Hz = [&](std::size_t r) {
    const double apart = now_Hz[r] - rated_Hz[r] - all_Hz;
    return rated_Hz[r] + (apart - std::clamp(apart, -apart_Hz, apart_Hz));
  };
  std::stable_sort(out.begin(), out.end(), [&](auto a, auto b) { return place_Hz(a) < place_Hz(b); });
  return out;
}

/// Die temperatures of a node whose packages all rest at W, its fans as its hottest die asks.
void find_rest_K(const Fleet& fleet, std::size_t node, double W, std::vector<double>& die_K) {
  constexpr double room_air_J_per_m3_K = thermal::reference_air_J_per_m3_K, inlet_K = 298.15;
  const auto& type = fleet.types[fleet.node_hall[node]];
  const std::size_t n = fleet.n_gpu_per_node;
  double frac = thermal::fan_target_frac(type.air, nominal_die_K);
  for (int i = 0; i < 4; ++i) {
    const double K_per_W = die_K_per_W(type, frac);
    const double rear_K = type.liquid
                              ? 0.0
                              : thermal::rear_preheat_K(type.air, static_cast<double>(thermal::n_front_row(n)) * W,
                                                        frac, room_air_J_per_m3_K);
    const double back_K = type.liquid ? 0.0
                                      : fleet.node_recirculation[node] * static_cast<double>(n) * W /
                                            (type.air.flow_m3_per_s * frac * room_air_J_per_m3_K);
    for (std::size_t g = 0; g < n; ++g)
      die_K[g] = inlet_K + back_K + (fleet.rear(g) ? rear_K : 0.0) + fleet.resistance_ratio[node * n + g] * K_per_W * W;
    frac = std::max(type.air.fan_min_frac,
                    0.5 * (frac + thermal::fan_target_frac(type.air, *std::max_element(die_K.begin(), die_K.end()))));
  }
}

}  // namespace

ReplicaGroups group_replicas(std::span<const double> now_Hz, std::span<const double> rated_Hz, std::size_t n_group,
                             double apart_Hz) {
  const auto order = in_order(now_Hz, rated_Hz, apart_Hz);
  n_group = std::min(order.size(), n_group);
  std::vector<std::size_t> group(now_Hz.size(), 0), by_pace(n_group), place(n_group);
  std::vector<double> slowest_Hz(n_group, std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t g = group[order[i]] = i * n_group / order.size();
    slowest_Hz[g] = std::min(slowest_Hz[g], now_Hz[order[i]]);
  }
  std::iota(by_pace.begin(), by_pace.end(), std::size_t{0});
  std::stable_sort(by_pace.begin(), by_pace.end(), [&](auto a, auto b) { return slowest_Hz[a] < slowest_Hz[b]; });
  ReplicaGroups out;
  for (std::size_t g = 0; g < n_group; ++g) {
    place[by_pace[g]] = g;
    out.slowest_Hz.push_back(slowest_Hz[by_pace[g]]);
  }
  for (const std::size_t r : order) group[r] = place[group[r]];
  out.of_replica = std::move(group);
  return out;
}

std::vector<double> slowest_of_replicas(std::span<const double> node_Hz, std::span<const std::int64_t> replica,
                                        std::span<const double> slowness, std::size_t n_replica) {
  std::vector<double> out(n_replica, std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < node_Hz.size(); ++i) {
    auto& slowest = out[static_cast<std::size_t>(replica[i])];
    slowest = std::min(slowest, node_Hz[i] / slowness[i]);
  }
  return out;
}

std::vector<double> rated_clocks_Hz(const Fleet& fleet, const FleetTask& task, double cap_W, double max_Hz) {
  const std::size_t n = fleet.n_gpu_per_node;
  std::vector<double> die_K(n), clock_Hz(n), out;
  const std::vector<double> limit_W(n, cap_W);
  std::vector<dvfs::Limiter> limiter(n);
  for (std::size_t i = 0; i < n_node_of(task); ++i) {
    const std::size_t node = task.first_node + i, cls = task.node_class[i];
    const auto& type = fleet.types[fleet.node_hall[node]];
    find_rest_K(fleet, node, cap_W, die_K);
    std::fill(clock_Hz.begin(), clock_Hz.end(), task.reference_Hz);
    dvfs::OperatingPointBatch batch{std::span(fleet.chip).subspan(node * n, n), die_K, limit_W, clock_Hz, limiter};
    set_falling(task, cls, cap_W, batch);
    dvfs::operating_points(type.gpu, task.class_window[cls], task.reference_Hz, 0.0, max_Hz, batch);
    out.push_back(*std::min_element(clock_Hz.begin(), clock_Hz.end()));
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::fleet
