#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "option_checks.hpp"
#include "python_module.hpp"

namespace {

struct Arguments {
  std::vector<std::string> files;
  std::string name, out = ".", base = "h100_sxm_700W", gpu, update;
  double before_W = 0.0, power_window_s = 1.0, fan_frac = 1.0, limit_s = 600.0;
  int draws = 2000, seed = 1;
  bool json = false, population = false;
};

/// The sampler is in Python (emcee); its density is in the library.
void calibrate(const Arguments& a, bool rested) {
  std::vector<std::string> arguments = a.files;
  for (const auto& option :
       {fmt::format("--name={}", a.name), fmt::format("--out={}", a.out), fmt::format("--base={}", a.base),
        fmt::format("--power-window-s={}", a.power_window_s), fmt::format("--fan-frac={}", a.fan_frac),
        fmt::format("--draws={}", a.draws), fmt::format("--seed={}", a.seed), fmt::format("--limit-s={}", a.limit_s)})
    arguments.push_back(option);
  if (!a.gpu.empty()) arguments.push_back("--gpu=" + a.gpu);
  if (!a.update.empty()) arguments.push_back("--update=" + a.update);
  if (a.population) arguments.emplace_back("--population");
  if (rested) arguments.push_back(fmt::format("--before-W={}", a.before_W));
  if (a.json) arguments.emplace_back("--json");
  become_python_module("calibration", arguments);
}

}  // namespace

void add_calibrate_command(CLI::App& app, int&) {
  auto a = std::make_shared<Arguments>();
  auto* c = app.add_subcommand(
      "calibrate",
      "sample thermal poles and leakage of a GPU, or of a type and its chips, from logs, for forecasts with bands");
  c->add_option("files", a->files, "telemetry: time, power, temperature, clock; energy_J if available")
      ->required()
      ->check(CLI::ExistingFile)
      ->expected(1, -1);
  c->add_option("--name", a->name, "name of the catalog entry")->type_name("NAME")->required()->check(entry_name());
  c->add_option("--out", a->out, "folder to write into: gpu/NAME.toml and NAME.calibration.json")
      ->type_name("FOLDER")
      ->capture_default_str();
  c->add_option("--base", a->base, "GPU entry for the priors and all values that logs cannot give")
      ->type_name("NAME")
      ->capture_default_str();
  c->add_option("--gpu", a->gpu, "the GPU to use, if a file has several")->type_name("NAME");
  c->add_flag("--population", a->population,
              "calibrate all GPUs of the logs: the type, and the scatter of resistances and leakage between chips");
  c->add_option("--update", a->update, "an earlier calibration, whose posterior becomes the prior")
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
  auto* before = c->add_option("--before-W", a->before_W, "power of the GPU before each log; default: unknown")
                     ->check(within(0, 1e5));
  c->add_option("--power-window-s", a->power_window_s, "averaging window of each power reading; 0: instantaneous")
      ->check(within(0.0, 30.0))
      ->capture_default_str();
  c->add_option("--fan-frac", a->fan_frac, "fan speed during the logs")
      ->check(within(0.05, 1.0))
      ->capture_default_str();
  c->add_option("--draws", a->draws, "number of draws to keep")->check(within(200, 20000))->capture_default_str();
  c->add_option("--seed", a->seed, "seed of the sampler")->check(CLI::NonNegativeNumber)->capture_default_str();
  c->add_option("--limit-s", a->limit_s, "wall time after which sampling ends, finished or not")
      ->check(within(1.0, 1e6))
      ->capture_default_str();
  c->add_flag("--json", a->json, "print one JSON object: low, high and identified per parameter, logs, sampling");
  c->callback([a, before] { calibrate(*a, before->count() > 0); });
}
