// C1 and C3: Frontier's component model and a plant of its kind under a measured day of heat.
#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "plant_rows.hpp"
#include "row_term.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/sum.hpp"
#include "tidewatt/cooling/hydronic_plant.hpp"
#include "tidewatt/cooling/psychrometrics.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

using cooling::PlantInput;
using cooling::PlantStep;

// Node behind its converters: 4 GPUs, CPU, memory, 4 NICs, drives -> (P + 13)/0.98; four nodes -> (P + 17)/0.96.
double idle_W() {
  const double node_W = 4 * term("C1.gpu_W", 88.0) + 90.0 + 74.26 + 4 * 20.0 + 30.0;
  const double four_nodes_W = (4.0 * (node_W + 13.0) / 0.98 + 17.0) / 0.96;
  const double n_node = 9408.0, n_cabinet = std::ceil(n_node / 128.0);
  return n_node / 4.0 * four_nodes_W + n_cabinet * 32.0 * 250.0 + 25.0 * 8473.0;
}

PlantInput input_of(const cooling::HydronicParams& p, double liquid_W, double wetbulb_K) {
  // Only the wet bulb was measured; 5 K of wet-bulb depression is a mild day's.
  const double drybulb_K = wetbulb_K + 5.0, pressure_Pa = cooling::standard_pressure_Pa(260.0);
  const double humidity = std::max(cooling::humidity_ratio_from_wet_bulb(drybulb_K, wetbulb_K, pressure_Pa), 0.0);
  PlantInput input;
  input.liquid_heat_W = liquid_W;
  input.it_heat_W = liquid_W * (1.0 - p.liquid_frac) / p.liquid_frac;
  input.server_flow_m3_per_s = input.it_heat_W / (thermal::air_J_per_m3_K(297.15, humidity, pressure_Pa) * 12.0);
  input.liquid_flow_kg_per_s = 25.0 * 15.1;  // 240 GPM through each of 25 distribution units
  input.outdoor = {drybulb_K, humidity, wetbulb_K, pressure_Pa};
  return input;
}

struct Sample {
  double heat_W, wetbulb_K;
};

std::vector<Sample> measured_day(const std::filesystem::path& file) {
  std::vector<Sample> day;
  bool header = true;
  for (const std::string& line : split(tidewatt::read_file(file.string(), 16u << 20), '\n')) {
    if (header || line.empty()) {
      header = false;
      continue;
    }
    const auto words = split(line, ',');
    double sum = 0.0, v = 0.0;
    for (std::size_t i = 1; i + 1 < words.size(); ++i) {
      if (!parse_number(trim(words[i]), v)) throw InputError("frontier heat load: '" + words[i] + "' is not a number");
      sum += v;
    }
    if (!parse_number(trim(words.back()), v)) throw InputError("frontier heat load: wet bulb is not a number");
    day.push_back({sum, v + cooling::zero_celsius_K});
  }
  return day;
}

struct Books {
  CompensatedSum in, inside, out, stored, electric;
  void add(const PlantStep& s, double span_s) {
    in.add(s.heat_in_J), inside.add(s.fan_J), out.add(s.heat_out_J), stored.add(s.stored_change_J);
    electric.add(cooling::plant_electric_W(s, span_s) * span_s);
  }
  double closure() const {
    const double given = in.value() + inside.value();
    return std::abs(given - term("C3.heat_out_J", out.value()) - stored.value()) / given;
  }
};

constexpr Tick step_ns = 15 * ns_per_s;

void measured_rows(const Context& context, const cooling::HydronicPlant& plant, std::vector<Row>& rows) {
  const char* what = "plant like Frontier's under a measured day of heat from 25 CDUs, every 15 s";
  const auto file = context.data / "frontier_heat_load" / "frontier_25cdu_heat_W_15s_24h.csv";
  if (!std::filesystem::exists(file)) {
    rows.push_back(skipped("C3/pue", what, "sustain_lc", "heat load absent"));
    return;
  }
  const auto day = measured_day(file);
  std::vector<double> state(plant.n_state());
  auto workspace = plant.make_workspace();
  const auto input = [&](const Sample& s) { return input_of(plant.params(), s.heat_W, s.wetbulb_K); };
  plant.initialise(state, input(day.front()), 0);
  Books books;
  Tick t = 0;
  for (const Sample& s : day) {
    books.add(plant.advance(state, input(s), t, t + step_ns, *workspace), seconds(step_ns));
    t += step_ns;
  }
  rows.push_back(within("C3/pue", what, "", 1.03, 1.07, 1.0 + books.electric.value() / books.in.value(), 0.02,
                        "arXiv 2410.05133", "cooling's share only: power conversion is not in it"));
  rows.push_back(within("C3/closure", std::string(what) + ": energy left over", "", 0.0, 1e-11, books.closure(), 0.0,
                        "energy audit"));
}

// 3 MW more within one sample of 15 s, then two hours at rest.
void step_rows(const cooling::HydronicPlant& plant, std::vector<Row>& rows) {
  const double wetbulb_K = cooling::zero_celsius_K + 10.0;
  std::vector<double> state(plant.n_state());
  auto workspace = plant.make_workspace();
  plant.initialise(state, input_of(plant.params(), 22e6, wetbulb_K), 0);
  double peak_K = 0.0, lo_K = 1e9, hi_K = 0.0;
  for (Tick k = 0; k < 2 * 240; ++k) {
    const auto s =
        plant.advance(state, input_of(plant.params(), 25e6, wetbulb_K), k * step_ns, (k + 1) * step_ns, *workspace);
    peak_K = std::max(peak_K, std::abs(s.liquid_supply_mean_K - plant.params().loop_set_K));
    if (k >= 240) lo_K = std::min(lo_K, s.liquid_supply_mean_K), hi_K = std::max(hi_K, s.liquid_supply_mean_K);
  }
  rows.push_back(within("C3/step", "3 MW in 15 s: largest excursion of the liquid supply", "K", 0.0, 2.0, peak_K, 0.0,
                        "sustain_lc"));
  rows.push_back(within("C3/stable", "same: swing of the liquid supply in the second hour", "K", 0.0, 0.1, hi_K - lo_K,
                        0.0, "sustain_lc"));
}

}  // namespace

std::vector<Row> plant_frontier_rows(const Context& context) {
  std::vector<Row> rows;
  rows.push_back(
      against("C1", "Frontier component model, 9,408 nodes idle", "MW", 7.24, 1e-6 * idle_W(), 0.01, "raps"));
  const cooling::HydronicPlant plant(catalog_hydronic("frontier_like_tower"), 40e6);
  measured_rows(context, plant, rows);
  step_rows(plant, rows);
  return rows;
}

}  // namespace TIDEWATT_NAMESPACE::validate
