#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "option_checks.hpp"
#include "python_module.hpp"

namespace {

struct Arguments {
  std::string out = "gpu.csv", load = "matrix", command, source = "auto", nvml, nvidia_smi, cudart, cublas, cuda, nvrtc;
  std::vector<int> gpus;
  double sample_s = 0.05, scale = 1.0, low_W = 0.0, high_W = 0.0;
  int size = 4096;
  bool works = false, change_clocks = false, change_cap = false, plan = false;
};

/// The recorder is in Python and independent: its folder runs on machines without tidewatt.
void log(const Arguments& a, bool low, bool high) {
  std::vector<std::string> arguments = {"--out",
                                        a.out,
                                        "--load",
                                        a.load,
                                        "--source",
                                        a.source,
                                        fmt::format("--sample-s={}", a.sample_s),
                                        fmt::format("--scale={}", a.scale),
                                        fmt::format("--size={}", a.size)};
  for (const int gpu : a.gpus) arguments.push_back(fmt::format("--gpu={}", gpu));
  if (low) arguments.push_back(fmt::format("--low-W={}", a.low_W));
  if (high) arguments.push_back(fmt::format("--high-W={}", a.high_W));
  const auto text = [&](const char* name, const std::string& value) {
    if (!value.empty()) arguments.push_back(fmt::format("--{}={}", name, value));
  };
  text("command", a.command);
  text("nvml", a.nvml);
  text("nvidia-smi", a.nvidia_smi);
  text("cudart", a.cudart);
  text("cublas", a.cublas);
  text("cuda", a.cuda);
  text("nvrtc", a.nvrtc);
  const auto flag = [&](const char* name, bool on) {
    if (on) arguments.emplace_back(name);
  };
  flag("--works", a.works);
  flag("--change-clocks", a.change_clocks);
  flag("--change-cap", a.change_cap);
  flag("--plan", a.plan);
  become_python_module("recorder", arguments);
}

}  // namespace

void add_log_command(CLI::App& app, int&) {
  auto a = std::make_shared<Arguments>();
  auto* c = app.add_subcommand(
      "log", "record this machine's GPUs under known loads, for fits; changes no setting unless asked");
  c->add_option("-o,--out", a->out, "CSV file to write; a description goes to FILE.json")
      ->type_name("FILE")
      ->capture_default_str();
  c->add_flag("--plan", a->plan, "print the experiments and run none");
  c->add_flag("--works", a->works, "also other kinds of work, and products for part of the time; changes no setting");
  c->add_flag("--change-clocks", a->change_clocks, "also lock clocks at five values; clocks are unlocked at the end");
  c->add_flag("--change-cap", a->change_cap, "also step the power limit; it is restored at the end");
  auto* low = c->add_option("--low-W", a->low_W, "lowest cap of the steps; default: the lowest that the GPU allows")
                  ->check(within(1.0, 1e4));
  auto* high = c->add_option("--high-W", a->high_W, "highest cap of the steps; default: the present limit")
                   ->check(within(1.0, 1e4));
  c->add_option("--gpu", a->gpus, "only this GPU (repeatable)")->type_name("NUMBER")->allow_extra_args(false);
  c->add_option("--sample-s", a->sample_s, "between samples")->check(within(0.01, 10.0))->capture_default_str();
  c->add_option("--scale", a->scale, "factor on the duration of all experiments")
      ->check(within(0.01, 100.0))
      ->capture_default_str();
  c->add_option("--load", a->load, "matrix: matrix products; none: only record")
      ->check(CLI::IsMember({"matrix", "none"}))
      ->capture_default_str();
  c->add_option("--command", a->command, "your own load, stopped and continued by signals")->type_name("COMMAND");
  c->add_option("--size", a->size, "number of rows of the matrices")->check(within(256, 32768))->capture_default_str();
  c->add_option("--source", a->source, "auto: NVML if available")
      ->check(CLI::IsMember({"auto", "nvml", "nvidia-smi"}))
      ->capture_default_str();
  c->add_option("--nvml", a->nvml, "path of the NVML library; default: libnvidia-ml.so.1")->type_name("FILE");
  c->add_option("--nvidia-smi", a->nvidia_smi, "path of nvidia-smi; default: from PATH")->type_name("FILE");
  c->add_option("--cudart", a->cudart, "path of the CUDA runtime library; default: libcudart.so")->type_name("FILE");
  c->add_option("--cublas", a->cublas, "path of the cuBLAS library; default: libcublas.so")->type_name("FILE");
  c->add_option("--cuda", a->cuda, "path of the CUDA driver library, for --works; default: libcuda.so.1")
      ->type_name("FILE");
  c->add_option("--nvrtc", a->nvrtc, "path of the CUDA run-time compiler, for --works; default: libnvrtc.so")
      ->type_name("FILE");
  c->callback([a, low, high] { log(*a, low->count() > 0, high->count() > 0); });
}
