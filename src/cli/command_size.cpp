#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "io/durable_file.hpp"
#include "option_checks.hpp"
#include "size_fleet.hpp"
#include "study/scenario_tree.hpp"
#include "study/sizing.hpp"
#include "tidewatt/sim/run.hpp"

namespace {

using namespace tidewatt;

constexpr double not_steady_frac = 0.01, drift_of_day = 0.1;

struct Arguments {
  std::string file, what = "portfolio", choices = "remedies", write;
  bool json = false, quiet = false;
  FleetOptions fleet;
  study::SizingOptions options;
  sim::LoadOptions load;
};

nlohmann::ordered_json to_json(const study::Evaluated& e) {
  return {{"portfolio", e.portfolio.name()},
          {"passes", e.passes},
          {"worst_rule", e.worst_rule},
          {"worst_margin_frac", e.worst_margin_frac},
          {"peak_MW", e.peak_W * 1e-6},
          {"charge_per_h", e.charge_per_h},
          {"capital_USD", e.capital_USD},
          {"yearly_USD", e.yearly_USD},
          {"yearly_USD_low_prices", e.low_USD},
          {"yearly_USD_high_prices", e.high_USD},
          {"at_bound", e.at_bound},
          {"store_wear_percent_per_year", 100.0 * e.wear_frac_per_year},
          {"store_years", e.store_years},
          {"extra_MW", e.extra_W * 1e-6},
          {"lost_throughput_percent", 100.0 * e.lost_throughput_frac},
          {"steady_change_percent", 100.0 * e.change_frac},
          {"start_lost_s", e.start_lost_s},
          {"start_extra_MWh", e.start_extra_J / 3.6e9},
          {"starts_per_year", e.starts_per_year},
          {"lost_Ttokens_per_year", e.lost_tokens_per_year * 1e-12},
          {"extra_GWh_per_year", e.extra_J_per_year / 3.6e12}};
}

/// Place among those that pass, cheapest first, at other prices.
std::size_t rank_at(const std::vector<study::Evaluated>& best, const study::Evaluated& e,
                    double study::Evaluated::* price) {
  std::size_t rank = 1;
  for (const auto& other : best) rank += other.passes && other.*price < e.*price ? 1 : 0;
  return rank;
}

void print_line(const std::vector<study::Evaluated>& best, const study::Evaluated& e) {
  const std::string ranks = e.passes ? fmt::format("{}/{}", rank_at(best, e, &study::Evaluated::low_USD),
                                                   rank_at(best, e, &study::Evaluated::high_USD))
                                     : "-";
  fmt::print("{:<5} {:>9.2f} {:>9.2f} {:>9.2f} {:>7} {:>8.3f} {:>7.2f} {:>8.1f} {:>8.2f} {:>8.1f}  {} ({})\n",
             e.passes ? "pass" : "fail", e.yearly_USD * 1e-6, e.low_USD * 1e-6, e.high_USD * 1e-6, ranks,
             e.extra_W * 1e-6, 100.0 * e.lost_throughput_frac, e.peak_W * 1e-6, e.start_lost_s,
             100.0 * e.worst_margin_frac, e.portfolio.name(), e.worst_rule);
  if (e.passes && !e.at_bound.empty()) fmt::print("        at an end of the search: {}\n", e.at_bound);
  if (e.passes && e.wear_frac_per_year > 0.0)
    fmt::print("        cycles use {:.2g} % of the store's life a year; it is counted for {:.3g} years\n",
               100.0 * e.wear_frac_per_year, e.store_years);
}

/// The best portfolio as a scenario that inherits from the one sized, and its verdict when run as a whole.
void confirm(const Arguments& a, const sim::Scenario& scenario, const study::SizingChoices& choices,
             const study::Evaluated& e, nlohmann::ordered_json& object) {
  const auto whole =
      sim::run(study::with_portfolio(scenario, e.portfolio, choices, catalog::Catalog(a.load.catalog_overlay)),
               {a.options.n_thread, {}});
  std::string verdict = "-", not_passed;
  for (const auto& [key, value] : whole.summary) {
    if (key == "compliance") verdict = std::get<std::string>(value);
    if (key == "compliance_not_passed" && std::holds_alternative<std::string>(value))
      not_passed = std::get<std::string>(value);
  }
  object["confirmed"] = verdict;
  if (!a.json) fmt::print("run as a whole: {}{}\n", verdict, not_passed.empty() ? "" : " (" + not_passed + ")");
  if (a.write.empty()) return;
  io::write_durably(a.write, scenario_found(a.file, "with the cheapest portfolio that `tidewatt size` found",
                                            e.portfolio.toml(choices), a.load.set));
}

/// Figures for which this run is too short or has too many events.
void print_doubts(const std::vector<study::Evaluated>& best) {
  std::size_t n_unsteady = 0;
  const study::Evaluated* most = nullptr;
  for (const auto& e : best) {
    if (std::abs(e.change_frac) <= not_steady_frac) continue;
    ++n_unsteady;
    if (most == nullptr || std::abs(e.change_frac) > std::abs(most->change_frac)) most = &e;
  }
  if (most != nullptr)
    fmt::print(
        "not steady: throughput of the second half of that part is up to {:.1f} % off that of the first, for {} of {} "
        "portfolios ({}): an event lies in it, or ramps last "
        "longer; extra MW and lost % hold for that part alone\n",
        100.0 * std::abs(most->change_frac), n_unsteady, best.size(), most->portfolio.name());
  for (const auto& e : best)
    if (e.passes && std::abs(e.charge_per_h) * 24.0 > drift_of_day)
      fmt::print(
          "charge drifts: {}: {:+.1f} % of its energy an hour, half of it in {:.2g} h; check it over a day (--write, "
          "then run with run.duration_h=24)\n",
          e.portfolio.name(), 100.0 * e.charge_per_h, 0.5 / std::abs(e.charge_per_h));
}

void size_portfolio(Arguments a, const sim::Scenario& scenario, int& exit_code) {
  const auto choices = study::read_choices(catalog::Catalog(a.load.catalog_overlay), a.choices);
  if (!a.quiet)
    a.options.on_evaluation = [n = 0](const study::Evaluated& e) mutable {
      fmt::print(stderr, "{:>4}  {:>8.1f} %  {}\n", ++n, 100.0 * e.worst_margin_frac, e.portfolio.name());
    };
  const auto sizing = study::size_portfolio(scenario, choices, a.options);
  nlohmann::ordered_json object{
      {"evaluations", sizing.n_evaluation}, {"fleet_runs", sizing.n_fleet_run}, {"found", sizing.found()}};
  for (const auto& e : sizing.best) object["best"].push_back(to_json(e));
  for (const auto& e : sizing.front) object["front"].push_back(to_json(e));
  if (!a.json) {
    fmt::print("      {:>9} {:>9} {:>9} {:>7} {:>8} {:>7} {:>8} {:>8} {:>8}\n", "MUSD/year", "at low", "at high",
               "ranks", "extra MW", "lost %", "peak MW", "start s", "margin %");
    for (const auto& e : sizing.best) print_line(sizing.best, e);
    fmt::print("\nnot beaten in cost, power, throughput and margin at once:\n");
    for (const auto& e : sizing.front) print_line(sizing.best, e);
    fmt::print("\n{} simulations of the site, {} of the fleet\n", sizing.n_evaluation, sizing.n_fleet_run);
    fmt::print(
        "extra MW and lost %: of the run from {:.0f} s on; start s: steady work lost before that, by each of {:.0f} "
        "starts a year\n",
        sizing.best.front().steady_from_s, sizing.best.front().starts_per_year);
    fmt::print(
        "ranks: place by cost at low and at high prices; peak MW: largest millisecond; margin: of the tightest rule, "
        "at least {:.3g} % to pass\n",
        100.0 * a.options.margin_frac);
    print_doubts(sizing.best);
  }
  if (sizing.found()) {
    if (!a.json)
      fmt::print("\ncheapest that passes: {}\n{}\n", sizing.best.front().portfolio.name(),
                 sizing.best.front().portfolio.toml(choices));
    confirm(a, scenario, choices, sizing.best.front(), object);
  } else {
    exit_code = 1;
    if (!a.json) fmt::print("\nno portfolio of these passes; the nearest is listed first\n");
  }
  if (a.json) fmt::print("{}\n", object.dump());
}

void size(const Arguments& a, int& exit_code) {
  auto load = a.load;
  const auto names_day = [](const std::string& set) { return set.starts_with("weather.day="); };
  const bool extreme_day = a.what == "gpus" && std::ranges::none_of(load.set, names_day);
  if (extreme_day) load.set.emplace_back("weather.day=extreme");
  const auto scenario = sim::load_scenario(a.file, load);
  if (!a.write.empty()) {
    if (a.what == "cap") throw InputError("--write: a study of caps writes no scenario");
    if (!a.load.weather_epw.empty())
      throw InputError("--write: --weather would be lost; name the file under [weather] in the scenario first");
    const auto folder = [](const std::string& file) {
      return std::filesystem::weakly_canonical(std::filesystem::absolute(file)).parent_path();
    };
    if (folder(a.write) != folder(a.file))
      throw InputError(fmt::format("--write: {} is not beside the scenario, from which it inherits", a.write));
    io::try_output(a.write);
  }
  if (a.what == "portfolio") return size_portfolio(a, scenario, exit_code);
  auto fleet = a.fleet;
  fleet.file = a.file;
  fleet.write = a.write;
  fleet.set = a.load.set;
  fleet.extreme_day = extreme_day;
  fleet.json = a.json;
  fleet.n_thread = a.options.n_thread;
  if (a.what == "cap") return size_caps(fleet, scenario);
  size_gpus(fleet, scenario);
}

}  // namespace

void add_size_command(CLI::App& app, int& exit_code) {
  auto a = std::make_shared<Arguments>();
  auto* c = app.add_subcommand("size",
                               "find the cheapest mitigations that meet the site's rules, the most GPUs behind its "
                               "connection, or the best power cap");
  c->add_option("scenario", a->file, "scenario file (TOML) that names site.rules")->required();
  c->add_option("--for", a->what,
                "portfolio: find mitigations; gpus: find how many GPUs fit the contract; cap: find the power cap that "
                "trains most behind it")
      ->type_name("WORD")
      ->check(CLI::IsMember({"portfolio", "gpus", "cap"}))
      ->capture_default_str();
  c->add_option("--choices", a->choices,
                "catalog entry of kind portfolio: mitigations that may be combined, and prices")
      ->type_name("NAME")
      ->capture_default_str();
  c->add_option("--evaluations", a->options.evaluations_per_choice, "simulations per site store")
      ->check(within(4, 1000))
      ->capture_default_str();
  c->add_option("--margin-frac", a->options.margin_frac,
                "required margin to each limit, as a fraction of the limit (assumed)")
      ->check(within(0.0, 1.0))
      ->capture_default_str();
  add_fleet_options(*c, a->fleet);
  c->add_option("--write", a->write,
                "write the scenario with the cheapest portfolio, or with the GPUs found, to this file beside it")
      ->type_name("FILE");
  c->add_option("--set", a->load.set, "override a key (repeatable)")->type_name("KEY=VALUE")->allow_extra_args(false);
  c->add_option("--weather", a->load.weather_epw, "weather file, EPW or CSV; replaces the scenario's weather")
      ->type_name("FILE");
  c->add_option("--catalog", a->load.catalog_overlay,
                "folder of catalog files that add to or replace the built-in ones")
      ->type_name("FOLDER");
  c->add_option("--threads", a->options.n_thread, "threads; 0: all cores")->check(worker_count());
  c->add_flag("--json", a->json, "print the result as one JSON object");
  c->add_flag("--quiet", a->quiet, "do not print a line per simulation");
  c->callback([a, &exit_code] { size(*a, exit_code); });
}
