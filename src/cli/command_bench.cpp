#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/bench.hpp"
#include "commands.hpp"
#include "option_checks.hpp"

namespace {

struct Arguments {
  tidewatt::bench::Options options;
  bool json = false;
};

void bench(Arguments a) {
  if (!a.json)
    a.options.on_figure = [](const tidewatt::bench::Figure& f) {
      fmt::print("{:<32} {:>12}  {}\n", f.key, std::isfinite(f.value) ? fmt::format("{:.4g}", f.value) : "-", f.how);
      std::fflush(stdout);
    };
  const auto figures = tidewatt::bench::run_benchmarks(a.options);
  if (!a.json) return;
  nlohmann::ordered_json values, how;
  for (const auto& f : figures) {
    values[f.key] = std::isfinite(f.value) ? nlohmann::ordered_json(f.value) : nlohmann::ordered_json();
    how[f.key] = f.how;
  }
  values["how"] = how;
  fmt::print("{}\n", values.dump(2));
}

}  // namespace

void add_bench_command(CLI::App& app, int&) {
  auto a = std::make_shared<Arguments>();
  auto* c = app.add_subcommand(
      "bench", "measure the speed of the engine on this machine, against CVODE, peak arithmetic and memory bandwidth");
  c->add_flag("--json", a->json, "print the figures as one JSON object");
  c->add_flag("--quick", a->options.quick, "take seconds instead of minutes: fewer GPUs, no whole runs");
  c->add_flag("--grid-only", a->options.grid_only, "measure only the processing of a site's waveform");
  c->add_option("--scenarios", a->options.scenarios, "folder with the scenario files")
      ->type_name("FOLDER")
      ->capture_default_str();
  c->add_option("--threads", a->options.n_thread, "threads of the measurements on all cores; 0: all cores")
      ->check(worker_count())
      ->capture_default_str();
  c->callback([a] { bench(*a); });
}
