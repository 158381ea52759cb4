#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "option_checks.hpp"
#include "study/plant_alone.hpp"

namespace {

struct Arguments {
  tidewatt::study::PlantAloneOptions options;
  double it_MW = 10.0;
  bool json = false;
};

void plant(Arguments a) {
  a.options.it_W = a.it_MW * 1e6;
  const auto run = tidewatt::study::run_plant_alone(a.options);
  if (a.json)
    fmt::print("{}\n", tidewatt::study::plant_json(run));
  else
    fmt::print("{}", tidewatt::study::plant_text(run));
}

}  // namespace

void add_plant_command(CLI::App& app, int&) {
  auto a = std::make_shared<Arguments>();
  auto& o = a->options;
  auto* c = app.add_subcommand("plant",
                               "simulate a cooling plant alone under a year's weather: PUE, water and margin by month");
  c->add_option("plant", o.plant, "catalog plant")->required();
  c->add_option("--climate", o.climate, "catalog climate")->type_name("NAME")->capture_default_str();
  c->add_option("--year", o.year, "year of the climate: typical, hot or extreme")
      ->type_name("WORD")
      ->check(CLI::IsMember({"typical", "hot", "extreme"}))
      ->capture_default_str();
  c->add_option("--seed", o.seed, "seed of the climate's days")
      ->type_name("NUMBER")
      ->check(within(0, 9e15))
      ->capture_default_str();
  c->add_option("--weather", o.weather_epw, "weather file, EPW or CSV; replaces the climate")->type_name("FILE");
  c->add_option("--altitude-m", o.altitude_m, "altitude, for a CSV file without pressures")
      ->check(within(-500, 9000))
      ->capture_default_str();
  c->add_option("--it-MW", a->it_MW, "IT heat for which the plant is sized")
      ->check(within(0.001, 1e4))
      ->capture_default_str();
  c->add_option("--load", o.load_frac, "fraction of this IT heat that runs")
      ->check(within(0.01, 1.0))
      ->capture_default_str();
  c->add_option("--days", o.days, "number of days from 1 January on")
      ->check(within(0.01, 366.0))
      ->capture_default_str();
  c->add_option("--step-s", o.step_s, "macro step")->check(within(1.0, 3600.0))->capture_default_str();
  c->add_option("--catalog", o.catalog_overlay, "folder of catalog files that add to or replace the built-in ones")
      ->type_name("FOLDER");
  c->add_flag("--json", a->json, "print one JSON object");
  c->callback([a] { plant(*a); });
}
