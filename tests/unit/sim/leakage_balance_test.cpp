#include "sim/leakage_balance.hpp"

#include <cmath>

#include "catch.hpp"

using namespace tidewatt::sim;

TEST_CASE("without leakage the die settles at air + R P") {
  const auto b = leakage_balance(0.06, 600.0, 0.0, {0.012, 333.15}, 300.0);
  CHECK(b.die_K == Approx(336.0).epsilon(1e-15));
  CHECK(b.gain == 0.0);
  CHECK_FALSE(b.runaway);
}

TEST_CASE("the balance satisfies its own equation and more leakage is hotter until it runs away") {
  double last_K = 0.0;
  bool ran_away = false;
  for (double leak_W = 0.0; leak_W < 2000.0; leak_W += 20.0) {
    const auto b = leakage_balance(0.06, 600.0, leak_W, {0.012, 333.15}, 300.0);
    CHECK(b.runaway >= ran_away);
    ran_away = b.runaway;
    if (b.runaway) continue;
    const double W = 600.0 + leak_W * std::exp(0.012 * (b.die_K - 333.15));
    CHECK(b.die_K - 300.0 == Approx(0.06 * W).epsilon(1e-12));
    CHECK(b.die_K > last_K);
    CHECK(b.gain < 1.0);
    last_K = b.die_K;
  }
  CHECK(ran_away);
}
