// Which power cap gives the most tokens per joule, and what does it cost in speed?   own_scenario SCENARIO.toml
#include <cstdio>
#include <tidewatt/tidewatt.hpp>

int main(int argc, char** argv) try {
  if (argc != 2) return std::fprintf(stderr, "usage: own_scenario SCENARIO.toml\n"), 2;
  std::printf("%6s %14s %10s %14s\n", "cap W", "tokens/s", "MW", "tokens/J");
  auto scenario = tidewatt::load_scenario(argv[1]);
  for (const int cap_W : {500, 550, 600, 650, 700}) {
    scenario.halls.front().hall.cap_W = cap_W;
    tidewatt::check(scenario);  // as reading the file checks it
    const auto result = tidewatt::run(scenario);
    const double tokens_per_s = tidewatt::figure(result, "tokens_per_s_mean"),
                 MW = tidewatt::figure(result, "pcc_mean_MW");
    std::printf("%6d %14.0f %10.3f %14.4f\n", cap_W, tokens_per_s, MW, tokens_per_s / (MW * 1e6));
  }
  return 0;
} catch (const tidewatt::InputError& e) {
  return std::fprintf(stderr, "%s\n", e.what()), 2;
}
