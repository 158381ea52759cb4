#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "io/durable_file.hpp"
#include "study/ride_study.hpp"

namespace {

using namespace tidewatt;

struct Arguments {
  std::string file, plot;
  sim::LoadOptions load;
  study::RideOptions ride;
  double kV = 0.0;
  bool json = false;
};

void ride(Arguments a) {
  a.ride.overlay = a.load.catalog_overlay;
  a.ride.connection_V = a.kV * 1e3;
  const auto answer = study::ride(sim::load_scenario(a.file, a.load), a.file, a.ride);
  fmt::print("{}", a.json ? answer.json + "\n" : answer.text);
  if (a.plot.empty() || answer.svg.empty()) return;
  io::write_durably(a.plot, answer.svg);
  if (!a.json) fmt::print("{}\n", a.plot);
}

}  // namespace

void add_ride_command(CLI::App& app, int&) {
  auto a = std::make_shared<Arguments>();
  auto* c = app.add_subcommand(
      "ride", "check whether the site rides through the sags of a rule: a verdict per band, and the setting to change");
  c->add_option("file", a->file, "scenario file (TOML)")->required();
  c->add_option("--rule", a->ride.rule, "name of a rule in the catalog (tidewatt rules list), or your own file")
      ->type_name("NAME")
      ->required();
  c->add_flag("--as-if", a->ride.as_if, "judge even if the rule does not apply to the site");
  auto* sag =
      c->add_option("--sag", a->ride.sag, "measured voltage to apply: COMTRADE .cfg or .cff")->type_name("FILE");
  c->add_option("--channel", a->ride.channel, "name or number of the one channel to judge; default: every voltage")
      ->type_name("NAME")
      ->needs(sag);
  c->add_option("--voltage", a->ride.voltage_pu, "remaining voltage of your own sag, pu")->check(CLI::Range(0.0, 2.0));
  c->add_option("--duration", a->ride.duration_s, "duration of this sag, s")->check(CLI::Range(0.001, 60.0));
  c->add_option("--repeat", a->ride.n_sag, "number of such sags, for UPS that count")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  c->add_option("--every", a->ride.every_s, "time from the begin of one sag to the begin of the next, s")
      ->check(CLI::Range(0.002, 600.0));
  c->add_option("--instant", a->ride.instant_s, "begin of the sag within an iteration of the largest job, s")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  c->add_option("--phases", a->ride.n_phase, "faulted phases of this sag; 1 or 2 need --transformer")
      ->check(CLI::Range(1, 3))
      ->capture_default_str();
  c->add_option("--transformer", a->ride.transformer,
                "transformer between connection and load; with it, bands are also judged in sags of 1 and 2 phases")
      ->check(CLI::IsMember({"wye_wye", "delta_wye"}));
  c->add_option("--settings", a->ride.settings,
                "settings of the load: an entry of kind load_settings or a file; default: those of the scenario")
      ->type_name("NAME");
  c->add_option("--plot", a->plot, "write a plot of the rule's curve with the site's points (SVG)")->type_name("FILE");
  c->add_option("--current-limit-pu", a->ride.current_limit_pu,
                "largest input current of the supplies over that at nominal voltage; default: constant power")
      ->check(CLI::Range(1.0, 10.0));
  c->add_option("--kV", a->kV, "nominal voltage at the connection, for thresholds that depend on it")
      ->check(CLI::PositiveNumber);
  c->add_option("--set", a->load.set, "override a key, key=value (repeatable)")->type_name("KEY=VALUE");
  c->add_option("--catalog", a->load.catalog_overlay,
                "folder of catalog files that add to or replace the built-in ones")
      ->type_name("FOLDER");
  c->add_flag("--json", a->json, "print JSON");
  c->callback([a] { ride(*a); });
}
