#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "io/durable_file.hpp"
#include "option_checks.hpp"
#include "study/frequency_study.hpp"
#include "study/machine_study.hpp"
#include "study/network_study.hpp"
#include "tidewatt/base/error.hpp"

namespace {

using namespace tidewatt;

/// Options in the units of the command line.
struct Arguments {
  std::string result, out;
  double swing_MW = 0.0, damping_percent = -1.0, deadband_mHz = 36.0, shaft_damping_percent = 0.1;
  study::MachineOptions options;
  study::NetworkOptions network;
  study::FrequencyOptions frequency;
  double step_MW = 0.0, site_MW = 0.0, rating_MW = 0.0;
  bool json = false;
};

void respond(const Arguments& a) {
  const auto run = study::play_waveform(a.result, a.options);
  const std::filesystem::path path = a.out.empty() ? std::filesystem::path(a.result).replace_extension("").string() +
                                                         "_" + run.options.grid_case + ".csv"
                                                   : a.out;
  io::write_durably(path.string(), study::machines_csv(run));
  if (a.json) {
    auto object = nlohmann::ordered_json::parse(study::machines_json(run));
    object["csv"] = path.string();
    fmt::print("{}\n", object.dump());
    return;
  }
  fmt::print("{} on bus {:g} of {}, {:.0f} s of window '{}'\n{}{}\n", a.result, run.bus, run.options.grid_case,
             run.length_s, run.window, study::machines_text(run), path.string());
}

void sweep(const Arguments& a) {
  const auto made = study::sweep_periods(a.options);
  const std::string stem = a.out.empty() ? a.options.grid_case + "_sweep" : a.out;
  io::write_durably(stem + ".csv", study::sweep_csv(made));
  io::write_durably(stem + ".svg", study::sweep_svg(made));
  if (a.json)
    fmt::print("{}\n", study::sweep_json(made));
  else
    fmt::print("{1}{0}.csv\n{0}.svg\n", stem, study::sweep_text(made));
}

/// A network with controls, from the user's files.
void play_network(Arguments& a) {
  auto& o = a.network;
  o.step_W = 1e6 * a.step_MW;
  o.site_W = 1e6 * a.site_MW;
  o.rating_W = 1e6 * a.rating_MW;
  o.catalog_overlay = a.options.catalog_overlay;
  o.result = a.result;
  o.bus = static_cast<std::int64_t>(a.options.bus);
  o.window = a.options.window;
  o.begin_s = a.options.begin_s;
  o.length_s = a.options.length_s;
  const auto run = study::play_network(o);
  const std::filesystem::path of = o.result.empty() ? o.raw : o.result;
  const std::string path = !a.out.empty() ? a.out
                           : o.result.empty()
                               ? of.stem().string() + "_step.csv"
                               : std::filesystem::path(of).replace_extension("").string() + "_network.csv";
  io::write_durably(path, study::network_csv(run));
  if (!a.json) return fmt::print("{}{}\n", study::network_text(run), path);
  auto object = nlohmann::ordered_json::parse(study::network_json(run));
  object["csv"] = path;
  fmt::print("{}\n", object.dump());
}

/// One machine that represents a system.
void play_frequency(Arguments& a) {
  auto& o = a.frequency;
  o.step_W = 1e6 * a.step_MW;
  o.result = a.result;
  o.window = a.options.window;
  o.at_s = a.network.at_s;
  o.length_s = a.options.length_s;
  o.catalog_overlay = a.options.catalog_overlay;
  const auto run = study::play_frequency(o);
  const std::string path = !a.out.empty() ? a.out
                           : o.result.empty()
                               ? o.grid + "_step.csv"
                               : std::filesystem::path(o.result).replace_extension("").string() + "_frequency.csv";
  io::write_durably(path, study::frequency_csv(run));
  if (!a.json) return fmt::print("{}{}\n", study::frequency_text(run), path);
  auto object = nlohmann::ordered_json::parse(study::frequency_json(run));
  object["csv"] = path;
  fmt::print("{}\n", object.dump());
}

void machines(Arguments a) {
  if (!a.frequency.reserves.empty() && a.frequency.grid.empty()) throw InputError("machines: --reserves needs --grid");
  if (!a.frequency.grid.empty()) {
    if (!a.network.raw.empty()) throw InputError("machines: --grid and --raw are two systems; name one");
    return play_frequency(a);
  }
  if (a.network.raw.empty() != a.network.dyr.empty()) throw InputError("machines: --raw and --dyr belong together");
  if (!a.network.raw.empty() && !(a.swing_MW > 0.0)) return play_network(a);
  if (a.result.empty() == !(a.swing_MW > 0.0)) throw InputError("machines: name either a result file or --swing-MW");
  a.options.swing_W = a.swing_MW * 1e6;
  a.options.raw = a.network.raw;
  a.options.dyr = a.network.dyr;
  a.options.loads = a.network.loads;
  a.options.shaft = a.network.shaft;
  a.options.damping_frac = 0.01 * a.damping_percent;
  a.options.deadband_Hz = 1e-3 * a.deadband_mHz;
  a.options.shaft_damping_frac = 0.01 * a.shaft_damping_percent;
  if (a.result.empty())
    sweep(a);
  else
    respond(a);
}

}  // namespace

void add_machines_command(CLI::App& app, int&) {
  auto a = std::make_shared<Arguments>();
  auto* c = app.add_subcommand(
      "machines", "apply a run's waveform, or square waves of every period, to a power system of several machines");
  c->add_option("result", a->result, "result file with a recorded window; without one: --swing-MW");
  c->add_option("--case", a->options.grid_case, "catalog entry of kind grid_case: kundur_two_area, ieee9, ieee39, …")
      ->type_name("NAME")
      ->capture_default_str();
  c->add_option("--bus", a->options.bus, "number of the bus where the site connects; 0: the one with the largest load")
      ->check(within(0, 1e6))
      ->capture_default_str();
  c->add_option("--window", a->options.window, "recorded window; default: the only one")->type_name("NAME");
  c->add_option("--begin-s", a->options.begin_s, "begin, s since the start of the window")
      ->check(within(0, 86400))
      ->capture_default_str();
  c->add_option("--length-s", a->options.length_s, "length to simulate")
      ->check(within(10.0, 86400.0))
      ->capture_default_str();
  c->add_option("--swing-MW", a->swing_MW, "sweep: height of the square wave")->check(within(0.001, 1e5));
  c->add_option("--from-s", a->options.from_s, "sweep: shortest period")
      ->check(within(0.1, 1000.0))
      ->capture_default_str();
  c->add_option("--to-s", a->options.to_s, "sweep: longest period")->check(within(0.1, 1000.0))->capture_default_str();
  c->add_option("--points", a->options.points, "sweep: number of periods")
      ->check(within(2, 10000))
      ->capture_default_str();
  c->add_option("--duty", a->options.duty_frac, "sweep: fraction of the period at the high level")
      ->check(within(0.01, 0.99))
      ->capture_default_str();
  c->add_option("--damping-percent", a->damping_percent, "sweep: damping of every swing mode; default: as in the case")
      ->check(within(0.0, 100.0));
  c->add_option("--deadband-mHz", a->deadband_mHz, "sweep: allowed frequency deviation")
      ->check(within(0.01, 1e4))
      ->capture_default_str();
  c->add_option("--shaft-Hz", a->options.shaft_Hz,
                "frequency of a shaft mode of a turbine nearby, to be checked (repeatable)")
      ->allow_extra_args(false)
      ->check(within(0.5, 200.0));
  c->add_option("--shaft-damping-percent", a->shaft_damping_percent, "damping of these modes (assumed, 0.01 to 1)")
      ->check(within(0.001, 40.0))
      ->capture_default_str();
  a->frequency.grid.clear();
  c->add_option("--grid", a->frequency.grid,
                "one machine that represents a system: catalog entry of kind grid; with --step-MW or a result")
      ->type_name("NAME");
  c->add_option("--reserves", a->frequency.reserves,
                "with --grid: catalog entry of kind frequency_reserves: deadband, fast reserve, under-frequency stages")
      ->type_name("NAME");
  c->add_option("--raw", a->network.raw,
                "network of your own with controls: RAW file, revision 32 or 33; with --dyr, and --step-MW, --trip, "
                "--swing-MW or a "
                "result")
      ->type_name("FILE");
  c->add_option(
       "--dyr", a->network.dyr,
       "DYR file of the network, with records GENROU, GENCLS, SEXS, ESAC1A, IEEET1, TGOV1, GAST, HYGOV, IEEEST, "
       "REGCA1, REECB1, REPCA1")
      ->type_name("FILE");
  c->add_option("--step-MW", a->step_MW, "network: change of the site's load; below 0: load that is lost")
      ->check(within(-1e6, 1e6));
  c->add_option("--ramp-s", a->network.ramp_s, "network: duration of this change; 0: a step")
      ->check(within(0.0, 3600.0))
      ->capture_default_str();
  c->add_option("--trip", a->network.trip, "network: generating unit to switch off")->type_name("BUS-ID");
  c->add_option("--at-s", a->network.at_s, "network: time at which the step, ramp or trip begins")
      ->check(within(0.1, 3600.0))
      ->capture_default_str();
  c->add_option(
       "--dispatch-s", a->network.dispatch_s,
       "network, result: the mean over this time from --begin-s on is dispatched; the simulation begins after it")
      ->check(within(0.1, 3600.0))
      ->capture_default_str();
  c->add_option("--loads", a->network.loads, "network: quantity that its loads keep constant")
      ->check(CLI::IsMember({"impedance", "current", "power"}))
      ->capture_default_str();
  c->add_option(
       "--site", a->network.site,
       "network: quantity that the site keeps constant; supplies: a model that responds to voltage and frequency")
      ->check(CLI::IsMember({"impedance", "current", "power", "supplies"}))
      ->capture_default_str();
  c->add_option("--site-MW", a->site_MW, "supplies: their initial load; default with a result: the dispatched power")
      ->check(within(0.001, 1e6));
  c->add_option("--rating-MW", a->rating_MW, "supplies: rated power; default: the initial load")
      ->check(within(0.001, 1e6));
  c->add_option("--control", a->network.control, "supplies: catalog entry of kind supply_control")
      ->type_name("NAME")
      ->capture_default_str();
  c->add_option("--gain", a->network.gain_ratio, "supplies: loop gain relative to that of the control")
      ->check(within(0.01, 100.0))
      ->capture_default_str();
  c->add_option("--shaft", a->network.shaft,
                "network: output of a governor: power (torque falls as speed rises) or torque")
      ->check(CLI::IsMember({"power", "torque"}))
      ->capture_default_str();
  c->add_option("--time-step-s", a->network.time_step_s, "network: time step of the solution")
      ->check(within(1e-4, 0.05))
      ->capture_default_str();
  c->add_option("--out", a->out, "response, network: CSV file to write; sweep: stem of the CSV and SVG files")
      ->type_name("FILE");
  c->add_option("--catalog", a->options.catalog_overlay,
                "folder of catalog files that add to or replace the built-in ones")
      ->type_name("FOLDER");
  c->add_flag("--json", a->json, "print one JSON object");
  c->callback([a] { machines(*a); });
}
