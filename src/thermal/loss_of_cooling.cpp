#include "tidewatt/thermal/loss_of_cooling.hpp"

#include <limits>

namespace tidewatt::thermal {

template <std::size_t N>
LossOfCooling loss_of_cooling(const StoreNetwork<N>& network, std::array<double, N> store_K, double coolant_K,
                              const HeatProtection& protection, const HeatingPower& power_W, double step_s,
                              double horizon_s) {
  constexpr double never = std::numeric_limits<double>::infinity();
  LossOfCooling out{never, never, never, store_K[0], 0.0};
  const auto modes = store_modes(network);
  const auto crossing = [&](double& at_s, double limit_K, double from_K, double now_s) {
    if (at_s == never && store_K[0] >= limit_K)
      at_s = from_K >= limit_K ? now_s : now_s + step_s * (limit_K - from_K) / (store_K[0] - from_K);
  };
  const auto n = static_cast<long>(horizon_s / step_s);
  for (long i = 0; i < n; ++i) {
    const double from_K = store_K[0], now_s = static_cast<double>(i) * step_s;
    std::array<double, N> heat{};
    heat[0] = power_W(from_K, out.slowdown_s != never);
    advance(modes, store_K, heat, coolant_K, step_s, 1.0);
    out.energy_in_J += heat[0] * step_s;
    out.end_die_K = store_K[0];
    crossing(out.throttle_s, protection.target_K, from_K, now_s);
    crossing(out.slowdown_s, protection.slowdown_K, from_K, now_s);
    crossing(out.shutdown_s, protection.shutdown_K, from_K, now_s);
    if (out.shutdown_s != never) break;
  }
  return out;
}

template LossOfCooling loss_of_cooling<3>(const StoreNetwork<3>&, std::array<double, 3>, double, const HeatProtection&,
                                          const HeatingPower&, double, double);
template LossOfCooling loss_of_cooling<4>(const StoreNetwork<4>&, std::array<double, 4>, double, const HeatProtection&,
                                          const HeatingPower&, double, double);

}  // namespace tidewatt::thermal
