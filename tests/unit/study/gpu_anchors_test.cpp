#include "study/gpu_anchors.hpp"

#include <cmath>

#include "catch.hpp"
#include "h100.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

TEST_CASE("board power of a state is the sum of its parts", "[study][gpu_anchors]") {
  const auto type = h100_node_type();
  auto p = type.gpu.params();
  const double V = type.gpu.voltage(1.5e9).V;
  const double leakage_W = p.leakage_W * std::exp(p.leakage_per_V * (V - p.voltage_ref_V)) *
                           std::exp(p.leakage_per_K * (320.0 - p.leakage_ref_K));
  const double dynamic_W = p.dynamic_W * (V / p.voltage_ref_V) * (V / p.voltage_ref_V) * 1.5e9 / p.dynamic_ref_Hz;
  const GpuState work{1.5e9, 320.0, 0.7, 0.2};
  CHECK(state_W(p, work) == Approx(p.board_W + leakage_W + 0.7 * dynamic_W + 0.2 * p.hbm_W));
  CHECK(state_W(p, {1.5e9, 320.0, 0.0, 0.0, true, true}) ==
        Approx(p.board_W + leakage_W + p.wait_activity * dynamic_W));
  p.rest_leakage_ratio = 0.4;
  CHECK(state_W(p, {1.5e9, 320.0, 0.0, 0.0, false}) == Approx(p.board_W + 0.4 * leakage_W));
}

TEST_CASE("draws change the entry's values and nothing else", "[study][gpu_anchors]") {
  const std::vector<GpuState> states = {{3.45e8, 306.15, 0.0, 0.0, false}, {1.567e9, 333.15, 1.0, 0.25}};
  const auto W = states_W("h100_sxm_700W", {"power.board_W", "power.hbm_W"}, {{28, 100}, {38, 100}, {28, 120}}, states);
  REQUIRE(W.size() == 3);
  CHECK(W[1][0] - W[0][0] == Approx(10.0));
  CHECK(W[1][1] - W[0][1] == Approx(10.0));
  CHECK(W[2][0] == W[0][0]);
  CHECK(W[2][1] - W[0][1] == Approx(5.0));
  CHECK_THROWS_AS(states_W("h100_sxm_700W", {"power.tdp_W"}, {{700}}, states), InputError);
  CHECK_THROWS_AS(states_W("h100_sxm_700W", {"power.board_W"}, {{28, 1}}, states), InputError);
}
