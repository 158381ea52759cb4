#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <utility>

#include "explain_swing.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

using Json = nlohmann::ordered_json;

/// `key`, and `key_se` if there are several fleets.
void put(Json& out, const char* key, const FleetMean& x) {
  out[key] = x.mean;
  if (std::isfinite(x.se)) out[std::string(key) + "_se"] = x.se;
}

/// A cause or a lever: what it is, and its figures.
Json line(const std::string& name, const std::string& how,
          std::initializer_list<std::pair<const char*, FleetMean>> figures) {
  Json out{{"name", name}, {"how", how}};
  for (const auto& [key, x] : figures) put(out, key, x);
  return out;
}

}  // namespace

std::string swing_json(const SwingReport& r) {
  Json out{{"swing_percent", r.swing_percent}, {"min_hours", r.min_hours}, {"n_fleet", r.n_fleet}};
  put(out, "swing_over_fleets_percent", r.swing_over_fleets);
  out["causes"] = Json::array(), out["levers"] = Json::array(), out["notes"] = r.notes;
  for (const auto& c : r.causes)
    out["causes"].push_back(
        line(c.name, c.how, {{"without_percent", c.without_percent}, {"adds_points", c.adds_points}}));
  for (const auto& l : r.levers)
    out["levers"].push_back(line(l.name, l.how,
                                 {{"tokens_percent", l.tokens_percent},
                                  {"energy_per_token_percent", l.energy_per_token_percent},
                                  {"swing_percent", l.swing_percent}}));
  for (const auto& [key, list] : {std::pair{"hottest", &r.hottest}, std::pair{"slowest", &r.slowest}}) {
    out[key] = Json::array();
    for (const auto& g : *list)
      out[key].push_back({{"row", g.row},
                          {"rack", g.rack},
                          {"node", g.node},
                          {"slot", g.slot},
                          {"die_degC", g.die_K - 273.15},
                          {"own_MHz", g.own_Hz * 1e-6},
                          {"inlet_degC", g.inlet_K - 273.15},
                          {"leakage_ratio", g.leakage_ratio},
                          {"resistance_ratio", g.resistance_ratio}});
  }
  return out.dump();
}

std::string power_json(const SwingReport& r) {
  Json out{{"pcc_mean_MW", r.mean_MW}, {"fall_max_MW_per_s", r.fall_MW_per_s}, {"n_fleet", r.n_fleet}};
  put(out, "pcc_mean_over_fleets_MW", r.MW_over_fleets);
  put(out, "fall_max_over_fleets_MW_per_s", r.fall_over_fleets);
  out["causes"] = Json::array();
  for (const auto& c : r.causes)
    out["causes"].push_back(
        line(c.name, c.how,
             {{"without_MW", c.without_MW}, {"adds_MW", c.adds_MW}, {"adds_ramp_MW_per_s", c.adds_ramp_MW_per_s}}));
  return out.dump();
}

}  // namespace TIDEWATT_NAMESPACE::study
