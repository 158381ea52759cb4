// A planner's question: how much throughput do I lose in the hottest hour, and what must my connection carry?
//   planner_day SCENARIO.toml [key=value ...]
#include <cstdio>
#include <tidewatt/tidewatt.hpp>

using tidewatt::figure;

int main(int argc, char** argv) try {
  if (argc < 2) return std::fprintf(stderr, "usage: planner_day SCENARIO.toml [key=value ...]\n"), 2;
  tidewatt::LoadOptions options;
  options.set.assign(argv + 2, argv + argc);
  const auto scenario = tidewatt::load_scenario(argv[1], options);
  const auto result = tidewatt::run(scenario);
  std::printf("iteration %.3f s, throughput swing %.2f %%\n", figure(result, "iteration_s"),
              figure(result, "throughput_swing_percent"));
  std::printf("connection: mean %.2f MW, peak %.2f MW, largest step in one second %.2f MW\n",
              figure(result, "pcc_mean_MW"), figure(result, "pcc_max_MW"), figure(result, "pcc_step_1s_max_MW"));
  return 0;
} catch (const std::exception& e) {
  return std::fprintf(stderr, "%s\n", e.what()), 2;
}
