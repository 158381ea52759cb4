#include "fleet/fan_cycle.hpp"

#include <cmath>
#include <vector>

#include "catch.hpp"
#include "h100.hpp"
#include "tidewatt/catalog/catalog.hpp"

using namespace tidewatt;

namespace {

constexpr double zero_K = 273.15, air_J_per_m3_K = 1.2e3;
const std::vector<double> gpu_W(8, 600.0), nominal(8, 1.0);

fleet::NodeType grand_teton() {
  auto type = h100_node_type();
  type.stairs.emplace(
      thermal::read_fan_controller(catalog::Catalog().values("fan_controller", "grand_teton_h100_700W"), "x"));
  return type;
}

double at_rest_K(const fleet::NodeType& type, double frac, double inlet_K) {
  return fleet::hottest_at_K(type, gpu_W, nominal, inlet_K, air_J_per_m3_K, frac);
}

/// The closed form, Newton's step by step.
fleet::FanStairs::Speeds settled(const fleet::NodeType& type, double inlet_K, double accepted_K) {
  constexpr double hour_s = 3600.0, d = 1e-3;
  fleet::FanStairs::Speeds s{0.8, 0.8, 0.8, 0.8, accepted_K, 0.0, 0, 0.8};
  for (int i = 0; i < 8; ++i) {
    const double f = s.mean_frac, K = at_rest_K(type, f, inlet_K);
    s = type.stairs->settled({accepted_K, 0.0}, {K, f, (at_rest_K(type, f + d, inlet_K) - K) / d, inlet_K}, hour_s);
  }
  return s;
}

}  // namespace

TEST_CASE("the fleet's share of two steps is what a controller gives that samples each 3 s") {
  const auto type = grand_teton();
  int n_cycling = 0;
  for (double inlet_K = 18 + zero_K; inlet_K < 36 + zero_K; inlet_K += 0.5)
    for (const double accepted_K : {60 + zero_K, 61 + zero_K}) {
      const auto s = settled(type, inlet_K, accepted_K);
      if (s.term_frac > 0.0) continue;
      const auto c =
          fleet::fan_cycle(type, gpu_W, nominal, inlet_K, air_J_per_m3_K, s.mean_frac, s.accepted_K, 14400.0);
      INFO("inlet " << inlet_K - zero_K << ", accepted " << accepted_K - zero_K << ", mean " << c.mean_K - zero_K);
      CHECK((s.high_frac > s.low_frac) == (c.period_s > 0.0));
      CHECK(c.mean_K == Approx(at_rest_K(type, s.mean_frac, inlet_K)).margin(0.3));
      if (c.period_s == 0.0) continue;
      ++n_cycling;
      CHECK(c.low_frac == Approx(s.low_frac));
      CHECK(c.high_frac == Approx(s.high_frac));
      CHECK(c.amplitude_K > 1.0);
      CHECK(c.period_s > 6.0);
    }
  CHECK(n_cycling > 5);
}

TEST_CASE("fans at rest leave the die where its powers and its air have it") {
  const auto type = grand_teton();
  const auto c = fleet::fan_cycle(type, gpu_W, nominal, 300.0, air_J_per_m3_K, 0.75, std::nan(""), 3600.0);
  if (c.period_s == 0.0) CHECK(c.mean_K == Approx(at_rest_K(type, c.mean_frac, 300.0)).margin(0.05));
  CHECK(c.time_s.size() == c.die_K.size());
}

TEST_CASE("a server that repeats itself swings as one that is played to the end") {
  const auto type = grand_teton();
  std::vector<double> uneven_W = gpu_W;
  for (std::size_t g = 0; g < uneven_W.size(); ++g) uneven_W[g] += 3.7 * static_cast<double>(g);
  int n_cycling = 0;
  for (const auto& W : {gpu_W, uneven_W})
    for (double inlet_K = 18 + zero_K; inlet_K < 36 + zero_K; inlet_K += 0.2)
      for (const double duration_s : {3600.0, 7200.0, 28801.0}) {
        const auto c = fleet::fan_cycle(type, W, nominal, inlet_K, air_J_per_m3_K, 0.7, 61 + zero_K, duration_s);
        const auto s = fleet::fan_swing(type, W, nominal, inlet_K, air_J_per_m3_K, 0.7, 61 + zero_K, duration_s);
        INFO("inlet " << inlet_K - zero_K << ", " << duration_s << " s");
        CHECK(s.period_s == c.period_s);
        CHECK(s.amplitude_K == Approx(c.amplitude_K).epsilon(0.0).margin(1e-6));
        n_cycling += c.period_s > 0.0 ? 1 : 0;
      }
  CHECK(n_cycling > 20);
}
