#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"
#include "option_checks.hpp"
#include "study/fit_log.hpp"
#include "study/fit_tables.hpp"

namespace {

using namespace tidewatt;

struct Arguments {
  study::FitTableOptions table;
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

/// Options of one fit to a table, by their words.
void add_table_options(CLI::App& c, const std::vector<std::string>& words, study::FitTableOptions& o) {
  for (const auto& word : words) {
    if (word == "governor")
      c.add_option("--governor", o.governor, "governor entry: how the limiter samples")->type_name("NAME");
    else if (word == "power_window_s")
      c.add_option("--power-window-s", o.power_window_s, "averaging window of each power reading: 1 for most GPUs")
          ->check(within(0.0, 30.0));
    else if (word == "gpu")
      c.add_option("--gpu", o.gpu, "GPU entry: resistances and time constants before the log")->type_name("NAME");
    else if (word == "rear")
      c.add_option("--rear", o.rear, "GPUs of the rear row; default: the second half")->delimiter(',');
    else if (word == "fan_frac")
      c.add_option("--fan-frac", o.fan_frac, "fan speed during the record, 0.05 to 1")->check(within(0.05, 1.0));
    else if (word == "level")
      c.add_option("--level", o.level, "rack, row, hall or site")
          ->check(CLI::IsMember({"rack", "row", "hall", "site"}));
    else if (word == "branches")
      c.add_option("--branches", o.branches, "equal branches in parallel between the meters")->check(within(1, 1e5));
    else if (word == "meter_frac")
      c.add_option("--meter-frac", o.meter_frac, "95 % of the difference between the two meters' gains")
          ->check(within(1e-4, 0.1));
    else if (word == "rated_it_W")
      c.add_option("--rated-it-W", o.rated_it_W, "heat that the plant is built for; default: the largest of the table")
          ->check(within(0, 1e10));
    else if (word == "nodes")
      c.add_option("--nodes", o.nodes, "nodes under watch")->check(within(0, 1e7));
    else if (word == "days")
      c.add_option("--days", o.days, "length of the watch")->check(within(0, 1e5));
    else if (word == "replicas")
      c.add_option("--replicas", o.replicas, "data-parallel replicas, which wait for one another")
          ->check(within(1, 1e6));
    else if (word == "resolution_s")
      c.add_option("--resolution-s", o.resolution_s, "resolution of the log's times")->check(within(0, 60));
  }
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
  for (const auto& fit : study::table_fits()) {
    auto* one = c->add_subcommand(fit.word, fmt::format("{}; columns: {}", fit.help, fit.columns));
    auto* files = one->add_option("files", a->table.files, fmt::format("columns: {}", fit.columns))
                      ->required()
                      ->check(CLI::ExistingFile);
    if (std::string(fit.word) == "clocks")
      files->expected(1, -1);
    else
      files->expected(1);
    common(one, a->table.name);
    one->add_option("--base", a->table.base,
                    fmt::format("entry that gives the values before the log; default {}", fit.base))
        ->type_name("NAME");
    add_table_options(*one, fit.options, a->table);
    one->callback([a, word = std::string(fit.word)] { write(study::fit_table(word, a->table), *a); });
  }
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
