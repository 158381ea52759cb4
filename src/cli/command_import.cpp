#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "python_module.hpp"
#include "tidewatt/base/error.hpp"

namespace {

const std::vector<std::string> kinds = {"mllog",    "nvidia-smi", "prometheus", "rocm-smi", "redfish", "kineto",
                                        "sacct",    "squeue",     "sinfo",      "price",    "carbon",  "weather",
                                        "requests", "power",      "csv",        "auto"};

struct Arguments {
  std::string kind, out, report, time_zone, metric, name = "profile";
  std::vector<std::string> files, columns, units;
  double align_s = 0.0;
  bool strict = false;
};

/// The readers are Python's, so that the command and `tw.read_…` are one.
int import(const Arguments& a, bool align) {
  for (const auto& file : a.files)
    if (!std::filesystem::exists(file)) throw tidewatt::InputError(fmt::format("{}: no such file", file));
  std::vector<std::string> arguments = {"--out", a.out, "--name", a.name};
  for (const auto& c : a.columns) arguments.insert(arguments.end(), {"--column", c});
  for (const auto& u : a.units) arguments.insert(arguments.end(), {"--unit", u});
  if (!a.metric.empty()) arguments.insert(arguments.end(), {"--metric", a.metric});
  if (!a.time_zone.empty()) arguments.insert(arguments.end(), {"--time-zone", a.time_zone});
  if (!a.report.empty()) arguments.insert(arguments.end(), {"--report", a.report});
  if (align) arguments.push_back(fmt::format("--align={}", a.align_s));
  if (a.strict) arguments.emplace_back("--strict");
  arguments.insert(arguments.end(), {"--", a.kind});
  arguments.insert(arguments.end(), a.files.begin(), a.files.end());
  return run_python_module("importers", arguments);
}

}  // namespace

void add_import_command(CLI::App& app, int& exit_code) {
  auto a = std::make_shared<Arguments>();
  auto* c = app.add_subcommand("import", "convert your logs into tables that the other commands read");
  c->add_option("kind", a->kind, "type of the log; auto detects it from the content")
      ->required()
      ->check(CLI::IsMember(kinds));
  c->add_option("files", a->files, "log files, or folders of them")->required()->expected(1, -1);
  c->add_option("-o,--out", a->out, "file to write: .csv, .parquet, or .toml for a workload entry")
      ->type_name("FILE")
      ->required();
  c->add_option("--column", a->columns, "NAME=COLUMN: which column of a table is time, power, temperature, …")
      ->type_name("NAME=COLUMN")
      ->allow_extra_args(false);
  c->add_option("--unit", a->units, "NAME=UNIT if a column's name does not end with the unit, e.g. power=kW")
      ->type_name("NAME=UNIT")
      ->allow_extra_args(false);
  c->add_option("--metric", a->metric,
                "name of the Prometheus metric of series without one, e.g. DCGM_FI_DEV_POWER_USAGE")
      ->type_name("NAME");
  c->add_option("--time-zone", a->time_zone,
                "IANA name of the clock that wrote times without an offset, e.g. Europe/Berlin")
      ->type_name("ZONE");
  auto* align =
      c->add_option("--align", a->align_s,
                    "shift the clocks of all nodes to that of the first; iteration time in s, 0: found by the command")
          ->check(CLI::Range(0.0, 3600.0));
  c->add_option("--name", a->name, "name of the workload entry")->type_name("NAME");
  c->add_option("--report", a->report, "write rows read, repaired and ignored, with reasons, to this JSON file")
      ->type_name("FILE");
  c->add_flag("--strict", a->strict, "treat any warning as an error");
  c->callback([a, align, &exit_code] { exit_code = import(*a, align->count() > 0); });
}
