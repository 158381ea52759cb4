#include "explain_swing_fleets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "explain_swing_parts.hpp"
#include "fleet_expectation.hpp"
#include "sim/run_as_is.hpp"
#include "tidewatt/sim/look_up.hpp"

namespace TIDEWATT_NAMESPACE::study::detail {
namespace {

/// The run's own seed and others, of which none is drawn twice.
std::vector<std::int64_t> seeds_of(const sim::Scenario& scenario, std::int64_t n_fleet) {
  std::vector<std::int64_t> out = {scenario.run.seed};
  for (std::size_t i = 0; out.size() < static_cast<std::size_t>(n_fleet); ++i)
    if (const auto seed = static_cast<std::int64_t>(other_fleet_seed(1, i)); seed != scenario.run.seed)
      out.push_back(seed);
  return out;
}

/// No figure that is compared comes from flicker, bands, cycles and rules, which see the rated part alone: it is left empty.
sim::Scenario unrated(sim::Scenario scenario) {
  scenario.devices.rules_from_s = scenario.run.duration_s, scenario.devices.rules_until_s = 0.0;
  return scenario;
}

}  // namespace

bool drawn_alike(const sim::Scenario& s) {
  const bool year = s.weather.csv.empty() && s.weather.epw.empty() && sim::is_year(s.weather.day);
  return !s.run.spread && !year && s.neighbours.empty() &&
         std::none_of(s.jobs.begin(), s.jobs.end(), [](const sim::JobSpec& j) {
           const auto& jitter = j.life.jitter;
           return j.failures || jitter.sigma_frac > 0.0 || jitter.slow_host_frac * jitter.slow_host_slowdown_frac > 0.0;
         });
}

FleetMean over_fleets(std::span<const double> x) {
  FleetMean out;
  const auto n = static_cast<double>(x.size());
  for (const double v : x) out.mean += v / n;
  if (x.size() < 2) return out;
  double square = 0.0;
  for (const double v : x) square += (v - out.mean) * (v - out.mean);
  out.se = std::sqrt(square / (n - 1.0) / n);
  return out;
}

SwingFigures swing_figures(const sim::Result& r) {
  return {sim::figure(r, "throughput_swing_percent"), sim::figure(r, "tokens_per_s_mean"),
          sim::figure(r, "pcc_mean_MW"), sim::figure(r, "pcc_ramp_down_max_MW_per_s")};
}

PairedRuns paired_runs(const sim::Scenario& scenario, const sim::Result& base, const ExplainOptions& options,
                       const std::function<void(const std::string&)>& progress) {
  PairedRuns out;
  const auto seeds = seeds_of(scenario, drawn_alike(scenario) ? 1 : options.n_fleet);
  const auto run = [&](const sim::Scenario& s, const std::string& name, std::size_t k) {
    if (progress) progress(k == 0 ? name : fmt::format("{}, fleet {} of {}", name, k + 1, seeds.size()));
    return sim::run_as_is(s, {options.n_thread, {}});  // causes are taken away by values outside the ranges
  };
  for (std::size_t k = 0; k < seeds.size(); ++k) {
    auto own = unrated(scenario);
    own.run.seed = seeds[k];
    const sim::Result of_fleet = k == 0 ? sim::Result() : run(own, "other chips", k);
    const sim::Result& result = k == 0 ? base : of_fleet;
    out.base.push_back(swing_figures(result));
    const auto add = [&](const std::vector<Variant>& variants, const char* before, std::vector<VariantRuns>& to) {
      for (std::size_t v = 0; v < variants.size(); ++v) {
        if (k == 0) to.push_back({variants[v].name, variants[v].how, {}});
        auto& figures = to[v].of_fleets;
        figures.push_back(k > 0 && drawn_alike(variants[v].scenario)
                              ? figures.front()
                              : swing_figures(run(variants[v].scenario, before + variants[v].name, k)));
      }
    };
    std::vector<std::string> notes;
    add(causes_of(own, result), "without ", out.causes);
    add(levers_of(own, notes), "", out.levers);
    if (k == 0) out.notes = std::move(notes);
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study::detail
