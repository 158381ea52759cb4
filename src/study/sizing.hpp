#pragma once
#include <functional>
#include <string>
#include <vector>

#include "tidewatt/grid/compliance.hpp"
#include "tidewatt/mitigation/cost.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// What may be combined, and prices with the low and high end of their ranges (catalog kind `portfolio`).
struct SizingChoices {
  struct Range {
    double value = 0.0, low = 0.0, high = 0.0;
  };
  struct Price {
    Range per_W, per_J, operating_frac;
    double years = 0.0;
  };
  struct Store {
    std::string name;
    Price price;
    double shortest_s = 0.0, longest_s = 0.0;  ///< energy over power
    std::string wear;                          ///< catalog entry of kind battery_wear; empty: it does not wear
  };
  struct Rack {
    std::string name, per;
    Range per_W;
  };
  std::vector<Store> stores;
  std::vector<Rack> racks;
  std::vector<double> floor_ratio;
  double smoothing_ramp_W_per_s = 0.0;              ///< up
  std::vector<double> smoothing_ramp_down_W_per_s;  ///< each with each floor
  double smoothing_hysteresis_s = 0.0;
  std::vector<double> ballast_level_ratio;  ///< software ballast instead of smoothing; empty: not tried
  std::string ballast;                      ///< catalog entry whose level is set to these
  Range energy_USD_per_J, gpu_USD_per_s, interest_frac;
  /// Restarts of the job per year and GPU: failures stop it in proportion to its size.
  Range starts_per_gpu_year;
  double rack_years = 0.0;
};
/// @throws InputError that names the missing keys
SizingChoices read_choices(const catalog::Catalog& catalog, const std::string& name);

/// One combination of mitigations with its sizes; an empty or zero part is absent.
struct Portfolio {
  double floor_ratio = 0.0;        ///< GPU smoothing
  double ramp_down_W_per_s = 0.0;  ///< its fall
  double ballast_ratio = 0.0;      ///< software ballast
  std::string rack, store;
  double store_W = 0.0, store_J = 0.0, smoothing_s = 0.0;
  double standby_W = 0.0;  ///< of the store, scaled with its power; 0: follows from the catalog entry
  std::string name() const;
  /// As `--set` texts and as a scenario's tables.
  std::string toml(const SizingChoices& choices) const;
};

/// What a simulation of a portfolio found, and its cost per year compared with doing nothing.
struct Evaluated {
  Portfolio portfolio;
  std::vector<grid::ComplianceReport> reports;
  double worst_margin_frac = 0.0;  ///< smallest of all rules' margins over their limits, less the figure's spread
  std::string worst_rule;
  std::string at_bound;              ///< sizes of the site store at an end of the search range; empty: none
  double wear_frac_per_year = 0.0;   ///< share of the site store's life that its cycles use
  double store_years = 0.0;          ///< its life: the shorter of its price's and what its cycles leave
  std::vector<double> margins_frac;  ///< of every rule that was measured, likewise
  bool passes = false;               ///< every rule, with the required margin
  // Of the steady part of the run: the second half of the part that rules are checked on (site.rules_from_s).
  double steady_from_s = 0.0;
  double tokens_per_s = 0.0, lost_throughput_frac = 0.0;
  double extra_W = 0.0;       ///< mean power at the connection above that of doing nothing
  double peak_W = 0.0;        ///< largest millisecond at the connection, of the whole run
  double charge_per_h = 0.0;  ///< of the site store's energy, what its charge gains (negative: loses) in an hour
  double change_frac = 0.0;   ///< throughput of the second half of the steady part over that of the first, less 1
  // Of one start, in addition (see start_cost).
  double start_lost_s = 0.0, start_extra_J = 0.0;
  double starts_per_year = 0.0;
  // A year of the steady part with its starts, against doing nothing.
  double lost_tokens_per_year = 0.0, extra_J_per_year = 0.0;
  /// Per year at middle, low and high prices.
  double capital_USD = 0.0, yearly_USD = 0.0, low_USD = 0.0, high_USD = 0.0;
};

struct Sizing {
  std::vector<Evaluated> best;   ///< of each combination, cheapest that passes first, then by margin
  std::vector<Evaluated> front;  ///< no other is better in cost, extra power, lost throughput and margin at once
  std::int64_t n_evaluation = 0, n_fleet_run = 0;
  bool found() const { return !best.empty() && best.front().passes; }
};

struct SizingOptions {
  std::size_t n_thread = 0;
  std::int64_t evaluations_per_choice = 24;
  std::function<void(const Evaluated&)> on_evaluation;
  double margin_frac = 0.05;  ///< of each rule's limit, that figures must stay away from it; 0–1 (assumed)
};

/// The cheapest portfolio that meets the scenario's rules: every combination of GPU smoothing or ballast, rack storage and site
/// store; power, energy and smoothing time of the store by COBYLA (linear models of cost and every rule's margin) on
/// their logarithms. Every evaluation is a simulation of the scenario's whole run: one of the fleet per setting of the
/// GPUs, whose load is replayed through each choice of devices (the same bits as a run with them).
/// @throws InputError if the scenario names no rules, or storage or smoothing of its own
Sizing size_portfolio(const sim::Scenario& scenario, const SizingChoices& choices, const SizingOptions& options);

/// The scenario with a portfolio's mitigations.
sim::Scenario with_portfolio(const sim::Scenario& scenario, const Portfolio& portfolio, const SizingChoices& choices,
                             const catalog::Catalog& catalog);

}  // namespace TIDEWATT_NAMESPACE::study
