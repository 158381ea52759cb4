#include "heat_exchanger.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::cooling {

TIDEWATT_CLONES
double counterflow_effectiveness(double transfer_units, double capacity_ratio) {
  const double N = transfer_units, C = capacity_ratio, x = N * (1.0 - C);
  // With m = (1 - e^-x)/x: ε = N m / (1 + C N m); m -> 1 at C = 1, so one expression serves all ratios.
  const double Nm = N * math::mean_decay(x);
  return Nm / (math::exp(-x) + Nm);
}

double counterflow_heat_W(double UA_W_per_K, double hot_W_per_K, double cold_W_per_K, double hot_K, double cold_K) {
  const double least = std::min(hot_W_per_K, cold_W_per_K), most = std::max(hot_W_per_K, cold_W_per_K);
  if (!(least > 1e-9 * most)) return 0.0;
  // Beyond 500 units the exchanger is ideal, and e^-x would be limited.
  const double units = std::min(UA_W_per_K / least, 500.0);
  return counterflow_effectiveness(units, least / most) * least * (hot_K - cold_K);
}

TIDEWATT_CLONES
double flow_scaled_UA(double design_UA_W_per_K, double flow1_ratio, double flow2_ratio) {
  const double film1 = math::exp(-0.8 * math::log(std::max(flow1_ratio, 1e-4)));
  const double film2 = math::exp(-0.8 * math::log(std::max(flow2_ratio, 1e-4)));
  return design_UA_W_per_K * 2.0 / (film1 + film2);
}

double counterflow_UA_W_per_K(double heat_W, double hot_W_per_K, double cold_W_per_K, double inlet_difference_K) {
  const double least = std::min(hot_W_per_K, cold_W_per_K), C = least / std::max(hot_W_per_K, cold_W_per_K);
  const double effectiveness = heat_W / (least * inlet_difference_K);
  if (!(effectiveness > 0.0 && effectiveness < 1.0))
    throw InputError(
        fmt::format("heat exchanger: {:.6g} W between flows of {:.6g} and {:.6g} W/K, {:.6g} K apart, needs "
                    "an effectiveness of {:.6g}, which none has",
                    heat_W, hot_W_per_K, cold_W_per_K, inlet_difference_K, effectiveness));
  if (1.0 - C < 1e-9) return least * effectiveness / (1.0 - effectiveness);
  return least * math::log((1.0 - effectiveness * C) / (1.0 - effectiveness)) / (1.0 - C);
}

}  // namespace TIDEWATT_NAMESPACE::cooling
