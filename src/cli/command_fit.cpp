#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "option_checks.hpp"
#include "tidewatt/study/fit_log.hpp"

namespace {

using namespace tidewatt;

struct Arguments {
  study::FitGpuOptions gpu;
  study::FitNodesOptions nodes;
  std::string file, name, out = ".";
};

void write(const study::FittedEntry& entry, const std::string& folder) {
  fmt::print("{}", entry.text);
  const auto path = study::write_entry(entry, folder);
  fmt::print("{}: `--catalog {}` makes it {} '{}'\n", path, folder, entry.kind, entry.name);
}

}  // namespace

void add_fit_command(CLI::App& app, int&) {
  auto a = std::make_shared<Arguments>();
  auto* c = app.add_subcommand("fit", "fit parameters to telemetry, with intervals, as a catalog entry");
  c->require_subcommand(1);
  const auto common = [&](CLI::App* one, std::string& file, std::string& name, const char* what) {
    one->add_option("file", file, what)->required()->check(CLI::ExistingFile);
    one->add_option("--name", name, "name of the new entry")->type_name("NAME")->required()->check(entry_name());
    one->add_option("--out", a->out, "catalog folder to write into")->type_name("FOLDER");
  };
  auto* gpu = c->add_subcommand("gpu", "thermal poles and leakage of a GPU from nvidia-smi, DCGM or generic CSV");
  common(gpu, a->gpu.file, a->gpu.name, "telemetry: time, power, temperature, clock");
  gpu->add_option("--base", a->gpu.base, "gpu entry that gives what telemetry cannot")->type_name("NAME");
  gpu->add_option("--gpu", a->gpu.gpu, "which GPU of the file; the first when not given")->type_name("NAME");
  gpu->add_option("--before-W", a->gpu.before_W, "power at which the GPU rested before the record; its first power when not given")
      ->check(within(0, 1e5));
  gpu->add_option("--power-delay-s", a->gpu.power_delay_s, "half the window of the power readings: 0.5 for a 1 s mean, 0 for instants")
      ->check(within(0.0, 30.0));
  gpu->add_option("--fan-frac", a->gpu.fan_frac, "fan speed during the record, 0.05 to 1")->check(within(0.05, 1.0));
  gpu->callback([a] { write(study::fit_gpu_log(a->gpu), a->out); });
  auto* nodes = c->add_subcommand("nodes", "power levels, dips and notches of nodes from power logs");
  common(nodes, a->nodes.file, a->nodes.name, "power log: time_ms or time_s, then one column of watts per node");
  nodes->add_option("--events", a->nodes.events, "job events: time_ms, type, key, value, metadata")->type_name("FILE")->check(CLI::ExistingFile);
  nodes->add_option("--meter-period-s", a->nodes.meter_period_s, "time between the meters' publications")->check(within(0.01, 60.0));
  nodes->add_option("--iterations-per-token", a->nodes.iterations_per_token, "iterations of a block ÷ its tokens; 0: iterations not resolved")
      ->check(within(0, 1e6));
  nodes->callback([a] { write(study::fit_nodes_log(a->nodes), a->out); });
  auto* fans = c->add_subcommand("fans", "air, resistances and fan loop from temperatures at rest or hourly means");
  common(fans, a->file, a->name, "power_mean_W, power_min_W, power_max_W, temperature_mean_degC");
  fans->callback([a] { write(study::fit_fans_log(a->file, a->name), a->out); });
  auto* overhead = c->add_subcommand("overhead", "a node's power against the sum of its GPUs");
  common(overhead, a->file, a->name, "gpu_sum_W, node_W");
  overhead->callback([a] { write(study::fit_overhead_log(a->file, a->name), a->out); });
}
