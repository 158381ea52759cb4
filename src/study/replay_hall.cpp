#include "replay_hall.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catalog_plant.hpp"
#include "draws.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/sum.hpp"

namespace TIDEWATT_NAMESPACE::study::log_replay {
namespace {

constexpr double plant_step_s = 10.0;
constexpr std::int64_t most_drawn = 64;
constexpr double settled_s = 900.0;  // metal of the aisles answers within quarter hours

void check(const ReplayHallOptions& o, std::size_t n_measured) {
  std::vector<Finding> findings;
  const auto range = [&](const char* key, double value, double low, double high) {
    if (!(value >= low && value <= high))
      findings.push_back({{}, key, fmt::format("{:g} is outside of {:g} to {:g}", value, low, high)});
  };
  range("n_server", static_cast<double>(o.n_server), static_cast<double>(n_measured), 1e6);
  range("day", o.day, 1.0, 366.0);
  range("hour", o.hour, 0.0, 24.0);
  range("seed", static_cast<double>(o.seed), 0.0, 9e18);
  if (!findings.empty()) throw InputError(std::move(findings));
}

/// Servers of the hall: those of the log, then drawn ones, each for a share of the rest.
struct Fleet {
  std::vector<ReplayedServer> server;
  std::vector<double> weight;  ///< servers that each represents, [server]
};

Fleet fleet_of(const ReplayHallOptions& o, const Hardware& h, const std::vector<SlotWatts>& watts) {
  Fleet out;
  const auto n_slot = static_cast<std::size_t>(h.server.n_gpu);
  for (const auto& w : watts)
    out.server.emplace_back(h, w, std::vector<double>(n_slot, 1.0)), out.weight.push_back(1.0);
  const auto n_rest = o.n_server - static_cast<std::int64_t>(watts.size());
  const auto n_drawn = std::min(n_rest, most_drawn);
  const auto seed = static_cast<std::uint64_t>(o.seed);
  for (std::int64_t i = 0; i < n_drawn; ++i) {
    const auto id = static_cast<std::uint64_t>(i);
    const double place = random::uniform(seed, draws::replayed_host, id) * static_cast<double>(watts.size());
    std::vector<double> ratio;
    ratio.reserve(n_slot);
    for (std::size_t g = 0; g < n_slot; ++g)
      ratio.push_back(power::draw_resistance_ratio(h.spread, seed, id * n_slot + g));
    out.server.emplace_back(h, watts[static_cast<std::size_t>(place)], std::move(ratio));
    out.weight.push_back(static_cast<double>(n_rest) / static_cast<double>(n_drawn));
  }
  return out;
}

/// Steps from one time to another; the last one may be shorter.
std::int64_t n_step(double from_s, double to_s, double step_s) {
  return std::max<std::int64_t>(0, static_cast<std::int64_t>(std::ceil((to_s - from_s - 1e-9) / step_s)));
}

/// What all servers do over a step of the plant: means, and energies in J.
struct HallStep {
  double it_W = 0.0, air_W = 0.0, liquid_W = 0.0, flow_m3_per_s = 0.0, stored_J = 0.0, fan_frac = 0.0, die_max_K = 0.0;
};

HallStep move(Fleet& fleet, const Hardware& h, double from_s, double to_s, double inlet_K,
              const std::function<void(double, double)>& note_first) {
  HallStep out;
  double n_server = 0.0;
  for (const double w : fleet.weight) n_server += w;
  for (std::int64_t k = 0; k < n_step(from_s, to_s, replay_step_s); ++k) {
    const double at_s = from_s + static_cast<double>(k) * replay_step_s;
    const double end_s = std::min(at_s + replay_step_s, to_s), share = (end_s - at_s) / (to_s - from_s);
    for (std::size_t i = 0; i < fleet.server.size(); ++i) {
      auto& server = fleet.server[i];
      const auto s = server.step(at_s, end_s, inlet_K);
      if (i == 0) note_first(end_s, end_s - at_s);
      const double w = fleet.weight[i];
      out.it_W += w * share * s.ac_W, out.stored_J += w * s.stored_J;
      out.air_W += w * share * s.air_W, out.liquid_W += w * share * s.liquid_W;
      out.flow_m3_per_s += w * share * h.air.flow_m3_per_s * server.fan_frac();
      out.fan_frac += w * share * server.fan_frac() / n_server;
      out.die_max_K = std::max(out.die_max_K, server.hottest_K());
    }
  }
  return out;
}

void find_odd(const ReplayHallOptions& o, const ReplayedHall& hall, double span_s, std::vector<std::string>& findings) {
  if (hall.n_drawn)
    findings.push_back(fmt::format(
        "{} of {} servers are in the log: the others take their watts at the same instants, in packages with "
        "resistances of their own",
        hall.n_measured, o.n_server));
  if (hall.n_measured > 1)
    findings.emplace_back("the hosts' clocks are taken as alike; `tidewatt import --align` puts them on one");
  if (hall.capacity_margin_min_frac < 0.0)
    findings.push_back(
        fmt::format("plant '{}' lacks {:.1f} % of what the hall asks for: its supply warms, in air to {:.1f} °C",
                    o.plant, -100.0 * hall.capacity_margin_min_frac, hall.supply_max_degC));
  if (span_s < settled_s)
    findings.push_back(fmt::format(
        "the log lasts {:.0f} s; a hall and its plant settle in {:.0f} s, so they still show where they began", span_s,
        settled_s));
}

}  // namespace

ReplayedHall play_hall(const ReplayOptions& options, const Hardware& h, const std::vector<Slots>& hosts,
                       const std::vector<SlotWatts>& watts, double from_s, double to_s, Played& compared,
                       std::vector<std::string>& findings) {
  const auto& o = options.hall;
  check(o, hosts.size());
  const catalog::Catalog catalog(options.catalog);
  // The plant is built for all servers at the GPUs' rated power and full fans.
  const double rated_W =
      static_cast<double>(o.n_server) *
      power::server_power(h.server, h.gpu.tdp_W * static_cast<double>(h.server.n_gpu), 1.0, true).ac_W;
  const CatalogPlant built = catalog_plant(catalog, o.plant, rated_W);
  if (h.liquid.has_value() != (built.liquid_frac > 0.0))
    throw InputError(
        Finding{{},
                "plant",
                fmt::format("'{}' carries {:.0f} % of its heat in liquid, and server '{}' is {}", o.plant,
                            100.0 * built.liquid_frac, options.server, h.liquid ? "on cold plates" : "in air")});
  const double asked_kg_per_s =
      h.liquid ? h.liquid->plate.flow_ref_kg_per_s * static_cast<double>(h.server.n_gpu * o.n_server) : 0.0;
  const auto weather =
      catalog_weather(catalog, o.climate, o.weather_epw, o.year, static_cast<std::uint64_t>(o.seed), o.altitude_m);
  const Tick begin = to_tick((o.day - 1.0) * 86400.0 + o.hour * 3600.0);
  const auto tick_at = [&](double at_s) { return begin + to_tick(at_s - from_s); };

  // Everything at rest at the first watts: servers in air of the plant that they themselves warm.
  Fleet fleet = fleet_of(o, h, watts);
  std::vector<double> state(built.plant->n_state());
  const auto workspace = built.plant->make_workspace();
  const auto input_of = [&](const HallStep& s, double at_s, double end_s) {
    return cooling::PlantInput{s.air_W,    s.flow_m3_per_s, weather.mean(tick_at(at_s), tick_at(end_s)),
                               s.liquid_W, asked_kg_per_s,  {}};
  };
  const auto coolant_K = [&](double air_K, double liquid_K) { return h.liquid ? liquid_K : air_K; };
  double supply_K = weather.at(begin).drybulb_K;
  const auto nothing = [](double, double) {};
  for (int turn = 0; turn < 3; ++turn) {
    for (auto& server : fleet.server) server.rest(from_s, supply_K);
    Fleet tried = fleet;
    const auto first = move(tried, h, from_s, from_s + replay_step_s, supply_K, nothing);
    const auto input = input_of(first, from_s, from_s + plant_step_s);
    built.plant->initialise(state, input, begin);
    auto ahead = state;
    const auto p = built.plant->advance(ahead, input, begin, begin + to_tick(1.0), *workspace);
    supply_K = coolant_K(p.supply_mean_K, p.liquid_supply_mean_K);
  }
  for (auto& server : fleet.server) server.rest(from_s, supply_K);

  ReplayedHall out;
  out.plant = o.plant, out.weather = weather.source(), out.n_server = o.n_server;
  out.n_measured = hosts.size(), out.n_drawn = fleet.server.size() - hosts.size();
  CompensatedSum it_J, plant_J, in_J, off_J, supply_K_s, coolant_K_s;
  for (std::int64_t k = 0; k < n_step(from_s, to_s, plant_step_s); ++k) {
    const double at_s = from_s + static_cast<double>(k) * plant_step_s;
    const double end_s = std::min(at_s + plant_step_s, to_s), span_s = end_s - at_s;
    const auto moved = move(fleet, h, at_s, end_s, supply_K, [&](double t, double step_s) {
      note(compared, fleet.server.front(), hosts.front(), watts.front(), t, step_s);
    });
    const auto p = built.plant->advance(state, input_of(moved, at_s, end_s), tick_at(at_s), tick_at(end_s), *workspace);
    supply_K = coolant_K(p.supply_end_K, p.liquid_supply_end_K);
    // Electricity of servers and streams = heat out + what packages and plant keep; each from its own meter.
    const double plant_W = cooling::plant_electric_W(p, span_s);
    it_J.add(moved.it_W * span_s), plant_J.add(plant_W * span_s), in_J.add(moved.it_W * span_s + p.fan_J);
    off_J.add(moved.it_W * span_s + p.fan_J - p.heat_out_J - p.stored_change_J - moved.stored_J);
    supply_K_s.add(p.supply_mean_K * span_s);
    coolant_K_s.add(coolant_K(p.supply_mean_K, p.liquid_supply_mean_K) * span_s);
    out.it_max_W = std::max(out.it_max_W, moved.it_W);
    out.water_kg += p.water_kg;
    out.capacity_margin_min_frac = std::min(out.capacity_margin_min_frac, p.capacity_margin_frac);
    out.rows.push_back({end_s, moved.it_W, plant_W, p.supply_mean_K - zero_degC_K, p.hot_aisle_mean_K - zero_degC_K,
                        moved.fan_frac, moved.die_max_K - zero_degC_K,
                        h.liquid ? p.liquid_supply_mean_K - zero_degC_K : std::nan("")});
  }
  const double span_s = to_s - from_s;
  out.it_mean_W = it_J.value() / span_s, out.plant_mean_W = plant_J.value() / span_s;
  out.pue = 1.0 + plant_J.value() / it_J.value();
  out.supply_mean_degC = supply_K_s.value() / span_s - zero_degC_K;
  out.coolant_mean_degC = coolant_K_s.value() / span_s - zero_degC_K;
  out.supply_max_degC = out.hot_aisle_max_degC = out.die_max_degC = -zero_degC_K;
  for (const auto& r : out.rows) {
    out.supply_max_degC = std::max(out.supply_max_degC, r.supply_degC);
    out.hot_aisle_max_degC = std::max(out.hot_aisle_max_degC, r.hot_aisle_degC);
    out.die_max_degC = std::max(out.die_max_degC, r.die_max_degC);
  }
  out.closure_frac = std::abs(off_J.value()) / in_J.value();
  find_odd(o, out, span_s, findings);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study::log_replay
