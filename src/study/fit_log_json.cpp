#include <nlohmann/json.hpp>

#include "fit_log.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

using Json = nlohmann::ordered_json;

Json values_json(const std::vector<FitValue>& values) {
  Json out = Json::array();
  for (const auto& v : values)
    out.push_back({{"key", v.key},
                   {"value", v.value},
                   {"low", v.low},
                   {"high", v.high},
                   {"identified", v.identified},
                   {"at_bound", v.at_bound},
                   {"before_low", v.prior_low},
                   {"before_high", v.prior_high}});
  return out;
}

Json residuals_json(const ResidualReport& r) {
  Json out{{"rms", r.rms},
           {"drift_rms", r.drift_rms},
           {"drift_s", r.drift_s},
           {"effective_samples", r.effective_samples},
           {"spectrum", Json::array()}};
  for (const auto& b : r.bands)
    out["spectrum"].push_back(
        {{"short_s", b.short_s}, {"long_s", b.long_s > 0.0 ? Json(b.long_s) : Json()}, {"rms", b.rms}});
  out["line"] = r.line_s > 0.0 ? Json{{"period_s", r.line_s}, {"amplitude", r.line_amplitude}} : Json();
  return out;
}

}  // namespace

std::string fit_json(const FittedEntry& e) {
  Json out{
      {"kind", e.kind}, {"name", e.name}, {"rms", e.rms}, {"interval_percent", 95}, {"values", values_json(e.values)}};
  if (!e.gpus.empty()) out["gpus"] = Json::array();
  for (const auto& g : e.gpus)
    out["gpus"].push_back({{"gpu", g.gpu},
                           {"file", g.file},
                           {"samples", g.n_sample},
                           {"power_from", g.power_from},
                           {"values", values_json(g.values)},
                           {"residuals_" + g.unit, residuals_json(g.residuals)}});
  if (!e.residuals.empty()) out["residuals"] = Json::array();
  for (const auto& r : e.residuals) {
    Json one{{"of", r.of}, {"unit", r.unit}};
    one.update(residuals_json(r.report));
    out["residuals"].push_back(std::move(one));
  }
  return out.dump();
}

}  // namespace TIDEWATT_NAMESPACE::study
