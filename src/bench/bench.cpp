#include "bench.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <thread>

#include "cvode_reference.hpp"
#include "grid_case.hpp"
#include "machine.hpp"
#include "scenario_times.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::bench {
namespace {

using namespace detail;

constexpr double allowed_error_K = 0.05;
constexpr fleet::StepGrading whole_segments{3600 * ns_per_s, 3600 * ns_per_s, 1};
constexpr fleet::StepGrading refined{ns_per_ms / 2, ns_per_ms / 2, 1};

struct Bench {
  const Options& options;
  std::size_t n_thread;
  std::vector<Figure> figures;

  double add(const char* key, double value, std::string how) {
    figures.push_back({key, value, std::move(how)});
    if (options.on_figure) options.on_figure(figures.back());
    return value;
  }
  double budget_s() const { return options.quick ? 0.1 : 2.0; }

  void kernel() {
    KernelCase c = make_kernel_case(options.quick ? 1024 : 16384);
    const auto n = c.fleet.n_gpu();
    const std::string what = fmt::format(
        "{} GPUs, iteration of {:.2f} s with {} edges, steps from 10 ms doubling, operating points, fans "
        "and tables of the chain once per iteration",
        n, c.period_s(), c.segments.size());
    const double core =
        add("kernel_gpu_steps_per_s_core", kernel_rate(c, fleet::production_grading, 1, budget_s()).gpu_steps_per_s,
            what + "; one thread, its processor time, best");
    add("kernel_gpu_steps_per_s_all", kernel_rate(c, fleet::production_grading, n_thread, budget_s()).gpu_steps_per_s,
        fmt::format("the same on {} threads, wall time, best", n_thread));
    const double fma = add("fma_gflops_core", fma_gflops(budget_s()),
                           "12 independent chains of vector multiply-adds, processor time, best");
    add("kernel_fraction_of_fma_peak", core * flop_per_gpu_step * 1e-9 / fma,
        fmt::format("{} operations per GPU-step, counted in the source", flop_per_gpu_step));
    add("memory_GB_per_s", triad_GB_per_s(n_thread, options.quick ? 32 : 128, budget_s()),
        fmt::format("a = b + s c, 24 bytes per element, {} threads, wall time, best", n_thread));
    against_cvode(c);
  }

  void against_cvode(KernelCase& c) {
    const PackageCase packages = package_case(c, 8);
    const auto exact_K = kernel_trace(c, packages, refined);
    const double production_K = largest_difference(kernel_trace(c, packages, fleet::production_grading), exact_K);
    const double whole_K = largest_difference(kernel_trace(c, packages, whole_segments), exact_K);
    const bool whole = whole_K <= allowed_error_K;
    const auto rate = kernel_rate(c, whole ? whole_segments : fleet::production_grading, 1, budget_s());
    const auto best = tune_cvode(c, refined, allowed_error_K, options.quick);
    const auto& s = best.settings;
    add("kernel_error_production_K", production_K, "largest die error at segment ends against steps of 0.5 ms");
    add("kernel_error_K", whole ? whole_K : production_K,
        fmt::format("the same with {}", whole ? "one step per segment" : "production steps"));
    add("kernel_gpu_s_per_s_core", rate.gpu_s_per_s,
        "simulated GPU-seconds per second at that error, everything included");
    add("cvode_error_K", best.error_K, "of the fastest CVODE setting within 0.05 K");
    add("cvode_gpu_steps_per_s_core", best.gpu_steps_per_s,
        fmt::format("{}, tolerance {} K, first step {} s, {} GPUs in one system, restarted at every edge; packages and "
                    "leakage only",
                    s.adams ? "Adams, fixed-point" : "BDF, KLU", s.tolerance_K, s.first_step_s,
                    s.n_block * fleet::n_package_lane));
    add("cvode_gpu_s_per_s_core", best.gpu_s_per_s, "simulated GPU-seconds per second of that setting");
    add("kernel_over_cvode", rate.gpu_s_per_s / best.gpu_s_per_s,
        "simulated GPU-seconds per second, kernel over CVODE, each within 0.05 K");
  }

  void grid() {
    const double simulated_s = options.quick ? 3600.0 : 86400.0;
    const auto rate = grid_rate(simulated_s);
    add("grid_times_real_time_core", rate.times_real_time,
        fmt::format("{:g} s of a 100,000-GPU waveform at 1 ms, bin by bin: feeder, storage control, voltage, "
                    "frequency, ramps, bands, rainflow, both "
                    "flickermeters; one thread, its processor time, once",
                    simulated_s));
    add("grid_memory_growth_MB", rate.growth_MB, "highest resident memory at its end over that after its first tenth");
  }

  double day(const char* key, const char* file, std::vector<std::string> set, const std::string& how) {
    const auto t = run_scenario(options.scenarios, file, std::move(set), n_thread);
    return add(key, t.wall_s,
               fmt::format("{}, {:g} s simulated, {} threads, wall time of one run", how, t.simulated_s, n_thread));
  }

  void ports() {
    const double simulated_s = options.quick ? 120.0 : 3600.0;
    const char* key = "driven_times_real_time_core";
    try {
      add(key, driven_rate(options.scenarios, 2048, simulated_s),
          fmt::format("2,048 GPUs, {:g} s: a controller reads two ports and moves the power cap every second; one "
                      "thread, its processor time, best",
                      simulated_s));
    } catch (const InputError& e) {
      skip(key, e.what());
    }
  }

  void skip(const char* key, const std::string& why) { add(key, std::numeric_limits<double>::quiet_NaN(), why); }

  void runs() {
    const char* file = "llama3_405b_day.toml";
    day("day_16384_periodic_wall_s", file, {}, file);
    const auto resolved = run_scenario(options.scenarios, file, {"run.duration_h=0.25"}, n_thread, true);
    add("day_16384_resolved_wall_s", resolved.wall_s * 86400.0 / resolved.simulated_s,
        "every iteration resolved, measured over day_16384_resolved_measured_s and scaled");
    add("day_16384_resolved_measured_s", resolved.simulated_s, "simulated time that was really resolved");
    day("day_100k_wall_s", file, scaled_to(98304), "the day with 98,304 GPUs");
    whole_run("days54_16384_wall_s", "days54_16384_cpu_s", "llama3_405b_54days.toml", {});
    whole_run("", "year_128_cpu_s", "bench/year_128.toml", {});
    whole_run("", "smoothing_15min_16384_cpu_s", "bench/smoothing_fast.toml", {});
    whole_run("", "island_10min_16384_cpu_s", "islanding.toml", {});
    whole_run("", "day_983040_cpu_s", file, scaled_to(983040));
    auto hours = scaled_to(1024);
    hours.emplace_back("run.duration_h=10000");
    whole_run("hours10000_1024_wall_s", "", "llama3_405b_54days.toml", hours);
  }

  /// One run, by wall time and by the processor time of all its threads; an empty key is left out.
  void whole_run(const std::string& wall_key, const std::string& cpu_key, const std::string& file,
                 const std::vector<std::string>& set) {
    const std::string what =
        fmt::format("scenarios/{}{}", file, set.empty() ? "" : fmt::format(" with {}", fmt::join(set, ", ")));
    try {
      const auto t = run_scenario(options.scenarios, file, set, n_thread);
      if (!wall_key.empty())
        add(wall_key.c_str(), t.wall_s,
            fmt::format("{}, {:g} s simulated, {} threads, wall time of one run", what, t.simulated_s, n_thread));
      if (!cpu_key.empty())
        add(cpu_key.c_str(), t.cpu_s,
            fmt::format("{}, {:g} s simulated, {} threads, processor time of all of them, one run", what, t.simulated_s,
                        n_thread));
    } catch (const InputError& e) {
      for (const auto& key : {wall_key, cpu_key})
        if (!key.empty()) skip(key.c_str(), e.what());
    }
  }

  void scaling() {
    // Seconds of one iteration on every GPU: operating points, fans, packages, state in memory.
    const auto T = [&](std::size_t n) {
      KernelCase c = make_kernel_case(n, 2);
      return static_cast<double>(n) * c.period_s() /
             kernel_rate(c, fleet::production_grading, n_thread, budget_s()).gpu_s_per_s;
    };
    const double small = (T(32768) - T(16384)) / 16384.0;
    const double large = (T(1048576) - T(524288)) / 524288.0;
    add("per_gpu_cost_ratio_1M_over_16k", large / small,
        fmt::format("(T(1M) - T(512k))/512k over (T(32k) - T(16k))/16k; T: one resolved iteration of the kernel's load "
                    "on so many GPUs, {} threads, "
                    "wall time, best",
                    n_thread));
  }
};

}  // namespace

std::vector<Figure> run_benchmarks(const Options& options) {
  Bench b{options, options.n_thread ? options.n_thread : std::max(1u, std::thread::hardware_concurrency()), {}};
  b.grid();
  if (options.grid_only) return b.figures;
  b.kernel();
  b.ports();
  if (options.quick) {
    for (const char* key :
         {"day_16384_periodic_wall_s", "day_16384_resolved_wall_s", "day_16384_resolved_measured_s", "day_100k_wall_s",
          "days54_16384_wall_s", "days54_16384_cpu_s", "year_128_cpu_s", "smoothing_15min_16384_cpu_s",
          "island_10min_16384_cpu_s", "day_983040_cpu_s", "hours10000_1024_wall_s", "per_gpu_cost_ratio_1M_over_16k"})
      b.skip(key, "left out by --quick");
  } else {
    b.runs();
    b.scaling();
  }
  b.add("max_rss_MB", max_rss_MB(), "highest resident memory of this process, all of the above");
  return b.figures;
}

}  // namespace TIDEWATT_NAMESPACE::bench
