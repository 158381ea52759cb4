#include "grid/phase_sag.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

TEST_CASE("phases at the load: wye passes them, delta-wye turns one lost phase into two at 1/sqrt(3)") {
  const auto wye = phase_voltages(0.2, 1, Transformer::wye_wye);
  CHECK(wye[0] == Approx(0.2));
  CHECK(wye[1] == Approx(1.0));
  CHECK(wye[2] == Approx(1.0));
  const auto delta = phase_voltages(0.0, 1, Transformer::delta_wye);
  CHECK(delta[0] == Approx(1.0 / std::sqrt(3.0)));
  CHECK(delta[1] == Approx(1.0));
  CHECK(delta[2] == Approx(1.0 / std::sqrt(3.0)));
  // In between: sqrt(h² + h + 1)/sqrt(3).
  CHECK(phase_voltages(0.5, 1, Transformer::delta_wye)[0] == Approx(std::sqrt(0.25 + 0.5 + 1.0) / std::sqrt(3.0)));
  const auto two = phase_voltages(0.3, 2, Transformer::delta_wye);
  CHECK(two[1] == Approx(0.3));
  for (const auto t : {Transformer::wye_wye, Transformer::delta_wye})
    for (const double v : phase_voltages(0.4, 3, t)) CHECK(v == Approx(0.4));
  CHECK_THROWS_AS(phase_voltages(0.5, 4, Transformer::wye_wye), InputError);
}

TEST_CASE("a lost phase takes a third of single-phase units off behind wye, and none that ride 0.55 pu behind delta") {
  LoadGroup g;
  g.name = "servers";
  g.power_W = 90e6;
  g.voltage = {{0.7, 0.02, true, "low_pu"}};
  g.returns = false;
  const RideRule rule;
  const auto left = [&](bool per_phase, double limit, std::int64_t n, Transformer t) {
    g.per_phase = per_phase;
    g.voltage[0].limit = limit;
    const LoadGroup groups[] = {g};
    return play_phases(rule, groups, 60.0, 0.0, 0.1, n, t).left_W;
  };
  CHECK(left(true, 0.7, 1, Transformer::wye_wye) == Approx(30e6));
  CHECK(left(true, 0.7, 1, Transformer::delta_wye) == Approx(60e6));
  CHECK(left(true, 0.55, 1, Transformer::delta_wye) == 0.0);
  CHECK(left(false, 0.7, 1, Transformer::wye_wye) == Approx(90e6));  // three-phase units judge the lowest
  CHECK(left(true, 0.7, 3, Transformer::wye_wye) == Approx(90e6));
  g.voltage[0].setting = "low_pu";
  const LoadGroup groups[] = {g};
  CHECK(play_phases(rule, groups, 60.0, 0.0, 0.1, 1, Transformer::wye_wye).setting == "low_pu");
}
