#include <fmt/format.h>

#include <algorithm>

#include "say.hpp"
#include "sizing.hpp"
#include "tidewatt/base/reader.hpp"

namespace TIDEWATT_NAMESPACE::study {

std::string Portfolio::name() const {
  std::string out;
  const auto add = [&](const std::string& s) { out += (out.empty() ? "" : " + ") + s; };
  if (floor_ratio > 0.0) add(fmt::format("GPU smoothing, floor {:.2f}, {:g} W/s down", floor_ratio, ramp_down_W_per_s));
  if (ballast_ratio > 0.0) add(fmt::format("ballast at {:.2f}", ballast_ratio));
  if (!rack.empty()) add(rack);
  if (!store.empty())
    add(fmt::format("{} {} {}, {:.3g} s", store, watts_text(store_W), joules_text(store_J), smoothing_s));
  return out.empty() ? "nothing" : out;
}

std::string Portfolio::toml(const SizingChoices& c) const {
  std::string out;
  if (floor_ratio > 0.0)
    out += fmt::format(
        "\n[[mitigation]]\nname = \"smoothing\"\nkind = \"gpu_smoothing\"\nfloor_ratio = {}\nramp_up_W_per_s = {}\n"
        "ramp_down_W_per_s = {}\nhysteresis_s = {}\n",
        floor_ratio, c.smoothing_ramp_W_per_s, ramp_down_W_per_s, c.smoothing_hysteresis_s);
  if (ballast_ratio > 0.0)
    out += fmt::format("\n[[mitigation]]\nname = \"ballast\"\nkind = \"ballast\"\ncatalog = \"{}\"\nlevel_ratio = {}\n",
                       c.ballast, ballast_ratio);
  if (!store.empty())
    out += fmt::format(
        "\n[[mitigation]]\nname = \"store\"\nkind = \"site_battery\"\ncatalog = \"{}\"\npower_MW = {}\nenergy_MWh = "
        "{}\nsmoothing_s = {}\nstandby_kW = {}\n",
        store, store_W * 1e-6, store_J / 3.6e9, smoothing_s, standby_W * 1e-3);
  for (const auto& s : c.stores)
    if (s.name == store && !s.wear.empty()) out += fmt::format("wear = \"{}\"\n", s.wear);
  if (!rack.empty()) {
    const auto r = std::find_if(c.racks.begin(), c.racks.end(), [&](const auto& x) { return x.name == rack; });
    out += fmt::format("\n[site.rack_storage]\ncatalog = \"{}\"\nper = \"{}\"\n", rack, r->per);
  }
  return out;
}

sim::Scenario with_portfolio(const sim::Scenario& scenario, const Portfolio& p, const SizingChoices& c,
                             const catalog::Catalog& catalog) {
  sim::Scenario s = scenario;
  std::vector<Finding> findings;
  const auto read = [&](const std::string& name, const char* kind, auto& params) {
    const Node n = catalog.resolve(Node{name, {}}, kind, name, findings, s.assumed);
    if (!findings.empty()) throw InputError(std::move(findings));
    TableReader r(n, name, findings);
    params.fields(r);
    r.finish();
    if (!findings.empty()) throw InputError(std::move(findings));
  };
  if (p.floor_ratio > 0.0)
    s.gpu_smoothing = {p.floor_ratio, c.smoothing_ramp_W_per_s, p.ramp_down_W_per_s, c.smoothing_hysteresis_s};
  if (p.ballast_ratio > 0.0) {
    read(c.ballast, "ballast", s.ballast.emplace());
    s.ballast->level_ratio = p.ballast_ratio;
  }
  if (!p.rack.empty()) {
    read(p.rack, "rack_storage", s.devices.rack_storage.emplace());
    const auto rack = std::find_if(c.racks.begin(), c.racks.end(), [&](const auto& x) { return x.name == p.rack; });
    s.devices.storage_per = value_of<sim::StoragePer>(rack->per).value_or(sim::StoragePer::rack);
  }
  if (!p.store.empty()) {
    auto& b = s.battery.emplace();
    read(p.store, "storage", b);
    b.standby_W = p.standby_W > 0.0 ? p.standby_W : b.standby_W * p.store_W / b.power_W;
    b.power_W = p.store_W;
    b.energy_J = p.store_J;
    b.smoothing_s = p.smoothing_s;
    const auto store = std::find_if(c.stores.begin(), c.stores.end(), [&](const auto& x) { return x.name == p.store; });
    if (store != c.stores.end() && !store->wear.empty()) read(store->wear, "battery_wear", s.battery_wear.emplace());
  }
  return s;
}

}  // namespace TIDEWATT_NAMESPACE::study
