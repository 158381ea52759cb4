#include "tidewatt/power/gpu.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/random.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::power {

void GpuPowerParams::fields(FieldVisitor& v) {
  v.number("tdp_W", tdp_W, {50, 5000}, "board power limit");
  v.number("power_limit_min_W", power_limit_min_W, {0, 5000},
           "lowest power limit that the driver takes; tdp_W: it takes no limit but the board's; 0: not published",
           Need::optional);
  v.number("board_W", board_W, {0, 500}, "constant part of board power: HBM refresh, regulators, fabric");
  v.number("leakage_W", leakage_W, {0, 1000}, "leakage of the nominal chip at leakage_ref_degC and voltage_ref_V");
  v.number("leakage_ref_degC", leakage_ref_K, {0, 120}, "temperature at which leakage_W holds");
  v.number("leakage_frac_per_K", leakage_per_K, {0, 0.05}, "relative growth of leakage with temperature");
  v.number("leakage_frac_per_V", leakage_per_V, {0, 20}, "relative growth of leakage with voltage");
  v.number("dynamic_W", dynamic_W, {1, 5000}, "switching power of a dense GEMM at dynamic_ref_MHz and voltage_ref_V");
  v.number("dynamic_ref_MHz", dynamic_ref_Hz, {100, 5000}, "clock at which dynamic_W holds");
  v.number("voltage_ref_V", voltage_ref_V, {0.3, 2}, "voltage at which dynamic_W and leakage_W hold");
  v.number("hbm_W", hbm_W, {0, 1000}, "added at full HBM bandwidth");
  v.number("link_W", link_W, {0, 500}, "added at full link bandwidth");
  v.number("memory_activity_ratio", memory_activity, {0, 1}, "core activity while HBM-bound");
  v.number("link_activity_ratio", link_activity, {0, 1}, "core activity while communicating");
  v.number("wait_activity_ratio", wait_activity, {0, 1}, "core activity of kernels that spin while waiting");
  v.number("idle_clock_MHz", idle_clock_Hz, {10, 3000}, "clock without a CUDA context");
  v.number("rest_leakage_ratio", rest_leakage_ratio, {0, 1},
           "leakage without a CUDA context ÷ leakage with one; the rest is power-gated", Need::optional);
  v.number("idle_W", idle_W, {0, 1000},
           "board power read without a CUDA context; sets rest_leakage_ratio, 0 = not read", Need::optional);
  v.number("idle_degC", idle_K, {0, 110}, "GPU temperature of the reading idle_W", Need::optional);
  v.numbers("vf_clock_MHz", vf_clock_Hz, {50, 5000}, "V/f table: clocks, ascending");
  v.numbers("vf_voltage_mV", vf_voltage_V, {300, 2000}, "V/f table: voltages, ascending");
}

void SiliconSpreadParams::fields(FieldVisitor& v) {
  v.number("leakage_sigma_ratio", leakage_sigma_ratio, {0, 1}, "sigma of the logarithm of leakage between chips");
  v.number("voltage_sigma_mV", voltage_sigma_V, {0, 100}, "sigma of the voltage offset between chips");
  v.number("leakage_voltage_correlation_ratio", leakage_voltage_correlation, {-1, 1},
           "correlation of leakage and voltage offset (fast silicon leaks more and needs less voltage)");
  v.number("resistance_sigma_ratio", resistance_sigma_ratio, {0, 0.5}, "sigma of the logarithm of thermal resistance");
  v.number("truncation_ratio", truncation_ratio, {0.5, 6}, "screening limit, in sigmas");
}

GpuModel::GpuModel(const GpuPowerParams& params) : p_(params) {
  if (p_.power_limit_min_W > p_.tdp_W)
    throw InputError(fmt::format("power_limit_min_W: {:g} W is above the board limit tdp_W, {:g} W; allowed: 0 to {:g}",
                                 p_.power_limit_min_W, p_.tdp_W, p_.tdp_W));
  const auto& f = p_.vf_clock_Hz;
  const auto& u = p_.vf_voltage_V;
  if (f.size() != u.size() || f.size() < 2)
    throw InputError("vf_clock_MHz and vf_voltage_mV need the same length, two entries at least");
  for (std::size_t i = 1; i < f.size(); ++i)
    if (!(f[i] > f[i - 1] && u[i] >= u[i - 1])) throw InputError("the V/f table must ascend in clock and voltage");
  clock_min_Hz_ = f.front();
  clock_max_Hz_ = f.back();
  const auto n = static_cast<std::size_t>(std::ceil((clock_max_Hz_ - clock_min_Hz_) / bin_Hz - 1e-9));
  last_bin_ = static_cast<std::int32_t>(n) - 1;
  const auto at = [&](double clock_Hz) {
    const auto k = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(
        std::upper_bound(f.begin(), f.end(), clock_Hz) - f.begin() - 1, 0, static_cast<std::ptrdiff_t>(f.size()) - 2));
    return u[k] + (u[k + 1] - u[k]) * (clock_Hz - f[k]) / (f[k + 1] - f[k]);
  };
  for (std::size_t i = 0; i < n; ++i) {
    grid_.push_back(at(clock_min_Hz_ + static_cast<double>(i) * bin_Hz));
    slope_.push_back(at(clock_min_Hz_ + static_cast<double>(i + 1) * bin_Hz) - grid_.back());
  }
  if (p_.idle_W > 0.0) p_.rest_leakage_ratio = rest_leakage_ratio_at_reading();
}

double GpuModel::rest_leakage_ratio_at_reading() const {
  const double leakage_W =
      p_.leakage_W * leakage_voltage_factor(voltage(idle_clock_Hz()).V) * leakage_temperature_factor(p_.idle_K);
  const double ratio = (p_.idle_W - p_.board_W) / leakage_W;
  if (!(ratio >= 0.0 && ratio <= 1.0))
    throw InputError(
        fmt::format("idle_W: {:.0f} W is outside the {:.0f} to {:.0f} W that board and leakage give at "
                    "{:.0f} degC",
                    p_.idle_W, p_.board_W, p_.board_W + leakage_W, p_.idle_K - 273.15));
  return ratio;
}

TIDEWATT_CLONES
Chip draw_chip(const SiliconSpreadParams& s, std::uint64_t seed, std::uint64_t entity) {
  using random::Purpose;
  const double limit = s.truncation_ratio;
  const double z = random::truncated_normal(seed, Purpose::silicon_leakage, entity, -limit, limit);
  const double own = random::truncated_normal(seed, Purpose::silicon_voltage, entity, -limit, limit);
  const double rho = s.leakage_voltage_correlation;
  const double z_voltage = rho * z + std::sqrt(1.0 - rho * rho) * own;
  return {math::exp(s.leakage_sigma_ratio * z), s.voltage_sigma_V * z_voltage};
}

double draw_resistance_ratio(const SiliconSpreadParams& s, std::uint64_t seed, std::uint64_t entity) {
  const double limit = s.truncation_ratio;
  return math::exp(s.resistance_sigma_ratio *
                   random::truncated_normal(seed, random::Purpose::thermal_resistance, entity, -limit, limit));
}

void PositionSpreadParams::fields(FieldVisitor& v) {
  v.number("node_correlation_ratio", node_correlation_ratio, {0, 1},
           "fraction of the variance of thermal resistance that is common to a node's GPUs");
  v.numbers("slot_resistance_ratio", slot_resistance_ratio, {0.3, 3}, "thermal resistance of each slot ÷ nominal",
            Need::optional);
}

TIDEWATT_CLONES
double draw_resistance_ratio(const SiliconSpreadParams& s, const PositionSpreadParams& position, std::uint64_t seed,
                             std::uint64_t node, std::uint64_t slot, std::uint64_t n_slot) {
  constexpr std::uint64_t node_entities = std::uint64_t{1} << 48;  // beyond any GPU's number
  const double limit = s.truncation_ratio;
  const auto draw = [&](std::uint64_t entity) {
    return random::truncated_normal(seed, random::Purpose::thermal_resistance, entity, -limit, limit);
  };
  const double rho = position.node_correlation_ratio;
  const double own = draw(node * n_slot + slot);
  const double z = rho > 0.0 ? std::sqrt(rho) * draw(node_entities + node) + std::sqrt(1.0 - rho) * own : own;
  const double of_slot = position.slot_resistance_ratio.empty() ? 1.0 : position.slot_resistance_ratio.at(slot);
  return of_slot * math::exp(s.resistance_sigma_ratio * z);
}

}  // namespace TIDEWATT_NAMESPACE::power
