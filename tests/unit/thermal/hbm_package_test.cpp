#include "tidewatt/thermal/hbm_package.hpp"

#include <array>
#include <cmath>

#include "catch.hpp"
#include "chain_network.hpp"

using namespace tidewatt;
using namespace tidewatt::thermal;

namespace {
const PackageParams package{1.5, 50, 900, 0.012, 0.018, 0.022, 0.8};
const HbmBranchParams hbm{12.0, 0.12, 0.3};
}  // namespace

TEST_CASE("the memory branch: steady temperatures by resistances in series", "[thermal][hbm]") {
  const HbmBranchParams apart{12.0, 0.12, 0.0};  // no interposer: a plain tree
  const auto m = store_modes(hbm_network(package, apart, 0.028));
  const double die_W = 560, hbm_W = 80, base_K = (die_W + hbm_W) * (0.028 + 0.018);
  const auto rise = [&](std::size_t s) {
    return steady_K_per_W(m, s, die_store) * die_W + steady_K_per_W(m, s, hbm_store) * hbm_W;
  };
  CHECK(rise(base_store) == Approx(base_K).epsilon(1e-11));
  CHECK(rise(die_store) == Approx(base_K + die_W * 0.012).epsilon(1e-11));
  CHECK(rise(hbm_store) == Approx(base_K + hbm_W * 0.12).epsilon(1e-11));
}

TEST_CASE("memory heat that leaves the die's path cools the die", "[thermal][hbm]") {
  const auto m = store_modes(hbm_network(package, hbm, 0.028));
  const double all_in_die = steady_K_per_W(m, die_store, die_store) * 640;
  const double split = steady_K_per_W(m, die_store, die_store) * 560 + steady_K_per_W(m, die_store, hbm_store) * 80;
  CHECK(split < all_in_die - 0.5);
}

TEST_CASE("the two measured poles stand out", "[thermal][hbm]") {
  // Step of die power: the share of the rise that each mode carries. A thermometer with 1 K steps sees what is large.
  const auto m = store_modes(hbm_network(package, hbm, sink_air_K_per_W(package, 0.6)));
  double fast_K_per_W = 0.0, slow_K_per_W = 0.0, hidden_K_per_W = 0.0;
  for (std::size_t k = 0; k < 4; ++k) {
    const double tau = 1.0 / m.rate_per_s[k], R = m.shape[die_store][k] * m.gain_K_per_J[k][die_store] * tau;
    if (tau > 17 && tau < 66)
      slow_K_per_W += R;
    else if (tau > 0.5 && tau < 2.4)
      fast_K_per_W += R;
    else
      hidden_K_per_W += R;
  }
  CHECK(slow_K_per_W > 0.019);
  CHECK(slow_K_per_W < 0.063);
  CHECK(fast_K_per_W + hidden_K_per_W >
        0.018);  // the die's own 20 ms cannot be told from the fast pole at 1 s readings
  CHECK(fast_K_per_W + hidden_K_per_W < 0.040);
}

namespace {

/// Steady rise over the coolant.
double full_K(std::size_t store, double die_W, double hbm_W) {
  const auto m = store_modes(hbm_network(package, hbm, 0.028));
  return steady_K_per_W(m, store, die_store) * die_W + steady_K_per_W(m, store, hbm_store) * hbm_W;
}

}  // namespace

TEST_CASE("memory temperature from the plain chain's die: exact in steady state", "[thermal][hbm]") {
  const auto chain = store_modes(chain_network(package, 0.028));
  const auto lead = memory_lead(package, hbm);
  for (const auto& [die_W, hbm_W] : {std::pair{560.0, 80.0}, std::pair{100.0, 0.0}, std::pair{300.0, 120.0}}) {
    const double from_chain_K = steady_K_per_W(chain, die_store, die_store) * (die_W + hbm_W) +
                                lead.die_K_per_W * die_W + lead.memory_K_per_W * hbm_W;
    CHECK(from_chain_K == Approx(full_K(hbm_store, die_W, hbm_W)).epsilon(1e-10));
  }
  // All heat through the die makes the plain chain's die too warm by what the memory sends past it.
  CHECK(lead.memory_K_per_W > 0.0);
  CHECK(lead.die_K_per_W < 0.0);
}

TEST_CASE("memory temperature from the plain chain: means of a repetition, and how far phases and steps lead away",
          "[thermal][hbm]") {
  const auto full = store_modes(hbm_network(package, HbmBranchParams{3.0, 0.12, 0.3}, 0.028));
  const auto chain = store_modes(chain_network(package, 0.028));
  const auto lead = memory_lead(package, HbmBranchParams{3.0, 0.12, 0.3});
  // Phases of an iteration: matrix work with a fifth of the traffic, memory-bound, waiting. W into die and stacks, s.
  const std::array<std::array<double, 3>, 3> phases{{{600, 25, 4.0}, {350, 95, 0.8}, {140, 0, 1.7}}};
  std::array<double, 4> a{};
  std::array<double, 3> c{};
  a.fill(300.0), c.fill(300.0);
  double memory_Ks = 0.0, chain_Ks = 0.0, peak_K = 0.0, die_J = 0.0, memory_J = 0.0, period_s = 0.0;
  for (int i = 0; i < 400; ++i) {
    const bool last = i == 399;
    for (const auto& [die_W, hbm_W, s] : phases)
      for (int k = 0; k < 40; ++k) {
        const double dt = s / 40;
        const auto f = advance<4>(full, a, {die_W, 0.0, 0.0, hbm_W}, 300.0, dt, 1.0);
        const auto g = advance<3>(chain, c, {die_W + hbm_W, 0.0, 0.0}, 300.0, dt, 1.0);
        if (!last) continue;
        memory_Ks += f.mean_K[hbm_store] * dt, chain_Ks += g.mean_K[die_store] * dt;
        peak_K = std::max(peak_K, a[hbm_store]);
        die_J += die_W * dt, memory_J += hbm_W * dt, period_s += dt;
      }
  }
  const double estimate_K = (chain_Ks + lead.die_K_per_W * die_J + lead.memory_K_per_W * memory_J) / period_s;
  CHECK(estimate_K == Approx(memory_Ks / period_s).margin(0.01));
  CHECK(peak_K - memory_Ks / period_s < 10.0);  // what a mean does not see
  // Full load at once on a cold package: the mean over the first 10 s, then over the next.
  a.fill(300.0), c.fill(300.0);
  const auto step = [&] {
    const auto f = advance<4>(full, a, {560.0, 0.0, 0.0, 80.0}, 300.0, 10.0, 1.0);
    const auto g = advance<3>(chain, c, {640.0, 0.0, 0.0}, 300.0, 10.0, 1.0);
    return g.mean_K[die_store] + lead.die_K_per_W * 560.0 + lead.memory_K_per_W * 80.0 - f.mean_K[hbm_store];
  };
  CHECK(std::abs(step()) == Approx(1.0).margin(0.1));  // the base of the full network lags behind otherwise
  CHECK(std::abs(step()) < 0.25);
  for (int i = 0; i < 4; ++i) step();
  CHECK(std::abs(step()) < 0.1);
}
