#include "scenario_rack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "site_params.hpp"
#include "workload/straddling.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

using Findings = std::vector<Finding>;

std::int64_t domain_nodes(const JobSpec& j) {
  return j.network.gpus_per_node > 0 ? j.network.domain_gpus() / j.network.gpus_per_node : 1;
}

/// Nodes of each domain that the job leaves free.
std::int64_t spare_nodes(const Scenario& s, const JobSpec& j) {
  const std::int64_t nodes = domain_nodes(j), per_rack = s.halls.front().hall.servers_per_rack;
  if (!j.placement || nodes <= 1 || nodes % per_rack != 0) return 0;
  return j.placement->spare_nodes_per_rack * (nodes / per_rack);
}

void check_parts(const HallSpec& h, Findings& out) {
  const auto& rack = *h.rack;
  const std::string key = "hall." + h.hall.name + ".";
  const auto require = [&](bool ok, const char* at, std::string message) {
    if (!ok) out.push_back({{}, key + at, std::move(message)});
  };
  require(rack.power.gpu_W == h.gpu.tdp_W, "gpu",
          fmt::format("rack {} holds {} with a limit of {:g} W, not GPUs of {:g} W", rack.name, rack.gpu,
                      rack.power.gpu_W, h.gpu.tdp_W));
  require(rack.power.gpus_per_tray == h.server.n_gpu, "server",
          fmt::format("rack {} holds {} with {} GPUs per tray, not servers of {}", rack.name, rack.server,
                      rack.power.gpus_per_tray, h.server.n_gpu));
  const std::int64_t per_cabinet = rack.power.n_compute_tray / std::max<std::int64_t>(1, rack.power.n_cabinet);
  require(h.hall.servers_per_rack == per_cabinet, "servers_per_rack",
          fmt::format("{}; a cabinet of rack {} holds {} trays", h.hall.servers_per_rack, rack.name, per_cabinet));
  require(h.hall.n_gpu % std::max<std::int64_t>(1, rack.power.n_gpu()) == 0, "n_gpu",
          fmt::format("{} GPUs are not whole racks of {} ({})", h.hall.n_gpu, rack.power.n_gpu(), rack.name));
}

/// What only the switches and modules of a rack have. @pre nothing else of the hall is wrong
void check_modules(Scenario& s, const HallSpec& h, Findings& out) {
  const std::string key = "hall." + h.hall.name + ".";
  const double limit_W = h.hall.module_limit_W;
  if (!h.rack) {
    if (limit_W > 0.0)
      out.push_back({{}, key + "module_limit_W", "only modules of a rack have one: name it in hall.rack"});
    if (h.hall.switch_profile != SwitchProfile::networking)
      out.push_back({{}, key + "switch_profile", "only the switches of a rack have one: name it in hall.rack"});
    return;
  }
  if (!(limit_W > 0.0)) return;
  const auto& rack = h.rack->power;
  const double gpus = gpus_per_module(rack);
  const double least_W = rack.cpu_W + gpus * std::max(rack.gpu_idle_W, dvfs::cap_for_limit_W(1.0, h.governor));
  if (limit_W < least_W) {
    out.push_back({{},
                   key + "module_limit_W",
                   fmt::format("{:g} W; a CPU of {:g} W and {:g} GPUs at rest need {:.0f} W", limit_W, rack.cpu_W, gpus,
                               std::ceil(least_W))});
    return;
  }
  const double own_W = dvfs::cap_in_force_W(h.hall.cap_W, h.gpu.tdp_W), share_W = module_share_W(h);
  s.notes.push_back(share_W < own_W
                        ? fmt::format("{}module_limit_W: beside a CPU of {:g} W it leaves each GPU {:.0f} of {:g} W",
                                      key, rack.cpu_W, share_W, own_W)
                        : fmt::format("{}module_limit_W does not act: it would leave each GPU {:.0f} W, and {:g} W "
                                      "limit it",
                                      key, share_W, own_W));
}

/// Heat of a rack at the GPUs' cap against what its liquid can take at the plant's supply.
void check_flow(const HallSpec& h, Findings& out) {
  const auto& rack = *h.rack;
  const std::string key = "hall." + h.hall.name + ".";
  if (h.own_plant || h.plant_kind == PlantKind::outside_air || !h.liquid) return;  // unknown, or their own finding
  const double supply_K = coolant_supply_K(h);
  if (supply_K > rack.loop.supply_max_K) {
    out.push_back({{},
                   key + "plant",
                   fmt::format("supplies liquid of {:.1f} degC, rack {} allows {:.1f}", supply_K - 273.15, rack.name,
                               rack.loop.supply_max_K - 273.15)});
    return;
  }
  const double cap_W = gpu_limit_W(h);
  const double heat_W = rack.loop.liquid_frac * power::rack_power(rack.power, cap_W, rack.power.cpu_W).input_W();
  const double needed = cooling::rack_flow_needed_m3_per_s(rack.loop, heat_W, supply_K);
  if (rack.loop.flow_m3_per_s >= needed) return;
  out.push_back(
      {{},
       key + "rack.liquid.flow_L_per_min",
       fmt::format("{:.0f} l/min are too little for {:.0f} kW in the liquid of each rack {}: they would warm it "
                   "by {:.1f} K from {:.1f} degC, and at most {:.0f} K and {:.0f} degC are allowed; give at "
                   "least {:.0f} l/min, colder liquid or a lower cap_W",
                   6e4 * rack.loop.flow_m3_per_s, 1e-3 * heat_W, rack.name,
                   cooling::rack_rise_K(rack.loop, heat_W, supply_K), supply_K - 273.15, rack.loop.rise_max_K,
                   rack.loop.return_max_K - 273.15, std::ceil(6e4 * needed))});
}

/// Spares and failures of a job's domains.
void check_domains(const Scenario& s, const JobSpec& j, Findings& out) {
  const auto report = [&](const char* key, std::string message) {
    out.push_back({{}, "job." + j.name + "." + key, std::move(message)});
  };
  const std::int64_t nodes = domain_nodes(j), per_rack = s.halls.front().hall.servers_per_rack;
  const std::int64_t spare = j.placement ? j.placement->spare_nodes_per_rack : 0;
  if (spare >= per_rack)
    report("placement.spare_nodes_per_rack", fmt::format("{} of {} servers of a rack: none is left", spare, per_rack));
  const bool rack_rates = j.failures && !(j.failures->switch_tray_causes.empty() && j.failures->rack_causes.empty());
  if (nodes <= 1) {
    if (j.life.spare_racks >= 0) report("life.spare_racks", "the scale-up domain is one server: give life.spare_nodes");
    if (rack_rates) report("failures", "switch trays and racks fail only where a scale-up domain has several servers");
    return;
  }
  if (spare > 0 && nodes % per_rack != 0)
    report("placement.spare_nodes_per_rack",
           fmt::format("a scale-up domain of {} servers is not whole racks of {}", nodes, per_rack));
  if (j.life.spare_nodes >= 0)
    report("life.spare_nodes",
           fmt::format("{} loose servers cannot replace one of another scale-up domain: give spares in every rack "
                       "(placement.spare_nodes_per_rack) and whole ones (life.spare_racks)",
                       j.life.spare_nodes));
  if (const std::int64_t used = network_of(s, j).domain_gpus(); j.plan.tp > used)
    report("plan.tp", fmt::format("{} GPUs of a tensor group; {} of each scale-up domain are in use", j.plan.tp, used));
  const bool in_rack =
      std::all_of(s.halls.begin(), s.halls.end(), [](const HallSpec& h) { return h.rack.has_value(); });
  if (j.failures && !j.failures->switch_tray_causes.empty() && !in_rack)
    report("failures.switch_tray_causes",
           "how many switch trays a domain has is in an entry of kind rack: name one in hall.rack");
  for (const auto& h : s.halls)
    if (h.rack && h.rack->power.n_gpu() != j.network.domain_gpus())
      report("network", fmt::format("its scale-up domain has {} GPUs, rack {} of hall '{}' has {}",
                                    j.network.domain_gpus(), h.rack->name, h.hall.name, h.rack->power.n_gpu()));
}

/// Groups of neighbouring ranks are counted as inside a domain; a group lies across two where they do not divide it.
void note_straddling(Scenario& s, const JobSpec& j) {
  const std::int64_t used = network_of(s, j).domain_gpus();
  const auto group = workload::straddling_group(j.plan, j.network, used);
  if (!group) return;
  s.notes.push_back(
      fmt::format("job.{}.plan: {} groups of {} GPUs do not divide the {} of a scale-up domain: some lie across two, "
                  "and the run counts "
                  "them as inside; placement.spare_nodes_per_rack can leave a multiple of {} in use",
                  j.name, group->what, group->ranks, used, group->ranks));
}

}  // namespace

double gpus_per_module(const power::RackParams& rack) {
  return static_cast<double>(rack.gpus_per_tray) / static_cast<double>(rack.cpus_per_tray);
}

double module_share_W(const HallSpec& h) {
  if (!(h.hall.module_limit_W > 0.0) || !h.rack || h.rack->power.cpus_per_tray <= 0)
    return std::numeric_limits<double>::infinity();
  const auto& rack = h.rack->power;
  return (h.hall.module_limit_W - rack.cpu_W) / gpus_per_module(rack);
}

double coolant_supply_K(const HallSpec& h) {
  return h.plant_kind == PlantKind::prescribed_inlet ? h.prescribed.max_K : h.hydronic.loop_set_K;
}

workload::NetworkParams network_of(const Scenario& s, const JobSpec& j) {
  auto out = j.network;
  if (const std::int64_t spare = spare_nodes(s, j); spare > 0)
    out.scale_up_gpus = out.domain_gpus() - spare * out.gpus_per_node;
  if (s.halls.front().hall.switch_profile == SwitchProfile::reduced_bandwidth) out.nvlink_B_per_s *= 0.5;
  return out;
}

workload::DomainLayout domain_layout(const Scenario& s, const JobSpec& j) {
  const std::int64_t nodes = domain_nodes(j);
  if (nodes <= 1) return {};
  workload::DomainLayout out;
  out.spare_nodes = spare_nodes(s, j);
  out.nodes_needed = nodes - out.spare_nodes;
  const std::int64_t n_node = j.plan.n_gpu / j.network.gpus_per_node;
  out.n_domain = (n_node + out.nodes_needed - 1) / out.nodes_needed;
  if (const auto& rack = s.halls.front().rack) out.n_switch_tray = rack->power.n_switch_tray;
  return out;
}

void check_racks(Scenario& s, std::vector<Finding>& findings) {
  if (s.halls.empty()) return;
  const std::size_t before = findings.size();
  for (const auto& h : s.halls)
    if (h.rack) check_parts(h, findings);
  for (const auto& h : s.halls)
    if (findings.size() == before) check_modules(s, h, findings);
  for (const auto& j : s.jobs) check_domains(s, j, findings);
  for (const auto& e : s.events) {
    if (e.kind != EventKind::filter_blocked) continue;
    const auto h = std::find_if(s.halls.begin(), s.halls.end(), [&](const auto& x) { return x.hall.name == e.hall; });
    if (h == s.halls.end()) continue;
    if (e.rack < 0 || e.rack >= n_rack(*h))
      findings.push_back({{},
                          "event." + e.name + ".rack",
                          fmt::format("{}; racks of hall '{}' are 0 to {}", e.rack, e.hall, n_rack(*h) - 1)});
  }
  if (findings.size() != before) return;
  for (const auto& h : s.halls)
    if (h.rack) check_flow(h, findings);
  for (const auto& j : s.jobs) note_straddling(s, j);
}

}  // namespace TIDEWATT_NAMESPACE::sim
