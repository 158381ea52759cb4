// A cooling plant of your own in the place of the catalog's: it supplies air 3 K above the wet bulb, never below 18 degC.
//   own_plant SCENARIO.toml [key=value ...]
#include <algorithm>
#include <cstdio>
#include <tidewatt/cooling/psychrometrics.hpp>
#include <tidewatt/tidewatt.hpp>

namespace {

namespace cooling = tidewatt::cooling;
using tidewatt::figure;
using tidewatt::Tick;

/// Without memory: what heat comes in goes out at once. 2 % of it is what the fans draw, outside of the streams.
class WetBulbPlant final : public cooling::CoolingPlant {
 public:
  std::size_t n_state() const override { return 0; }
  std::vector<std::string> state_names() const override { return {}; }
  std::unique_ptr<cooling::PlantWorkspace> make_workspace() const override {
    return std::make_unique<cooling::PlantWorkspace>();
  }
  void initialise(std::span<double>, const cooling::PlantInput&, Tick) const override {}
  cooling::PlantStep advance(std::span<double>, const cooling::PlantInput& in, Tick t0, Tick t1,
                             cooling::PlantWorkspace&) const override {
    cooling::PlantStep step;
    step.supply_mean_K = step.supply_end_K = std::max(291.15, in.outdoor.wetbulb_K + 3.0);
    const double dry_kg_per_m3 =
        cooling::dry_air_density_kg_per_m3(step.supply_mean_K, in.outdoor.humidity_ratio, in.outdoor.pressure_Pa);
    step.hot_aisle_mean_K =
        step.supply_mean_K + in.it_heat_W / (in.server_flow_m3_per_s * dry_kg_per_m3 * cooling::dry_air_cp_J_per_kg_K);
    step.other_electric_W = 0.02 * in.it_heat_W;
    step.heat_in_J = step.heat_out_J = in.it_heat_W * tidewatt::seconds(t1 - t0);
    step.capacity_margin_frac = 1.0;
    return step;
  }
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) return std::fprintf(stderr, "usage: own_plant SCENARIO.toml [key=value ...]\n"), 2;
  tidewatt::LoadOptions options;
  options.set.assign(argv + 2, argv + argc);
  auto scenario = tidewatt::load_scenario(argv[1], options);
  const auto before = tidewatt::run(scenario);
  for (auto& hall : scenario.halls) hall.own_plant = std::make_shared<WetBulbPlant>();
  const auto after = tidewatt::run(scenario);
  std::printf("PUE %.3f with the catalog's plant, %.3f with ours; books close to %.0e\n", figure(before, "pue"),
              figure(after, "pue"), figure(after, "energy_closure"));
  return 0;
} catch (const std::exception& e) {
  return std::fprintf(stderr, "%s\n", e.what()), 2;
}
