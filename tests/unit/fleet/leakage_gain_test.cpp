#include "fleet/leakage_gain.hpp"

#include <cmath>

#include "catch.hpp"
#include "h100.hpp"

using namespace tidewatt;
using namespace tidewatt::fleet;

namespace {

/// The H100's node with leakage of `W` at the reference temperature, growing by `per_K`.
NodeType with_leakage(double W, double per_K) {
  NodeType type = h100_node_type();
  auto p = type.gpu.params();
  p.leakage_W = W;
  p.leakage_per_K = per_K;
  type.gpu = power::GpuModel(p);
  return type;
}

}  // namespace

TEST_CASE("the loop gain is r dP/dT of a hot die, twice, and no less than the gentle one") {
  CHECK(leakage_loop_gain(with_leakage(1.0, 0.03), 0.75) == gentle_loop_gain);
  const NodeType type = with_leakage(60.0, 0.03);
  const double W_per_K = 0.03 * 60.0 * std::exp(0.03 * (353.15 - type.gpu.params().leakage_ref_K));
  const double K_per_W = type.package.die_base_K_per_W + type.package.base_sink_K_per_W +
                         1.0 / type.modes[fan_step(0.75)].sink_air_W_per_K;
  CHECK(leakage_loop_gain(type, 0.75) == Approx(2.0 * K_per_W * W_per_K).epsilon(1e-9));
  CHECK(leakage_loop_gain(type, 0.75) > gentle_loop_gain);
  CHECK(leakage_loop_gain(with_leakage(120.0, 0.03), 0.75) == Approx(2.0 * leakage_loop_gain(type, 0.75)));
}

TEST_CASE("faster fans lower the loop gain; a speed below the lowest is the lowest") {
  const NodeType type = with_leakage(60.0, 0.03);
  CHECK(leakage_loop_gain(type, 1.0) < leakage_loop_gain(type, 0.6));
  CHECK(leakage_loop_gain(type, 0.0) == leakage_loop_gain(type, type.air.fan_min_frac));
}

TEST_CASE("a die at rest at another fan speed has moved with its leakage: the sum of the loop's series") {
  const double K_per_W = 0.06, W_per_K = 1.5;
  double die_K = 0.0;
  for (int i = 0; i < 40; ++i) die_K = 1.0 + K_per_W * W_per_K * die_K;  // 1 K by the fans, the rest by the power
  CHECK(with_leakage_loop(K_per_W, W_per_K) == Approx(die_K).epsilon(1e-14));
  CHECK(with_leakage_loop(K_per_W, 0.0) == 1.0);
  CHECK(with_leakage_loop(K_per_W, -1.0) < 1.0);
  CHECK(with_leakage_loop(K_per_W, 20.0) == 2.0);
  CHECK(with_leakage_loop(K_per_W, std::nan("")) == 1.0);
}
