#include "tidewatt/catalog/fits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "base/fields_of.hpp"
#include "base/text.hpp"
#include "tidewatt/catalog/rack.hpp"
#include "tidewatt/cooling/hydronic_plant.hpp"
#include "tidewatt/power/feeder.hpp"
#include "tidewatt/power/gpu.hpp"
#include "tidewatt/power/server.hpp"
#include "tidewatt/thermal/air.hpp"
#include "tidewatt/thermal/cold_plate.hpp"
#include "tidewatt/thermal/package.hpp"
#include "tidewatt/thermal/server_air.hpp"
#include "tidewatt/workload/network.hpp"

namespace TIDEWATT_NAMESPACE::catalog {
namespace {

constexpr double air_rise_K = 15.0;  // server inlet to outlet that a hall's air flow is judged by, if no more
constexpr double air_J_per_m3_K = thermal::air_J_per_m3_K(293.15);

struct Gpu {
  double tdp_W;
  bool plate;  ///< on a cold plate: fans do not act on its sink
};
struct Server {
  power::ServerPowerParams power;
  bool plates;
  double liquid_frac = 0.0;    ///< of the heat at the GPUs' rated power, 0 without plates
  double rise_K = air_rise_K;  ///< of its air; more where plates leave the fans at their lowest speed
};
struct Plant {
  double liquid_frac = 0.0;     ///< of the design heat that the loop is made for
  double air_frac_per_K = 0.0;  ///< of the design heat that the air takes for each kelvin of its rise
  double air_water_frac = 1.0;  ///< of the design heat that the water for the air can take
  double loop_supply_K = 0.0;   ///< 0: no loop
  double air_frac(double rise_K) const { return std::min(air_water_frac, rise_K * air_frac_per_K); }
};

Gpu gpu_of(const Catalog& c, const std::string& name) {
  const Node values = c.values("gpu", name);
  return {fields_of<power::GpuPowerParams>(*values.find("power")).tdp_W,
          fields_of<thermal::PackageParams>(*values.find("package")).convection_exponent_ratio == 0.0};
}

/// GPUs that a server's board takes; none is known of a server that the table does not have.
std::vector<std::string> board_gpus(const Catalog& c, const std::string& server) {
  const Node boards = c.values("boards", "server_gpus");
  std::vector<std::string> takes;
  if (const Node* listed = boards.find(server))
    for (const Node& name : std::get<Node::Array>(listed->value)) takes.push_back(std::get<std::string>(name.value));
  return takes;
}

Server server_of(const Catalog& c, const std::string& name) {
  const Node values = c.values("server", name);
  const Node* liquid = values.find("liquid");
  Server s{fields_of<power::ServerPowerParams>(*values.find("power")), liquid != nullptr};
  const auto gpus = board_gpus(c, name);
  if (!s.plates || gpus.empty()) return s;
  // Heat with the coolest GPUs of its board at their rating: these leave the largest share to the air.
  double tdp_W = gpu_of(c, gpus.front()).tdp_W;
  for (const std::string& gpu : gpus) tdp_W = std::min(tdp_W, gpu_of(c, gpu).tdp_W);
  const auto capture = fields_of<thermal::LiquidCaptureParams>(*liquid);
  const double gpus_W = static_cast<double>(s.power.n_gpu) * tdp_W / s.power.gpu_conversion_ratio;
  const double all_W = gpus_W + s.power.host_W + s.power.fans_W;
  s.liquid_frac = (capture.gpu_liquid_frac * gpus_W + capture.host_liquid_frac * s.power.host_W) / all_W;
  const auto air = fields_of<thermal::ServerAirParams>(*values.find("air"));
  s.rise_K =
      std::max(air_rise_K, (1.0 - s.liquid_frac) * all_W / (air.fan_min_frac * air.flow_m3_per_s * air_J_per_m3_K));
  return s;
}

/// Only hydronic plants are sized: a prescribed inlet and outside air serve any hall.
Plant plant_of(const Catalog& c, const std::string& name) {
  const Node values = c.values("plant", name);
  const Node* type = values.find("type");
  if (type == nullptr || std::get<std::string>(type->value) != "hydronic") return {.air_frac_per_K = 1.0};
  const auto p = fields_of<cooling::HydronicParams>(values);
  Plant out{p.liquid_frac, air_J_per_m3_K * p.air_flow_m3_per_s / p.reference_it_W};
  if (p.liquid_frac > 0.0) out.loop_supply_K = p.loop_set_K;
  // The loop for the air has its part of the machines: what those take, it takes.
  if (p.water_loops == "two") out.air_water_frac = cooling::air_heat_max_W(p) / p.reference_it_W;
  return out;
}

/// A feeder whose branches to racks and rows have no reactance and no displacement carries direct current.
bool direct_current(const power::FeederParams& f) {
  return f.load_power_factor_frac == 1.0 && f.level[0].reactance_pu == 0.0 && f.level[1].reactance_pu == 0.0;
}

using Misfit = std::optional<std::string>;

Misfit on_board(const Catalog& c, const std::string& gpu, const std::string& server) {
  const auto takes = board_gpus(c, server);
  if (takes.empty() || std::find(takes.begin(), takes.end(), gpu) != takes.end()) return {};
  return fmt::format("the board of {} takes {}, not {}", server, fmt::join(takes, " or "), gpu);
}

Misfit gpu_in_server(const Catalog& c, const std::string& gpu_name, const std::string& server_name) {
  const Gpu gpu = gpu_of(c, gpu_name);
  const Server s = server_of(c, server_name);
  if (gpu.plate != s.plates)
    return gpu.plate ? fmt::format("{} needs a cold plate and {} has none", gpu_name, server_name)
                     : fmt::format("{} has a sink for air and {} cools by plates", gpu_name, server_name);
  const double need_W =
      static_cast<double>(s.power.n_gpu) * gpu.tdp_W / s.power.gpu_conversion_ratio + s.power.host_W + s.power.fans_W;
  if (need_W <= s.power.psu_rating_W) return on_board(c, gpu_name, server_name);
  return fmt::format("{} of {} with host and fans need {:.1f} kW, the supplies of {} give {:.1f} kW", s.power.n_gpu,
                     gpu_name, 1e-3 * need_W, server_name, 1e-3 * s.power.psu_rating_W);
}

Misfit server_in_network(const Catalog& c, const std::string& server_name, const std::string& network_name) {
  const auto n_gpu = server_of(c, server_name).power.n_gpu;
  const auto network = fields_of<workload::NetworkParams>(c.values("network", network_name));
  if (n_gpu == network.gpus_per_node) return {};
  return fmt::format("{} has {} GPUs, a node of {} has {}", server_name, n_gpu, network_name, network.gpus_per_node);
}

Misfit too_much_air(const std::string& what, double given_frac, const std::string& plant, double taken_frac) {
  if (given_frac <= taken_frac) return {};
  return fmt::format("{} gives {:.0f} % of its heat to air, {} can take {:.0f} %", what, 100.0 * given_frac, plant,
                     100.0 * taken_frac);
}

Misfit server_in_plant(const Catalog& c, const std::string& server_name, const std::string& plant_name) {
  const Server s = server_of(c, server_name);
  const Plant p = plant_of(c, plant_name);
  if (s.plates && p.liquid_frac == 0.0)
    return fmt::format("{} has plates and {} has no liquid loop", server_name, plant_name);
  return too_much_air(server_name, 1.0 - s.liquid_frac, plant_name, p.air_frac(s.rise_K));
}

Misfit rack_in_plant(const Catalog& c, const std::string& rack_name, const std::string& plant_name) {
  const RackEntry rack = read_rack(c, rack_name);
  const Plant p = plant_of(c, plant_name);
  const double heat_W = power::rack_rated_power(rack.power).input_W();
  if (p.liquid_frac == 0.0) return fmt::format("{} needs a liquid loop and {} has none", rack_name, plant_name);
  if (auto wrong = too_much_air(rack_name, 1.0 - rack.loop.liquid_frac, plant_name, p.air_frac(air_rise_K)))
    return wrong;
  if (p.loop_supply_K > rack.loop.supply_max_K)
    return fmt::format("{} supplies {:.1f} degC, {} allows {:.1f}", plant_name, p.loop_supply_K - 273.15, rack_name,
                       rack.loop.supply_max_K - 273.15);
  const double rise_K = cooling::rack_rise_K(rack.loop, rack.loop.liquid_frac * heat_W, p.loop_supply_K);
  const double needed = cooling::rack_flow_needed_m3_per_s(rack.loop, rack.loop.liquid_frac * heat_W, p.loop_supply_K);
  if (rack.loop.flow_m3_per_s >= needed) return {};
  return fmt::format("{:.0f} l/min through {} give a rise of {:.1f} K at {:.0f} kW; its limits need {:.0f} l/min",
                     6e4 * rack.loop.flow_m3_per_s, rack_name, rise_K, 1e-3 * heat_W, 6e4 * needed);
}

Misfit on_feeder(const Catalog& c, const std::string& what, double input_W, bool takes_dc,
                 const std::string& feeder_name) {
  const auto feeder = fields_of<power::FeederParams>(c.values("feeder", feeder_name));
  const bool dc = direct_current(feeder);
  if (dc != takes_dc)
    return fmt::format("{} takes {} current, {} carries {}", what, takes_dc ? "direct" : "alternating", feeder_name,
                       dc ? "direct" : "alternating");
  const double need_VA = input_W / feeder.load_power_factor_frac;
  if (need_VA <= feeder.level[0].rating_VA) return {};
  return fmt::format("{} draws {:.1f} kVA, a rack's branch of {} carries {:.1f} kVA", what, 1e-3 * need_VA, feeder_name,
                     1e-3 * feeder.level[0].rating_VA);
}

Misfit rack_on_feeder(const Catalog& c, const std::string& rack_name, const std::string& feeder_name) {
  const RackEntry rack = read_rack(c, rack_name);
  const double cabinet_W = power::rack_rated_power(rack.power).input_W() /
                           static_cast<double>(std::max<std::int64_t>(1, rack.power.n_cabinet));
  return on_feeder(c, "a cabinet of " + rack_name, cabinet_W, rack.power.input == "dc_800V", feeder_name);
}

Misfit server_on_feeder(const Catalog& c, const std::string& server_name, const std::string& feeder_name) {
  const auto p = server_of(c, server_name).power;
  return on_feeder(c, server_name, p.psu_rating_W, false, feeder_name);
}

/// Compares the hardware with the rack's GPU, server and network.
void check_rack(const Catalog& c, const RackEntry& rack, const Hardware& h, std::vector<Finding>& out) {
  const auto same = [&](const char* key, const std::string& own, const std::string& given) {
    if (own != given) out.push_back({{}, key, fmt::format("{} holds {}, not {}", rack.name, own, given)});
  };
  same("gpu", rack.gpu, h.gpu);
  same("server", rack.server, h.server);
  same("network", rack.network, h.network);
  const double tdp_W = gpu_of(c, rack.gpu).tdp_W;
  if (tdp_W != rack.power.gpu_W)
    out.push_back(
        {{}, "rack", fmt::format("{} counts {} W per GPU, {} has {} W", rack.name, rack.power.gpu_W, rack.gpu, tdp_W)});
  const auto domain = fields_of<workload::NetworkParams>(c.values("network", rack.network)).domain_gpus();
  if (domain != rack.power.n_gpu())
    out.push_back({{},
                   "rack",
                   fmt::format("{} has {} GPUs in its trays, the scale-up domain of {} has {}", rack.name,
                               rack.power.n_gpu(), rack.network, domain)});
}

/// A pair and how to ask whether it fits.
using Pair = Misfit (*)(const Catalog&, const std::string&, const std::string&);
struct Asked {
  const char *kind, *of_kind;  ///< the second is what another entry may replace
  Pair fits;
};
constexpr Asked asked[] = {{"gpu", "server", gpu_in_server},     {"server", "network", server_in_network},
                           {"server", "plant", server_in_plant}, {"rack", "plant", rack_in_plant},
                           {"rack", "feeder", rack_on_feeder},   {"server", "feeder", server_on_feeder}};

const std::string& named(const Hardware& h, std::string_view kind) {
  if (kind == "gpu") return h.gpu;
  if (kind == "server") return h.server;
  if (kind == "rack") return h.rack;
  if (kind == "network") return h.network;
  return kind == "plant" ? h.plant : h.feeder;
}

/// The entry of the second kind whose name is nearest and which fits.
std::string nearest_fit(const Catalog& c, const Asked& pair, const std::string& first, const std::string& second) {
  std::vector<std::string> good;
  for (const auto& [kind, name] : c.list())
    if (kind == pair.of_kind && !pair.fits(c, first, name)) good.push_back(name);
  if (good.empty()) return fmt::format("no {} of the catalog fits", pair.of_kind);
  const std::string close = nearest(second, good);
  return fmt::format("what fits: {}", close.empty() ? good.front() : close);
}

}  // namespace

std::vector<Finding> misfits(const Catalog& catalog, const Hardware& hardware) {
  Hardware h = hardware;
  std::vector<Finding> out;
  if (!h.rack.empty()) {
    const RackEntry rack = read_rack(catalog, h.rack);
    for (const auto& [given, own] :
         {std::pair{&h.gpu, &rack.gpu}, {&h.server, &rack.server}, {&h.network, &rack.network}})
      if (given->empty()) *given = *own;
    check_rack(catalog, rack, h, out);
  }
  for (const Asked& pair : asked) {
    const std::string &first = named(h, pair.kind), &second = named(h, pair.of_kind);
    const bool by_rack =
        !h.rack.empty() && pair.kind == std::string_view("server") && pair.of_kind != std::string_view("network");
    if (first.empty() || second.empty() || by_rack) continue;  // for plant and feeder, a rack is its trays
    if (const Misfit wrong = pair.fits(catalog, first, second))
      out.push_back({{}, pair.of_kind, *wrong + "; " + nearest_fit(catalog, pair, first, second)});
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::catalog
