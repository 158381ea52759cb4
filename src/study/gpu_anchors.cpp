#include "gpu_anchors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "dvfs/phase_law.hpp"
#include "entry_base.hpp"
#include "fit_base.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

struct Member {
  const char* key;
  double power::GpuPowerParams::* at;
};
/// Only keys whose unit in an entry is that of the struct.
constexpr std::array members{Member{"power.board_W", &power::GpuPowerParams::board_W},
                             Member{"power.leakage_W", &power::GpuPowerParams::leakage_W},
                             Member{"power.leakage_frac_per_K", &power::GpuPowerParams::leakage_per_K},
                             Member{"power.leakage_frac_per_V", &power::GpuPowerParams::leakage_per_V},
                             Member{"power.dynamic_W", &power::GpuPowerParams::dynamic_W},
                             Member{"power.voltage_ref_V", &power::GpuPowerParams::voltage_ref_V},
                             Member{"power.hbm_W", &power::GpuPowerParams::hbm_W},
                             Member{"power.wait_activity_ratio", &power::GpuPowerParams::wait_activity}};

}  // namespace

std::vector<std::string> anchor_keys() {
  std::vector<std::string> out;
  out.reserve(members.size());
  for (const auto& m : members) out.emplace_back(m.key);
  return out;
}

double state_W(const power::GpuPowerParams& p, const GpuState& s) {
  const power::GpuModel gpu(p);
  const double f_Hz = std::clamp(s.clock_Hz, gpu.clock_min_Hz(), gpu.clock_max_Hz()), V = gpu.voltage(f_Hz).V;
  const double activity = s.activity + (s.waiting ? dvfs::ActivityLaw(p).wait_s(1.0) : 0.0);
  return gpu.state_W(V, f_Hz, s.die_K, activity, s.hbm_frac, s.context ? 1.0 : p.rest_leakage_ratio);
}

double limit_W(const std::string& gpu, double cap_W) {
  const EntryBase entry("gpu", gpu);
  const double board_W = entry.read<power::GpuPowerParams>("power").tdp_W;
  return dvfs::limit_W(dvfs::cap_in_force_W(cap_W, board_W), entry.read<dvfs::GovernorParams>("governor"));
}

std::vector<std::vector<double>> states_W(const std::string& gpu, const std::vector<std::string>& keys,
                                          const std::vector<std::vector<double>>& draws,
                                          const std::vector<GpuState>& states) {
  std::vector<double power::GpuPowerParams::*> at;
  for (const auto& key : keys) {
    const auto found = std::find_if(members.begin(), members.end(), [&](const Member& m) { return key == m.key; });
    if (found == members.end())
      throw InputError(fmt::format("'{}' is none of {}", key, fmt::join(anchor_keys(), ", ")));
    at.push_back(found->at);
  }
  auto p = fit_base(gpu).power;
  std::vector<std::vector<double>> out;
  out.reserve(draws.size());
  for (const auto& draw : draws) {
    if (draw.size() != keys.size()) throw InputError(fmt::format("{} values for {} keys", draw.size(), keys.size()));
    for (std::size_t k = 0; k < at.size(); ++k) p.*at[k] = draw[k];
    auto& row = out.emplace_back();
    for (const auto& s : states) row.push_back(state_W(p, s));
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
