#include "fleet_clocks.hpp"

#include <algorithm>

namespace TIDEWATT_NAMESPACE::sim {
namespace {

constexpr Tick hour = 3600 * ns_per_s;

}  // namespace

void FleetClocks::add(const Step& step) {
  const auto& s = step.stretch;
  const std::size_t n = step.n_gpu_per_node, first = step.nodes.first_node * n, end = first + step.nodes.n_node * n;
  if (hours_.size() <= step.job) hours_.resize(step.job + 1);
  if (own_s_.size() < end)
    for (auto* v : {&own_Hzs_, &own_s_}) v->resize(end);
  const double all_s = seconds(s.end - s.begin);
  for (std::size_t g = first; g < end; ++g) own_Hzs_[g] += all_s * step.own_Hz[g], own_s_[g] += all_s;
  std::vector<double> node_Hz;
  if (by_node_)
    for (std::size_t g = first; g < end; g += n)
      node_Hz.push_back(*std::min_element(step.own_Hz + g, step.own_Hz + g + n));
  for (Tick at = s.begin; at < s.end;) {
    const std::int64_t i = (step.local_start + at) / hour;
    const Tick stop = std::min(s.end, (i + 1) * hour - step.local_start);
    const double part_s = seconds(stop - at);
    auto& h = hours_[step.job][i];
    h.s += part_s, h.n_gpu = static_cast<double>(end - first);
    h.tokens += s.tokens * (part_s / all_s);
    h.iteration_s2 += part_s * s.iteration_s;
    h.slowest_Hzs += part_s * s.slowest_Hz;
    h.node_Hzs.resize(node_Hz.size());
    for (std::size_t k = 0; k < node_Hz.size(); ++k) h.node_Hzs[k] += part_s * node_Hz[k];
    at = stop;
  }
}

void FleetClocks::heat(std::size_t first_gpu, std::span<const double> die_peak_K) {
  if (die_peak_K_.size() < first_gpu + die_peak_K.size()) die_peak_K_.resize(first_gpu + die_peak_K.size());
  gpu_steps_ += static_cast<double>(die_peak_K.size());
  for (std::size_t g = 0; g < die_peak_K.size(); ++g)
    die_peak_K_[first_gpu + g] = std::max(die_peak_K_[first_gpu + g], die_peak_K[g]);
}

}  // namespace TIDEWATT_NAMESPACE::sim
