// A hall's plant that is a Python callable.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>

#include "bind.hpp"
#include "tidewatt/cooling/cooling_plant.hpp"
#include "tidewatt/cooling/psychrometrics.hpp"

namespace TIDEWATT_NAMESPACE::bindings {
namespace {

/// Asks the callable for supply air and electricity; the heat leaves at once, so that the books need nothing from it.
class PythonPlant final : public cooling::CoolingPlant {
 public:
  PythonPlant(py::function ask, std::vector<double> initial) : ask_(std::move(ask)), initial_(std::move(initial)) {}
  ~PythonPlant() override {
    const py::gil_scoped_acquire gil;
    ask_.release().dec_ref();
  }
  PythonPlant(const PythonPlant&) = delete;
  PythonPlant& operator=(const PythonPlant&) = delete;

  std::size_t n_state() const override { return initial_.size(); }
  std::vector<std::string> state_names() const override { return std::vector<std::string>(n_state(), "own"); }
  std::unique_ptr<cooling::PlantWorkspace> make_workspace() const override {
    return std::make_unique<cooling::PlantWorkspace>();
  }
  void initialise(std::span<double> state, const cooling::PlantInput&, Tick) const override {
    std::copy(initial_.begin(), initial_.end(), state.begin());
  }

  cooling::PlantStep advance(std::span<double> state, const cooling::PlantInput& input, Tick t0, Tick t1,
                             cooling::PlantWorkspace&) const override {
    check_plant_input(input, t0, t1);
    const py::gil_scoped_acquire gil;
    try {
      return answer(state, input, t0, t1);
    } catch (py::error_already_set& e) {  // must not leave the GIL's reach
      throw SolverError("a plant in Python, at " + std::to_string(seconds(t0)) + " s: " + e.what());
    } catch (const py::cast_error& e) {
      throw SolverError("a plant in Python, at " + std::to_string(seconds(t0)) + " s: " + e.what());
    }
  }

 private:
  cooling::PlantStep answer(std::span<double> state, const cooling::PlantInput& input, Tick t0, Tick t1) const {
    const auto& air = input.outdoor;
    py::array_t<double> memory(static_cast<py::ssize_t>(state.size()), state.data());
    py::dict now;
    now["t0_s"] = seconds(t0);
    now["t1_s"] = seconds(t1);
    now["heat_W"] = std::max(0.0, input.it_heat_W);  // below 0 while warm air heats servers that were off
    now["flow_m3_per_s"] = input.server_flow_m3_per_s;
    now["outdoor_drybulb_K"] = air.drybulb_K;
    now["outdoor_wetbulb_K"] = air.wetbulb_K;
    now["outdoor_pressure_Pa"] = air.pressure_Pa;
    now["powered"] = input.powered;
    now["state"] = memory;
    const py::dict said = ask_(now);
    const auto number = [&](const char* key, double otherwise) {
      return said.contains(key) ? said[key].cast<double>() : otherwise;
    };
    for (const auto& item : said) {
      const auto key = item.first.cast<std::string>();
      if (key != "supply_K" && key != "supply_end_K" && key != "electric_W" && key != "water_kg")
        throw SolverError("a plant in Python answered with '" + key +
                          "'; known are supply_K, supply_end_K, electric_W, water_kg");
    }
    cooling::PlantStep step;
    step.supply_mean_K = number("supply_K", std::nan(""));
    step.supply_end_K = number("supply_end_K", step.supply_mean_K);
    step.other_electric_W = input.powered ? number("electric_W", 0.0) : 0.0;
    step.water_kg = number("water_kg", 0.0);
    for (const double K : {step.supply_mean_K, step.supply_end_K})
      if (!(K > 200.0 && K < 400.0))
        throw SolverError("a plant in Python: supply_K must be 200 to 400 K, not " + std::to_string(K));
    if (!(step.other_electric_W >= 0.0 && step.water_kg >= 0.0))
      throw SolverError("a plant in Python: electric_W and water_kg must not be negative");
    const double dry_kg_per_s =
        input.server_flow_m3_per_s *
        cooling::dry_air_density_kg_per_m3(step.supply_mean_K, air.humidity_ratio, air.pressure_Pa);
    const double cp = cooling::moist_air_cp_J_per_kg_K(air.humidity_ratio);
    step.hot_aisle_mean_K = step.supply_mean_K + input.it_heat_W / (dry_kg_per_s * cp);
    step.supply_rh_frac = cooling::relative_humidity_frac(step.supply_mean_K, air.humidity_ratio, air.pressure_Pa);
    step.capacity_margin_frac = 1.0;
    step.heat_in_J = step.heat_out_J = input.it_heat_W * seconds(t1 - t0);
    std::copy_n(memory.data(), state.size(), state.begin());
    return step;
  }

  py::function ask_;
  std::vector<double> initial_;
};

/// The scenario with one hall's plant replaced, and a line in its text that says so.
std::shared_ptr<sim::Scenario> with_plant(const sim::Scenario& scenario, std::size_t hall, py::function ask,
                                          std::vector<double> initial, const std::string& what) {
  auto changed = std::make_shared<sim::Scenario>(scenario);
  auto& spec = changed->halls.at(hall);
  spec.own_plant = std::make_shared<PythonPlant>(std::move(ask), std::move(initial));
  changed->text += "\n# hall " + spec.hall.name + ": a plant in Python, " + what + "\n";
  return changed;
}

}  // namespace

void bind_plant(py::module_& m) {
  m.def("with_plant", &with_plant, py::arg("scenario"), py::arg("hall"), py::arg("ask"), py::arg("initial"),
        py::arg("what"));
}

}  // namespace TIDEWATT_NAMESPACE::bindings
