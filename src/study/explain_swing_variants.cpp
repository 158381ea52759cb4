#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.hpp"
#include "explain_swing_parts.hpp"
#include "tidewatt/base/reader.hpp"
#include "tidewatt/catalog/catalog.hpp"

namespace TIDEWATT_NAMESPACE::study::detail {
namespace {

constexpr double zero_degC_K = 273.15;

template <class Change>
sim::Scenario changed(const sim::Scenario& s, Change&& change) {
  sim::Scenario out = s;
  change(out);
  return out;
}

template <class Change>
sim::Scenario each_hall(const sim::Scenario& s, Change&& change) {
  return changed(s, [&](sim::Scenario& x) {
    for (auto& h : x.halls) change(h);
  });
}

void hold_coolant(sim::HallSpec& h, double K) {
  h.plant_kind = sim::PlantKind::prescribed_inlet;
  h.prescribed = {K, K, 5.0 * 3600.0, 15.0 * 3600.0};
}

/// Set points of coolant and, so that exchangers keep their approach, of what cools it.
void shift_coolant(sim::HallSpec& h, double K) {
  for (double* set :
       {&h.prescribed.min_K, &h.prescribed.max_K, &h.outside_air.supply_low_K, &h.outside_air.supply_high_K,
        &h.hydronic.air_set_K, &h.hydronic.loop_set_K, &h.hydronic.facility_set_K})
    *set += K;
}

template <class Params>
Params read(const Node& node, const char* section) {
  std::vector<Finding> findings;
  Params out{};
  const Node* part = *section ? node.find(section) : &node;
  TableReader r(*part, section, findings);
  out.fields(r);
  if (!findings.empty()) throw InputError(findings);
  return out;
}

/// The catalog's cold plates, server air and plant for a GPU whose electrical twin it has on plates.
bool put_on_plates(sim::HallSpec& h, const catalog::Catalog& catalog, std::string& name) {
  for (const auto& [kind, gpu] : catalog.list()) {
    if (kind != "gpu" || !gpu.ends_with("_liquid")) continue;
    const Node entry = catalog.values(kind, gpu);
    const auto power = read<power::GpuPowerParams>(entry, "power");
    const std::string server = "hgx_" + gpu.substr(0, gpu.find('_')) + "_liquid";
    if (power.tdp_W != h.gpu.tdp_W || power.vf_clock_Hz != h.gpu.vf_clock_Hz || !catalog.has("server", server))
      continue;
    const Node on = catalog.values("server", server);
    const Node* liquid = on.find("liquid");
    h.package = read<thermal::PackageParams>(entry, "package");
    h.air = read<thermal::ServerAirParams>(on, "air");
    h.server.fans_W = read<power::ServerPowerParams>(on, "power").fans_W;
    h.liquid.emplace();
    h.liquid->plate = read<thermal::ColdPlateParams>(
        catalog.values("cold_plate", std::get<std::string>(liquid->find("plate")->value)), "");
    Node capture = *liquid;
    std::erase_if(std::get<Node::Table>(capture.value), [](const auto& item) { return item.first == "plate"; });
    h.liquid->capture = read<thermal::LiquidCaptureParams>(capture, "");
    Node plant = catalog.values("plant", "cdu_dry_cooler");
    std::erase_if(std::get<Node::Table>(plant.value), [](const auto& item) { return item.first == "type"; });
    h.hydronic = read<cooling::HydronicParams>(plant, "");
    h.plant_kind = sim::PlantKind::hydronic;
    name = gpu;
    return true;
  }
  return false;
}

/// Terms of the models, each without what it adds to a simpler one; those that the scenario has.
void add_model_terms(const sim::Scenario& s, std::vector<Variant>& out) {
  const auto& hall = s.halls.front();
  out.push_back({"gated share", "nothing of a chip is gated off without a context",
                 each_hall(s, [](auto& h) { h.gpu.rest_leakage_ratio = 1.0; })});
  out.push_back({"fast limit", "no limit over tens of milliseconds, only the mean over the governor's window",
                 each_hall(s, [](auto& h) { h.sampling.peak_ratio = 1e3; })});
  out.push_back(
      {"own clocks", "one clock for all work of an iteration", changed(s, [](auto& x) { x.run.own_clocks = false; })});
  out.push_back({"spread's tail", "chips and packages cut at two sigmas",
                 each_hall(s, [](auto& h) { h.spread.truncation_ratio = std::min(h.spread.truncation_ratio, 2.0); })});
  if (hall.fans && !hall.liquid)
    out.push_back({"staircase", "fans on the straight line of the server's air, not in their controller's steps",
                   each_hall(s, [](auto& h) { h.fans.reset(); })});
  if (!hall.liquid)
    out.push_back({"air density", "servers' air as dense as at 20 degC and sea level, whatever the weather",
                   changed(s, [](auto& x) { x.run.air_density = false; })});
  const auto any_job = [&](auto&& has) { return std::any_of(s.jobs.begin(), s.jobs.end(), has); };
  if (hall.compute.host_gap_s > 0.0)
    out.push_back({"host gap", "GPUs do not wait for the host between iterations",
                   each_hall(s, [](auto& h) { h.compute.host_gap_s = 0.0; })});
  if (!s.events.empty() || any_job([](const auto& j) { return j.failures.has_value(); }))
    out.push_back({"spread of a stop", "all processes of a job end at once after a failure", changed(s, [](auto& x) {
                     for (auto& j : x.jobs) j.life.tear_down_s = 0.0;
                   })});
  if (hall.plant_kind == sim::PlantKind::outside_air)
    out.push_back({"saturating pads", "wet pads cool the air almost to its wet bulb", each_hall(s, [](auto& h) {
                     constexpr double most = 0.99;
                     h.outside_air.media_effectiveness_frac = most;
                   })});
}

}  // namespace

std::vector<Variant> causes_of(const sim::Scenario& s, const sim::Result& base) {
  const double end_s = s.run.duration_s;
  const double fan = mean_over_time(base, "server_fan_frac", end_s), air_K = mean_over_time(base, "supply_K", end_s);
  const double liquid_K = mean_over_time(base, "liquid_supply_K", end_s);
  std::vector<Variant> out;
  out.push_back({"coolant",
                 fmt::format("the halls' supply held at its mean over the run, {:.1f} degC",
                             (std::isfinite(liquid_K) ? liquid_K : air_K) - zero_degC_K),
                 each_hall(s, [&](auto& h) { hold_coolant(h, h.liquid ? liquid_K : air_K); })});
  out.push_back({"leakage", "leakage keeps its value at the reference temperature",
                 each_hall(s, [](auto& h) { h.gpu.leakage_per_K = 0.0; })});
  out.push_back({"thermal limiter", "no GPU is slowed by its temperature", each_hall(s, [](auto& h) {
                   for (double* K : {&h.governor.thermal_target_K, &h.governor.slowdown_K, &h.governor.shutdown_K})
                     *K += 1000.0;
                   if (h.memory) h.memory->limit_K += 1000.0;
                 })});
  out.push_back({"spread", "all chips and racks nominal", changed(s, [](auto& x) { x.run.spread = false; })});
  out.push_back(
      {"gating", "the job moves at the fleet's mean pace", changed(s, [](auto& x) { x.run.gating = false; })});
  out.push_back({"fans", fmt::format("server fans held at their mean over the run, {:.0f} %", 100.0 * fan),
                 each_hall(s, [&](auto& h) {
                   if (h.liquid) return;  // they do not act on plates
                   h.fans.reset();
                   h.air.fan_min_frac = fan;
                   h.air.fan_start_K += 1000.0;
                   h.air.fan_full_K += 1000.0;
                 })});
  add_model_terms(s, out);
  if (s.halls.front().plant_kind == sim::PlantKind::outside_air)
    out.push_back({"plant set points", "neither mixing of return air nor evaporation: the supply follows the weather",
                   each_hall(s, [](auto& h) {
                     h.outside_air.supply_low_K = 200.0;
                     h.outside_air.supply_high_K = 400.0;
                   })});
  if (s.halls.front().plant_kind == sim::PlantKind::hydronic && s.halls.front().hydronic.chiller.capacity_W > 0.0)
    out.push_back({"plant set points",
                   "no chillers: the supply follows the weather where towers or dry coolers do not hold it",
                   each_hall(s, [](auto& h) { h.hydronic.chiller.capacity_W = 0.0; })});
  return out;
}

std::vector<Variant> levers_of(const sim::Scenario& s, std::vector<std::string>& notes) {
  std::vector<Variant> out;
  for (const double K : {-3.0, 3.0})
    out.push_back({fmt::format("coolant {:+.0f} K", K), "set points of the halls' supply",
                   each_hall(s, [&](auto& h) { shift_coolant(h, K); })});
  out.push_back({"cap 90 %", "nine tenths of the power limit",
                 each_hall(s, [](auto& h) { h.hall.cap_W = 0.9 * sim::gpu_limit_W(h); })});
  if (s.halls.front().liquid) return out;
  const catalog::Catalog catalog;
  sim::Scenario plates = s;
  std::string name;
  for (auto& h : plates.halls)
    if (!put_on_plates(h, catalog, name)) {
      notes.emplace_back("liquid: the catalog has no cold plates for this GPU");
      return out;
    }
  out.push_back({"liquid", fmt::format("cold plates of {}, distribution units and dry coolers (cdu_dry_cooler)", name),
                 std::move(plates)});
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study::detail
