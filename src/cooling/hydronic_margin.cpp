#include "hydronic_margin.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace TIDEWATT_NAMESPACE::cooling::hydronic {
namespace {

constexpr double used_up = 1e-3;  ///< of the installed capacity: nothing is left that a controller could add
constexpr double nothing = 1e-9;  ///< what lags leave of a share that has come to its end

/// Cooling that the facility water would miss at its set point, which it is this far above: what the economiser takes
/// because its inlet is so warm, and what warms the water. Water on its way down is cooled by more than its load: a
/// plant that catches up after a start is not too small.
double short_W(const WaterFlows& f, double over_K) {
  if (!(over_K > 0.0)) return 0.0;
  const double between_K = f.facility_hot_K - f.reject_cold_K;
  const double warming_W = f.load_W + f.pump_W - f.reuse_W - f.economiser_W - f.chilled_W;
  return warming_W + (between_K > 0.0 ? f.economiser_W * std::min(1.0, over_K / between_K) : 0.0);
}

/// Machines, as far as the pressure of their condensers lets them, less those at work.
PlantMargin of_chillers(const HydronicPlant::Water& water, const WaterIndex& at, const PlantInput& input,
                        const WaterFlows& f, std::span<const double> y) {
  const HydronicParams& p = water.params;
  const double reject_W_per_K = y[pump_live] * p.reject_flow_kg_per_s * p.reject_J_per_kg_K;
  const double pressure =
      reject_W_per_K > 0.0 ? pressure_left_frac(p.chiller, f.reject_cold_K + f.economiser_W / reject_W_per_K) : 1.0;
  double left = y[chiller_live] * pressure - y[at.chiller_drive] * y[at.stage] / p.n_chiller;
  if (left < used_up)
    left -= std::max(0.0, short_W(f, f.facility_cold_K - water.set_K - p.chiller_above_K)) / p.chiller.capacity_W;
  // Condensers are hot for want of pumps or of rejection.
  const bool hot = pressure < 1.0 || input.capacity.rejection_frac < 1.0;
  return {left, input.capacity.pump_frac < 1.0 ? PlantPart::pumps : hot ? PlantPart::rejection : PlantPart::chillers};
}

PlantMargin of_rejection(const HydronicPlant::Water& water, const WaterIndex& at, const PlantInput& input,
                         const WaterFlows& f, std::span<const double> y) {
  double left = y[tower_live] - y[at.reject_drive];
  if (left < used_up) {
    // What warms the rejection's own water, as what warms the facility's.
    const double warming_W =
        f.economiser_W + f.chilled_W + water.params.chiller.motor_frac * f.compressor_W + f.reject_pump_W - f.tower_W;
    left -= std::max(0.0, short_W(f, f.facility_cold_K - water.set_K) + warming_W) / water.params.reference_it_W;
  }
  return {left, input.capacity.pump_frac < 1.0 ? PlantPart::pumps : PlantPart::rejection};
}

}  // namespace

PlantMargin margin_of(const HydronicParams& p, const Waters& waters, const PlantInput& input, const Flows& f,
                      std::span<const double> y) {
  const double rated_kg_per_s = p.coil_flow_kg_per_s + p.cdu_flow_kg_per_s,
               wanted_kg_per_s = y[crah_valve] * p.coil_flow_kg_per_s + y[cdu_valve] * p.cdu_flow_kg_per_s;
  std::vector parts = {
      PlantMargin{y[fan_live] - input.server_flow_m3_per_s / p.air_flow_m3_per_s - p.air_leakage_frac, PlantPart::fans},
      PlantMargin{y[cdu_live] - input.liquid_flow_kg_per_s / p.loop_flow_kg_per_s, PlantPart::distribution},
      // Whole pumps are sized for open valves: how far those are open is no lack of pumps.
      PlantMargin{input.capacity.pump_frac < 1.0 ? y[pump_live] - wanted_kg_per_s / rated_kg_per_s : 1.0,
                  PlantPart::pumps}};
  for (std::size_t w = 0; w < waters.size(); ++w)
    parts.push_back(waters[w].params.chiller.capacity_W > 0.0
                        ? of_chillers(waters[w], of_water[w], input, f.water[w], y)
                        : of_rejection(waters[w], of_water[w], input, f.water[w], y));
  auto least =
      *std::min_element(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.frac < b.frac; });
  if (std::abs(least.frac) < nothing) least.frac = 0.0;
  return least;
}

}  // namespace TIDEWATT_NAMESPACE::cooling::hydronic
