// C4: towers and chiller against the simulated trajectories of an independent library.
#include <algorithm>
#include <cmath>

#include "cooling/heat_exchanger.hpp"
#include "plant_rows.hpp"
#include "plant_series.hpp"
#include "row_term.hpp"
#include "tidewatt/cooling/chiller.hpp"
#include "tidewatt/cooling/psychrometrics.hpp"
#include "tidewatt/cooling/tower.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

constexpr const char* source = "modelica_buildings_reference";
constexpr double zero_K = cooling::zero_celsius_K;

// The example towers' published design: approach 3.9 K at a wet bulb of 25.55 °C, 35 to 29.44 °C, 0.5 kg/s,
// 1.2 kg of water per kg of air (that library's default).
cooling::TowerParams example_tower() {
  cooling::TowerParams p;
  p.water_kg_per_s = term("C4.water_kg_per_s", 0.5);
  p.water_air_ratio = term("C4.water_air_ratio", 1.2);
  p.wetbulb_K = zero_K + 25.55, p.water_in_K = zero_K + 35.0, p.water_out_K = term("C4.water_out_K", zero_K + 29.44);
  p.free_convection_frac = 0.125, p.fan_floor_frac = 0.3, p.fan_exponent_ratio = 3.0, p.fan_W = 583.8;
  p.ua_wetbulb_ratio = {1.0, 0.0081, 0.0};
  p.ua_air_ratio = {0.0, 1.3, -0.3};
  p.ua_water_ratio = {0.1082, 1.667, -0.7713};
  return p;
}

// Where the pump runs, the fan is at full speed and the outlet has settled: the leaving water is above its set point and
// moves with the weather, less than 0.5 K a sample.
std::vector<bool> full_fan(const PlantSeries& s) {
  const auto &leaving = s.at("tow.TLvg"), &entering = s.at("TEnt.T");
  const double set_K = s.at("conFan.u_s").front();
  std::vector<bool> take(leaving.size(), false);
  for (std::size_t i = 2; i < take.size(); ++i)
    take[i] = leaving[i] > set_K + 0.1 && std::abs(leaving[i] - leaving[i - 1]) < 0.5 && entering[i] - leaving[i] > 1.5;
  return take;
}

// The same equations with enthalpies per kilogram of moist air, as the reference library counts them; Merkel's theory, and
// cooling::Tower, count per kilogram of dry air, whose flow stays what it is.
double moist_enthalpy(double T) {
  const double W = cooling::saturated_humidity_ratio(T, 101325.0);
  return cooling::enthalpy_J_per_kg(T, W) / (1.0 + W);
}

double leaving_on_moist_basis(const cooling::TowerParams& p, double UA_W_per_K, double inlet_K, double wetbulb_K) {
  const double water = p.water_kg_per_s * cooling::liquid_cp_J_per_kg_K, air = p.water_kg_per_s / p.water_air_ratio;
  const double UA = UA_W_per_K * (p.ua_wetbulb_ratio[0] + p.ua_wetbulb_ratio[1] * (p.wetbulb_K - wetbulb_K));
  double heat_W = 0.0, lo = wetbulb_K + 1e-3, hi = wetbulb_K + 60.0;
  for (int i = 0; i < 60; ++i) {  // leaving wet bulb: what the air takes against what the exchanger gives
    const double out_K = 0.5 * (lo + hi),
                 c_e = (moist_enthalpy(out_K) - moist_enthalpy(wetbulb_K)) / (out_K - wetbulb_K);
    heat_W =
        cooling::counterflow_heat_W(UA * c_e / cooling::dry_air_cp_J_per_kg_K, water, air * c_e, inlet_K, wetbulb_K);
    (heat_W > air * c_e * (out_K - wetbulb_K) ? lo : hi) = out_K;
  }
  return inlet_K - heat_W / water;
}

Row basis_row(const Context& context) {
  const char* what = "same, our equations with the reference's own basis of enthalpy: leaving water";
  const auto s = read_plant_series(context.data / "modelica_buildings_reference" /
                                   "Buildings_Fluid_HeatExchangers_CoolingTowers_Examples_Merkel.txt");
  if (!s) return skipped("C4/tower_basis", what, source, "reference trajectories absent");
  const cooling::TowerParams p = example_tower();
  double lo = 1.0, hi = 1e6;  // UA from the design point, on this basis
  for (int i = 0; i < 80; ++i) {
    const double UA = 0.5 * (lo + hi);
    (leaving_on_moist_basis(p, UA, p.water_in_K, p.wetbulb_K) > p.water_out_K ? lo : hi) = UA;
  }
  std::vector<double> got;
  for (std::size_t i = 0; i < s->at("tow.TLvg").size(); ++i)
    got.push_back(leaving_on_moist_basis(p, lo, s->at("TEnt.T")[i], s->at("tow.TWetBul")[i]));
  return within("C4/tower_basis", what, "% of range", 0.0, 2.0,
                100.0 * worst_of_range(s->at("tow.TLvg"), got, full_fan(*s)), 0.0, source,
                "shows which part of C4/tower_merkel is the basis and which the equations");
}

Row tower_row(const Context& context, const char* id, const char* file, const char* what, const char* note) {
  const auto s = read_plant_series(context.data / "modelica_buildings_reference" / file);
  if (!s) return skipped(id, what, source, "reference trajectories absent");
  const cooling::TowerParams p = example_tower();
  const cooling::Tower tower(p);
  const auto take = full_fan(*s);
  std::vector<double> got;
  for (std::size_t i = 0; i < take.size(); ++i)
    got.push_back(
        tower.at(p.water_kg_per_s, s->at("TEnt.T")[i], s->at("tow.TWetBul")[i], 0.0, 101325.0, 1.0).leaving_K);
  return within(id, what, "% of range", 0.0, 2.0, 100.0 * worst_of_range(s->at("tow.TLvg"), got, take), 0.0, source,
                note);
}

Row nominal_row(const Context& context) {
  const char* what = "tower at its design point: water 35.00 degC in, leaving water";
  const auto s = read_plant_series(context.data / "modelica_buildings_reference" /
                                   "Buildings_Fluid_HeatExchangers_CoolingTowers_Validation_MerkelNominal.txt");
  if (!s) return skipped("C4/tower_nominal", what, source, "reference trajectories absent");
  const cooling::Tower tower(example_tower());
  const double got = tower.at(0.5, s->at("tow.sta_a.T").front(), zero_K + 25.55, 0.0, 101325.0, 1.0).leaving_K;
  const auto& leaving = s->at("tow.sta_b.T");
  const double range_K = leaving.back() - leaving.front();
  return within_absolute("C4/tower_nominal", what, "K", leaving.back(), got, 0.02 * range_K, source);
}

cooling::ChillerParams centrifugal_471kW() {
  cooling::ChillerParams p;
  p.capacity_W = term("C4.capacity_W", 471200.0), p.cop_ratio = term("C4.cop_ratio", 5.89);
  p.leaving_low_K = zero_K + 7.22, p.leaving_high_K = zero_K + 12.78;
  p.entering_low_K = zero_K + 12.78, p.entering_high_K = zero_K + 26.67;
  p.plr_min_frac = 0.10, p.plr_max_frac = 1.15, p.motor_frac = 1.0;
  p.capacity_T_ratio = {2.521130e-1, 1.324053e-2, -8.637329e-3, 8.581056e-2, -4.261176e-3, 8.661899e-3};
  p.input_T_ratio = {4.475238e-1, -2.588210e-2, -1.459053e-3, 4.342595e-2, -1.000651e-3, 1.920106e-3};
  p.input_plr_ratio = {2.778889e-1, 2.338363e-1, 4.883748e-1};
  return p;
}

void chiller_rows(const Context& context, std::vector<Row>& rows) {
  const char* what = "471 kW centrifugal chiller: inlets and set point moved over 4 h, on and off each 15 min";
  const auto s = read_plant_series(context.data / "modelica_buildings_reference" /
                                   "Buildings_Fluid_Chillers_Examples_ElectricEIR.txt");
  if (!s) {
    rows.push_back(skipped("C4/chiller", what, source, "reference trajectories absent"));
    return;
  }
  const cooling::ChillerParams p = centrifugal_471kW();
  const auto &set = s->at("chi.TSet"), &entering = s->at("chi.TEvaEnt"), &condenser = s->at("chi.TConEnt"),
             &leaving = s->at("chi.TEvaLvg"), &warm = s->at("chi.TConLvg"), &cop = s->at("chi.COP"),
             &plr = s->at("chi.PLR1");
  const double evaporator_W_per_K = term("C4.evaporator_kg_per_s", 10.35) * 4184.0, condenser_W_per_K = 19.24 * 4184.0;
  std::vector<double> got_leaving, got_warm, got_cop, got_plr;
  std::vector<bool> take;
  for (std::size_t i = 0; i < cop.size(); ++i) {
    const double asked_W = evaporator_W_per_K * std::max(entering[i] - set.at(set.size() > 2 ? i : 0), 0.0);
    // The curves of this machine are used beyond their listed range in the reference; so they are here.
    cooling::ChillerParams open = p;
    open.leaving_low_K = zero_K, open.leaving_high_K = zero_K + 40.0;
    open.entering_low_K = zero_K, open.entering_high_K = zero_K + 60.0;
    const double available_W = cooling::chiller_at(open, 0.0, set[i], condenser[i]).available_W;
    const double load_W = std::min(asked_W, p.plr_max_frac * available_W);
    const cooling::ChillerPoint at = cooling::chiller_at(open, load_W, set[i], condenser[i]);
    got_leaving.push_back(entering[i] - load_W / evaporator_W_per_K);
    got_warm.push_back(condenser[i] + (load_W + at.power_W) / condenser_W_per_K);
    got_cop.push_back(load_W / at.power_W);
    got_plr.push_back(at.plr_frac);
    // Steady samples of the machine at work: on now, before and after, leaving water at rest.
    const bool inside = i > 1 && i + 1 < cop.size();
    take.push_back(inside && cop[i - 1] > 0.0 && cop[i] > 0.0 && cop[i + 1] > 0.0 &&
                   std::abs(leaving[i] - set[i]) < 0.02);
  }
  const auto add = [&](const char* id, const char* quantity, const std::vector<double>& reference,
                       const std::vector<double>& got) {
    rows.push_back(within(id, std::string(what) + ": " + quantity, "% of range", 0.0, 2.0,
                          100.0 * worst_of_range(reference, got, take), 0.0, source,
                          "steady samples with the machine on"));
  };
  add("C4/chiller_cop", "COP", cop, got_cop);
  add("C4/chiller_load", "part load", plr, got_plr);
  add("C4/chiller_leaving", "evaporator leaving", leaving, got_leaving);
  add("C4/chiller_condenser", "condenser leaving", warm, got_warm);
}

}  // namespace

std::vector<Row> plant_reference_rows(const Context& context) {
  std::vector<Row> rows{nominal_row(context)};
  rows.push_back(tower_row(
      context, "C4/tower_merkel", "Buildings_Fluid_HeatExchangers_CoolingTowers_Examples_Merkel.txt",
      "Merkel tower over a summer day, fan at full speed: leaving water",
      "the reference counts enthalpy per kilogram of moist air; with that basis instead of Merkel's dry air "
      "C4/tower_basis passes. Steady samples with the fan at full speed; the file does not hold the fan signal"));
  rows.push_back(basis_row(context));
  rows.push_back(
      tower_row(context, "C4/tower_york", "Buildings_Fluid_HeatExchangers_CoolingTowers_Examples_YorkCalc.txt",
                "empirical (York) tower over a summer day, fan at full speed: leaving water",
                "an empirical correlation of another tower make: our Merkel tower with the same design point"));
  rows.push_back(skipped("C4/tower_energyplus", "Merkel tower against EnergyPlus over two days", source,
                         "the reference file holds answers only: entering water, wet bulb and flow are not in it"));
  chiller_rows(context, rows);
  return rows;
}

}  // namespace TIDEWATT_NAMESPACE::validate
