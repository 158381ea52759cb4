// A controller of your own: every minute it moves the power cap so that the hottest die stays below a target.
//   step_by_step SCENARIO.toml TARGET_degC [key=value ...]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <tidewatt/tidewatt.hpp>
#include <variant>

int main(int argc, char** argv) try {
  if (argc < 3) return std::fprintf(stderr, "usage: step_by_step SCENARIO.toml TARGET_degC [key=value ...]\n"), 2;
  tidewatt::LoadOptions options;
  options.set.assign(argv + 3, argv + argc);
  const auto scenario = tidewatt::load_scenario(argv[1], options);
  const double target_K = std::atof(argv[2]) + 273.15;
  const double tdp_W = scenario.halls.front().gpu.tdp_W, end_s = scenario.run.duration_s;
  const std::string hall = "hall." + scenario.halls.front().hall.name;

  tidewatt::Engine engine(scenario);
  double cap_W = tdp_W, hottest_K = 0.0;
  for (int minute = 1; 60.0 * minute <= end_s; ++minute) {
    engine.advance_to(60.0 * minute);
    hottest_K = std::get<double>(engine.read(hall + ".die_max_K"));
    cap_W = std::clamp(cap_W + 2.0 * (target_K - hottest_K), 0.6 * tdp_W, tdp_W);  // an integrator with bounds
    engine.write(hall + ".cap_W", cap_W);
    if (minute % 10 == 1)
      std::printf("%6.0f s: hottest die %.1f degC, cap %.0f W\n", engine.time_s(), hottest_K - 273.15, cap_W);
  }
  const auto result = engine.finish();
  std::printf("end: hottest die %.1f degC, cap %.0f W, %zu arrays recorded\n", hottest_K - 273.15, cap_W,
              result.arrays.size());
  return 0;
} catch (const std::exception& e) {
  return std::fprintf(stderr, "%s\n", e.what()), 2;
}
