#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "io/durable_file.hpp"
#include "option_checks.hpp"
#include "study/stability_study.hpp"

namespace {

using namespace tidewatt;

/// Options in the units of the command line.
struct Arguments {
  double load_MW = 0.0, rating_MW = 0.0, short_circuit_MVA = 0.0, fit_stable_MW = 0.0, fit_unstable_MW = 0.0;
  std::string out = "stability";
  study::StabilityOptions options;
  bool json = false;
};

void stability(Arguments a) {
  auto& o = a.options;
  o.load_W = 1e6 * a.load_MW;
  o.rating_W = 1e6 * a.rating_MW;
  o.short_circuit_VA = 1e6 * a.short_circuit_MVA;
  o.fit_stable_W = 1e6 * a.fit_stable_MW;
  o.fit_unstable_W = 1e6 * a.fit_unstable_MW;
  const auto s = study::site_stability(o);
  std::vector<std::string> files;
  const auto write = [&](const std::string& path, const std::string& text) {
    io::write_durably(path, text);
    files.push_back(path);
  };
  if (!s.trace.time_s.empty()) write(a.out + ".csv", study::stability_csv(s));
  if (!s.cells.empty()) write(a.out + "_map.csv", study::stability_map_csv(s));
  if (!s.cells.empty() || !s.trace.time_s.empty()) write(a.out + ".svg", study::stability_svg(s));
  if (!a.json) {
    fmt::print("{}", study::stability_text(s));
    for (const auto& path : files) fmt::print("{}\n", path);
    return;
  }
  auto object = nlohmann::ordered_json::parse(study::stability_json(s));
  object["files"] = files;
  fmt::print("{}\n", object.dump());
}

}  // namespace

void add_stability_command(CLI::App& app, int&) {
  auto a = std::make_shared<Arguments>();
  auto* c =
      app.add_subcommand("stability", "find the load from which a site's power supplies oscillate with the network");
  c->add_option("--load-MW", a->load_MW, "load of the supplies")->required()->check(within(0.001, 1e6));
  c->add_option("--short-circuit-MVA", a->short_circuit_MVA, "short-circuit power at the connection")
      ->required()
      ->check(within(0.001, 1e7));
  c->add_option("--rating-MW", a->rating_MW, "rated power of the supplies; default: the load")
      ->check(within(0.001, 1e6));
  c->add_option("--x-over-r", a->options.x_over_r_ratio, "X/R of the connection")
      ->check(within(0.0, 1000.0))
      ->capture_default_str();
  c->add_option("--source-pu", a->options.source_pu, "voltage behind the impedance")
      ->check(within(0.5, 1.5))
      ->capture_default_str();
  c->add_option("--nominal-Hz", a->options.nominal_Hz, "frequency of the mains")
      ->check(within(10.0, 400.0))
      ->capture_default_str();
  c->add_option("--control", a->options.control, "catalog entry of kind supply_control")
      ->type_name("NAME")
      ->capture_default_str();
  c->add_option("--gain", a->options.gain_ratio, "loop gain relative to that of the control")
      ->check(within(0.01, 100.0))
      ->capture_default_str();
  c->add_option("--link-filter-s", a->options.link_filter_s,
                "lag of the measured link energy; default: as in the control")
      ->check(within(1e-4, 1.0));
  c->add_flag("--map", a->options.map, "also write the onset over short-circuit ratio and loop gain, as SVG and CSV");
  c->add_option("--scr-from", a->options.ratio_from, "map, fit: lowest short-circuit power over the supplies' rating")
      ->check(within(0.1, 1e4))
      ->capture_default_str();
  c->add_option("--scr-to", a->options.ratio_to, "map, fit: highest")->check(within(0.1, 1e4))->capture_default_str();
  c->add_option("--gain-from", a->options.gain_from, "map, fit: lowest loop gain")
      ->check(within(0.01, 100.0))
      ->capture_default_str();
  c->add_option("--gain-to", a->options.gain_to, "map, fit: highest")
      ->check(within(0.01, 100.0))
      ->capture_default_str();
  c->add_option("--points", a->options.points,
                "map: number of values of each axis; fit: half the number of loop gains to try")
      ->check(within(2, 200))
      ->capture_default_str();
  c->add_option("--fit-stable-MW", a->fit_stable_MW, "fit an observed event: no oscillation at this load")
      ->check(within(0.001, 1e6));
  c->add_option("--fit-unstable-MW", a->fit_unstable_MW, "fit: oscillation from this load on")
      ->check(within(0.001, 1e6));
  c->add_option("--fit-Hz", a->options.fit_Hz, "fit: frequency of this oscillation")->check(within(0.01, 500.0));
  c->add_option("--fit-within-Hz", a->options.fit_within_Hz, "fit: tolerance of the frequency")
      ->check(within(0.0, 100.0))
      ->capture_default_str();
  c->add_option("--out", a->out, "stem of the files to write: .csv (trace), .svg, _map.csv")
      ->type_name("STEM")
      ->capture_default_str();
  c->add_option("--catalog", a->options.catalog_overlay,
                "folder of catalog files that add to or replace the built-in ones")
      ->type_name("FOLDER");
  c->add_flag("--json", a->json, "print one JSON object");
  c->callback([a] { stability(*a); });
}
