#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "io/durable_file.hpp"
#include "option_checks.hpp"
#include "study/replay_log.hpp"

namespace {

struct Arguments {
  tidewatt::study::ReplayOptions options;
  double inlet_degC = 0.0;
  std::string out, hall_out;
  bool json = false;
};

void replay(const Arguments& a) {
  const auto report = tidewatt::study::replay_log(a.options);
  if (!a.hall_out.empty() && report.hall)
    tidewatt::io::write_durably(a.hall_out, tidewatt::study::replay_hall_csv(report));
  if (!a.out.empty()) tidewatt::io::write_durably(a.out, tidewatt::study::replay_csv(report));
  fmt::print("{}", a.json ? tidewatt::study::replay_json(report) + "\n" : tidewatt::study::replay_text(report));
}

}  // namespace

void add_replay_command(CLI::App& app, int&) {
  auto a = std::make_shared<Arguments>();
  auto& o = a->options;
  auto* c = app.add_subcommand("replay",
                               "drive a server model with measured GPU watts, activity or clocks; compare "
                               "temperatures, clocks and node watts with the log");
  c->add_option("log", o.file, "telemetry: time, gpu, power, temperature, clock")->required()->check(CLI::ExistingFile);
  c->add_option("--server", o.server, "catalog server")->type_name("NAME")->required();
  c->add_option("--gpu", o.gpu, "catalog entry of the GPU, e.g. one made by `fit gpu`")
      ->type_name("NAME")
      ->capture_default_str();
  c->add_option("--catalog", o.catalog, "folder of catalog files that add to or replace the built-in ones")
      ->type_name("FOLDER");
  c->add_option("--host", o.host, "host of the log; default: the first")->type_name("NAME");
  c->add_option("--node-log", o.node_log, "measured node power: time, then watts")
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
  c->add_option("--drive", o.drive,
                "quantity that drives the model: power, or activity or clock, from which the GPU model gives the power")
      ->check(CLI::IsMember({"power", "activity", "clock"}))
      ->capture_default_str();
  auto* inlet = c->add_option("--inlet-degC", a->inlet_degC,
                              "temperature of the air into the server, or of the liquid into its plates; default: the "
                              "log's inlet_degC, or fitted")
                    ->check(within(-20.0, 60.0));
  c->add_option("--power-window-s", o.power_window_s, "averaging window of each power reading")
      ->check(within(0.0, 30.0))
      ->capture_default_str();
  c->add_option("--cap-W", o.cap_W, "power limit; default: the log's limit_W, or that of the GPU")
      ->check(within(0.0, 1e4));
  auto& hall = o.hall;
  auto* plant = c->add_option("--plant", hall.plant, "cooling plant of a hall of such servers")->type_name("NAME");
  auto* servers = c->add_option("--servers", hall.n_server, "number of servers in the hall, with those of the log")
                      ->check(within(1, 1e6));
  plant->needs(servers), servers->needs(plant);
  c->add_option("--climate", hall.climate, "climate of the hall")->type_name("NAME")->capture_default_str();
  c->add_option("--weather", hall.weather_epw, "weather file, EPW or CSV; replaces the climate")
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
  c->add_option("--altitude-m", hall.altitude_m, "altitude, for a CSV file without pressures")
      ->check(within(-500, 9000))
      ->capture_default_str();
  c->add_option("--year", hall.year, "year of the climate: typical, hot or extreme")
      ->check(CLI::IsMember({"typical", "hot", "extreme"}))
      ->capture_default_str();
  c->add_option("--day", hall.day, "day of the year at which the log begins")
      ->check(within(1.0, 366.0))
      ->capture_default_str();
  c->add_option("--hour", hall.hour, "hour of that day, local standard time")
      ->check(within(0.0, 24.0))
      ->capture_default_str();
  c->add_option("--seed", hall.seed, "seed of drawn servers and of the climate's days")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  c->add_option("--hall-out", a->hall_out, "CSV file of the hall: power, air and dies every 10 s")->type_name("FILE");
  c->add_option("-o,--out", a->out, "CSV file of measured and predicted temperatures")->type_name("FILE");
  c->add_flag("--json", a->json, "print one JSON object");
  c->callback([a, inlet] {
    if (inlet->count()) a->options.inlet_degC = a->inlet_degC;
    replay(*a);
  });
}
