// Row 2: leakage steady state against Lambert's W, around the fold.
#include "leakage_balance.hpp"

#include <numbers>

#include "figures.hpp"

using namespace tidewatt;
using namespace tidewatt::fleet;

namespace {

// Principal branch of W for −1/e ≤ z < 0 by Halley's iteration in long double, from its series at the branch point or at 0.
long double lambert(long double z) {
  const long double p = std::sqrt(std::max(0.0L, 2 * (std::numbers::e_v<long double> * z + 1)));
  long double w = z < -0.2L ? -1 + p - p * p / 3 + 11 * p * p * p / 72 : z * (1 - z);
  for (int i = 0; i < 50; ++i) {
    const long double e = std::exp(w), f = w * e - z;
    if (w + 1 == 0) break;
    const long double step = f / (e * (w + 1) - (w + 2) * f / (2 * w + 2));
    w -= step;
    if (std::abs(step) < 1e-19L * std::abs(w)) break;
  }
  return w;
}

}  // namespace

TEST_CASE("row 2: 1e5 leaking packages around the fold settle where Lambert's W says, or run away") {
  double worst_K = 0.0;
  int n_wrong = 0, n_runaway = 0, n_near = 0;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    Draws d(2, i);
    const double R = d.between(0.03, 0.12), P = d.between(100, 800), k = d.between(0.008, 0.02),
                 air_K = d.between(285, 325);
    // Distance to the fold from 1e-12 to 1, on either side.
    const double side = i % 2 ? 1.0 : -1.0;
    const double distance = side * d.log_between(1e-12, 0.9);
    const double L_air = (1.0 - distance) / (k * R * std::exp(1.0 + k * R * P));
    const double L = L_air / std::exp(k * (air_K - 333.15));
    const auto b = leakage_balance(R, P, L, {k, 333.15}, air_K);
    // From the doubles that the library saw.
    const long double kl = k, Rl = R,
                      leak =
                          Rl * static_cast<long double>(L) * std::exp(kl * (static_cast<long double>(air_K) - 333.15));
    const long double z = kl * leak * std::exp(kl * Rl * P);
    const long double beyond = z * std::numbers::e_v<long double> - 1;
    if (std::abs(beyond) > 1e-9L && b.runaway != (beyond > 0)) ++n_wrong;
    n_runaway += b.runaway ? 1 : 0;
    if (beyond >= 0 || b.runaway) continue;
    const long double w = lambert(-z);
    if (1 + w < 1e-4L) continue;  // 1 − gain, since gain = −W
    ++n_near;
    const long double x = Rl * P - w / kl;
    worst_K = std::max(worst_K, static_cast<double>(std::abs(b.die_K - air_K - x)));
    if (std::abs(b.gain + static_cast<double>(w)) > 1e-9) ++n_wrong;
  }
  figure(2, "leakage balance against Lambert's W where 1 − gain ≥ 1e-4", worst_K, 1e-9, "K");
  figure(2, "misclassified of 100,000", n_wrong, 0, "");
  CHECK(worst_K <= 1e-9);
  CHECK(n_wrong == 0);
  CHECK(n_runaway > 40'000);
  CHECK(n_near > 30'000);
}

TEST_CASE("row 2: the kernel marches to the same balance") {
  double worst_K = 0.0;
  for (std::uint64_t i = 0; i < 50; ++i) {
    Draws d(3, i);
    const auto p = random_package(d);
    const auto modes = thermal::package_modes(p, d.between(0.3, 1.0));
    const double R = modes.steady_K_per_W, k = 0.0115;
    const LeakageLaw law{k, 333.15};
    PackageBlock block{};
    LaneWatts watts{};
    block.modes = &modes;
    for (std::size_t g = 0; g < n_package_lane; ++g) {
      block.air_K[g] = 300.0;
      block.resistance_ratio[g] = 1.0;
      for (auto& s : block.store_K) s[g] = 300.0;
      watts.fixed_W[g] = d.between(100, 600);
      // A tenth to nine tenths of the leakage that runs away.
      watts.leakage_W[g] =
          d.between(0.1, 0.9) / (k * R * std::exp(1.0 + k * R * watts.fixed_W[g] + k * (300.0 - 333.15)));
    }
    const workload::Segment hours{20'000 * ns_per_s, 0};
    const auto plan = make_batch_plan(std::span(&hours, 1), {ns_per_s, 20 * ns_per_s, 2});
    advance_packages(plan, law, std::span(&watts, 1), std::span(&block, 1));
    for (std::size_t g = 0; g < n_package_lane; ++g)
      worst_K = std::max(worst_K, std::abs(block.store_K[0][g] -
                                           leakage_balance(R, watts.fixed_W[g], watts.leakage_W[g], law, 300.0).die_K));
  }
  figure(2, "kernel's steady state against the balance", worst_K, 1e-9, "K");
  CHECK(worst_K <= 1e-9);
}
