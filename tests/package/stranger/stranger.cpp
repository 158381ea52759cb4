// Runs a scenario through the shared library: figures, arrays, a result file, errors and a plant of its own.   stranger SCENARIO.toml OUT.h5
#include <cstdio>
#include <memory>
#include <tidewatt/tidewatt.hpp>

namespace {

/// Supplies air at 22 degC and draws nothing.
class FreePlant final : public tidewatt::cooling::CoolingPlant {
 public:
  std::size_t n_state() const override { return 0; }
  std::vector<std::string> state_names() const override { return {}; }
  std::unique_ptr<tidewatt::cooling::PlantWorkspace> make_workspace() const override {
    return std::make_unique<tidewatt::cooling::PlantWorkspace>();
  }
  void initialise(std::span<double>, const tidewatt::cooling::PlantInput&, tidewatt::Tick) const override {}
  tidewatt::cooling::PlantStep advance(std::span<double>, const tidewatt::cooling::PlantInput& input, tidewatt::Tick t0,
                                       tidewatt::Tick t1, tidewatt::cooling::PlantWorkspace&) const override {
    tidewatt::cooling::PlantStep step;
    step.supply_mean_K = step.supply_end_K = 295.15;
    step.hot_aisle_mean_K = 310.15;
    step.heat_in_J = step.heat_out_J = input.it_heat_W * tidewatt::seconds(t1 - t0);
    return step;
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  auto scenario = tidewatt::load_scenario(argv[1], {.set = {"run.duration_h=0.05"}});
  try {
    auto wrong = scenario;
    wrong.halls.front().hall.cap_W = 1e6;
    tidewatt::check(wrong);
    return 3;
  } catch (const tidewatt::InputError& e) {  // crosses the library's border as itself
    std::printf("%s\n", e.findings().front().key.c_str());
  }
  const auto result = tidewatt::run(scenario);
  tidewatt::io::Hdf5Sink(argv[2]).write(result);
  std::printf("PUE %.4f, %zu rows, payload %s\n", tidewatt::figure(result, "pue"),
              tidewatt::values(result, "/day/pcc_mean_W").size(), tidewatt::io::payload_sha256(result).c_str());
  scenario.halls.front().own_plant = std::make_shared<FreePlant>();
  std::printf("PUE %.4f with a plant that costs nothing\n", tidewatt::figure(tidewatt::run(scenario), "pue"));
  return 0;
}
