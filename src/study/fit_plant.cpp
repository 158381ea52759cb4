#include "fit_plant.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>

#include "catalog_plant.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/tick.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

std::string word(const EntryBase& base, const char* key) {
  const Node* at = base.values().find(key);
  return at && at->is_text() ? std::get<std::string>(at->value) : "";
}

/// The base's plant with coefficients in their keys' units.
CatalogPlant built(const EntryBase& base, double rated_it_W, const std::vector<PriorParameter>& prior,
                   std::span<const double> p) {
  Node values = base.values();
  for (std::size_t i = 0; i < prior.size(); ++i) {
    const bool share = prior[i].key.ends_with("_frac");
    values.set(prior[i].key, Node(Node::Value(share ? std::min(p[i], 0.99) : p[i]), Place{}));
  }
  return plant_of(values, base.name(), rated_it_W);
}

/// The plant's state in steady operation under a reading, by its own coefficients.
std::vector<double> steady_state(const CatalogPlant& plant, double rated_it_W, const PlantReading& r) {
  auto input = plant_load(plant, r.it_W, r.it_W / rated_it_W);
  input.outdoor = r.outdoor;
  std::vector<double> state(plant.plant->n_state());
  plant.plant->initialise(state, input, 0);
  return state;
}

/// Power over half an hour, half an hour after a state that is steady with other coefficients.
std::vector<double> steady_W(const CatalogPlant& plant, double rated_it_W, const PlantReading& r,
                             std::vector<double> state, cooling::PlantWorkspace& workspace) {
  auto input = plant_load(plant, r.it_W, r.it_W / rated_it_W);
  input.outdoor = r.outdoor;
  constexpr double settle_s = 1800.0;
  const auto end = to_tick(settle_s);
  plant.plant->advance(state, input, 0, end, workspace);
  const auto step = plant.plant->advance(state, input, end, 2 * end, workspace);
  return {cooling::plant_electric_W(step, settle_s), step.air_fan_mean_W, step.pump_mean_W, step.chiller_mean_W,
          step.rejection_fan_mean_W};
}

}  // namespace

std::vector<PriorParameter> plant_priors(const EntryBase& base) {
  const std::string type = word(base, "type");
  std::vector<const char*> keys;
  if (type == "hydronic") {
    keys = {"chiller_cop_ratio", "air_fan_kW",     "loop_pump_kW",
            "facility_pump_kW",  "reject_pump_kW", word(base, "rejection") == "tower" ? "tower_fan_kW" : "dry_fan_kW",
            "controls_kW"};
    std::erase_if(keys, [&](const char* key) {
      const bool none = std::string(key) == "chiller_cop_ratio" && base.value("n_chiller") == 0.0;
      return none || !(base.value(key) > 0.0);
    });
  } else if (type == "outside_air") {
    keys = {"fan_efficiency_frac", "controls_kW", "pump_kW", "media_effectiveness_frac"};
  } else {
    throw InputError(fmt::format("plant '{}' has no machines to fit", base.name()));
  }
  std::vector<PriorParameter> out;
  out.reserve(keys.size());
  for (const char* key : keys) out.push_back(base.prior(key, 2.0));
  return out;
}

std::vector<double> plant_reading_W(const EntryBase& base, double rated_it_W, const PlantReading& reading,
                                    std::span<const double> p) {
  const auto plant = built(base, rated_it_W, plant_priors(base), p);
  const auto workspace = plant.plant->make_forecast_workspace();
  return steady_W(plant, rated_it_W, reading, steady_state(plant, rated_it_W, reading), *workspace);
}

Posterior fit_plant(const EntryBase& base, double rated_it_W, const std::vector<PlantReading>& readings) {
  const auto prior = plant_priors(base);
  // Every measured part is a residual of its own; parts of one reading stand far apart in time, so that no drift joins them.
  struct Sample {
    std::size_t reading, part;
    double measured_W;
  };
  std::vector<Sample> samples;
  std::vector<double> time_s;
  const double span_s = readings.empty() ? 0.0 : 10.0 * (readings.back().time_s - readings.front().time_s) + 1e6;
  for (std::size_t part = 0; part < 5; ++part)
    for (std::size_t i = 0; i < readings.size(); ++i) {
      const auto& r = readings[i];
      const double W = std::array{r.plant_W, r.fan_W, r.pump_W, r.chiller_W, r.rejection_W}[part];
      if (!std::isfinite(W)) continue;
      samples.push_back({i, part, W});
      time_s.push_back(r.time_s + static_cast<double>(part) * span_s);
    }
  std::vector<double> middle;
  middle.reserve(prior.size());
  for (const auto& p : prior) middle.push_back(prior_value(p, 0.0));
  const auto usual = built(base, rated_it_W, prior, middle);
  std::vector<std::vector<double>> states;
  states.reserve(readings.size());
  for (const auto& r : readings) states.push_back(steady_state(usual, rated_it_W, r));
  return fit_posterior(
      prior, time_s,
      [&](std::span<const double> p, std::span<double> out) {
        const auto plant = built(base, rated_it_W, prior, p);
        const auto workspace = plant.plant->make_forecast_workspace();
        std::vector<std::vector<double>> W;
        W.reserve(readings.size());
        for (std::size_t i = 0; i < readings.size(); ++i)
          W.push_back(steady_W(plant, rated_it_W, readings[i], states[i], *workspace));
        for (std::size_t k = 0; k < out.size(); ++k)
          out[k] = W[samples[k].reading][samples[k].part] - samples[k].measured_W;
      },
      0.05);
}

}  // namespace TIDEWATT_NAMESPACE::study
