// A controller of your own: every minute it moves the power cap so that the hottest die stays below a target.
//   step_by_step SCENARIO.toml TARGET_degC [key=value ...]
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <tidewatt/tidewatt.hpp>

int main(int argc, char** argv) try {
  if (argc < 3) return std::fprintf(stderr, "usage: step_by_step SCENARIO.toml TARGET_degC [key=value ...]\n"), 2;
  tidewatt::sim::LoadOptions options;
  options.set = {"run.macro_step_s=60", "run.macro_step_max_s=60"};
  options.set.insert(options.set.end(), argv + 3, argv + argc);
  const auto scenario = tidewatt::sim::load_scenario(argv[1], options);
  const double target_K = std::atof(argv[2]) + 273.15;
  const auto& gpu = scenario.halls.front().gpu;

  tidewatt::sim::Engine engine(scenario);
  double cap_W = gpu.tdp_W, hottest_K = 0.0;
  for (int step = 0; !engine.done(); ++step) {
    engine.step();
    hottest_K = *std::max_element(engine.die_K().begin(), engine.die_K().end());
    cap_W = std::clamp(cap_W + 2.0 * (target_K - hottest_K), 0.6 * gpu.tdp_W, gpu.tdp_W);  // an integrator with bounds
    engine.set_limits(0, cap_W, gpu.vf_clock_Hz.back());
    if (step % 10 == 0) std::printf("%6.0f s: hottest die %.1f degC, cap %.0f W\n", engine.time_s(), hottest_K - 273.15, cap_W);
  }
  const auto result = engine.finish();
  std::printf("end: hottest die %.1f degC, cap %.0f W, %zu arrays recorded\n", hottest_K - 273.15, cap_W, result.arrays.size());
  return 0;
} catch (const std::exception& e) {
  return std::fprintf(stderr, "%s\n", e.what()), 2;
}
