#include "tidewatt/sim/gpu_hours.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace TIDEWATT_NAMESPACE::sim {
namespace {

constexpr std::int64_t hour_ns = 3'600'000'000'000;

}  // namespace

GpuHours::Hour& GpuHours::hour(std::size_t i, const Step& step) {
  if (hours_.size() <= i) hours_.resize(i + 1);
  auto& h = hours_[i];
  const std::size_t n_node = step.first_node + step.n_node, n_gpu = n_node * step.n_gpu_per_node;
  if (h.fan_moved_frac.size() < n_node) {
    for (auto* of_gpu : {&h.die_Ks, &h.s}) of_gpu->resize(n_gpu);
    for (auto* of_node : {&h.fan_moved_frac, &h.cycled_s, &h.fan_s}) of_node->resize(n_node);
  }
  return h;
}

void GpuHours::add(const Step& step) {
  const std::size_t end = step.first_node + step.n_node;
  if (fan_before_frac_.size() < end)
    fan_before_frac_.insert(fan_before_frac_.end(), step.fan_frac + fan_before_frac_.size(), step.fan_frac + end);
  const double fan_J = step.fan_J - std::exchange(fan_before_J_, step.fan_J);
  for (std::int64_t at = step.begin_ns; at < step.end_ns;) {
    const std::int64_t i = at / hour_ns, stop = std::min(step.end_ns, (i + 1) * hour_ns);
    const double s = 1e-9 * static_cast<double>(stop - at);
    auto& h = hour(static_cast<std::size_t>(i), step);
    h.fan_J += fan_J * static_cast<double>(stop - at) / static_cast<double>(step.end_ns - step.begin_ns);
    for (std::size_t g = step.first_node * step.n_gpu_per_node; g < end * step.n_gpu_per_node; ++g)
      h.die_Ks[g] += s * step.die_K[g], h.s[g] += s;
    for (std::size_t n = step.first_node; n < end; ++n) {
      h.fan_s[n] += s * step.fan_frac[n];
      if (step.fan_high_frac[n] > step.fan_low_frac[n]) h.cycled_s[n] += s;
      h.fan_moved_frac[n] += std::abs(step.fan_frac[n] - std::exchange(fan_before_frac_[n], step.fan_frac[n]));
    }
    at = stop;
  }
}

std::vector<NamedArray> GpuHours::arrays() const {
  std::vector<double> die_K, moved_frac, cycled_s, fan_frac, fan_J;
  for (const auto& h : hours_) {
    for (std::size_t g = 0; g < h.s.size(); ++g) die_K.push_back(h.die_Ks[g] / h.s[g]);
    const std::size_t per_node = h.fan_s.empty() ? 1 : h.s.size() / h.fan_s.size();
    for (std::size_t n = 0; n < h.fan_s.size(); ++n) fan_frac.push_back(h.fan_s[n] / h.s[n * per_node]);
    moved_frac.insert(moved_frac.end(), h.fan_moved_frac.begin(), h.fan_moved_frac.end());
    cycled_s.insert(cycled_s.end(), h.cycled_s.begin(), h.cycled_s.end());
    fan_J.push_back(h.fan_J);
  }
  std::vector<NamedArray> out;
  const auto put = [&](const char* name, const char* dim, std::vector<double> x, const char* unit, const char* text) {
    const std::uint64_t n = x.size();
    out.push_back({std::string("/gpu_hours/") + name, {dim}, {n}, std::move(x), unit, text});
  };
  put("die_K", "hour_gpu", std::move(die_K), "K", "die temperature, mean over the hour");
  put("fan_frac", "hour_node", std::move(fan_frac), "1", "fan speed, mean over the hour");
  put("fan_moved_frac", "hour_node", std::move(moved_frac), "1", "sum of the changes of the fan speed");
  put("fan_cycled_s", "hour_node", std::move(cycled_s), "s", "time carried between two steps of the fan table");
  put("fan_J", "hour", std::move(fan_J), "J", "energy of all fans");
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::sim
