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
                               "measured GPU watts, activity or clocks through a server's physics: predicted against "
                               "measured temperatures, clocks, node watts");
  c->add_option("log", o.file, "telemetry: time, gpu, power, temperature, clock")->required()->check(CLI::ExistingFile);
  c->add_option("--server", o.server, "catalog server")->type_name("NAME")->required();
  c->add_option("--gpu", o.gpu, "catalog gpu, e.g. one that `fit gpu` made")->type_name("NAME")->capture_default_str();
  c->add_option("--catalog", o.catalog, "folder of catalog files that add to or replace the built-in ones")
      ->type_name("FOLDER");
  c->add_option("--host", o.host, "which host of the log; the first when not given")->type_name("NAME");
  c->add_option("--node-log", o.node_log, "measured node power: time, then watts")
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
  c->add_option("--drive", o.drive,
                "what drives the packages: power; or activity or clock, from which the gpu's model gives it")
      ->check(CLI::IsMember({"power", "activity", "clock"}))
      ->capture_default_str();
  auto* inlet =
      c->add_option("--inlet-degC", a->inlet_degC,
                    "air into the server, or liquid into its plates; the log's inlet_degC, or fitted, when not given")
          ->check(within(-20.0, 60.0));
  c->add_option("--power-window-s", o.power_window_s, "trailing mean behind each power reading")
      ->check(within(0.0, 30.0))
      ->capture_default_str();
  c->add_option("--cap-W", o.cap_W, "power limit; the log's limit_W, or the gpu's own, when not given")
      ->check(within(0.0, 1e4));
  auto& hall = o.hall;
  auto* plant = c->add_option("--plant", hall.plant, "catalog plant of a hall of such servers")->type_name("NAME");
  auto* servers = c->add_option("--servers", hall.n_server, "servers of the hall; those of the log are among them")
                      ->check(within(1, 1e6));
  plant->needs(servers), servers->needs(plant);
  c->add_option("--climate", hall.climate, "of the hall")->type_name("NAME")->capture_default_str();
  c->add_option("--weather", hall.weather_epw, "EPW file; wins over the climate")
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
  c->add_option("--year", hall.year, "of the climate: typical, hot or extreme")
      ->check(CLI::IsMember({"typical", "hot", "extreme"}))
      ->capture_default_str();
  c->add_option("--day", hall.day, "of the year, when the log begins")
      ->check(within(1.0, 366.0))
      ->capture_default_str();
  c->add_option("--hour", hall.hour, "of that day, local standard time")
      ->check(within(0.0, 24.0))
      ->capture_default_str();
  c->add_option("--seed", hall.seed, "of drawn servers and the climate's days")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  c->add_option("--hall-out", a->hall_out, "CSV of the hall: watts, air, dies every 10 s")->type_name("FILE");
  c->add_option("-o,--out", a->out, "CSV of measured and predicted temperatures")->type_name("FILE");
  c->add_flag("--json", a->json, "print one JSON object");
  c->callback([a, inlet] {
    if (inlet->count()) a->options.inlet_degC = a->inlet_degC;
    replay(*a);
  });
}
