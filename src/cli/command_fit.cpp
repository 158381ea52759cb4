#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "option_checks.hpp"
#include "study/fit_log.hpp"

namespace {

using namespace tidewatt;

struct Arguments {
  study::FitGpuOptions gpu;
  study::FitNodesOptions nodes;
  std::string file, name, out = ".";
  bool json = false, force = false;
};

void write(const study::FittedEntry& entry, const Arguments& a) {
  fmt::print("{}", a.json ? study::fit_json(entry) + "\n" : entry.text);
  const auto path = study::write_entry(entry, a.out, a.force);
  if (!a.json) fmt::print("{}: `--catalog {}` makes it {} '{}'\n", path, a.out, entry.kind, entry.name);
}

}  // namespace

void add_fit_command(CLI::App& app, int&) {
  auto a = std::make_shared<Arguments>();
  auto* c = app.add_subcommand("fit", "fit parameters to telemetry and write them as a catalog entry, with intervals");
  c->require_subcommand(1);
  const auto common = [&](CLI::App* one, std::string& name) {
    one->add_option("--name", name, "name of the new entry")->type_name("NAME")->required()->check(entry_name());
    one->add_option("--out", a->out, "catalog folder to write into")->type_name("FOLDER");
    one->add_flag("--json", a->json,
                  "print one JSON object: low, high and identified per parameter, residuals and their spectrum");
    one->add_flag("--force", a->force, "write the entry even if a value is at the edge of its search range");
  };
  auto* gpu = c->add_subcommand("gpu", "thermal poles and leakage of GPUs from nvidia-smi, DCGM or imported tables");
  gpu->add_option("files", a->gpu.files, "telemetry: time, power, temperature, clock; energy_J if available")
      ->required()
      ->check(CLI::ExistingFile)
      ->expected(1, -1);
  common(gpu, a->gpu.name);
  gpu->add_option("--base", a->gpu.base, "GPU entry for all values that telemetry cannot give")->type_name("NAME");
  gpu->add_option("--gpu", a->gpu.gpu, "the GPU to use; default: all")->type_name("NAME");
  gpu->add_option("--before-W", a->gpu.before_W, "power of the GPUs before the record; default: fitted")
      ->check(within(0, 1e5));
  gpu->add_option("--power-window-s", a->gpu.power_window_s,
                  "averaging window of each power reading: 1 for most GPUs; 0: instantaneous")
      ->check(within(0.0, 30.0));
  gpu->add_option("--fan-frac", a->gpu.fan_frac, "fan speed during the record, 0.05 to 1")->check(within(0.05, 1.0));
  gpu->callback([a] { write(study::fit_gpu_log(a->gpu), *a); });
  auto* nodes = c->add_subcommand("nodes", "power levels, dips and notches of nodes from power logs");
  nodes->add_option("file", a->nodes.file, "power log: time_ms or time_s, then one column of watts per node")
      ->required()
      ->check(CLI::ExistingFile);
  common(nodes, a->nodes.name);
  nodes->add_option("--events", a->nodes.events, "job events: time_ms, type, key, value, metadata")
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
  nodes->add_option("--meter-period-s", a->nodes.meter_period_s, "time between the meters' publications")
      ->check(within(0.01, 60.0));
  nodes
      ->add_option("--iterations-per-token", a->nodes.iterations_per_token,
                   "iterations of a block ÷ its tokens; 0: do not resolve iterations")
      ->check(within(0, 1e6));
  nodes->callback([a] { write(study::fit_nodes_log(a->nodes), *a); });
  auto* fans = c->add_subcommand("fans", "air, resistances and fan loop from temperatures at rest or hourly means");
  fans->add_option("file", a->file, "power_mean_W, power_min_W, power_max_W, temperature_mean_degC")
      ->required()
      ->check(CLI::ExistingFile);
  common(fans, a->name);
  fans->callback([a] { write(study::fit_fans_log(a->file, a->name), *a); });
  auto* overhead = c->add_subcommand("overhead", "a node's power against the sum of its GPUs");
  overhead->add_option("file", a->file, "gpu_sum_W, node_W")->required()->check(CLI::ExistingFile);
  common(overhead, a->name);
  overhead->callback([a] { write(study::fit_overhead_log(a->file, a->name), *a); });
}
