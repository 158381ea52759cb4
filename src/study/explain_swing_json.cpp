#include <nlohmann/json.hpp>

#include "explain_swing.hpp"

namespace TIDEWATT_NAMESPACE::study {

std::string swing_json(const SwingReport& r) {
  using Json = nlohmann::ordered_json;
  Json out{{"swing_percent", r.swing_percent},
           {"min_hours", r.min_hours},
           {"causes", Json::array()},
           {"levers", Json::array()},
           {"notes", r.notes}};
  for (const auto& c : r.causes)
    out["causes"].push_back(
        {{"name", c.name}, {"how", c.how}, {"without_percent", c.without_percent}, {"adds_points", c.adds_points}});
  for (const auto& l : r.levers)
    out["levers"].push_back({{"name", l.name},
                             {"how", l.how},
                             {"tokens_percent", l.tokens_percent},
                             {"energy_per_token_percent", l.energy_per_token_percent},
                             {"swing_percent", l.swing_percent}});
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
  using Json = nlohmann::ordered_json;
  Json out{{"pcc_mean_MW", r.mean_MW}, {"fall_max_MW_per_s", r.fall_MW_per_s}, {"causes", Json::array()}};
  for (const auto& c : r.causes)
    out["causes"].push_back({{"name", c.name},
                             {"how", c.how},
                             {"without_MW", c.without_MW},
                             {"adds_MW", c.adds_MW},
                             {"adds_ramp_MW_per_s", c.adds_ramp_MW_per_s}});
  return out.dump();
}

}  // namespace TIDEWATT_NAMESPACE::study
