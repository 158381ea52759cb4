#include "liquid.hpp"

#include <algorithm>

#include "tidewatt/cooling/psychrometrics.hpp"

namespace TIDEWATT_NAMESPACE::cooling {
namespace {

// Departure from water: quadratic in temperature, cubic in concentration; fitted to Melinder's values.
struct Departure {
  double w, wt, wtt, ww, wwt, www, wwtt;
  double at(double x, double t) const {
    return x * (w + t * (wt + t * wtt) + x * (ww + t * (wwt + t * wwtt) + x * www));
  }
};
constexpr Departure density{92.9005, -0.870101, 0.00529429, 58.9966, -0.545814, -75.2669, -0.000118831};
constexpr Departure heat_capacity{-1470.44, 23.6661, -0.136711, 753.571, -26.9759, -1643.57, 0.201472};

}  // namespace

// Kell 1975: `ρ = Σ a_i t^i / (1 + b t)`.
double water_density_kg_per_m3(double T_K) {
  const double t = T_K - zero_celsius_K;
  const double sum =
      999.83952 + t * (16.945176 + t * (-7.9870401e-3 + t * (-46.170461e-6 + t * (105.56302e-9 - 280.54253e-12 * t))));
  return sum / (1.0 + 16.879850e-3 * t);
}

double water_cp_J_per_kg_K(double T_K) {
  const double t = T_K - zero_celsius_K;
  return 4218.9215 + t * (-3.1923834 + t * (0.096393868 + t * (-0.0014176685 + t * (1.0984394e-5 - 3.290071e-8 * t))));
}

double coolant_density_kg_per_m3(double T_K, double glycol_frac) {
  return water_density_kg_per_m3(T_K) + density.at(glycol_frac, T_K - zero_celsius_K);
}

double coolant_cp_J_per_kg_K(double T_K, double glycol_frac) {
  return water_cp_J_per_kg_K(T_K) + heat_capacity.at(glycol_frac, T_K - zero_celsius_K);
}

double coolant_flow_kg_per_s(double heat_W, double rise_K, double mean_K, double glycol_frac) {
  return heat_W / (coolant_cp_J_per_kg_K(mean_K, glycol_frac) * rise_K);
}

}  // namespace TIDEWATT_NAMESPACE::cooling
