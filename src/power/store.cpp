#include "tidewatt/power/store.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::power {

void StoreParams::fields(FieldVisitor& v, std::string_view prefix) {
  const auto key = [&](std::string_view stem) { return fmt::format("{}_{}", prefix, stem); };
  v.number(key("power_kW"), power_W, {0, 5e6}, "largest charging or discharging power at the terminals");
  v.number(key("energy_kJ"), energy_J, {1e-6, 1e12}, "capacity between 0 and 1 state of charge");
  v.number(key("charge_efficiency_frac"), charge_efficiency_frac, {0.5, 1}, "terminals to store");
  v.number(key("discharge_efficiency_frac"), discharge_efficiency_frac, {0.5, 1}, "store to terminals");
  v.number(key("soc_min_frac"), soc_min_frac, {0, 1}, "lowest state of charge");
  v.number(key("soc_max_frac"), soc_max_frac, {0, 1}, "highest state of charge");
  v.number(key("soc_initial_frac"), soc_initial_frac, {0, 1}, "state of charge at the start");
}

double StoreMeters::closure(double stored_J) const {
  CompensatedSum gap = charged_J;
  for (const CompensatedSum* out : {&discharged_J, &charge_loss_J, &discharge_loss_J}) gap.add(-out->value());
  gap.add(-stored_J);
  const double moved_J = charged_J.value() + discharged_J.value();
  return moved_J > 0.0 ? std::abs(gap.value()) / moved_J : std::abs(gap.value());
}

Store::Store(const StoreParams& p, std::string_view name)
    : p_(p), E_min_J_(p.soc_min_frac * p.energy_J), E_max_J_(p.soc_max_frac * p.energy_J) {
  std::vector<Finding> findings;
  const auto need = [&](bool ok, const char* stem, const char* message) {
    if (!ok) findings.push_back({{}, fmt::format("{}_{}", name, stem), message});
  };
  need(p.power_W >= 0.0 && std::isfinite(p.power_W), "power_kW", "must not be negative");
  need(p.energy_J > 0.0 && std::isfinite(p.energy_J), "energy_kJ", "must be positive");
  need(p.charge_efficiency_frac > 0.0 && p.charge_efficiency_frac <= 1.0, "charge_efficiency_frac",
       "must be in (0, 1]");
  need(p.discharge_efficiency_frac > 0.0 && p.discharge_efficiency_frac <= 1.0, "discharge_efficiency_frac",
       "must be in (0, 1]");
  need(p.soc_min_frac >= 0.0 && p.soc_min_frac < p.soc_max_frac && p.soc_max_frac <= 1.0, "soc_min_frac",
       "needs 0 <= soc_min < soc_max <= 1");
  need(p.soc_initial_frac >= p.soc_min_frac && p.soc_initial_frac <= p.soc_max_frac, "soc_initial_frac",
       "must lie within its bounds");
  if (!findings.empty()) throw InputError(std::move(findings));
}

}  // namespace TIDEWATT_NAMESPACE::power
