#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "replay_log.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

using Json = nlohmann::ordered_json;

std::string lines(const char* title, const char* unit, const std::vector<ReplayComparison>& list) {
  if (list.empty()) return {};
  std::string out = fmt::format("{:<18} {:>8} {:>10} {:>10} {:>9} {:>9} {:>9} {:>9}\n", title, "samples", "measured",
                                "predicted", "bias", "rms", "worst", "spread");
  for (const auto& c : list)
    out += fmt::format("  {:<16} {:>8} {:>10.1f} {:>10.1f} {:>+9.2f} {:>9.2f} {:>+9.2f} {:>9.2f} {}\n", c.of,
                       c.n_sample, c.measured_mean, c.predicted_mean, c.bias, c.rms, c.worst, c.spread, unit);
  return out;
}

/// @param mean_unit, unit  ends of the keys: of means, and of differences
Json compared_json(const ReplayComparison& c, const char* mean_unit, const char* unit) {
  const auto key = [](const char* what, const char* in) { return fmt::format("{}_{}", what, in); };
  return {{"of", c.of},
          {"samples", c.n_sample},
          {key("measured_mean", mean_unit), c.measured_mean},
          {key("predicted_mean", mean_unit), c.predicted_mean},
          {key("bias", unit), c.bias},
          {key("rms", unit), c.rms},
          {key("worst", unit), c.worst},
          {key("measured_spread", unit), c.spread}};
}

std::string hall_text(const ReplayedHall& h) {
  return fmt::format(
      "hall of {} servers, {} measured, {} drawn for the rest; plant {}, {}\n"
      "  servers {:.3f} MW, at most {:.3f}; plant {:.3f} MW, PUE of both {:.3f}; water {:.2f} m³\n"
      "  supply {:.1f} °C, at most {:.1f}; hot aisle at most {:.1f}; hottest die {:.1f}; capacity margin at least "
      "{:.1f} %\n"
      "  energy balance within {:.1e}\n",
      h.n_server, h.n_measured, h.n_drawn, h.plant, h.weather, h.it_mean_W * 1e-6, h.it_max_W * 1e-6,
      h.plant_mean_W * 1e-6, h.pue, h.water_kg * 1e-3, h.supply_mean_degC, h.supply_max_degC, h.hot_aisle_max_degC,
      h.die_max_degC, 100.0 * h.capacity_margin_min_frac, h.closure_frac);
}

Json hall_json(const ReplayedHall& h) {
  return {{"plant", h.plant},
          {"weather", h.weather},
          {"n_server", h.n_server},
          {"n_measured", h.n_measured},
          {"n_drawn", h.n_drawn},
          {"it_mean_W", h.it_mean_W},
          {"it_max_W", h.it_max_W},
          {"plant_mean_W", h.plant_mean_W},
          {"pue", h.pue},
          {"water_kg", h.water_kg},
          {"supply_mean_degC", h.supply_mean_degC},
          {"supply_max_degC", h.supply_max_degC},
          {"hot_aisle_max_degC", h.hot_aisle_max_degC},
          {"die_max_degC", h.die_max_degC},
          {"capacity_margin_min_frac", h.capacity_margin_min_frac},
          {"energy_closure_frac", h.closure_frac}};
}

}  // namespace

std::string replay_text(const ReplayReport& r) {
  std::string out =
      fmt::format("{}replayed through {} with {} by {}: {:.0f} s, {:.0f} W per GPU, {} {:.1f} °C ({}), fans {:.0f} %\n",
                  r.host.empty() ? "" : r.host + " ", r.server, r.gpu, r.drive, r.span_s, r.gpu_mean_W,
                  r.liquid ? "liquid" : "air", r.inlet_degC, r.inlet_from, 100.0 * r.fan_mean_frac);
  out += lines("die temperature", "K", r.temperature);
  out += lines("memory temperature", "K", r.memory);
  out += lines("GPU power", "W", r.power);
  out += lines("clock, 2nd half", "MHz", r.clock);
  if (r.node) out += lines("node power", "W", {*r.node});
  if (r.inlet) out += lines("air at the inlet", "K", {*r.inlet});
  out += "bias, rms and worst are predicted less measured; spread is the measured one's own standard deviation\n";
  if (r.hall) out += hall_text(*r.hall);
  for (const auto& f : r.findings) out += fmt::format("finding: {}\n", f);
  return out;
}

std::string replay_json(const ReplayReport& r) {
  Json out{{"server", r.server},
           {"gpu", r.gpu},
           {"drive", r.drive},
           {"host", r.host},
           {"span_s", r.span_s},
           {"gpu_mean_W", r.gpu_mean_W},
           {"inlet_degC", r.inlet_degC},
           {"inlet_from", r.inlet_from},
           {"fan_mean_frac", r.fan_mean_frac},
           {"findings", r.findings},
           {"temperature", Json::array()},
           {"memory", Json::array()},
           {"power", Json::array()},
           {"clock", Json::array()}};
  for (const auto& c : r.temperature) out["temperature"].push_back(compared_json(c, "degC", "K"));
  for (const auto& c : r.memory) out["memory"].push_back(compared_json(c, "degC", "K"));
  for (const auto& c : r.power) out["power"].push_back(compared_json(c, "W", "W"));
  for (const auto& c : r.clock) out["clock"].push_back(compared_json(c, "MHz", "MHz"));
  out["inlet"] = r.inlet ? compared_json(*r.inlet, "degC", "K") : Json();
  out["hall"] = r.hall ? hall_json(*r.hall) : Json();
  out["node"] = r.node ? compared_json(*r.node, "W", "W") : Json();
  return out.dump();
}

std::string replay_csv(const ReplayReport& r) {
  std::string out = "time_s,gpu,power_W,measured_degC,predicted_degC\n";
  for (const auto& x : r.rows)
    out += fmt::format("{:.3f},{},{:.7g},{:.6g},{:.6g}\n", x.time_s, r.temperature[x.gpu].of, x.power_W,
                       x.measured_degC, x.predicted_degC);
  return out;
}

std::string replay_hall_csv(const ReplayReport& r) {
  if (!r.hall) return {};
  std::string out = "time_s,it_W,plant_W,supply_degC,hot_aisle_degC,fan_frac,die_max_degC,liquid_degC\n";
  for (const auto& x : r.hall->rows)
    out += fmt::format("{:.3f},{:.7g},{:.6g},{:.5g},{:.5g},{:.4g},{:.5g},{}\n", x.time_s, x.it_W, x.plant_W,
                       x.supply_degC, x.hot_aisle_degC, x.fan_frac, x.die_max_degC,
                       std::isfinite(x.liquid_degC) ? fmt::format("{:.5g}", x.liquid_degC) : "");
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
